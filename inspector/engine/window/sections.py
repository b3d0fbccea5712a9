"""The six sections of a window: which section each message belongs to, and the tokens of each section.

Also contains the split of a window into section budgets (`TokenBudget`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from inspector.core.conversation import Message
    from inspector.llm.tokens import Sizes

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
