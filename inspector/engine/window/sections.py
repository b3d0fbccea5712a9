"""The six sections of a window: which message is in which, and the tokens of each, at once or while a window grows.

With them: how a window is shared out (requirement 1's `TokenBudget`), and how the sections grow from turn to turn.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from inspector.core.conversation import MAIN
from inspector.core.json_objects import Tokens, json_object
from inspector.llm.tokens import TokenCount

if TYPE_CHECKING:
    from inspector.core.conversation import Message, Session
    from inspector.llm.tokens import Certainty, Sizes

Section = Literal["system", "memory", "tools", "history", "input", "scratchpad"]
SECTIONS: tuple[Section, ...] = ("system", "memory", "tools", "history", "input", "scratchpad")

DEFAULT_THRESHOLD = 40_000
"""Tokens at which a memory manager begins to compress: requirement 3's `MEMORY_COMPRESSION_THRESHOLD`."""
_DEFAULT_TOTAL = 8000
_DEFAULT_ALLOCATIONS = {"system": 1000, "tools": 1500, "history": 4000, "input": 1000, "output_reserve": 500}
_RESERVE = _DEFAULT_ALLOCATIONS["output_reserve"]
_SECTION_PARTS = tuple(_DEFAULT_ALLOCATIONS.values())[:-1]
_HISTORY_PARTS: Mapping[Section, int] = {"memory": 1, "history": 5, "scratchpad": 2}
"""Requirement 1 has one allocation for all that came before; three of the six sections share it."""


@dataclass
class TokenBudget:
    """Tokens of a whole context window, and the part of it that each section may take.

    The reply has its reserve of 500 tokens whatever the total; the sections share the rest in the proportions of the
    default total of 8,000, so that all parts add up. `allocations` go before these defaults. Raises ValueError for a
    total below 0.
    """

    total: int = _DEFAULT_TOTAL
    allocations: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.total < 0:
            raise ValueError(f"A budget has 0 tokens or more, not {self.total:,}.")
        reserve = min(_RESERVE, self.total)
        sections = dict(zip(_DEFAULT_ALLOCATIONS, _share_out(self.total - reserve, _SECTION_PARTS), strict=False))
        self.allocations = sections | {"output_reserve": reserve} | self.allocations

    @classmethod
    def of_window(cls, limit: int) -> TokenBudget:
        """The budget of a model's window, in which the reserve for the reply grows with everything else."""
        parts = _share_out(limit, tuple(_DEFAULT_ALLOCATIONS.values()))
        return cls(limit, dict(zip(_DEFAULT_ALLOCATIONS, parts, strict=True)))

    @property
    def output_reserve(self) -> int:
        return self.allocations["output_reserve"]

    def remaining_for_history(self, used: Mapping[str, int]) -> int:
        """Tokens left for the conversation when system and tools have taken `used` and the reply has its reserve."""
        return self.total - used.get("system", 0) - used.get("tools", 0) - self.output_reserve

    def section(self, name: Section) -> int:
        """The allocation mark of one of the six sections."""
        if name == "history" or name not in self.allocations:
            parts = _share_out(self.allocations["history"], tuple(_HISTORY_PARTS.values()))
            return dict(zip(_HISTORY_PARTS, parts, strict=True))[name]
        return self.allocations[name]


