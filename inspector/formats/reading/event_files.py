"""Sessions with one file per event, complete or still being written."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from inspector.formats.base import IncrementalFilesReader, RewrittenError
from inspector.formats.reading.content import Content
from inspector.formats.reading.incremental_lines import GrowingLog, LineReader
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import UnreadableError

_Event = dict[str, Any]
_SETTLED = 1.0
"""Age in seconds at which an incomplete file is read as it is."""
_MAX_FILES = 2_000
"""Maximum number of files that are read before the session is shown."""


def event_files(folder: Path, name: re.Pattern[str]) -> list[Path]:
    """Return the files of a folder whose names match, sorted by the number in the first group of the pattern."""
    return [folder / name for _, name in _numbered(_names_in(folder), name)]


def _names_in(folder: Path) -> set[str]:
    """Return the names of the files in a folder, which need not exist."""
    if not folder.is_dir():
        return set()
    with os.scandir(folder) as entries:
        return {entry.name for entry in entries}


def _numbered(names: Iterable[str], pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    return sorted((int(match[1]), name) for name in names if (match := pattern.fullmatch(name)))


def read_events(
    paths: Iterable[Path], is_event: Callable[[Any], bool], problems: Problems, what: str = "an event"
) -> Iterator[_Event]:
    """Yield the JSON object of each file.

    Args:
        paths: The files.
        is_event: Returns True if a value is an event. Other values become problems.
        problems: Receives the problems.
        what: Name of the content of a file in problems.
    """
    for path in paths:
        try:
            content = open_content(path)
        except UnreadableError as error:
            problems.add(f"{what} is missing: {error}")
            continue
        for problem in content.problems.all():
            problems.add(f"{path.name}: {problem}")
        if is_event(content.value):
            yield content.value
        else:
            problems.add(f"{what} is missing: {path.name} does not contain one")


class EventReading(LineReader, Protocol):
    """The session of a folder of events, built event by event."""

    def feed(self, event: _Event) -> None:
        """Read the next event."""


class IncrementalEvents(GrowingLog, IncrementalFilesReader):
    """A reader for a folder to which another program adds events in the order of their numbers."""

    def __init__(
        self,
        folder: Path,
        name: re.Pattern[str],
        is_event: Callable[[Any], bool],
        reading: EventReading,
        content: Content,
    ) -> None:
        super().__init__(reading, content)
        self._folder = folder
        self._name = name
        self._is_event = is_event
        self._feed = reading.feed
        self._names: set[str] = set()
        """Names of the files that have been read."""
        self._last = -1
        """Number of the newest of these files."""

    def look(self) -> bool:
        names = _names_in(self._folder)
        fresh = _numbered(names - self._names, self._name)
        if not self._names <= names or (fresh and fresh[0][0] <= self._last):
            raise RewrittenError
        self.has_more, self.is_waiting = len(fresh) > _MAX_FILES, False
        count = 0
        for number, name in fresh[:_MAX_FILES]:
            path = self._folder / name
            problems = Problems()
            events = [*read_events([path], self._is_event, problems)]
            if problems.problems and number == fresh[-1][0] and time.time() - path.stat().st_mtime < _SETTLED:
                self.is_waiting = True
                break
            for problem in problems.problems:
                self._content.problems.add(problem.text)
            for event in events:
                self._feed(event)
            self._names.add(name)
            self._last = number
            count += 1
        return count > 0
