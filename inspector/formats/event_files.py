"""Events that a program keeps in a file each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from inspector.formats.problems import Problems
from inspector.formats.sample import open_content
from inspector.formats.source import UnreadableError


def read_events(paths: Iterable[Path], is_event: Callable[[Any], bool], problems: Problems) -> Iterator[dict[str, Any]]:
    """The JSON object of each file, in the order of the paths; what is missing, or is no event, becomes a problem."""
    for path in paths:
        try:
            event = open_content(path).value
        except UnreadableError as error:
            problems.add(f"an event is missing: {error}")
            continue
        if is_event(event):
            yield event
        else:
            problems.add(f"an event is missing: {path.name} is none")
