"""The history of aider: whose words are whose, what was sent of them, and where a window was emptied."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.core.conversation import MAIN, Session, Usage
from inspector.engine.window import at_turn
from inspector.formats import load
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only

AIDER = """
# aider chat started at 2026-01-02 03:04:05

> /usr/bin/aider
> Main model: gpt-4o with diff edit format

#### add a test
#### for the clock

I add it.

> Applied edit to test_clock.py

# aider chat started at 2026-01-03 03:04:05

#### thanks

You are welcome.
"""
EDITS = """
# aider chat started at 2026-01-02 03:04:05

> /usr/bin/aider --message one paragraph

and another··
> Main model: gpt-4o with diff edit format··

#### add a test··

Here it is:

clock.py
```python
<<<<<<< SEARCH
#### not a word of the person
> 0
=======
x = 1
>>>>>>> REPLACE
```

> a quoted line

So it is.

> Tokens: 12k sent, 1.5k cache write, 10k cache hit, 120 received. Cost: $0.01 message, $0.01 session.··
> Applied edit to clock.py··
> # Fix any errors··
second line of what the program said··

#### thanks··

Welcome.

> Tokens: 900 sent, 12 received.··
""".replace("·", " ")
START = "# aider chat started at 2026-01-02 03:04:05"


def written(tmp_path: Path, text: str) -> Path:
    """A history of one chat. A dot in the middle stands for a blank at the end of a line."""
    path = tmp_path / "history.md"
    path.write_text(f"\n{START}\n\n{text}".replace("·", " "))
    return path


def heads(session: Session) -> list[tuple[str, str, str]]:
    return [(message.role, message.kind, message.text) for message in session]


def sent(session: Session, turn: int | None = None) -> list[str]:
    """What stands in a window: the one for a turn, or the newest."""
    return [message.text for message in at_turn(session, estimate_sizes(session), turn).messages]


def test_every_start_of_aider_is_a_session(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(AIDER)
    first, second = load(path)
    assert [(message.role, message.kind, message.text) for message in first] == [
        ("user", "notice", "/usr/bin/aider\nMain model: gpt-4o with diff edit format"),
        ("user", "chat", "add a test\nfor the clock"),
        ("assistant", "chat", "I add it."),
        ("user", "injected", "Applied edit to test_clock.py"),
    ]
    assert (first.model, first.line) == ("gpt-4o", 2)
    assert [message.text for message in second] == ["thanks", "You are welcome."]
    assert second.messages[0].time == "2026-01-03T03:04:05"


def test_edits_and_quotes_stay_in_a_reply_of_aider(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(EDITS)
    session = only(path)
    assert [(message.role, message.kind) for message in session] == [
        ("user", "notice"),
        ("user", "chat"),
        ("assistant", "chat"),
        ("user", "notice"),
        ("user", "injected"),
        ("user", "chat"),
        ("assistant", "chat"),
        ("user", "notice"),
    ]
    reply = session.messages[2].text
    assert reply == EDITS[EDITS.index("Here it is") : EDITS.index("So it is.")] + "So it is."
    assert session.messages[0].text.endswith("and another\nMain model: gpt-4o with diff edit format")
    assert session.messages[4].text.endswith("# Fix any errors\nsecond line of what the program said")


def test_the_counts_of_aider_are_the_usage_of_the_reply_before_them(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(EDITS)
    usages = [message.usage for message in only(path) if message.usage]
    assert usages == [Usage(12_000, 120, cache_read=10_000, cache_write=1_500), Usage(900, 12)]


def test_edits_stay_in_a_reply_where_an_editor_took_the_blanks_at_the_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("\n".join(line.rstrip() for line in EDITS.split("\n")).replace("> a quoted line", "a line"))
    session = only(path)
    assert any("=======\nx = 1\n>>>>>>> REPLACE\n```\n\na line" in message.text for message in session)
    assert session.messages[-2].usage == Usage(900, 12)


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ("13,554 sent, 549 received. Cost: $0.05 request, $0.05 session.", Usage(13_554, 549)),
        ("1,234,567 sent, 1,024 received.", Usage(1_234_567, 1_024)),
        ("13.5k sent, 120 received.", Usage(13_500, 120)),
        ("2,930 sent, 2,728 cache write, 18 received.", Usage(2_930, 18, cache_write=2_728)),
        ("21,539 sent, 320 cached, 9 received.", Usage(21_539, 9, cache_read=320)),
        ("194 sent, 9,474 cached, 7 received.", Usage(9_668, 7, cache_read=9_474)),
        ("194 sent, 9,474 cache write, 7 received.", Usage(9_668, 7, cache_write=9_474)),
        ("12k sent, 11k cache write, 5.0k cache hit, 7 received.", Usage(17_000, 7, 5_000, 11_000)),
    ],
)
def test_the_counts_of_every_version(tmp_path: Path, counts: str, usage: Usage) -> None:
    path = written(tmp_path, f"#### add a test··\n\nI add it.\n\n> Tokens: {counts}··\n")
    assert [message.usage for message in only(path) if message.usage] == [usage]


def test_a_reply_that_reached_a_limit_has_the_counts_of_the_report(tmp_path: Path) -> None:
    report = "> Model m has hit a token limit!··\n>··\n> Input tokens: ~15,461 of 128,000··\n"
    path = written(tmp_path, f"#### add a test··\n\nI add\n\n{report}> Output tokens: ~3,711 of 4,096 -- limit!··\n")
    assert [message.usage for message in only(path) if message.usage] == [Usage(15_461, 3_711)]


@pytest.mark.parametrize(
    "command",
    [
        "#### /clear··\n> All chat history cleared.··",
        "#### /clear··",
        "#### /cle··",
        "#### /reset··\n> All files dropped and chat history cleared.··",
        "#### /load names.txt··\n> Executing: /clear··\n> All chat history cleared.··",
    ],
)
def test_a_command_empties_the_window(tmp_path: Path, command: str) -> None:
    before = "#### add a test··\n\nI add it.\n\n> Applied edit to clock.py··\n\n"
    text = f"{before}{command}\n\n#### and the rest?··\n\nDone.\n"
    session = only(written(tmp_path, text))
    assert sent(session) == ["and the rest?", "Done."]
    assert sent(session, 1) == ["add a test"]
    assert sent(session, 2) == ["and the rest?"]
    assert all(message.kind == "notice" for message in session.messages[3:-2])


def test_a_window_that_was_emptied_at_the_end_is_the_last_that_was_sent(tmp_path: Path) -> None:
    session = only(written(tmp_path, "#### hello··\n\nHi.\n\n#### /clear··\n\n#### /exit··\n"))
    assert sent(session) == ["hello", "Hi."]


def test_commands_and_their_answers_are_not_sent(tmp_path: Path) -> None:
    text = """
