"""Find the position and section of the next message of a growing window in constant time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.core.conversation import Message
from inspector.engine.window.groups import OpenCalls
from inspector.engine.window.sections import SectionTotals


class Layout:
    """State that determines the position and section of a window's next message."""

    def __init__(self, messages: Sequence[Message], tokens: Sequence[int]) -> None:
        self.totals = SectionTotals()
        self.calls = OpenCalls()
        self.answers: Counter[Message] = Counter()
        """Number of results that follow each message with calls."""
        self.lead = 0
        """Number of system messages at the start of the window."""
        self._numbers: dict[Message, int] = {}
        """For each message with calls, the number of messages before it."""
        for message, size in zip(messages, tokens, strict=True):
            self._count(message, size)
        self.lead = next((place for place, message in enumerate(messages) if message.role != "system"), len(messages))

    def add(self, message: Message, tokens: int, *, ordered: bool) -> None:
        """Add a message.

        Args:
            message: Message that was added to the window.
            tokens: Size of the message.
            ordered: True if results are inserted after their call and system messages at the start of the window.
        """
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
