"""The size of an agent's context at every turn, and where the recording itself compacted it."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.conversation import MAIN, Session
from inspector.tokens import Sizes
from inspector.window.sections import REPLY_PRIMER


@dataclass(frozen=True, slots=True)
class Timeline:
    """One entry per turn, the last for the context as it now stands."""

    totals: tuple[int, ...]
    """Tokens of the window at each turn."""
    compactions: tuple[int, ...]
    """Turns (1-based) whose context is the first after a recorded compaction."""

    @property
    def peak(self) -> int:
        return max(self.totals, default=0)


def compute_timeline(session: Session, sizes: Sizes, agent: str = MAIN) -> Timeline:
    """Sizes along all contexts in one pass over the log."""
    running, begins = _running_totals(session, sizes)
    replies = [session.messages[position] for position in session.turns(agent)]
    ends = [*(reply.parent for reply in replies), session.last_position(agent)]
    unrecorded = [*map(sizes.unrecorded_before, replies), sizes.unrecorded_at(ends[-1])]
    totals = tuple(
        (running[end] + REPLY_PRIMER if end >= 0 and running[end] else 0)
        + sizes.tools
        + (0 if session.records_system else more)
        for end, more in zip(ends, unrecorded, strict=True)
    )
    starts = [begins[end] if end >= 0 else -1 for end in ends]
    compactions = tuple(
        turn
        for turn, (before, start) in enumerate(zip([-1, *starts], starts, strict=False), 1)
        if start != before and start >= 0 and session.messages[start].kind == "summary"
    )
    return Timeline(totals, compactions)


def _running_totals(session: Session, sizes: Sizes) -> tuple[list[int], list[int]]:
    """For every position, the tokens of the context that ends there and the position where that context begins."""
    running: list[int] = []
    begins: list[int] = []
    for position, message in enumerate(session.messages):
        own = 0 if message.kind == "notice" else sizes.tokens[position]
        if message.parent < 0:
            running.append(own)
            begins.append(position)
        else:
            running.append(running[message.parent] + own)
            begins.append(begins[message.parent])
    return running, begins
