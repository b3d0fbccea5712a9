"""Cache of the fact indexes of a workbench."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from inspector.core.conversation import Session

if TYPE_CHECKING:
    from inspector.engine.facts.fact_index import FactIndex


class FactCache:
    """The most recently requested fact indexes. For a log that has grown, only the new messages are read.

    Thread-safe: concurrent requests wait for an index that is being built.
    """

    def __init__(self, limit: int = 2) -> None:
        self._limit = limit
        self._lock = Lock()
        self._indexes: list[tuple[Session, FactIndex]] = []
        """Most recently requested index last."""

    def __len__(self) -> int:
        return len(self._indexes)

    def __contains__(self, session: Session) -> bool:
        """Return True if the index of a session's log is cached."""
        return any(_is_same(old, session) for old, _ in self._indexes)

    def index_of(self, session: Session) -> FactIndex:
        """Return the facts of a session's log.

        Raises:
            OSError: A message body cannot be read any more.
        """
        from inspector.engine.facts.fact_index import FactIndex  # deferred: most workbenches never need facts

        with self._lock:
            grown = [entry for entry in self._indexes if _has_grown(entry[0], session)]
            old, index = max(grown, key=lambda entry: len(entry[0].messages), default=(None, None))
            if old is None or index is None:
                index = FactIndex(session)
            elif len(old.messages) < len(session.messages):
                index = index.extended(session.messages[len(old.messages) :])
            rest = [entry for entry in self._indexes if entry[0] is not old]
            self._indexes = [*rest, (session, index)][-self._limit :]
            return index

    def clear(self) -> None:
        with self._lock:
            self._indexes = []


def _is_same(old: Session, session: Session) -> bool:
    return len(old.messages) == len(session.messages) and _has_grown(old, session)


def _has_grown(old: Session, session: Session) -> bool:
    """Return True if a session's log starts with the messages of `old` and its tools are the same."""
    return old.tools == session.tools and session.messages[: len(old.messages)] == old.messages
