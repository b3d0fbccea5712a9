"""What a person names to be followed: a file, `path#3`, a folder, or a conversation of the store."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from inspector.following.sources import FollowedFile, FollowedStored, LiveSource, LogGrowth
from inspector.following.tailing import Sign, sign_of
from inspector.formats import find
from inspector.library import OpenError, place_of
from inspector.store import Store

_QUIET = 10.0
"""Seconds without a change after which another file of a folder, that changes, is followed in its place."""
_SHARE = 20
"""A folder is looked through again when so many times as long has passed as that took."""
_LEAST = 1.0
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
    """The file of a folder that changed last, and when that is quiet, the next that changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: FollowedFile | None = None
        self._moved = 0.0
        """When the file that is followed was last seen to grow."""
        self._look_after = 0.0
        self._signs: dict[Path, Sign] = {}
        """Of the files that were there, when they were last looked at."""

    def poll(self) -> LogGrowth | None:
        now = time.monotonic()
        growth = self._file.poll() if self._file else None
        if growth is not None:
            self._moved = now
        elif now >= self._look_after and (self._file is None or now - self._moved > _QUIET):
            growth = self._look_around()
            self._look_after = time.monotonic() + max(_LEAST, _SHARE * (time.monotonic() - now))
        self.problem = self._file.problem if self._file else f"There is no conversation in {self._folder} yet."
        self.has_more = self._file is not None and self._file.has_more
        self.is_waiting = self._file is not None and self._file.is_waiting
        return growth

    def _look_around(self) -> LogGrowth | None:
        """Follow the newest of the files that have changed, where it holds a conversation."""
        signs = {path: sign for path in find(self._folder) if (sign := sign_of(path))}
        changed = [path for path, sign in signs.items() if self._signs.get(path) != sign]
        self._signs = signs
        for path in sorted(changed, key=lambda path: signs[path][3], reverse=True):
            if self._file is not None and path == self._file.path:
                return None
            file = FollowedFile(path)
            growth = file.poll()
            if growth is not None:
                self._file, self._moved = file, time.monotonic()
                return replace(growth, begins=True)
        return None
