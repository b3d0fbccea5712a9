"""Work done twice, and facts that one agent took over from another."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.analysis.multi_agent import prices_of, read_collaboration, with_adoptions
from inspector.core.conversation import MAIN
from inspector.engine.facts import FactIndex
from inspector.llm.tokens import estimate_sizes
from tests.analysis.multi_agent.teams import TASK, Team, helped

FILE = "\n".join(f"the line with the number {number} of a long file" for number in range(40))
OTHER = "\n".join(f"and now for something else, the sentence {number}" for number in range(40))


def two_readers(second: str, path: str = "hills.md", **more: Any) -> Team:
    team = helped()
    team.read("hills.md", FILE, "counter")
    team.read(path, second, **more)
    team.say("Now I know, too.")
    return team


def test_a_file_that_two_agents_read_is_read_twice() -> None:
    session = two_readers(FILE).session()
    sizes = estimate_sizes(session)
    work = read_collaboration(session, sizes.tokens, price_for=prices_of(session))
    [repeat] = work.repeats
    assert (repeat.tool, repeat.what, repeat.first.agent, repeat.again.agent) == ("read", "hills.md", "counter", MAIN)
    assert session.messages[repeat.again.result].text == FILE
    assert (repeat.tokens, repeat.prompts) == (sizes.tokens[repeat.again.result], 1)
    assert work.wasted_tokens == repeat.tokens
    assert repeat.cost == pytest.approx(repeat.tokens * 2.5 / 1_000_000)


def test_a_part_that_begins_elsewhere_is_the_same_file() -> None:
    team = two_readers("\n".join(FILE.split("\n")[20:]), offset=20)
    session = team.session()
    assert len(read_collaboration(session, estimate_sizes(session).tokens).repeats) == 1


@pytest.mark.parametrize(("second", "path"), [(OTHER, "hills.md"), (FILE, "vales.md")])
def test_another_answer_and_another_question_are_no_repeat(second: str, path: str) -> None:
    session = two_readers(second, path).session()
    assert read_collaboration(session, estimate_sizes(session).tokens).repeats == ()


def test_an_agent_that_reads_again_by_itself_repeats_nobodys_work() -> None:
    team = helped()
    team.read("hills.md", FILE, "counter")
    team.read("hills.md", FILE, "counter")
    session = team.session()
    assert read_collaboration(session, estimate_sizes(session).tokens).repeats == ()


def test_writing_twice_is_no_reading() -> None:
    team = helped()
    for call, agent in (("a", MAIN), ("b", "counter")):
        team.call(call, "Write", agent, file_path="x.md", content=FILE)
        team.answer(call, "The file x.md has been written, and it has 40 lines now.", agent)
    session = team.session()
    assert read_collaboration(session, estimate_sizes(session).tokens).repeats == ()


def test_a_fact_is_adopted_where_it_came_from_another_agent() -> None:
    session = helped().session()
    work = with_adoptions(read_collaboration(session, estimate_sizes(session).tokens), FactIndex(session))
    rows = {row.fact: row for row in work.adoptions or ()}
    assert "survey/hives-2031.csv" in rows
    row = rows["survey/hives-2031.csv"]
    assert (row.cls, row.writer, row.source, row.reader, row.holder, row.use) == ("path", "counter", 5, MAIN, 6, 7)
    assert work.matrix["counter", MAIN].adopted == len(rows)


def test_what_the_person_or_the_task_told_is_no_adoption() -> None:
    team = Team()
    team.ask("Look at survey/hives-2031.csv for me.")
    team.call("t1", "Task", prompt=f"{TASK} Begin with orders/april-2032.csv there.")
    team.ask(f"{TASK} Begin with orders/april-2032.csv there.", "counter")
    team.say("I read orders/april-2032.csv and survey/hives-2031.csv: all is well with them.", "counter")
    team.answer("t1", "I read orders/april-2032.csv and survey/hives-2031.csv: all is well with them.")
    team.say("All is well with survey/hives-2031.csv and orders/april-2032.csv.")
    session = team.session()
    work = with_adoptions(read_collaboration(session, estimate_sizes(session).tokens), FactIndex(session))
    assert work.adoptions == ()
