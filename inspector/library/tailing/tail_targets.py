"""Resolve the targets that can be followed: a file, `path#3`, a folder, or a stored conversation."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from inspector.formats import find
from inspector.library import OpenError, capture_of, place_of
from inspector.library.tailing.file_tail import Sign, sign_of
from inspector.library.tailing.joined_source import JoinedFile
from inspector.library.tailing.live_sources import FollowedFile, FollowedStored, LiveSource, LogGrowth
from inspector.store import Store

_QUIET = 10.0
"""Seconds without a change after which another changed file of a folder is followed instead."""
_SHARE = 20
"""A folder is scanned again after this many times the duration of the last scan."""
_MIN_SCAN_INTERVAL = 1.0
"""Minimum number of seconds between two scans of a folder."""


def source_of(target: str, store: Store | None = None) -> LiveSource:
    """Return the source of a target.

    Raises:
        OpenError: If the target does not exist.
    """
    path, number = place_of(target)
    if path is None:
        if store is None:
            raise OpenError(f"{target} does not exist. Check the name.")
        return FollowedStored(store, target)
    if path.is_dir():
        return _FollowedFolder(path)
    return JoinedFile(FollowedFile(path, max(number, 0)), capture_of(target))


class _FollowedFolder(LiveSource):
    """A folder: its last changed file, then any new file; when that is quiet, the next one that changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = self._path = folder
        self._file: JoinedFile | None = None
        self._moved = 0.0
        """Time at which the followed file last grew."""
        self._look_after = 0.0
        self._signs: dict[Path, Sign] = {}
        """Signatures of the existing files at the last scan."""
        self._new: dict[Path, Sign] = {}
        """Signatures of newer files that contained no conversation so far."""

    def poll(self) -> LogGrowth | None:
        now = time.monotonic()
        growth = self._file.poll() if self._file else None
        if growth is not None:
            self._moved = now
        if now >= self._look_after:
            growth = self._look_around(is_quiet=now - self._moved > _QUIET) or growth
            self._look_after = time.monotonic() + max(_MIN_SCAN_INTERVAL, _SHARE * (time.monotonic() - now))
        self.problem = self._file.problem if self._file else f"{self._folder} contains no conversation yet."
        self.has_more = self._file is not None and self._file.has_more
        self.is_waiting = self._file is not None and self._file.is_waiting
        return growth

    def _look_around(self, is_quiet: bool) -> LogGrowth | None:
        """Follow a new file, or with `is_quiet`, the newest of those that have changed."""
        signs = {path: sign for path in find(self._folder) if (sign := sign_of(path))}
        if self._file is None:
            return self._follow_first_of(signs, signs)
        new = [path for path in signs if path not in self._signs and self._new.get(path) != signs[path]]
        self._new |= {path: signs[path] for path in new}
        if (growth := self._follow_first_of(new, signs)) or not is_quiet:
            return growth
        changed = [path for path, sign in self._signs.items() if signs.get(path, sign) != sign]
        if self._path in changed:
            changed = [path for path in changed if signs[path][3] > signs[self._path][3]]
        self._signs |= {path: signs[path] for path in self._signs if path in signs}
        return self._follow_first_of(changed, signs)

    def _follow_first_of(self, paths: Iterable[Path], signs: Mapping[Path, Sign]) -> LogGrowth | None:
        """Follow the newest of some files that contains a conversation."""
        for path in sorted(paths, key=lambda path: signs[path][3], reverse=True):
            file = JoinedFile(FollowedFile(path))
            growth = file.poll()
            if growth is not None:
                self._file, self._path, self._moved = file, path, time.monotonic()
                self._signs, self._new = dict(signs), {}
                return replace(growth, begins=True)
        return None
