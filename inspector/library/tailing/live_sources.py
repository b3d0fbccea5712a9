"""Sources that can be followed: files that grow, and anything else, which is read again when it changes."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from inspector import formats
from inspector.core.conversation import Message, Session
from inspector.formats import (
    Content,
    FileBody,
    IncrementalFilesReader,
    IncrementalReader,
    RewrittenError,
    UnreadableError,
)
from inspector.library import OpenError, find_session_id, read_file
from inspector.library.tailing.file_tail import FileTail, Sign, sign_of
from inspector.store import Store, StoreError

_SHARE = 10
"""After a file is read again, it is not checked for this many times the duration of the read."""
_SETTLED = 1.0
"""Seconds after which a source that reads worse than before is accepted, and no longer assumed to be half written."""


@dataclass(frozen=True)
class LogGrowth:
    """Result of a poll that found changes."""

    session: Session
    same: int
    """Number of messages at the start of the log that are unchanged."""
    begins: bool = False
    """True if there was no previous session, or nothing of it remains."""


class LiveSource(Protocol):
    """A source that another program writes."""

    problem: str = ""
    """Reason why nothing can be read at the moment, as one sentence; otherwise ""."""
    has_more: bool = False
    """True if the source contains more than was read in the last poll."""
    is_waiting: bool = False
    """True if a change was detected and postponed, because it can be half written or is expensive to read."""

    def files(self) -> Sequence[Path]:
        """Return the files without whose change a poll finds nothing; none if that is unknown."""
        return ()

    @abstractmethod
    def poll(self) -> LogGrowth | None:
        """Return the changes since the last poll; None if nothing changed. The other program never makes it raise."""


class ReloadedSource(LiveSource):
    """A source that is read completely whenever one of its files has changed."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._signs: tuple[Sign | None, ...] = ()
        self._not_before = 0.0
        self._changed = 0.0
        """Time at which a change that is still postponed was first detected."""
        self._lines = 0
        """Number of lines in its file, if some of them could not be read."""

    @abstractmethod
    def files(self) -> Sequence[Path]:
        """Return the files that change with it. The first one is required to exist."""

    @abstractmethod
    def load(self) -> Session:
        """Read the whole source.

        Raises:
            OpenError: If it cannot be read.
            StoreError: If the store cannot be read.
        """

    def poll(self) -> LogGrowth | None:
        signs = tuple(map(sign_of, self.files()))
        now = time.monotonic()
        self.is_waiting = signs != self._signs
        if not self.is_waiting or now < self._not_before:
            return None
        if signs[0] is None:
            self.problem = f"{self.files()[0]} does not exist."
            self._signs, self.is_waiting = signs, False
            return None
        self._changed = self._changed or now
        try:
            session = self.load()
        except (OpenError, StoreError) as error:
            self.problem = str(error)
            session = None
        self._not_before = time.monotonic() + _SHARE * (time.monotonic() - now)
        if self._may_be_half_written(session, now):
            return None
        self._signs, self._changed, self.is_waiting = signs, 0.0, False
        return self._set_session(session) if session else None

    def _may_be_half_written(self, session: Session | None, now: float) -> bool:
        """Return True if a source that has just changed reads worse than before at its end.

        Damage in a line that is followed by others is not a sign of this, because the others were written after it.
        """
        before = self._session
        if before is None or now - self._changed > _SETTLED:
            return False
        if session is None:
            return True
        known = frozenset(before.problems)
        return any(not 0 < (one.line or 0) < self._lines for one in session.problems if one not in known)

    def _set_session(self, session: Session) -> LogGrowth:
        before, self.problem = self._session, ""
        same = shared_length(before.messages, session.messages) if before else 0
        if before and same:  # data cached by message stays valid for unchanged messages
            session = session.with_messages((*before.messages[:same], *session.messages[same:]))
        self._session = session
        return LogGrowth(session, same, begins=not same)


class FollowedStored(ReloadedSource):
    """A stored conversation that an agent is still writing."""

    def __init__(self, store: Store, id: str) -> None:
        """Look up the session.

        Raises:
            OpenError: If the store has no session with this id.
        """
        super().__init__()
        self._store = store
        self._id = find_session_id(id, store)

    def files(self) -> Sequence[Path]:
        path = Path(self._store.path)
        return path, path.with_name(f"{path.name}-wal")

    def load(self) -> Session:
        return self._store.load(self._id)


class _GrowingTails(IncrementalFilesReader):
    """Tails of a line-based file and of the files that belong to it."""

    def __init__(self, path: Path, incremental: IncrementalReader, content: Content) -> None:
        self._path = path
        self._growing = incremental
        self._parts = {path: (FileTail(path, content.source.start), content)}

    def look(self) -> bool:
        for path in formats.files_of(self._path)[1:]:
            if path not in self._parts and (content := formats.part_of(path)):
                self._parts[path] = FileTail(path, content.source.start), content
        count = 0
        for tail, content in self._parts.values():
            for number, offset, line in tail.read():
                self._growing.feed(content, number, offset, line)
                count += 1
        self.has_more = any(tail.has_more for tail, _ in self._parts.values())
        return count > 0

    def session(self) -> tuple[Session, int]:
        return self._growing.session()


