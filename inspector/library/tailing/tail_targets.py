"""What a person names to be followed: a file, `path#3`, a folder, or a conversation of the store."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from inspector.formats import find
from inspector.library import OpenError, place_of
from inspector.library.tailing.file_tail import Sign, sign_of
from inspector.library.tailing.live_sources import FollowedFile, FollowedStored, LiveSource, LogGrowth
from inspector.store import Store

_QUIET = 10.0
"""Seconds without a change after which another file of a folder, that was there and changes, is followed instead."""
_SHARE = 20
"""A folder is looked through again when so many times as long has passed as that took."""
_MIN_SCAN_INTERVAL = 1.0
"""Seconds between two looks through a folder, at least."""


def source_of(target: str, store: Store | None = None) -> LiveSource:
    """What a target names, to be followed. Raises OpenError where there is nothing of that name."""
    path, number = place_of(target)
    if path is None:
        if store is None:
            raise OpenError(f"There is no file {target}: check the name.")
        return FollowedStored(store, target)
    return _FollowedFolder(path) if path.is_dir() else FollowedFile(path, max(number, 0))


class _FollowedFolder(LiveSource):
    """The file of a folder that changed last, then any that is new there; when that is quiet, the next that changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: FollowedFile | None = None
        self._moved = 0.0
        """When the file that is followed was last seen to grow."""
        self._look_after = 0.0
        self._signs: dict[Path, Sign] = {}
        """Of the files that were there, when they were last looked at."""
        self._new: dict[Path, Sign] = {}
        """Of the files that have come since, and that have held no conversation so far."""

    def poll(self) -> LogGrowth | None:
        now = time.monotonic()
        growth = self._file.poll() if self._file else None
        if growth is not None:
            self._moved = now
        if now >= self._look_after:
            growth = self._look_around(is_quiet=now - self._moved > _QUIET) or growth
            self._look_after = time.monotonic() + max(_MIN_SCAN_INTERVAL, _SHARE * (time.monotonic() - now))
        self.problem = self._file.problem if self._file else f"There is no conversation in {self._folder} yet."
        self.has_more = self._file is not None and self._file.has_more
        self.is_waiting = self._file is not None and self._file.is_waiting
        return growth

    def _look_around(self, is_quiet: bool) -> LogGrowth | None:
        """Follow a file that is new; else, with `is_quiet`, the newest of those that have changed."""
        signs = {path: sign for path in find(self._folder) if (sign := sign_of(path))}
        if self._file is None:
            return self._follow_first_of(signs, signs)
        new = [path for path in signs if path not in self._signs and self._new.get(path) != signs[path]]
        self._new |= {path: signs[path] for path in new}
        if (growth := self._follow_first_of(new, signs)) or not is_quiet:
            return growth
        changed = [path for path, sign in self._signs.items() if signs.get(path, sign) != sign]
        if self._file.path in changed:
            changed = [path for path in changed if signs[path][3] > signs[self._file.path][3]]
        self._signs |= {path: signs[path] for path in self._signs if path in signs}
        return self._follow_first_of(changed, signs)

    def _follow_first_of(self, paths: Iterable[Path], signs: Mapping[Path, Sign]) -> LogGrowth | None:
        """Follow the newest of some files that holds a conversation."""
        for path in sorted(paths, key=lambda path: signs[path][3], reverse=True):
            file = FollowedFile(path)
            growth = file.poll()
            if growth is not None:
                self._file, self._moved = file, time.monotonic()
                self._signs, self._new = dict(signs), {}
                return replace(growth, begins=True)
        return None
