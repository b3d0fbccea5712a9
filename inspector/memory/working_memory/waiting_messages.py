"""Messages whose conversations could not be read or stored: kept in order until the back end works again."""

from __future__ import annotations

import logging

from inspector.core.text import plural

logger = logging.getLogger(__name__)


class WaitingMessages:
    """Messages by conversation, in memory only. When `limit` messages wait, a new one replaces the oldest.

    Args:
        limit: Maximum number of waiting messages, in all conversations.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows: list[tuple[str, str]] = []
        """Conversation and message, oldest first."""
        self.lost = 0
        """Number of messages that were replaced by newer ones, and never stored."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def conversations(self) -> list[str]:
        """Conversations with waiting messages, the one that waits longest first."""
        return list(dict.fromkeys(conversation for conversation, _ in self._rows))

    def of(self, conversation_id: str) -> list[str]:
        """Return the waiting messages of a conversation, oldest first."""
        return [message for conversation, message in self._rows if conversation == conversation_id]

    def add(self, conversation_id: str, message: str) -> None:
        """Add a message. One that is repeated, because its sender tries again, waits once."""
        if self.of(conversation_id)[-1:] == [message]:
            return
        self._rows.append((conversation_id, message))
        while len(self._rows) > self._limit:
            conversation, _ = self._rows.pop(0)
            self.lost += 1
            count = plural(self.lost, "message")
            logger.warning("A message of %r was lost: more than %s wait (lost: %s)", conversation, self._limit, count)

    def remove(self, conversation_id: str, messages: list[str]) -> None:
        """Remove stored messages, except those that newer ones have replaced meanwhile."""
        for message in messages:
            if (conversation_id, message) in self._rows:
                self._rows.remove((conversation_id, message))
