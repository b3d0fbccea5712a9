"""The option `--journal`: a file that keeps each finished result, from which an interrupted command continues."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import click

from inspector.cli.cluster_pool import pool_at
from inspector.cli.command_errors import CommandError
from inspector.core.text import plural
from inspector.core.work_pool import Cancel, Work, WorkPool

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


def journal_option(help_text: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return the option `--journal` with a help text."""
    return click.option("--journal", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=help_text)


@dataclass(frozen=True)
class ResultJournal(Generic[R]):
    """A file with a line for each finished result."""

    path: Path | None
    """None to keep nothing."""
    encode: Callable[[R], Any]
    """Returns a result as JSON."""
    decode: Callable[[Any], R]
    """Returns the result in such JSON. Raises ValueError, TypeError, KeyError or AttributeError for any other."""

    def results(self) -> dict[str, R]:
        """Return the results by key. Lines that are damaged are left out. Raises CommandError."""
        if self.path is None or not self.path.exists():
            return {}
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise CommandError(f"Cannot read the journal {self.path}: {error.strerror}.") from error
        return dict(self._entries(text))

    def _entries(self, text: str) -> Iterator[tuple[str, R]]:
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                yield str(entry["key"]), self.decode(entry["rows"])
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue

    def add(self, key: str, result: R) -> None:
        """Write a result. Raises CommandError."""
        if self.path is None:
            return
        try:
            with self.path.open("ab+") as out:
                if out.tell() and _last_byte(out) != b"\n":
                    out.write(b"\n")  # ends a line that an interrupted program left
                out.write(json.dumps({"key": key, "rows": self.encode(result)}).encode() + b"\n")
        except OSError as error:
            raise CommandError(f"Cannot write the journal {self.path}: {error.strerror}.") from error


def _last_byte(file: BinaryIO) -> bytes:
    file.seek(-1, SEEK_END)
    return file.read(1)


@dataclass(frozen=True)
class _JournalPool(Generic[R]):
    """Workers that get only the items without a result in a journal, which keeps their results."""

    pool: WorkPool
    journal: ResultJournal[R]
    known: dict[str, R]
    """Contents of the journal."""
    keys: Sequence[str]
    """Key of each item."""

    def results(
        self, work: Work[S, T, Any], shared: S, items: Iterable[T], cancel: Cancel | None = None
    ) -> Iterator[tuple[int, Any]]:
        """See `WorkPool.results`. Results of the journal come first."""
        yield from ((place, self.known[key]) for place, key in enumerate(self.keys) if key in self.known)
        missing = [place for place, key in enumerate(self.keys) if key not in self.known]
        rest = (item for item, key in zip(items, self.keys, strict=True) if key not in self.known)
        for number, result in self.pool.results(work, shared, rest, cancel):
            self.journal.add(self.keys[missing[number]], result)
            yield missing[number], result


@contextmanager
def journal_pool(
    journal: ResultJournal[Any], keys: Sequence[str], cluster: str | None, noun: str
) -> Iterator[WorkPool]:
    """Provide workers for the items that have no result in a journal. See `pool_at`.

    Args:
        journal: The journal.
        keys: Key of each item.
        cluster: Address of a scheduler; None for this process.
        noun: Name of an item, such as "dialogue".
    """
    known = journal.results()
    missing = sum(key not in known for key in keys)
    with pool_at(cluster if missing else None, plural(missing, noun)) as pool:
        yield _JournalPool(pool, journal, known, keys)