#### /add clock.py··
> Added clock.py to the chat··

#### add a test··

I add it.

> Applied edit to clock.py··

#### /diff··
> diff --git a/clock.py b/clock.py
-x = 0

+x = 1··

#### /undo··
> Removed: 1234567 add a test··

#### <blank>··

#### /tokenz··
> Invalid command: /tokenz··

#### again··

Done.
"""
    session = only(written(tmp_path, text))
    assert sent(session) == ["add a test", "I add it.", "Applied edit to clock.py", "again", "Done."]
    notices = [message.text for message in session if message.kind == "notice"]
    assert notices[2:4] == ["/diff", "diff --git a/clock.py b/clock.py\n-x = 0\n\n+x = 1"]
    assert "<blank>" in notices
    assert session.title == "add a test"


@pytest.mark.parametrize("command", ["/ask", "/code", "/architect", "/context", "/help"])
def test_words_of_a_command_that_were_sent_stand_there_once(tmp_path: Path, command: str) -> None:
    text = f"#### {command} why is it··\n#### so slow?··\n\n#### why is it··\n#### so slow?··\n\nIt waits.\n"
    session = only(written(tmp_path, text))
    assert heads(session) == [
        ("user", "notice", f"{command} why is it\nso slow?"),
        ("user", "chat", "why is it\nso slow?"),
        ("assistant", "chat", "It waits."),
    ]


def test_words_of_a_command_that_were_not_written_once_more_are_the_request(tmp_path: Path) -> None:
    session = only(written(tmp_path, "#### /code add a test··\n\nI add it.\n\n#### /ask··\n\n#### why?··\n\nSo.\n"))
    assert heads(session) == [
        ("user", "chat", "add a test"),
        ("assistant", "chat", "I add it."),
        ("user", "notice", "/ask"),
        ("user", "chat", "why?"),
        ("assistant", "chat", "So."),
    ]
    assert session.messages[0].record == {"command": "code"}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (
            "> Add 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: y··\n> Added 2 lines of output.··",
            "injected",
        ),
        ("> Add 0.1k tokens of command output to the chat? (Y)es/(N)o [Yes]: n··", "notice"),
        ("> two\n\nlines··\n> Add the output to the chat?\n(y/n/instructions) n··", "notice"),
        ("> two\n\nlines··\n> Add the output to the chat?\n(y/n/instructions) y··", "injected"),
    ],
)
@pytest.mark.parametrize("command", ["/run ls", "!ls"])
def test_the_output_of_a_command_is_sent_where_it_was_added(
    tmp_path: Path, command: str, answer: str, kind: str
) -> None:
    session = only(written(tmp_path, f"#### {command}··\n{answer}\n\n#### so?··\n\nYes.\n"))
    assert [message.kind for message in session] == ["notice", kind, "chat", "chat"]


def test_an_output_with_empty_lines_is_no_reply(tmp_path: Path) -> None:
    output = "=== 1 test ===\n\n> a quote in it\n#### a heading in it\n\n=== 1 failed ==="
    session = only(written(tmp_path, f"#### /test pytest··\n> {output}··\n\nI mend it.\n"))
    assert heads(session)[1:] == [
        ("user", "injected", "=== 1 test ===\n\na quote in it\na heading in it\n\n=== 1 failed ==="),
        ("assistant", "chat", "I mend it."),
    ]


def test_inputs_that_follow_one_another_are_messages_of_their_own(tmp_path: Path) -> None:
    session = only(written(tmp_path, "#### one··\n####··\n#### and more··\n\n#### two··\n\nYes.\n"))
    assert [message.text for message in session] == ["one\n\nand more", "two", "Yes."]


def test_the_plan_of_an_architect_goes_to_an_editor_with_a_window_of_its_own(tmp_path: Path) -> None:
    plan = "Add a test to clock.py.\n\nIt calls now()."
    text = f"""
