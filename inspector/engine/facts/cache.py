"""The fact indexes that a workbench has looked at."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from inspector.core.conversation import Session

if TYPE_CHECKING:
    from inspector.engine.facts.fact_index import FactIndex


class FactCache:
    """The fact indexes of the logs that were asked for last. A log that has grown costs what is new in it.

    May be used from any thread; whoever asks while an index is being made waits for it.
    """

    def __init__(self, limit: int = 2) -> None:
        self._limit = limit
        self._lock = Lock()
        self._indexes: list[tuple[Session, FactIndex]] = []
        """The last one that was asked for at the end."""

    def __len__(self) -> int:
        return len(self._indexes)

    def __contains__(self, session: Session) -> bool:
        """Whether the index of a session's log is there."""
        return any(_is_same(old, session) for old, _ in self._indexes)

    def index_of(self, session: Session) -> FactIndex:
        """The facts of a session's log. Raises OSError where a source cannot be read any more."""
        from inspector.engine.facts.fact_index import FactIndex  # every workbench has a cache, and few look for facts

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
    """Whether a session's log begins with the messages of another, and its tools are the same."""
    return old.tools == session.tools and session.messages[: len(old.messages)] == old.messages
