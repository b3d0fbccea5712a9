"""Who wrote what, and whose prompt it went into."""

from __future__ import annotations

from functools import partial

from hypothesis import given, strategies as st

from inspector.analysis.multi_agent import PERSON, AgentCollaboration, read_collaboration, read_participants
from inspector.core.conversation import MAIN
from inspector.llm.tokens import estimate_sizes
from tests.analysis.multi_agent.teams import REPORT, TASK, Team, helped
from tests.growth import calls_made


def teamwork_of(team: Team) -> AgentCollaboration:
    session = team.session()
    return read_collaboration(session, estimate_sizes(session).tokens)


def test_a_task_and_its_report_are_known_by_their_words() -> None:
    work = teamwork_of(helped())
    rows = [(row.writer, row.source, row.reader, row.holder, row.channel, row.certainty) for row in work.transfers]
    assert rows == [
        (MAIN, 1, "counter", 2, "task", "whole"),
        ("counter", 5, MAIN, 6, "report", "whole"),
    ]
    task, report = work.transfers
    assert (task.prompts, task.turn) == (2, 1), "the helper made two calls with its task"
    assert (report.prompts, report.turn) == (1, 2)
    assert 0 < report.tokens <= work.tokens[6]
    assert work.matrix["counter", MAIN].prompt_tokens == report.tokens
    assert work.unread == ()


def test_a_report_in_other_words_is_known_by_the_call() -> None:
    team = Team()
    team.ask("How are my bees?")
    team.call("t1", "Task", prompt="Dig.")
    team.ask("Dig.", "counter")
    team.say("Dug.", "counter")
    team.answer("t1", "It is done, the helper says, and nothing was left over for tomorrow.")
    team.say("Good.")
    task, report = teamwork_of(team).transfers
    assert (task.channel, task.certainty, task.reader) == ("task", "whole", "counter")
    assert (report.channel, report.certainty, report.source) == ("report", "by the call", 3)


def test_what_the_person_or_a_file_told_first_is_nobodys() -> None:
    team = Team()
    team.ask(f"Please do this with care:\n{TASK}")
    team.call("t1", "Task", prompt=TASK)
    team.ask(TASK, "counter")
    lines = "the hive by the gate is empty since the storm of last autumn"
    team.read("a.txt", lines, "counter")
    team.say(f"I have seen this:\n{lines}", "counter")
    team.read("a.txt", lines)
    assert [row.channel for row in teamwork_of(team).transfers] == ["task"], "known by the whole text alone"


def test_a_file_that_one_writes_and_another_reads_goes_across() -> None:
    text = "the oldest hive stands under the third oak\nits queen is marked with a blue dot"
    team = helped()
    written = team.call("w1", "Write", "counter", file_path="notes.md", content=text)
    holder = team.read("notes.md", f"     1→{text.replace(chr(10), chr(10) + '     2→')}")
    team.say("Blue, then.")
    last = teamwork_of(team).transfers[-1]
    assert (last.source, last.holder, last.channel, last.certainty) == (written, holder, "output", "whole")


def test_a_report_that_comes_too_late_is_unread() -> None:
    team = helped()
    team.messages.pop()
    [unread] = teamwork_of(team).unread
    assert (unread.writer, unread.message, unread.reason) == ("counter", 5, "no call was made after it arrived")
    team.messages.pop()
    assert teamwork_of(team).unread[0].reason == "no agent received it"


def test_a_way_that_was_not_taken_is_in_no_later_prompt() -> None:
    team = helped()
    team.heads[MAIN] = 0
    team.ask("Forget the bees.")
    team.say("As you like.")
    assert teamwork_of(team).transfers[-1].prompts == 1


