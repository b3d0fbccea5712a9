"""Store a transcript and its captured requests as one session, whichever of them comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from inspector.core.conversation import ADDITION, Session
from inspector.formats import UnreadableError, load
from inspector.library.capture.capture_search import is_capture_log, with_capture
from inspector.library.capture.session_join import join_capture, reply_keys
from inspector.library.opening.session_refs import with_absolute_path
from inspector.store import ImportResult, Store

_CAPTURE = "capture"
_SLACK = timedelta(days=1)
"""By which recorded times may differ in their time zone, as they are compared as texts."""
_MOST_IDS = 200
"""Replies of a capture whose transcript is looked for in the store."""


@dataclass(frozen=True, slots=True)
class JoinedSession:
    """A session that was stored."""

    addition: ImportResult
    session: Session


class JoinedStoring:
    """Stores sessions in a store."""

    def __init__(self, store: Store) -> None:
        """Store sessions in a store."""
        self.store = store
        """The store."""
        self._captured: dict[str, tuple[Session, list[set[str]]]] = {}
        """The stored captures by id, with the keys of their replies."""

    def add(
        self,
        session: Session,
        on_progress: Callable[[int, int], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> JoinedSession:
        """Store a session with its captured requests. Captures that the store has of it become a part of it.

        Args:
            session: A session, as it was read from a file.
            on_progress: Called with the numbers of stored messages and of all.
            is_cancelled: Ends the work when it returns True.

        Raises:
            StoreError: The store cannot be written.
        """
        joined, captured = self.joined(session)
        addition = self.store.add(with_absolute_path(joined), on_progress, is_cancelled)
        for key in captured:
            content = self.store.removals.content(key)
            if not (content.plans or content.bookmarks):
                self.store.sources.move(key, addition.id)
                self.store.removals.remove(key, with_memories=False)
                del self._captured[key]
        return JoinedSession(addition, joined)

    def joined(self, session: Session) -> tuple[Session, list[str]]:
        """Return a session joined with its captured requests, and the ids of its captures in the store.

        Args:
            session: A session, as it was read from a file.

        Raises:
            StoreError: The store cannot be read.
        """
        if session.format == _CAPTURE:
            return session, []
        session = with_capture(session)
        for key in self.store.sources.joined_with_requests(session.id):
            stored = self.store.load(key)
            for path in self.store.sources.paths_of(key):
                if is_capture_log(Path(path)):
                    with suppress(UnreadableError):
                        session = join_capture(session, load(path), path)
            if any(one.id.startswith(ADDITION) and one.id not in session.by_id for one in stored.messages):
                session = join_capture(session, [stored], stored.capture)
        captured = self._captured_ids(session)
        if not captured:
            return session, []
        joined = join_capture(session, [self._captured[key][0] for key in captured], self.store.path)
        return joined, captured if joined is not session else []

    def add_requests(self, captures: Sequence[Session]) -> tuple[list[JoinedSession], list[Session]]:
        """Join the stored transcripts of captured requests with them.

        Args:
            captures: The sessions of a file. Those of another format are returned.

        Returns:
            The joined sessions, and the sessions that have to be stored.

        Raises:
            StoreError: The store cannot be written.
        """
        stored, rest = list[JoinedSession](), list(captures)
        captures = [one for one in captures if one.format == _CAPTURE]
        keys = {one.id: reply_keys(one) for one in captures}
        for key in self._transcripts_of(captures, keys):
            transcript = self.store.load(key)
            if transcript.records_system and not transcript.capture:
                continue
            joined = join_capture(transcript, captures, captures[0].path)
            if joined is not transcript:
                stored.append(JoinedSession(self.store.add(joined), joined))
                known = set[str]().union(*reply_keys(transcript))
                rest = [one for one in rest if not _has_mostly(keys[one.id], known)]
        return stored, rest

    def _captured_ids(self, session: Session) -> list[str]:
        """Return the ids of the stored captures with requests of a session."""
        if session.records_system and not session.capture:
            return []
        ids = self.store.sources.of_format(_CAPTURE)
        if not ids:
            return []
        for key in ids:
            if key not in self._captured:
                capture = self.store.load(key)
                self._captured[key] = capture, reply_keys(capture)
        known = set[str]().union(*reply_keys(session))
        return [key for key in ids if _has_mostly(self._captured[key][1], known)]

    def _transcripts_of(self, captures: Sequence[Session], keys: dict[str, list[set[str]]]) -> list[str]:
        if not captures:
            return []
        replies = [names for one in captures for names in keys[one.id]]
        some = replies[:: 1 + len(replies) // _MOST_IDS]
        ids = {key.removeprefix("call ") for names in some for key in names if not key.startswith("text ")}
        times = sorted(filter(None, (message.time for one in captures for message in one.messages)))
        return self.store.sources.with_replies(ids, _CAPTURE, _earlier(times[0]) if times else "")


def _has_mostly(replies: Sequence[set[str]], known: set[str]) -> bool:
    """Return True if at least half of the replies of a capture are known."""
    return bool(replies) and 2 * sum(bool(keys & known) for keys in replies) >= len(replies)


def _earlier(time: str) -> str:
    try:
        return (datetime.fromisoformat(time) - _SLACK).isoformat()
    except (ValueError, OverflowError):
        return ""
