"""Files of records that are one session each. Other records are rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from inspector.formats.reading.content import Content
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import Progress, UnreadableError

Record = tuple[dict[str, Any], int, Problems]
"""A record, its number in the file (0 for a single record), and its problems. Only those of the first record are
reported with the file."""


def records_of_kind(
    content: Content,
    progress: Progress | None,
    is_kind: Callable[[Any], bool],
    kind: str,
    full_kind: str = "",
) -> Iterator[Record]:
    """Yield the records of a kind.

    Args:
        content: The file. Receives the rejected records.
        progress: Called with the number of bytes read and the total number of bytes.
        is_kind: Returns True if a record is of the kind.
        kind: Name of the kind in problems: "holds no run".
        full_kind: Name of the kind in the error for a file without any.

    Raises:
        UnreadableError: The file has no such record.
    """
    records: list[tuple[int, dict[str, Any]]] = []
    for number, record in content.records(progress):
        if is_kind(record):
            records.append((number, record))
        else:
            content.reject(number, f"contains no {kind}")
    if not records:
        path = content.source.path
        raise UnreadableError(path, f"{path} holds no {full_kind or kind} that can be read: choose another file.")
    alone = len(records) == 1
    for place, (number, record) in enumerate(records):
        yield record, 0 if alone else number, Problems() if place else content.problems
