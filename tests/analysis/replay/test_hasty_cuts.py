"""Cuts of what was just read: they count as hasty if most of the text goes, with most of what later replies need."""

from __future__ import annotations

import pytest

from inspector.analysis.experiments import TrialSetup, run_trial
from inspector.core.conversation import Session
from inspector.engine.compression import Preset
from inspector.engine.facts import FactIndex
from inspector.llm.models import session_price
from tests.generated import Ask, Step, recorded, sized, work

READS = 24
_FILLER = "The tide was calm and the crew waited for the ferry to come back to the quay. "


def log_of(step: int) -> str:
    """A long log that names a file only in the middle."""
    return f"{_FILLER * 40}\nThe gate is configured in harbour/gate_{step}.yaml.\n{_FILLER * 40}"


def read_logs(*, uses: bool) -> Session:
    """Reads of logs. Later replies name the files of the logs before, or nothing of them."""
    steps: list[Step] = [Ask("Find out which gates fail.")]
    for step in range(READS):
        told = f"Now the file harbour/gate_{step - 3}.yaml is next." if uses and step > 2 else "On to the next log."
        steps.append(work(content=told, result=log_of(step)))
    return recorded([*steps, Ask("And now?")])


def haste_of(session: Session, preset: Preset) -> tuple[int, int]:
    setup = TrialSetup(session, sized(session, limit=100_000), session_price(session), facts=FactIndex(session))
    row = run_trial(setup, preset)
    return row.hasty, row.compressions


def cut_to(longest: int) -> Preset:
    return Preset(f"cut to {longest}", 10_000, 0.5, 4, "trim_outputs", {"longest": longest})


@pytest.mark.parametrize("longest", [100, 1_000])
def test_cuts_that_take_what_later_replies_need_are_hasty(longest: int) -> None:
    hasty, compressions = haste_of(read_logs(uses=True), cut_to(longest))
    assert 2 * hasty > compressions > 0


def test_cuts_of_what_no_reply_needs_are_not_hasty_unless_hardly_anything_is_left() -> None:
    session = read_logs(uses=False)
    hasty, compressions = haste_of(session, cut_to(1_000))
    assert (hasty, compressions > 0) == (0, True)


def test_a_recent_window_with_a_summary_of_the_rest_is_not_hasty() -> None:
    hasty, compressions = haste_of(read_logs(uses=True), Preset("recent", 20_000, 0.6, 12, "sliding_window"))
    assert (hasty, compressions > 0) == (0, True)


@pytest.mark.parametrize(
    ("strategy", "settings", "is_hasty"),
    [
        ("deletion", {"keep_recent": 6}, True),
        ("deletion", {"keep_recent": 12}, False),
        ("vector_swap", {"keep_last": 7, "k": 0}, True),
        ("vector_swap", {"keep_last": 7, "k": 3}, False),
        ("sliding_window", {"keep_recent": 6}, False),
    ],
)
def test_removing_most_of_the_newest_messages_without_a_trace_is_hasty(
    strategy: str, settings: dict[str, int], is_hasty: bool
) -> None:
    recent = settings.get("keep_recent", 7)
    hasty, compressions = haste_of(read_logs(uses=True), Preset("few", 20_000, 0.6, recent, strategy, settings))
    assert compressions > 0 and (2 * hasty > compressions) is is_hasty
