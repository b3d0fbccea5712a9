"""Measure how often an agent reads content again after a compaction, compared with its usual rate.

An agent that lost a tool result can read it again, and then no reply causes a regret. This module therefore compares
the results of all tools: a result most of whose lines appeared in an earlier one is a repeated read. Agents also read
again what is still in the window, so the same count at turns of the same agent without a compaction is the control.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Annotated

from inspector.analysis.replay.context_growth import ContextStep, context_steps, is_compacted, whole_context
from inspector.core.conversation import MAIN, Message, Session, Text, ToolResult
from inspector.core.json_objects import Fraction, json_object
from inspector.core.text import plural

RECENT = LATER = 20
"""Number of turns before a boundary that are searched for reads, and after it for repetitions of them."""
_MIN_LINES = 10
"""Minimum number of distinct lines in a result that is counted."""
_SHARE, _PART = 0.8, 0.2
"""Share of a result's lines that must have appeared before for it to be a repeated read, and the share that a single
earlier result must have contributed to count as read again.
"""
_SHORTEST = 4
"""Minimum length in characters of a line that is compared."""
_GUTTER = re.compile(r"\A[ \t]{0,12}\d{1,7}(?:→|\t|:|\||[ \t]│)")
MIN_READINGS = 20
"""Minimum number of reads in each group for a meaningful rate."""
_Z = 1.96
"""Half-width of a 95% interval, in standard deviations."""


@json_object(keys="repeated count share")
@dataclass(frozen=True, slots=True)
class Rate:
    """Number of repeated reads among all reads."""

    repeated: int = 0
    count: int = 0

    @property
    def share(self) -> Annotated[Fraction | None, "null if nothing was counted"]:
        return self.repeated / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval; (0, 1) if nothing was counted."""
        if not self.count:
            return 0.0, 1.0
        share, spread = self.repeated / self.count, _Z**2 / self.count
        middle = (share + spread / 2) / (1 + spread)
        reach = _Z * sqrt(share * (1 - share) / self.count + spread / self.count / 4) / (1 + spread)
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.repeated + other.repeated, self.count + other.count)


@json_object("Rereads", "compactions gone kept excess interval=known_interval telling=is_telling")
@dataclass(frozen=True, slots=True)
class RepeatedReadRates:
    """Reads within 20 turns before a boundary, and how many of them were repeated within 20 turns after it.

    The sum of two objects covers the sessions of both.
    """

    compactions: Annotated[int, "followed by 20 turns"] = 0
    gone: Annotated[Rate, "read in the 20 turns before, and dropped by a compaction"] = Rate()
    kept: Annotated[Rate, "the control: still in the window, at turns without a compaction"] = Rate()

    @property
    def excess(self) -> Annotated[float | None, "difference of the shares; null if one side is empty"]:
        gone, kept = self.gone.share, self.kept.share
        return None if gone is None or kept is None else gone - kept

    @property
    def interval(self) -> tuple[float, float]:
        """Newcombe's 95% interval of the difference, treating all reads as independent."""
        gone, kept = self.gone.share or 0.0, self.kept.share or 0.0
        (gone_low, gone_high), (kept_low, kept_high) = self.gone.interval, self.kept.interval
        low = sqrt((gone - gone_low) ** 2 + (kept_high - kept) ** 2)
        return gone - kept - low, gone - kept + sqrt((gone_high - gone) ** 2 + (kept - kept_low) ** 2)

    @property
    def known_interval(self) -> Annotated[tuple[float, float] | None, "95% interval of the excess"]:
        return None if self.excess is None else self.interval

    @property
    def is_telling(
        self,
    ) -> Annotated[bool, "true if both sides have at least 20 results; otherwise the numbers are not significant"]:
        return min(self.gone.count, self.kept.count) >= MIN_READINGS

    def __add__(self, other: RepeatedReadRates) -> RepeatedReadRates:
        return RepeatedReadRates(self.compactions + other.compactions, self.gone + other.gone, self.kept + other.kept)


@dataclass(slots=True, eq=False)
class _Reading:
    """A tool result with enough lines to be compared."""

    turn: int
    lines: frozenset[int]
    again: int = 0
    """Turn in which it was first read again; 0 if it was not."""


@dataclass(frozen=True, slots=True)
class _Boundary:
    turn: int
    context: int
    """Index of the context after it, counted from 0."""
    readings: tuple[_Reading, ...]
    is_compaction: bool

    @property
    def rate(self) -> Rate:
        repeated = [reading for reading in self.readings if 0 < reading.again <= self.turn + LATER]
        return Rate(len(repeated), len(self.readings))


