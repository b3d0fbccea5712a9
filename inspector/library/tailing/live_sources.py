"""What is followed: a file that is gone on with, or anything else that is read anew when it changes."""

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
"""A file that is read anew is left alone so many times as long as that took."""
_SETTLED = 1.0
"""Seconds after which a file that reads worse than before is taken as it is, and not as one that is half written."""


@dataclass(frozen=True)
class LogGrowth:
    """What a look at a source has brought."""

    session: Session
    same: int
    """How many of its messages, from the first, say the same as those of the session before."""
    begins: bool = False
    """Whether nothing of the session before is left, or there was none."""


class LiveSource(Protocol):
    """Something that another program writes."""

    problem: str = ""
    """Why there is nothing to be read now, in a sentence; else empty."""
    has_more: bool = False
    """Whether more stands there than was read at the last look."""
    is_waiting: bool = False
    """Whether a change was seen that will be taken at a later look: it may be half written, or costs much."""

    @abstractmethod
    def poll(self) -> LogGrowth | None:
        """What has come since the last look; None for nothing. Raises nothing for what another program may do."""


class ReloadedSource(LiveSource):
    """A source that is read whole whenever one of its files has changed."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._signs: tuple[Sign | None, ...] = ()
        self._not_before = 0.0
        self._changed = 0.0
        """When a change was first seen that is not taken yet."""
        self._lines = 0
        """How many lines its file has, where some of them could not be read."""

    @abstractmethod
    def files(self) -> Sequence[Path]:
        """The files that change with it, the one that has to be there first."""

    @abstractmethod
    def load(self) -> Session:
        """Read all of it. Raises OpenError and StoreError."""

    def poll(self) -> LogGrowth | None:
        signs = tuple(map(sign_of, self.files()))
        now = time.monotonic()
        self.is_waiting = signs != self._signs
        if not self.is_waiting or now < self._not_before:
            return None
        if signs[0] is None:
            self.problem = f"{self.files()[0]} is not there."
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
        """Whether a source that has just changed reads worse than before, at its end: a line behind one that is
        damaged was written after it.
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
        same = _shared_length(before.messages, session.messages) if before else 0
        if before and same:  # what is kept by message is kept for those that are the same
            session = session.with_messages((*before.messages[:same], *session.messages[same:]))
        self._session = session
        return LogGrowth(session, same, begins=not same)


class FollowedStored(ReloadedSource):
    """A conversation of the store that an agent is having."""

    def __init__(self, store: Store, id: str) -> None:
        """Raises OpenError where there is none with this id."""
        super().__init__()
        self._store = store
        self._id = find_session_id(id, store)

    def files(self) -> Sequence[Path]:
        path = Path(self._store.path)
        return path, path.with_name(f"{path.name}-wal")

    def load(self) -> Session:
        return self._store.load(self._id)


class _GrowingTails(IncrementalFilesReader):
    """A file of lines that goes on, and its parts."""

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
    """A file. Where its format can, only what came at its end is read."""

    def __init__(self, path: Path, number: int = 0) -> None:
        """`number` is that of the session in the file, from 1; 0 for the one that changed last."""
        super().__init__()
        self.path = path
        self._number = number
        self._lengths: dict[str, int] = {}
        self._growing: IncrementalFilesReader | None = None
        self._goes_on = False
        """Whether the session that it has came of the reading that goes on."""

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
        """A session without the problem of a last line that is not written to its end yet."""
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
        """Of several sessions, the newest that is not as it was."""
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
        """Begin to read the file line by line, or one of a folder, file by file, where that can be."""
        if self._number > 1 or (self._session is not None and tuple(map(sign_of, self.files())) == self._signs):
            return False
        lines = formats.incremental_reader_of(self.path)
        self._growing = _GrowingTails(self.path, *lines) if lines else formats.incremental_files_of(self.path)
        self._goes_on = False
        return self._growing is not None

    def _go_on_anew(self) -> LogGrowth | None:
        """The first look at a file that was begun anew; where it changes under it, the next look will tell."""
        with suppress(RewrittenError, OSError):
            return self._go_on()
        self._growing = None
        return None

    def _go_on(self) -> LogGrowth | None:
        """What came in the file and its parts. Raises RewrittenError and OSError."""
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
            same = _shared_length(before.messages, self._session.messages)
        self._goes_on = True
        return LogGrowth(self._session, same, begins=not same)


def _shared_length(before: Sequence[Message], now: Sequence[Message]) -> int:
    """How many messages of two logs, from the first, say the same."""
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
    """Whether the texts of two messages whose heads are the same are, too."""
    mine, theirs = one.body, other.body
    if isinstance(mine, FileBody) and isinstance(theirs, FileBody):  # nobody reads a long log for it
        return (mine.key, mine.spans, mine.piece) == (theirs.key, theirs.spans, theirs.piece)
    return mine == theirs if type(mine) is type(theirs) else one.raw == other.raw
