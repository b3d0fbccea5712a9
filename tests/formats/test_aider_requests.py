"""The log of aider's requests: a window for each reply, and what of it stood in the one before."""

from __future__ import annotations

from pathlib import Path

from inspector.core.conversation import Session
from inspector.engine.window import at_turn
from inspector.formats import find
from inspector.llm.tokens import estimate_sizes
from tests.formats.written import only

Row = tuple[str, str]
SYSTEM: Row = ("SYSTEM", "Act as an expert.\n\nBe short.")
MAP: Row = ("USER", "Here is the map of the repository.")
OK: Row = ("ASSISTANT", "Ok.")
FIRST: Row = ("USER", "Add a test.\n-------\nFor the clock.")
REMINDER: Row = ("SYSTEM", "Only edit blocks.")


def lines(role: str, text: str) -> str:
    return "\n".join(f"{role} {line}" for line in text.split("\n"))


def request(minute: int, *rows: Row) -> str:
    return f"TO LLM 2026-01-02T03:{minute:02}:05\n" + "".join(f"-------\n{lines(*row)}\n" for row in rows)


def reply(minute: int, text: str) -> str:
    return f"LLM RESPONSE 2026-01-02T03:{minute:02}:09\n{lines('ASSISTANT', text)}\n"


def history(tmp_path: Path, *entries: str) -> Session:
    path = tmp_path / "llm.history"
    path.write_text("".join(entries))
    return only(path)


def sent(session: Session, turn: int) -> list[str]:
    return [message.text for message in at_turn(session, estimate_sizes(session), turn).messages]


def test_each_reply_has_the_window_that_was_sent_for_it(tmp_path: Path) -> None:
    second, edited = ("USER", "Another."), ("USER", "I committed it.")
    new_map = ("USER", "Here is another map.")
    windows: list[list[Row]] = [
        [SYSTEM, MAP, OK, FIRST, REMINDER],
        [SYSTEM, MAP, OK, FIRST, ("ASSISTANT", "I add it."), second, REMINDER],
        [SYSTEM, FIRST, ("ASSISTANT", "I add it."), edited, OK, new_map, OK, ("USER", "Thanks."), REMINDER],
    ]
    replies = ["I add it.", "And another:\n\nit.", "Welcome."]
    entries = [
        text
        for at, (window, answer) in enumerate(zip(windows, replies, strict=True))
        for text in (request(at, *window), reply(at, answer))
    ]
    session = history(tmp_path, *entries)
    assert session.format == "aider-requests"
    for turn, window in enumerate(windows, 1):
        assert sent(session, turn) == [text for _, text in window]
    answers = [message for message in session if message.is_reply]
    assert [(message.text, message.time) for message in answers] == [
        (answer, f"2026-01-02T03:0{at}:09") for at, answer in enumerate(replies)
    ]
    assert session.records_system and session.title == "Add a test. ------- For the clock."
    said = {message.text for message in session if message.role == "user" and message.kind == "chat"}
    assert said == {FIRST[1], second[1], "Thanks."}
    assert sum(message.text == MAP[1] for message in session) == 1  # what stays is not repeated


def test_words_with_a_reminder_behind_them_are_still_the_persons(tmp_path: Path) -> None:
    entries = [
        request(0, SYSTEM, ("USER", "Add a test.\n\nOnly edit blocks.")),
        reply(0, "I add it."),
        request(1, SYSTEM, ("USER", "Add a test."), ("ASSISTANT", "I add it."), ("USER", "Why?\n\nOnly edit blocks.")),
        "LLM RESPONSE 2026-01-02T03:01:09\n\n",
    ]
    session = history(tmp_path, *entries)
    assert [message.kind for message in session if message.role == "user"] == ["chat"] * 3
    assert len(session.turns()) == 1


def test_lines_without_a_role_go_on_with_the_message_before(tmp_path: Path) -> None:
    picture = "TO LLM 2026-01-02T03:00:05\n-------\nUSER text: Look\nat it.\nUSER Image_url URL: data:,x\n"
    session = history(tmp_path, picture, reply(0, "A clock."))
    assert [message.text for message in session] == ["text: Look\nat it.\nImage_url URL: data:,x", "A clock."]


def test_what_stands_before_the_first_request_is_told(tmp_path: Path) -> None:
    session = history(tmp_path, "USER and so on\n", reply(0, "Yes."), request(1, SYSTEM, FIRST), reply(1, "I add it."))
    assert [str(problem) for problem in session.problems] == ["line 1: lines before the first request were left out"]
    assert len(session.turns()) == 2


def test_the_log_is_found_in_a_folder_by_its_content(tmp_path: Path) -> None:
    history(tmp_path, request(0, FIRST), reply(0, "I add it."))
    (tmp_path / "shell.history").write_text("ls\ncd clock\n")
    assert [path.name for path in find(tmp_path)] == ["llm.history"]
