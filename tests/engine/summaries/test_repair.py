"""Identifiers that a summary lost are put back while there is room."""

from __future__ import annotations

from hypothesis import given, strategies as st

from inspector.core.conversation import Message, Session
from inspector.engine.summaries.extractive.gist import identifiers
from inspector.engine.summaries.repair import repair_summary
from inspector.engine.summaries.summary_sections import TITLE, parse_lines
from tests.generated import LETTERS, Ask, Reply, Step, Summary, conversations, recorded, work

PLENTY = 100_000
SHORT = f"{TITLE}\n\nGoal:\n- Count the orders."


def mended(text: str, *steps: Step, target: int = PLENTY) -> str:
    return repair_summary(text, recorded(steps).messages, target, LETTERS.count)


def facts(text: str) -> list[str]:
    return [line for heading, line in parse_lines(text) if heading == "Facts verbatim"]


def test_what_is_lost_is_added_under_its_heading() -> None:
    text = mended(SHORT, Ask("Count the orders in /srv/orders.csv for job-4711."))
    assert text == f"{SHORT}\n\nFacts verbatim:\n- /srv/orders.csv\n- job-4711"


def test_what_is_told_is_not_added() -> None:
    text = f"{TITLE}\n\nGoal:\n- Count `/srv/orders.csv` (job-4711)."
    assert mended(text, Ask("Count the orders in /srv/orders.csv for job-4711.")) == text


def test_a_section_that_is_there_goes_on() -> None:
    text = f"{SHORT}\n\n## Facts verbatim\n- a/b.csv\n\n## Notes:\nnone"
    assert mended(text, Ask("It is job-4711 in a/b.csv")) == text.replace("- a/b.csv", "- a/b.csv\n- job-4711")
    between = f"{TITLE}\n\nFacts verbatim:\n- a/b.csv\n\nGoal:\n- Count."
    assert mended(between, Ask("job-4711")) == between.replace("- a/b.csv", "- a/b.csv\n- job-4711")


def test_the_most_used_come_first_and_of_those_the_newest() -> None:
    steps = [work(result="a/1.csv b/2.csv"), work(result="b/2.csv c/3.csv"), Reply("See d/4.csv.")]
    assert facts(mended(SHORT, *steps)) == ["b/2.csv", "d/4.csv", "c/3.csv", "a/1.csv"]


def test_what_an_earlier_summary_told_comes_before_all_that_is_new() -> None:
    earlier = f"{TITLE}\n\nGoal:\n- See z/9.csv.\n\nFacts verbatim:\n- the door code is 17\n- y/8.csv"
    text = mended(SHORT, Summary(earlier), Reply("See a/1.csv."), Reply("Again a/1.csv."))
    assert facts(text) == ["the door code is 17", "y/8.csv", "z/9.csv", "a/1.csv"]


def test_only_as_many_are_added_as_there_is_room_for() -> None:
    steps = [work(result=f"data/{number:04}.csv") for number in range(200)]
    target = LETTERS.count(SHORT) + 100
    text = mended(SHORT, *steps, target=target)
    assert 0.8 * target < LETTERS.count(text) <= target
    result = facts(text)
    assert result == [f"data/{number:04}.csv" for number in range(199, 199 - len(result), -1)]


def test_where_there_is_no_room_nothing_is_added() -> None:
    assert mended(SHORT, Ask("It is job-4711."), target=LETTERS.count(SHORT)) == SHORT
    assert mended(SHORT, Ask("It is job-4711."), target=0) == SHORT


SUMMARIES = st.sampled_from(
    [SHORT, "", "A plain text.", f"{SHORT}\n\nFacts verbatim:\n- x-1", "Facts verbatim:\n- x-1\n\nErrors:\n- None.\n"]
)


@given(SUMMARIES, conversations(), st.integers(0, 400) | st.just(PLENTY))
def test_repairing_only_adds_and_stays_within_the_target(text: str, session: Session, target: int) -> None:
    result = repair_summary(text, session.messages, target, LETTERS.count)
    assert LETTERS.count(result) <= max(target, LETTERS.count(text))
    rest = iter(result.splitlines())
    assert all(line in rest for line in text.rstrip().splitlines())
    assert result == repair_summary(text, [again(message) for message in session.messages], target, LETTERS.count)


@given(SUMMARIES, conversations())
def test_with_room_enough_nothing_is_lost_and_a_second_repair_finds_nothing(text: str, session: Session) -> None:
    spoken = [message for message in session.messages if not message.thinks]
    result = repair_summary(text, spoken, PLENTY, LETTERS.count)
    named = identifiers("\n".join(message.text for message in spoken))
    assert [word for word in named if word not in result] == []
    assert repair_summary(result, spoken, PLENTY, LETTERS.count) == result


def again(message: Message) -> Message:
    """The same message as another object, of which nothing can be known from before."""
    from dataclasses import replace

    return replace(message)
