"""Where the next message of a growing window stands, and in which section, in constant time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.core.conversation import Message
from inspector.engine.window.groups import OpenCalls
from inspector.engine.window.sections import SectionTotals


class Layout:
    """State from which the place and the section of the next message of a window follow."""

    def __init__(self, messages: Sequence[Message], tokens: Sequence[int]) -> None:
        self.totals = SectionTotals()
        self.calls = OpenCalls()
        self.answers: Counter[Message] = Counter()
        """How many results stand behind each message with calls."""
        self.lead = 0
        """How many system messages lead the window."""
        self._numbers: dict[Message, int] = {}
        """For each message with calls, how many were there before it."""
        for message, size in zip(messages, tokens, strict=True):
            self._count(message, size)
        self.lead = next((place for place, message in enumerate(messages) if message.role != "system"), len(messages))

    def add(self, message: Message, tokens: int, *, ordered: bool) -> None:
        """One more message. In an `ordered` window, a result stands behind its call and a system message in front."""
        self._count(message, tokens, ordered=ordered)
        if message.role == "system":
            self.lead += 1

    def _count(self, message: Message, tokens: int, *, ordered: bool = False) -> None:
        caller = self.calls.feed(message)
        early = ordered and caller is not None and self._numbers[caller] < self.totals.start
        self.totals.add(message, tokens, before_request=early)
        if caller is not None:
            self.answers[caller] += 1
        elif message.calls:
            self._numbers[message] = self.totals.count - 1