> Main model: claude-sonnet-4 with architect edit format··
> Editor model: gpt-4o with editor-diff edit format··

#### test the clock··

{plan}

> Tokens: 2,100 sent, 120 received.··
> Edit the files? (Y)es/(N)o [Yes]: y··

#### Add a test to clock.py.··
####··
#### It calls now().··

clock.py

> Tokens: 900 sent, 50 received.··
> Applied edit to clock.py··

#### thanks··

Welcome.
"""
    session = only(written(tmp_path, text))
    editors = [message for message in session if message.agent != MAIN]
    assert [(message.agent, message.role) for message in editors if message.kind == "chat"] == [
        ("editor", "user"),
        ("editor", "assistant"),
    ]
    assert (editors[0].parent, editors[0].text) == (-1, plan)
    assert [(message.model, message.usage) for message in editors if message.usage] == [("gpt-4o", Usage(900, 50))]
    assert [text for text in sent(session) if "Edit the files" not in text] == [
        "test the clock",
        plan,
        "thanks",
        "Welcome.",
    ]
    assert session.model == "claude-sonnet-4"


def test_a_history_that_breaks_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(AIDER)
    assert not [problem for session in load(path) for problem in session.problems]
    path.write_text(AIDER.rstrip()[:-4])
    cut = (18, "the last line has no line break: the chat may be truncated")
    for session in load(path):
        assert [(problem.line, problem.text) for problem in session.problems] == [cut]


def test_a_chat_whose_start_is_missing_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(AIDER[AIDER.index("#### add") :])
    first, second = load(path)
    assert [message.text for message in first][:2] == ["add a test\nfor the clock", "I add it."]
    assert (first.line, first.messages[0].time) == (1, "")
    assert "does not begin with the start of a chat" in str(first.problems[0])
    assert second.messages[0].text == "thanks"
    path.write_text(f"-*- mode: fundamental -*-\n{AIDER}")
    first, _ = load(path)
    assert [(problem.line, problem.text) for problem in first.problems] == [
        (1, "lines before the first chat were left out")
    ]
