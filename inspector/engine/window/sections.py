"""The six sections of a window: which section each message belongs to, and the tokens of each section.

Also contains the split of a window into section budgets (`TokenBudget`), and the timeline of window sizes from turn to
turn, which can be extended incrementally as the log grows.
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
"""Tokens at which a memory manager starts to compress: the documented default of `MEMORY_COMPRESSION_THRESHOLD`."""
_DEFAULT_TOTAL = 8000
_DEFAULT_ALLOCATIONS = {"system": 1000, "tools": 1500, "history": 4000, "input": 1000, "output_reserve": 500}
_RESERVE = _DEFAULT_ALLOCATIONS["output_reserve"]
_SECTION_PARTS = tuple(_DEFAULT_ALLOCATIONS.values())[:-1]
_HISTORY_PARTS: Mapping[Section, int] = {"memory": 1, "history": 5, "scratchpad": 2}
"""Proportions in which memory, history and scratchpad share the budget's single allocation for history."""


@dataclass
class TokenBudget:
    """Token budget of a context window, with an allocation for each section.

    By default, 500 tokens are reserved for the reply, independent of the total. The sections share the rest in the
    proportions of the documented default of 8,000 tokens, so that all allocations add up to the total.

    Attributes:
        total: Tokens of the whole window.
        allocations: Tokens by section name, and for `output_reserve`. Entries that are passed in override the defaults.

    Raises:
        ValueError: The total is negative.
    """

    total: int = _DEFAULT_TOTAL
    allocations: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.total < 0:
            raise ValueError(f"A budget must not be negative, not {self.total:,}.")
        reserve = min(_RESERVE, self.total)
        sections = dict(zip(_DEFAULT_ALLOCATIONS, _share_out(self.total - reserve, _SECTION_PARTS), strict=False))
        self.allocations = sections | {"output_reserve": reserve} | self.allocations

    @classmethod
    def of_window(cls, limit: int) -> TokenBudget:
        """Return the budget of a model's window. The reply reserve scales with the window size."""
        parts = _share_out(limit, tuple(_DEFAULT_ALLOCATIONS.values()))
        return cls(limit, dict(zip(_DEFAULT_ALLOCATIONS, parts, strict=True)))

    @property
    def output_reserve(self) -> int:
        """Tokens reserved for the reply."""
        return self.allocations["output_reserve"]

    def remaining_for_history(self, used: Mapping[str, int]) -> int:
        """Return the tokens available for the conversation after system, tools and the reply reserve.

        Args:
            used: Tokens by section. Only `system` and `tools` are read.
        """
        return self.total - used.get("system", 0) - used.get("tools", 0) - self.output_reserve

    def section(self, name: Section) -> int:
        """Return the token allocation of one of the six sections."""
        if name == "history" or name not in self.allocations:
            parts = _share_out(self.allocations["history"], tuple(_HISTORY_PARTS.values()))
            return dict(zip(_HISTORY_PARTS, parts, strict=True))[name]
        return self.allocations[name]


