"""Follow a transcript together with its captured requests, which another program appends to a file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from inspector.core.conversation import Session
from inspector.formats import UnreadableError, load
from inspector.library import join_capture, with_capture
from inspector.library.tailing.file_tail import Sign, sign_of
from inspector.library.tailing.live_sources import FollowedFile, LiveSource, LogGrowth, shared_length

_SEARCH_INTERVAL = 5.0
"""Minimum seconds between two searches for the requests of a transcript."""
_SHARE = 10
"""After the requests are read, they are not read again for this many times the duration."""


class JoinedFile(LiveSource):
    """A file that is joined with its captured requests as soon as there are any."""

    def __init__(self, file: FollowedFile, capture: Path | None = None) -> None:
        """Follow a file.

        Args:
            file: The transcript, or any other file.
            capture: File with its requests; None to look for one.
        """
        self._file = file
        self._capture = capture
        self._sign: Sign | None = None
        self._requests: tuple[Session, ...] = ()
        self._transcript: Session | None = None
        self._joined: Session | None = None
        """The last joined session; None before there is any."""
        self._not_before = 0.0

    def files(self) -> Sequence[Path]:
        if self._file.path.is_dir():
            return ()
        return *self._file.files(), *([self._capture] if self._capture else [])

    def poll(self) -> LogGrowth | None:
        growth = self._file.poll()
        self.problem, self.has_more = self._file.problem, self._file.has_more
        self.is_waiting = self._file.is_waiting or (self._capture is not None and time.monotonic() < self._not_before)
        if growth is not None:
            self._transcript = growth.session
        if self._transcript is None or not (self._has_new_requests(growth is not None) or growth):
            return growth
        return self._join(self._transcript) or growth

    def _has_new_requests(self, has_grown: bool) -> bool:
        """Read the requests if their file has changed. Looks for one if the transcript has grown."""
        now = time.monotonic()
        if self._transcript is None or now < self._not_before:
            return False
        if self._capture is None and has_grown:
            self._capture = Path(path) if (path := with_capture(self._transcript).capture) else None
            self._not_before = now if self._capture else now + _SEARCH_INTERVAL
        sign = sign_of(self._capture) if self._capture else None
        if self._capture is None or sign is None or sign == self._sign:
            return False
        with suppress(UnreadableError):
            self._requests = tuple(load(self._capture))
        self._sign = sign
        self._not_before = time.monotonic() + _SHARE * (time.monotonic() - now)
        return True

    def _join(self, transcript: Session) -> LogGrowth | None:
        """Return the joined session; None if there are no requests of it."""
        joined = join_capture(transcript, self._requests, str(self._capture)) if self._requests else transcript
        before = self._joined
        if joined is transcript and before is None:
            return None
        same = shared_length(before.messages, joined.messages) if before else 0
        if before and same:
            joined = joined.with_messages((*before.messages[:same], *joined.messages[same:]))
        self._joined = joined
        return LogGrowth(joined, same, begins=not same)
