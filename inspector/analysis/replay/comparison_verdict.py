"""State which of two recorded sessions kept more facts, read less again and cost less, per turn and in all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis.replay.paired_walk import Lane
from inspector.analysis.replay.reads_in_session import session_reads
from inspector.core.json_objects import Dollars, Fraction, Tokens, json_object
from inspector.core.text import dollars, percent

Winner = Literal["left", "right", "tie"]
_Criterion = tuple[Winner, str, str, tuple[str, str]]
"""The winner, its merit as a verb, the criterion as a noun, and the numbers of both sides."""
NOISE = 0.05
"""Relative difference of costs and tokens, and difference of shares, up to which rows or sessions count as equal."""


@json_object()
@dataclass(frozen=True, slots=True)
class SideTotals:
    """Totals of one session."""

    turns: Annotated[int, "model calls"]
    retained: Annotated[Fraction | None, "facts still in the window; null if not counted"]
    reread: Annotated[Tokens, "of the reads of files and pages with content that an earlier one had returned"]
    tokens_sent: Tokens
    cost: Annotated[Dollars, "with the prompt cache"]

    def per_turn(self, amount: float) -> float:
        """Return an amount divided by the number of turns."""
        return amount / max(1, self.turns)


@json_object(keys="left right kept reread cost text")
@dataclass(frozen=True)
class ComparisonVerdict:
    """Comparison of two sessions by what matters per turn."""

    left: SideTotals
    right: SideTotals
    names: tuple[str, str]

    @property
    def kept(self) -> Annotated[Winner, "which keeps the larger share of its facts"]:
        left, right = self.left.retained, self.right.retained
        if left is None or right is None or abs(left - right) <= NOISE:
            return "tie"
        return "left" if left > right else "right"

    @property
    def reread(self) -> Annotated[Winner, "which re-reads fewer tokens per turn"]:
        return _winner(*(side.per_turn(side.reread) for side in (self.left, self.right)))

    @property
    def cost(self) -> Annotated[Winner, "which costs less per turn"]:
        return _winner(*(side.per_turn(side.cost) for side in (self.left, self.right)))

    @property
    def text(self) -> Annotated[str, "as sentences"]:
        return " ".join(self.sentences())

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each side that is better at something, with its numbers first, and one for ties."""
        criteria = self._criteria()
        for winner, (first, other) in (("left", (0, 1)), ("right", (1, 0))):
            won = [
                f"{words} ({said[first]} against {said[other]})" for who, words, _, said in criteria if who == winner
            ]
            if won:
                yield f"{self.names[first]} {_listed(won)}."
        ties = [f"{noun} ({said[0]} and {said[1]})" for who, _, noun, said in criteria if who == "tie"]
        if ties:
            yield f"No difference in {_listed(ties)}."

    def _criteria(self) -> list[_Criterion]:
        left, right = self.left, self.right
        shares = (percent(left.retained or 0), percent(right.retained or 0))
        kept: _Criterion = (self.kept, "kept more facts", "facts kept", shares)
        return [
            *([kept] if left.retained is not None and right.retained is not None else []),
            (
                self.reread,
                "re-read fewer tokens per turn",
                "re-read tokens per turn",
                (f"{left.per_turn(left.reread):,.0f}", f"{right.per_turn(right.reread):,.0f}"),
            ),
            (
                self.cost,
                "cost less per turn",
                "cost per turn",
                (dollars(left.per_turn(left.cost)), dollars(right.per_turn(right.cost))),
            ),
        ]


def _listed(words: list[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def judge_sessions(left: Lane, right: Lane, names: tuple[str, str]) -> ComparisonVerdict:
    """Return the verdict on two sessions.

    Args:
        left: First session and its replay.
        right: Second session and its replay.
        names: Display names of both.

    Raises:
        OSError: If a recording can no longer be read.
    """
    return ComparisonVerdict(_totals(left), _totals(right), names)


def _totals(lane: Lane) -> SideTotals:
    replay = lane.replay
    reread = sum(row.again for row in session_reads(lane.session, lane.sizes, None, replay.agent))
    retained = replay.retained if replay.retention else None
    return SideTotals(replay.turns, retained, reread, replay.tokens_sent, replay.cost)


def _winner(left: float, right: float) -> Winner:
    """Return the side with the smaller number, or "tie" if they differ by little."""
    if abs(left - right) <= NOISE * max(abs(left), abs(right)):
        return "tie"
    return "left" if left < right else "right"