def _share_out(total: int, parts: Sequence[int]) -> list[int]:
    """Split `total` in these proportions into whole tokens that add up to it."""
    ends = [total * end // sum(parts) for end in accumulate(parts)]
    return [end - start for start, end in pairwise([0, *ends])]


REPLY_PRIMER = 3
"""Tokens that a chat request spends to start the reply. They are part of the request and counted under Input."""
_SYSTEM, _MEMORY, _TOOLS, _HISTORY, _INPUT, _SCRATCHPAD = range(len(SECTIONS))
_REMOVAL_ORDER = (_HISTORY, _SCRATCHPAD, _MEMORY, _INPUT, _SYSTEM)


def current_request(messages: Sequence[Message]) -> int | None:
    """Return the position of the newest chat message from the user, or None."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].kind == "chat":
            return index
    return None


def sections_of(messages: Sequence[Message]) -> list[Section]:
    """Return the section of each message.

    If the window contains no request because a compaction removed it, everything after the newest message with the user
    role is the scratchpad.
    """
    start = current_request(messages)
    if start is None:
        start = max((i for i, message in enumerate(messages) if message.role == "user"), default=len(messages))
    return [section_of(message, index, start) for index, message in enumerate(messages)]


def section_of(message: Message, index: int, start: int) -> Section:
    """Return the section of one message.

    Args:
        message: The message to classify.
        index: Position of the message in the window.
        start: Position of the current request in the window.
    """
    if message.role == "system":
        return "system"
    if message.kind in ("summary", "injected"):
        return "memory"
    if index == start:
        return "input"
    return "scratchpad" if index > start else "history"


def request_sections(
    sums: Sequence[int], sizes: Sizes, unrecorded: int, any_message: bool, removed: int = 0
) -> tuple[int, ...]:
    """Return the tokens of the six sections of a request, including the parts that are not messages.

    These parts are the tool definitions, the `unrecorded` tokens and the reply primer. Reported usage only gives the
    sum of an unrecorded prompt and its tools, which is attributed to System; if the system prompt was recorded, to
    Tools. Unrecorded tokens beyond a prompt with its tools are attributed to Memory. Tokens that were removed
    without a record are subtracted from the oldest content first.

    Args:
        sums: Message tokens of the six sections.
        sizes: Token counts of the session, including its tools and its unrecorded prompt.
        unrecorded: Tokens of the request that are not in the file.
        any_message: True if the window has messages, so that the reply primer is counted.
        removed: Tokens of the messages that were not sent, according to the reported size.
    """
    totals = list(sums)
    for section in _REMOVAL_ORDER if removed else ():
        cut = min(removed, totals[section])
        totals[section] -= cut
        removed -= cut
    prompt = min(unrecorded, sizes.prompt)
    totals[_TOOLS if totals[_SYSTEM] else _SYSTEM] += prompt
    totals[_TOOLS] += sizes.tools
    totals[_MEMORY] += unrecorded - prompt
    totals[_INPUT] += REPLY_PRIMER if any_message else 0
    return tuple(totals)


def sent_tokens(tokens: Sequence[int], sections: Sequence[Section], removed: int) -> tuple[int, ...]:
    """Return the tokens of each message without those that were removed, in the order of `request_sections`.

    Args:
        tokens: Tokens of each message, oldest first.
        sections: Section of each message.
        removed: Tokens that were not sent.
    """
    sent = list(tokens)
    for section in map(SECTIONS.__getitem__, _REMOVAL_ORDER):
        for place in [place for place, own in enumerate(sections) if own == section]:
            cut = min(removed, sent[place])
            sent[place] -= cut
            removed -= cut
    return tuple(sent)


class SectionTotals:
    """Message tokens by section for a growing window. Follows `sections_of` in constant time per message."""

    def __init__(self) -> None:
        self.sums = [0] * len(SECTIONS)
        self.count = 0
        self.start = 0
        """Number of messages before the current request."""
        self.request: Message | None = None
        """The current request, if there is one."""
        self._has_user = False

    def add(self, message: Message, tokens: int, *, before_request: bool = False) -> None:
        """Add a message.

        Args:
            message: Message to count.
            tokens: Size of the message.
            before_request: True if the message is inserted before the current request instead of appended.
        """
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
    """Window sizes before and after a change."""

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


@json_object(keys="turn before after")
@dataclass(frozen=True, slots=True)
class Fall:
    """Fall of the reported size although no recorded message was dropped."""

    turn: Annotated[int, "the first after it"]
    before: Annotated[Tokens, "reported for the call before"]
    after: Annotated[Tokens, "reported for the first call after it"]

    @property
    def words(self) -> str:
        """Clause about it."""
        sizes = f"{self.before:,} to {self.after:,}"
        return f"the reported size fell from {sizes} before turn {self.turn:,}; the file does not say why"


def falls_of(session: Session, sizes: Sizes, agent: str = MAIN) -> tuple[Fall, ...]:
    """Return the unexplained falls of the reported size of an agent's requests, by turn."""
    turns = {position: turn for turn, position in enumerate(session.turns(agent), 1)} if sizes.falls else {}
    return tuple([Fall(turns[one.position], one.before, one.after) for one in sizes.falls if one.position in turns])


@dataclass(frozen=True, slots=True)
class Timeline:
    """Window sizes with one entry per turn. The last entry is the current context."""

    totals: tuple[int, ...]
    """Tokens of the window at each turn."""
    compactions: tuple[int, ...]
    """Turns (1-based) whose context is the first after a recorded compaction."""
    reported: tuple[int, ...] = ()
    """Input tokens reported by the provider for each turn; 0 if not reported."""
    certainty: Certainty = "estimated"
    """Certainty of `totals`."""
    falls: tuple[Fall, ...] = ()
    """Unexplained falls of the reported size, by turn."""

    @property
    def peak(self) -> int:
        return max(self.totals, default=0)

    def size(self, turn: int) -> TokenCount:
        """Return the window size at a turn (1-based): the reported size if there is one, otherwise the counted one."""
        reported = self.reported[turn - 1] if turn <= len(self.reported) else 0
        return TokenCount(reported, "reported") if reported else TokenCount(self.totals[turn - 1], self.certainty)

    def change(self, turn: int) -> SizeChange:
        """Return the window sizes at the previous turn and at this one (1-based). Before turn 1 the size is 0."""
        return SizeChange(self.size(turn - 1) if turn > 1 else TokenCount(0, "exact"), self.size(turn))


def compute_timeline(session: Session, sizes: Sizes, agent: str = MAIN) -> Timeline:
    """Return the window sizes of all turns in one pass over the log.

    Args:
        session: The recorded session.
        sizes: Token counts of the session's messages.
        agent: Name of the agent whose windows are measured.
    """
    return GrowingTimeline(agent).feed(session, sizes)


class GrowingTimeline:
    """Timeline of a growing log. Each update costs time proportional to the new messages."""

    def __init__(self, agent: str = MAIN) -> None:
        self.agent = agent
        self._totals_to: list[int] = []
        """Tokens of the context that ends at each position of the log."""
        self._summaries: list[int] = []
        """Position of the newest summary in the context that ends at each position of the log, or -1."""
        self._totals: list[int] = []
        """Tokens of the window that each reply answers."""
        self._reported: list[int] = []
        """Input tokens that the provider reported for each reply."""
        self._compactions: list[int] = []
        self._own: list[int] = []
        """Positions of the agent's messages."""
        self._runs: list[int] = []
        """For each position, the start of its run: consecutive messages of the agent, each the child of the one before.
        """

    def feed(self, session: Session, sizes: Sizes, same: int = 0) -> Timeline:
        """Update with a log that grew or changed at its end, and return its timeline.

        Args:
            session: The recorded session as it is now.
            sizes: Token counts of the session's messages.
            same: Number of messages at the start of the log that are unchanged, including sizes, since the previous
                call.
        """
        self._measure(session, sizes, same)
        replies = session.turns(self.agent)
        known = min(bisect_left(replies, same), len(self._totals))
        del self._totals[known:], self._reported[known:]
        while self._compactions and self._compactions[-1] > known:
            self._compactions.pop()
        last = replies[known - 1] if known else -1
        for turn, position in enumerate(replies[known:], known + 1):
            reply = session.messages[position]
            self._totals.append(self._total(sizes, reply.parent, sizes.unrecorded_before(reply)))
            self._reported.append(max(0, reply.usage.input) if reply.usage else 0)
            if self._is_compacted(session, reply.parent, last):
                self._compactions.append(turn)
            last = position
        end = session.last_position(self.agent)
        now = self._total(sizes, end, sizes.unrecorded_at(end))
        newest = (len(replies) + 1,) if self._is_compacted(session, end, last) else ()
        compactions = (*self._compactions, *newest)
        return Timeline(
            (*self._totals, now),
            compactions,
            tuple(self._reported),
            sizes.window_certainty,
            falls_of(session, sizes, self.agent),
        )

    def total_at(self, sizes: Sizes, position: int) -> int:
        """Return the tokens of the window that ends at a position of the log passed to the last `feed`.

        Args:
            sizes: The token counts passed to the last `feed`.
            position: Position of the window's last message.
        """
        return self._total(sizes, position, sizes.unrecorded_at(position))

    def _measure(self, session: Session, sizes: Sizes, same: int) -> None:
        """Compute the tokens of every context from the message at position `same` on."""
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
        """Return True if the context that ends at a position was compacted since the last reply.

        It must contain a summary written since that reply, and lack something that the reply's context contained. The
        first context of an agent only has to start with a summary.
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

    def _total(self, sizes: Sizes, end: int, unrecorded: int) -> int:
        """Return the tokens of the window that ends at a position."""
        own = self._totals_to[end] if end >= 0 else 0
        return (max(0, own - sizes.removed_at(end)) + REPLY_PRIMER if own else 0) + sizes.tools + unrecorded
