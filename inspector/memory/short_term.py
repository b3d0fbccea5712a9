"""Short-term memory: the newest messages, word for word."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from inspector.engine.window import Window
from inspector.memory.message_adapter import LLMMessage, MessageAdapter


class ShortTermMemory:
    """The last `max_size` messages. A new one replaces the oldest. Raises ValueError if negative."""

    def __init__(self, max_size: int = 20) -> None:
        if max_size < 0:
            raise ValueError(f"max_size is 0 or more messages, not {max_size:,}.")
        self.max_size = max_size
        self._messages: deque[LLMMessage] = deque(maxlen=max_size)

    def add_message(self, message: LLMMessage) -> None:
        """Append a message; where it is full, the oldest falls out."""
        self._messages.append(message)

    def get_all(self) -> list[LLMMessage]:
        """Return all messages, oldest first."""
        return list(self._messages)

    def clear(self) -> None:
        """Forget all messages."""
        self._messages.clear()

    def is_full(self) -> bool:
        """Return True if the next message replaces one."""
        return len(self._messages) >= self.max_size

    def count(self) -> int:
        """Return the number of messages."""
        return len(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[LLMMessage]:
        return iter(self.get_all())


class RecentMessages:
    """The short-term memory of a manager: the newest `max_size` messages of its context, by the same methods.

    A reply with calls and all results of those calls stay together, so there may be a few more than `max_size`: a
    provider refuses a result whose call is missing. System messages and summaries are not among them.
    """

    def __init__(self, max_size: int, context: Callable[[], Window], adapter: MessageAdapter) -> None:
        self.max_size = max_size
        self._context = context
        self._adapter = adapter

    def get_all(self) -> list[LLMMessage]:
        """Return all messages, oldest first."""
        window = self._context()
        runs = [
            run
            for run in self._adapter.runs(window.messages)
            if window.messages[run[0]].role != "system" and window.messages[run[0]].kind != "summary"
        ]
        start = max(0, len(runs) - self.max_size) if self.max_size else len(runs)
        of, members = window.groups.of, window.groups.members
        first = min((members[of[place]][0] for run in runs[start:] for place in run), default=0)
        messages = [window.messages[place] for run in runs for place in run if place >= first] if runs[start:] else []
        return self._adapter.to_llm(messages)

    def is_full(self) -> bool:
        """Return True if it holds `max_size` messages or more."""
        return self.count() >= self.max_size

    def count(self) -> int:
        """Return the number of messages."""
        return len(self.get_all())

    def __len__(self) -> int:
        return self.count()

    def __iter__(self) -> Iterator[LLMMessage]:
        return iter(self.get_all())
