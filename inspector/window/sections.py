"""The six sections of a window: which message is in which, and the tokens of each, at once or while a window grows."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.conversation import Message
from inspector.window.budget import SECTIONS, Section

REPLY_PRIMER = 3
"""Tokens that a chat request spends on asking for the reply; they belong to the request, so to Input."""
SYSTEM_SHARE = 0.2
"""Of an unrecorded prompt, the part that is put down to System; the rest is put down to Tools.

Reported usage gives only their sum. One part in five is what coding agents with some twenty tools show; both numbers
are marked as unrecorded.
"""
PROMPT = 40_000
"""The most that an unrecorded system prompt with its tools is taken for, in tokens; beyond it is unrecorded history.

A transcript that goes on where another file ends begins with a context that is not in it.
"""
_SYSTEM, _MEMORY, _TOOLS, _HISTORY, _INPUT, _SCRATCHPAD = range(len(SECTIONS))


def current_request(messages: Sequence[Message]) -> int | None:
    """The place of the newest words from the user; None where there are none."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].kind == "said":
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


def request_sections(sums: Sequence[int], tools: int, unrecorded: int, any_message: bool) -> tuple[int, ...]:
    """Tokens of the six sections of a request: those of its messages with what is no message.

    That is the tools, the `unrecorded` tokens that the format leaves out, and the frame of the reply.
    """
    totals = list(sums)
    prompt = min(unrecorded, PROMPT)
    system = round(prompt * SYSTEM_SHARE)
    totals[_SYSTEM] += system
    totals[_TOOLS] += tools + prompt - system
    totals[_HISTORY] += unrecorded - prompt
    totals[_INPUT] += REPLY_PRIMER if any_message else 0
    return tuple(totals)


class SectionTotals:
    """Tokens of the messages of a growing window, by section: what `sections_of` says, in constant time a message."""

    def __init__(self) -> None:
        self.sums = [0] * len(SECTIONS)
        self.count = 0
        self.start = 0
        """The number of the message with which the current request begins."""
        self._has_request = self._has_user = False

    def add(self, message: Message, tokens: int, *, before_request: bool = False) -> None:
        """One more message: at the end or, where it stands `before_request`, somewhere before the current request."""
        request = message.role == "user" and message.kind == "said"
        if message.role == "user" and (request or not self._has_request):
            self._has_request, self._has_user = self._has_request or request, True
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