class FollowedFile(ReloadedSource):
    """A file that is followed. If its format allows, only the new content at its end is read."""

    def __init__(self, path: Path, number: int = 0) -> None:
        """Follow session `number` of the file, from 1; 0 for the one that changed last."""
        super().__init__()
        self.path = path
        self._number = number
        self._lengths: dict[str, int] = {}
        self._growing: IncrementalFilesReader | None = None
        self._goes_on = False
        """True if the current session comes from incremental reading."""

    def files(self) -> Sequence[Path]:
        return *formats.files_of(self.path), self.path.with_name(f"{self.path.name}-wal")

    def load(self) -> Session:
        sessions = read_file(self.path)
        if self._number > len(sessions):
            raise OpenError(f"{self.path} has no session {self._number} yet.")
        if self._number or len(sessions) == 1:
            session = sessions[max(self._number, 1) - 1]
        else:
            session = self._changed_one(sessions)
        return self._without_half_line(session)

    def _without_half_line(self, session: Session) -> Session:
        """Return a session without the problem of a last line that is not completely written."""
        self._lines = 0
        if not any(problem.line for problem in session.problems):
            return session
        with suppress(OSError):
            data = self.path.read_bytes()
            self._lines = data.count(b"\n") + (not data.endswith(b"\n"))
            if not data.endswith(b"\n"):
                return replace(session, problems=tuple(one for one in session.problems if one.line != self._lines))
        return session

    def _changed_one(self, sessions: Sequence[Session]) -> Session:
        """Return the newest of several sessions that has changed."""
        before = self._lengths
        self._lengths = {session.id: len(session.messages) for session in sessions}
        changed = [one for one in sessions if before and before.get(one.id) != len(one.messages)]
        same = [one for one in sessions if self._session and one.id == self._session.id]
        return (changed or same or sessions)[-1]

    def poll(self) -> LogGrowth | None:
        if self._growing is None and not self._begin():
            return super().poll()
        try:
            return self._go_on()
        except (RewrittenError, OSError):
            self._growing, self._signs, self.has_more = None, (), False
        return super().poll() if sign_of(self.path) is None or not self._begin() else self._go_on_anew()

    def _begin(self) -> bool:
        """Start to read the file line by line, or a folder file by file, if possible."""
        if self._number > 1 or (self._session is not None and tuple(map(sign_of, self.files())) == self._signs):
            return False
        lines = formats.incremental_reader_of(self.path)
        self._growing = _GrowingTails(self.path, *lines) if lines else formats.incremental_files_of(self.path)
        self._goes_on = False
        return self._growing is not None

    def _go_on_anew(self) -> LogGrowth | None:
        """Poll a file for which incremental reading was restarted. If it changes again, the next poll handles it."""
        with suppress(RewrittenError, OSError):
            return self._go_on()
        self._growing = None
        return None

    def _go_on(self) -> LogGrowth | None:
        """Return the new content of the file and its parts.

        Raises:
            RewrittenError: If the file was replaced or changed.
            OSError: If the file cannot be read.
        """
        assert self._growing is not None, "it was begun"
        has_come = self._growing.look()
        self.is_waiting, self.has_more = self._growing.is_waiting, self._growing.has_more
        if not has_come:
            return None
        before = self._session
        try:
            self._session, same = self._growing.session()
        except UnreadableError as error:
            self.problem = str(error)
            return None
        self.problem = ""
        if before is not None and not self._goes_on:
            same = shared_length(before.messages, self._session.messages)
        self._goes_on = True
        return LogGrowth(self._session, same, begins=not same)


def shared_length(before: Sequence[Message], now: Sequence[Message]) -> int:
    """Return the number of equal messages at the start of two logs."""
    pairs = enumerate(zip(before, now, strict=False))
    return next((place for place, pair in pairs if not _is_same(*pair)), min(len(before), len(now)))


def _is_same(one: Message, other: Message) -> bool:
    if one is other:
        return True
    heads = [
        (m.id, m.role, m.kind, m.name, m.chars, m.preview, m.calls, m.answers, m.agent, m.parent, m.usage, m.time)
        for m in (one, other)
    ]
    return heads[0] == heads[1] and _say_the_same(one, other)


def _say_the_same(one: Message, other: Message) -> bool:
    """Return True if two messages with equal heads also have equal texts."""
    mine, theirs = one.body, other.body
    if isinstance(mine, FileBody) and isinstance(theirs, FileBody):  # compare positions, so that a long log is not read
        return (mine.key, mine.spans, mine.piece) == (theirs.key, theirs.spans, theirs.piece)
    return mine == theirs if type(mine) is type(theirs) else one.raw == other.raw