def count_rereads(session: Session, agent: str = MAIN) -> RepeatedReadRates | None:
    """Count the repeated reads of an agent. Linear in the log.

    Args:
        session: Recorded session.
        agent: Agent whose reads are counted.

    Returns:
        None if none of the agent's contexts was compacted.

    Raises:
        OSError: A source can no longer be read.
    """
    if not any(session.messages[position].agent == agent for position in session.compactions):
        return None
    walk = _Walk(session, agent)
    for step in context_steps(session, agent):
        walk.advance(step)
    boundaries = list(walk.complete())
    compactions = [boundary for boundary in boundaries if boundary.is_compaction]
    kept = (boundary.rate for boundary in boundaries if not boundary.is_compaction)
    return RepeatedReadRates(
        len(compactions), sum((boundary.rate for boundary in compactions), Rate()), sum(kept, Rate())
    )


class _Walk:
    """Reads of an agent so far, and the boundaries at which they are counted."""

    def __init__(self, session: Session, agent: str) -> None:
        self.session = session
        self.agent = agent
        self.turn = 0
        self.ends: list[int] = []
        """Turn in which each context ended, except the last one."""
        self.newest: dict[int, _Reading] = {}
        """Last read that contained each line."""
        self.recent = deque[_Reading]()
        self.boundaries: list[_Boundary] = []

    def advance(self, step: ContextStep) -> None:
        """Advance to the context before the next call."""
        messages = [self.session.messages[position] for position in step.new]
        self.turn = step.turn
        while self.recent and self.recent[0].turn < step.turn - RECENT:
            self.recent.popleft()
        if is_compacted(self.session, step, self.agent):
            self.ends.append(step.turn)
            here = whole_context(self.session, step, self.agent)
            self.note(frozenset().union(*map(_lines_of, here)), is_compaction=True)
            return
        age = step.turn - (self.ends[-1] if self.ends else 0)
        if age and age % RECENT == 0:
            self.note(frozenset(), is_compaction=False)
        for message in messages:
            if message.role == "tool" and self.session.original_of(message) is message:
                self.read(_lines_of(message))

    def note(self, here: frozenset[int], is_compaction: bool) -> None:
        """Add a boundary before this turn's call.

        Args:
            here: Lines that are still in the window after it.
            is_compaction: True for a compaction, False for a control.
        """
        readings = (reading for reading in self.recent if not reading.again)
        gone = tuple(one for one in readings if len(one.lines & here) < (1 - _SHARE) * len(one.lines))
        self.boundaries.append(_Boundary(self.turn, len(self.ends), gone, is_compaction))

    def read(self, lines: frozenset[int]) -> None:
        """Record a tool result with these lines."""
        if len(lines) < _MIN_LINES:
            return
        before = Counter(self.newest[line] for line in lines if line in self.newest)
        if before.total() >= _SHARE * len(lines):
            for reading, count in before.items():
                if not reading.again and count >= _PART * len(lines):
                    reading.again = self.turn
        reading = _Reading(self.turn, lines)
        self.newest.update(dict.fromkeys(lines, reading))
        self.recent.append(reading)

    def complete(self) -> Iterator[_Boundary]:
        """Return the boundaries that are followed by enough turns in the same context."""
        ends = [*self.ends, self.turn]
        return (boundary for boundary in self.boundaries if ends[boundary.context] - boundary.turn >= LATER)


def _lines_of(message: Message) -> frozenset[int]:
    """Return hashes of the lines of a message, ignoring short lines and the line numbers of listings."""
    texts = (part.text for part in message.parts if isinstance(part, Text | ToolResult))
    lines = (_GUTTER.sub("", line).strip() for text in texts for line in text.split("\n"))
    return frozenset(hash(line) for line in lines if len(line) >= _SHORTEST)


def describe_rereads(rereads: RepeatedReadRates) -> str:
    """Describe the repeated reads in one sentence with their numbers."""
    if not rereads.compactions:
        return f"Read again: unknown, because no compaction is followed by {LATER} turns."
    gone, kept = rereads.gone, rereads.kept
    words = (
        f"Read again: {gone.repeated:,} of {gone.count:,} results read within {RECENT} turns before "
        f"{plural(rereads.compactions, 'compaction')} were read again within the next {LATER} turns; of results that "
        f"were still in the window at other turns, {kept.repeated:,} of {kept.count:,}"
    )
    if not rereads.is_telling or rereads.excess is None:
        return f"{words}: too few to be significant."
    low, high = rereads.interval
    return f"{words}: {_points(rereads.excess)} points more often (95 %: {_points(low)} to {_points(high)})."


def _points(share: float) -> str:
    return f"{100 * share:+.0f}"
