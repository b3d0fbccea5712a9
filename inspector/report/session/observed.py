"""Evictions in a recording: their size, the removed and remaining messages, and the effect on the prompt cache."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from inspector.analysis.replay import ContextStep, advance_to_step, context_steps
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.json_objects import Tokens, json_object
from inspector.engine.window import WindowCursor, falls_of
from inspector.llm.tokens import Sizes

EvictionKind = Literal["summarization", "window", "tool results", "unseen"]
_CLEARED = re.compile(r"cleared|omitted|removed|elided|truncated|compacted|trimmed", re.IGNORECASE)
_SHORT = 200
"""Maximum length in characters of a placeholder for a tool result."""


@json_object()
@dataclass(frozen=True, slots=True)
class Eviction:
    """Removal of content from the context of an agent."""

    turn: Annotated[int, "the first call without it, from 1"]
    kind: Annotated[EvictionKind, "`unseen`: reported tokens fell, but no recorded message was dropped"]
    before: Annotated[Tokens, "of the previous call"]
    after: Tokens
    left: Annotated[int, "dropped messages"]
    stayed: Annotated[int, "messages kept verbatim"]
    summary: Annotated[Tokens, "of the summary; 0 without one"] = 0
    shortened: Annotated[int, "shortened tool results"] = 0
    cache_read: Annotated[int | None, "tokens that the call read from the prompt cache; null if not reported"] = None
    sent: Annotated[Tokens, "as reported; 0 if they were not"] = 0


@dataclass(frozen=True)
class Observations:
    """Observations from all calls of an agent."""

    evictions: tuple[Eviction, ...]
    rewinds: Annotated[int, "number of times that the conversation was rewound"]
    peak: Annotated[Tokens, "of the largest sent window"]
    peak_turn: int
    totals: tuple[int, ...]
    """Tokens of each window that was sent."""
    notes: tuple[tuple[int, str], ...]
    """Turn and preview of each tool result that is a placeholder for removed content."""


def observe(session: Session, sizes: Sizes, agent: str = MAIN) -> Observations:
    """Observe all calls of an agent in one pass.

    Args:
        session: The session.
        sizes: Sizes of its messages.
        agent: Name of the agent.

    Raises:
        OSError: A message can no longer be read.
    """
    walk = _CallWalk(session, sizes, agent)
    for step in context_steps(session, agent):
        walk.advance(step)
    peak = max(walk.totals, default=0)
    turn = walk.totals.index(peak) + 1 if walk.totals else 0
    return Observations(tuple(walk.evictions), walk.rewinds, peak, turn, tuple(walk.totals), tuple(walk.notes))


class _CallWalk:
    """Accumulates observations from one call to the next."""

    def __init__(self, session: Session, sizes: Sizes, agent: str) -> None:
        self.session = session
        self.agent = agent
        self.cursor = WindowCursor(session.context, sizes, agent=agent, originals=session.by_id)
        self.evictions: list[Eviction] = []
        self.notes: list[tuple[int, str]] = []
        self.totals: list[int] = []
        self.falls = {fall.turn: fall for fall in falls_of(session, sizes, agent)}
        self.rewinds = 0
        self.gone: list[Message] = []
        """Messages removed before steps without new messages."""

    def advance(self, step: ContextStep) -> None:
        """Advance to the next call, with the messages that were added and removed before it."""
        before, total = list(self.cursor.messages), self.totals[-1] if self.totals else 0
        advance_to_step(self.cursor, self.session, step)
        reply = self.session.messages[step.reply] if step.reply >= 0 else None
        fresh = [self.session.messages[position] for position in step.new]
        gone, self.gone = self.gone + before[step.prefix :], []
        if gone and not fresh:
            self.gone = gone
        elif gone:
            eviction = _eviction(step.turn, before[: step.prefix], gone, fresh, self.cursor.sizes)
            self.rewinds += eviction is None
            self.evictions += [_measured(eviction, total, self.cursor.total, reply)] if eviction else []
        elif fall := self.falls.get(step.turn):
            unseen = Eviction(step.turn, "unseen", 0, 0, 0, 0)
            self.evictions.append(_measured(unseen, fall.before, fall.after, reply))
        self.notes += ((step.turn, message.preview) for message in fresh if _is_note(message))
        if reply:
            self.totals.append(self.cursor.total)


def _measured(eviction: Eviction, before: int, after: int, reply: Message | None) -> Eviction:
    usage = reply.usage if reply else None
    reports_cache = usage is not None and bool(usage.cache_read or usage.cache_write)
    cache_read = usage.cache_read if usage and reports_cache else None
    return replace(eviction, before=before, after=after, cache_read=cache_read, sent=usage.input if usage else 0)


def _eviction(
    turn: int, prefix: Sequence[Message], gone: Sequence[Message], fresh: Sequence[Message], sizes: Sizes
) -> Eviction | None:
    """Classify a change of the context, or return None if it is a rewind."""
    keys = Counter(map(_key, gone))
    again = Counter(map(_key, fresh)) & keys
    stayed, left = len(prefix) + again.total(), len(gone) - again.total()
    summaries = [message for message in fresh if message.kind == "summary"]
    if summaries:
        size = sum(map(sizes.measure, summaries))
        return Eviction(turn, "summarization", 0, 0, left, stayed, size)
    shortened = _shortened(gone, fresh)
    if shortened:
        return Eviction(turn, "tool results", 0, 0, max(0, left - shortened), stayed, 0, shortened)
    return Eviction(turn, "window", 0, 0, left, stayed) if again and left else None


def _key(message: Message) -> tuple[str, int, str]:
    return message.role, message.chars, message.preview


def _shortened(gone: Sequence[Message], fresh: Sequence[Message]) -> int:
    """Return the number of tool results that are shorter than the earlier results of the same calls."""
    lengths = {message.answers: message.chars for message in gone if message.answers}
    return sum(message.chars < lengths.get(message.answers, 0) for message in fresh if message.answers)


def _is_note(message: Message) -> bool:
    return (
        message.role == "tool"
        and message.chars <= _SHORT
        and bool(_CLEARED.search(message.preview))
        and not message.is_error
    )


_MEMORY_TOOLS = re.compile(r"memor|remember|recall|archival|knowledge|retriev|rag_|vector|note", re.IGNORECASE)


def memory_calls(session: Session, agent: str = MAIN) -> Iterator[tuple[int, str]]:
    """Yield the turn and name of each call of a tool whose name indicates a memory."""
    for turn, position in enumerate(session.turns(agent), 1):
        for call in session.messages[position].calls:
            if _MEMORY_TOOLS.search(call.name):
                yield turn, call.name