def _share_out(total: int, parts: Sequence[int]) -> list[int]:
    """A total in these proportions, in whole tokens that add up to it."""
    ends = [total * end // sum(parts) for end in accumulate(parts)]
    return [end - start for start, end in pairwise([0, *ends])]


REPLY_PRIMER = 3
"""Tokens that a chat request spends on asking for the reply; they belong to the request, so to Input."""
SYSTEM_SHARE = 0.2
"""Of an unrecorded prompt, the part that is put down to System; the rest is put down to Tools.

Reported usage gives only their sum. One part in five is what coding agents with some twenty tools show; both numbers
are marked as unrecorded.
"""
_SYSTEM, _MEMORY, _TOOLS, _HISTORY, _INPUT, _SCRATCHPAD = range(len(SECTIONS))


def current_request(messages: Sequence[Message]) -> int | None:
    """The place of the newest words from the user; None where there are none."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].kind == "chat":
            return index
    return None


def sections_of(messages: Sequence[Message]) -> list[Section]:
    """The section of each message.

    Where no request is left in the window (a compaction took it), what the agent did since the newest message in the
    user's name is the scratchpad.
    """
    start = current_request(messages)
    if start is None:
        start = max((i for i, message in enumerate(messages) if message.role == "user"), default=len(messages))
    return [section_of(message, index, start) for index, message in enumerate(messages)]


def section_of(message: Message, index: int, start: int) -> Section:
    """The section of the message at a place, where the current request stands at `start`."""
    if message.role == "system":
        return "system"
    if message.kind in ("summary", "injected"):
        return "memory"
    if index == start:
        return "input"
    return "scratchpad" if index > start else "history"


def request_sections(sums: Sequence[int], sizes: Sizes, unrecorded: int, any_message: bool) -> tuple[int, ...]:
    """Tokens of the six sections of a request: those of its messages with what is no message.

    That is the tools, the `unrecorded` tokens that the format leaves out, and the frame of the reply. Where the system
    prompt was recorded, what is left out are tools; what is more than a prompt with its tools has is put down to
    Memory.
    """
    totals = list(sums)
    prompt = min(unrecorded, sizes.prompt)
    system = 0 if totals[_SYSTEM] else round(prompt * SYSTEM_SHARE)
    totals[_SYSTEM] += system
    totals[_TOOLS] += sizes.tools + prompt - system
    totals[_MEMORY] += unrecorded - prompt
    totals[_INPUT] += REPLY_PRIMER if any_message else 0
    return tuple(totals)


class SectionTotals:
    """Tokens of the messages of a growing window, by section: what `sections_of` says, in constant time a message."""

    def __init__(self) -> None:
        self.sums = [0] * len(SECTIONS)
        self.count = 0
        self.start = 0
        """The number of the message with which the current request begins."""
        self.request: Message | None = None
        """The current request."""
        self._has_user = False

    def add(self, message: Message, tokens: int, *, before_request: bool = False) -> None:
        """One more message: at the end or, where it stands `before_request`, somewhere before the current request."""
        request = message.role == "user" and message.kind == "chat"
        if message.role == "user" and (request or self.request is None):
            self.request, self._has_user = message if request else None, True
            self.sums[_HISTORY] += self.sums[_INPUT] + self.sums[_SCRATCHPAD]
            self.sums[_INPUT] = self.sums[_SCRATCHPAD] = 0
            self.start = self.count
        section = self._section(message, request)
        self.sums[_HISTORY if before_request and section == _SCRATCHPAD else section] += tokens
        self.count += 1

    def _section(self, message: Message, request: bool) -> int:
        if message.role == "system":
            return _SYSTEM
        if message.kind in ("summary", "injected"):
            return _MEMORY
        if request:
            return _INPUT
        return _SCRATCHPAD if self._has_user else _HISTORY


@json_object(keys="before=tokens_before after=after.tokens before_how=certainty_before after_how=certainty_after")
@dataclass(frozen=True, slots=True)
class SizeChange:
    """The sizes of a window before and after something."""

    before: TokenCount
    after: TokenCount

    @property
    def tokens_before(self) -> Annotated[Tokens, "of the window of the turn before; 0 before the first"]:
        return self.before.tokens

    @property
    def certainty_before(self) -> Annotated[Certainty, "how the number is known"]:
        return self.before.certainty

    @property
    def certainty_after(self) -> Annotated[Certainty, "the same"]:
        return self.after.certainty

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"

    @property
    def grew(self) -> bool:
        return self.after.tokens > self.before.tokens


@dataclass(frozen=True, slots=True)
class Timeline:
    """One entry per turn, the last for the context as it now stands."""

    totals: tuple[int, ...]
    """Tokens of the window at each turn."""
    compactions: tuple[int, ...]
    """Turns (1-based) whose context is the first after a recorded compaction."""
    reported: tuple[int, ...] = ()
    """Tokens of the request of each turn as the provider reported them; 0 where it did not."""
    certainty: Certainty = "estimated"
    """How the `totals` are known."""

    @property
    def peak(self) -> int:
        return max(self.totals, default=0)

    def size(self, turn: int) -> TokenCount:
        """The window of a turn: as it was reported, else as it was counted."""
        reported = self.reported[turn - 1] if turn <= len(self.reported) else 0
        return TokenCount(reported, "reported") if reported else TokenCount(self.totals[turn - 1], self.certainty)

    def change(self, turn: int) -> SizeChange:
        """The window of the turn before and that of a turn; before the first there is nothing."""
        return SizeChange(self.size(turn - 1) if turn > 1 else TokenCount(0, "exact"), self.size(turn))


def compute_timeline(session: Session, sizes: Sizes, agent: str = MAIN) -> Timeline:
    """Sizes along all contexts in one pass over the log."""
    return GrowingTimeline(agent).feed(session, sizes)


class GrowingTimeline:
    """The timeline of a log that grows: what comes in at its end costs what came in."""

    def __init__(self, agent: str = MAIN) -> None:
        self.agent = agent
        self._totals_to: list[int] = []
        """For every position, the tokens of the context that ends there."""
        self._summaries: list[int] = []
        """For every position, that of the newest summary in the context that ends there; -1 where there is none."""
        self._totals: list[int] = []
        """For every reply, the tokens of the window that it answers."""
        self._reported: list[int] = []
        """The same as its provider reported them."""
        self._compactions: list[int] = []
        self._own: list[int] = []
        """The positions of the agent's messages."""
        self._runs: list[int] = []
        """For every position, that of the first message in its run: of those that each follow the one before."""

    def feed(self, session: Session, sizes: Sizes, same: int = 0) -> Timeline:
        """The timeline of a log whose first `same` messages are, with their sizes, those of the last time."""
        self._measure(session, sizes, same)
        replies = session.turns(self.agent)
        known = min(bisect_left(replies, same), len(self._totals))
        del self._totals[known:], self._reported[known:]
        while self._compactions and self._compactions[-1] > known:
            self._compactions.pop()
        last = replies[known - 1] if known else -1
        for turn, position in enumerate(replies[known:], known + 1):
            reply = session.messages[position]
            self._totals.append(self._total(session, sizes, reply.parent, sizes.unrecorded_before(reply)))
            self._reported.append(max(0, reply.usage.input) if reply.usage else 0)
            if self._is_compacted(session, reply.parent, last):
                self._compactions.append(turn)
            last = position
        end = session.last_position(self.agent)
        now = self._total(session, sizes, end, sizes.unrecorded_at(end))
        newest = (len(replies) + 1,) if self._is_compacted(session, end, last) else ()
        compactions = (*self._compactions, *newest)
        return Timeline((*self._totals, now), compactions, tuple(self._reported), sizes.window_certainty)

    def total_at(self, session: Session, sizes: Sizes, position: int) -> int:
        """Tokens of a window that ends with a message of the log that was taken last."""
        return self._total(session, sizes, position, sizes.unrecorded_at(position))

    def _measure(self, session: Session, sizes: Sizes, same: int) -> None:
        """The tokens of every context, from the message at `same` on."""
        totals, summaries, own_places = self._totals_to, self._summaries, self._own
        del totals[same:], summaries[same:], self._runs[same:], own_places[bisect_left(own_places, same) :]
        for position in range(same, len(session.messages)):
            message = session.messages[position]
            own = 0 if message.kind == "notice" else sizes.tokens[position]
            before, newest = (0, -1) if message.parent < 0 else (totals[message.parent], summaries[message.parent])
            totals.append(before + own)
            summaries.append(position if message.kind == "summary" else newest)
            follows = bool(own_places) and message.agent == self.agent and message.parent == own_places[-1]
            self._runs.append(self._runs[message.parent] if follows else position)
            if message.agent == self.agent:
                own_places.append(position)

    def _is_compacted(self, session: Session, end: int, last: int) -> bool:
        """Whether the context that ends at a position was made anew since the last reply: it has a summary that was
        written since, and lacks something that this reply answered. A first context has only to begin with a summary.
        """
        newest, messages = self._summaries[end] if end >= 0 else -1, session.messages
        if newest <= last:
            return False
        if last < 0:
            way = (messages[place] for place in session.path_to(end))
            return next((message.kind for message in way if message.role != "system"), "") == "summary"
        before, place = messages[last].parent, newest
        while before >= 0 and messages[before].kind == "notice":
            before = messages[before].parent
        while place > before and self._runs[place] > before:
            place = messages[self._runs[place]].parent
        return place < before

    def _total(self, session: Session, sizes: Sizes, end: int, unrecorded: int) -> int:
        """Tokens of the window that ends at a position."""
        own = self._totals_to[end] + REPLY_PRIMER if end >= 0 and self._totals_to[end] else 0
        return own + sizes.tools + (0 if session.records_system else unrecorded)
