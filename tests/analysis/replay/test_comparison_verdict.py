"""The verdict on two sessions: what was kept, read again and paid, per turn."""

from __future__ import annotations

import pytest

from inspector.analysis.replay import RECORDED, ComparisonVerdict, Lane, SideTotals, judge_sessions, session_reads
from inspector.analysis.replay.run import replay
from inspector.core.conversation import Session
from inspector.engine.facts import FactIndex
from inspector.formats import load
from inspector.llm.models import session_price
from inspector.llm.tokens import estimate_sizes
from tests.places import SESSIONS

NAMES = ("one", "other")


def totals(turns: int = 10, retained: float | None = 0.5, reread: int = 100, cost: float = 1.0) -> SideTotals:
    return SideTotals(turns, retained, reread, 1_000 * turns, cost)


def lane(session: Session) -> Lane:
    sizes, facts = estimate_sizes(session), FactIndex(session)
    return Lane(session, sizes, replay(session, sizes, RECORDED, session_price(session), facts=facts), facts)


@pytest.mark.parametrize(
    ("left", "right", "winners"),
    [
        (totals(), totals(), ("tie", "tie", "tie")),
        (totals(retained=0.9), totals(), ("left", "tie", "tie")),
        (totals(retained=None), totals(retained=0.9), ("tie", "tie", "tie")),
        (totals(reread=150), totals(), ("tie", "right", "tie")),
        (totals(cost=2.0), totals(cost=1.99), ("tie", "tie", "tie")),
        (totals(turns=20, cost=1.5, reread=150), totals(), ("tie", "left", "left")),
    ],
)
def test_sides_are_judged_by_turn_and_small_differences_are_ties(
    left: SideTotals, right: SideTotals, winners: tuple[str, str, str]
) -> None:
    verdict = ComparisonVerdict(left, right, NAMES)
    assert (verdict.kept, verdict.reread, verdict.cost) == winners
    mirrored = ComparisonVerdict(right, left, NAMES)
    swap = {"left": "right", "right": "left", "tie": "tie"}
    assert (mirrored.kept, mirrored.reread, mirrored.cost) == tuple(swap[winner] for winner in winners)


def test_the_better_side_is_named_first_with_both_numbers() -> None:
    verdict = ComparisonVerdict(totals(retained=0.4, cost=3.0), totals(retained=0.9, reread=0), NAMES)
    assert list(verdict.sentences()) == [
        "other kept more facts (90% against 40%), re-read fewer tokens per turn (0 against 10) "
        "and cost less per turn ($0.10 against $0.30).",
    ]


def test_ties_are_one_sentence() -> None:
    verdict = ComparisonVerdict(totals(retained=0.9), totals(), NAMES)
    assert list(verdict.sentences()) == [
        "one kept more facts (90% against 50%).",
        "No difference in re-read tokens per turn (10 and 10) and cost per turn ($0.10 and $0.10).",
    ]


def test_numbers_are_those_of_the_recordings() -> None:
    (research,) = load(SESSIONS / "research.json")
    (coding,) = load(SESSIONS / "coding-agent.jsonl")
    verdict = judge_sessions(lane(research), lane(coding), ("research", "coding"))
    rows = session_reads(research, estimate_sizes(research), None)
    assert verdict.left.reread == sum(row.again for row in rows) > 0, "the same number as in top"
    assert verdict.left.turns == len(research.turns()) and verdict.right.turns == len(coding.turns())
    assert verdict.left.retained == 1.0 and verdict.kept == "left"
