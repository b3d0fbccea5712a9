"""Files of many records of one kind, each a session: those that are none are left out, with a word about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from inspector.formats.reading.content import Content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import Progress, UnreadableError

Record = tuple[dict[str, Any], int, Problems]
"""A record, its number in the file (0 where it is alone), and where what is wrong with it is noted: only what is wrong
with the first is told with the file."""


def records_of_kind(
    content: Content,
    progress: Progress | None,
    is_kind: Callable[[Any], bool],
    kind: str,
    full_kind: str = "",
) -> Iterator[Record]:
    """The records that are of a kind, called `kind` in what is told of others and `full_kind` where there are none.

    Raises UnreadableError where there are none.
    """
    records: list[tuple[int, dict[str, Any]]] = []
    for number, record in content.records(progress):
        if is_kind(record):
            records.append((number, record))
        else:
            content.reject(number, f"holds no {kind}")
    if not records:
        path = content.source.path
        raise UnreadableError(path, f"{path} holds no {full_kind or kind} that can be read: choose another file.")
    alone = len(records) == 1
    for place, (number, record) in enumerate(records):
        yield record, 0 if alone else number, Problems() if place else content.problems