def test_a_group_chat_is_read_by_who_speaks_later() -> None:
    team = Team(shared=True)
    team.ask("How are my bees?")
    team.say("Let the counter count.", "planner")
    team.say("There are three.", "counter")
    team.say("Then write three.", "planner")
    work = teamwork_of(team)
    assert read_participants(work.session).writers == [PERSON, "planner", "counter", "planner"]
    assert [(row.writer, row.source, row.reader, row.turn) for row in work.transfers] == [
        ("planner", 1, "counter", 2),
        ("counter", 2, "planner", 3),
    ]
    assert {row.certainty for row in work.transfers} == {"assumed"}
    assert work.unread == (), "the last words are for the person"
    team.say("And so I did.", "planner")
    assert [row.message for row in teamwork_of(team).unread] == [3], "nobody else spoke after it"


def test_groups_keep_what_is_theirs() -> None:
    team = Team(shared=True)
    for agent, groups in (("ann", ["red"]), ("ben", ["red"]), ("cid", ["blue"]), ("ben", []), ("ann", ["red", "blue"])):
        team.say(f"{agent} says something to {groups or 'everybody'}.", agent, agent_id=agent, groups=groups)
    for agent in ("ann", "ben", "cid"):
        team.say("Good.", agent, agent_id=agent)
    work = teamwork_of(team)
    readers: dict[int, set[str]] = {}
    for row in work.transfers:
        readers.setdefault(row.source, set()).add(row.reader)
    assert readers[0] == {"ben"} and 2 in readers and readers[2] == {"ann"}
    assert readers[3] == {"ann", "cid"} and readers[4] == {"ben", "cid"}
    assert [(row.name, row.writers, row.messages) for row in work.groups] == [
        ("blue", ("ann", "cid"), 2),
        ("red", ("ann", "ben"), 3),
    ]


def test_one_agent_alone_shares_nothing() -> None:
    team = Team()
    team.ask("How are my bees?")
    team.say(REPORT)
    work = teamwork_of(team)
    assert work.is_alone and not work.transfers and not work.rows


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 30)), max_size=12), st.integers(2, 4))
def test_every_word_has_the_writer_who_wrote_it_first(words: list[tuple[str, int]], readers: int) -> None:
    """Whoever reads a line, it is the first agent's that wrote it, and nobody reads itself."""
    team = Team()
    first: dict[int, str] = {}
    team.ask("Begin.")
    for agent, number in words:
        team.ask(f"Go on, {agent}.", agent)
        team.say(f"The sentence with the number {number} is told here, word for word, and nowhere else.", agent)
        first.setdefault(number, agent)
    for reader in range(readers):
        text = "\n".join(
            f"The sentence with the number {number} is told here, word for word, and nowhere else." for number in first
        )
        team.ask(text, f"reader-{reader}")
        team.say("Thanks.", f"reader-{reader}")
    work = teamwork_of(team)
    assert all(row.writer != row.reader for row in work.transfers)
    for row in work.transfers:
        numbers = [int(word) for word in work.session.messages[row.source].text.split() if word.isdigit()]
        assert all(first[number] == row.writer for number in numbers)
    assert {row.writer for row in work.transfers if row.reader == "reader-0"} == set(first.values())
    assert sum(row.tokens for row in work.transfers if row.reader == "reader-0") <= sum(work.tokens)


def long_team(length: int) -> Team:
    team = helped()
    for number in range(length):
        agent = f"agent-{number % 5}"
        team.call(f"t{number}x", "Task", prompt=f"Look into the question with the number {number} until tonight.")
        team.ask(f"Look into the question with the number {number} until tonight.", agent)
        team.read(f"file-{number % 9}.txt", f"the file with the number {number % 9} says little\n" * 3, agent)
        team.say(f"The answer to the question {number} is that nobody knows it, alas.", agent)
        team.answer(f"t{number}x", f"The answer to the question {number} is that nobody knows it, alas.")
        team.say(f"On to the next one after {number}.")
    return team


def test_the_work_grows_with_the_log_and_no_faster() -> None:
    sessions = [long_team(length).session() for length in (100, 400)]
    one, four = (
        calls_made(partial(read_collaboration, session, estimate_sizes(session).tokens)) for session in sessions
    )
    assert four < 4.6 * one
