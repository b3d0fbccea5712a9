"""Readers that are fed record by record, from a whole file or from one that is still being written."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from inspector.core.conversation import Session
from inspector.formats.base import IncrementalReader
from inspector.formats.building.call_order import CallOrder, TurnOrder
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content
from inspector.formats.reading.source import Progress


class LineReader(Protocol):
    """The session of a file, or of several, built from its records."""

    log: LogBuilder
    """The messages so far. Replaced if the records are read again in another dialect."""

    def session(self, content: Content) -> Session:
        """Return the session so far. More records may follow.

        The time is proportional to the number of records since the last call. Raises UnreadableError if there is no
        message.
        """


class IncrementalLines(LineReader, Protocol):
    """The session of a file of lines."""

    refusal: str
    """Reason for which other records are rejected, as a clause that follows "it "."""

    def feed(self, record: dict[str, Any], number: int) -> bool:
        """Read the next record, given the number of its line. Return False if it does not belong to the format."""


def read_records(reading: IncrementalLines, content: Content, progress: Progress | None = None) -> list[Session]:
    """Read the session of a whole file.

    Args:
        reading: A new reader.
        content: The file.
        progress: Called with the number of bytes read and the total number of bytes.

    Raises:
        UnreadableError: The file has no message.
        OSError: The file cannot be read.
    """
    for number, record in content.records(progress):
        _feed(reading, content, record, number)
    return [reading.session(content)]


def note_missing_head(content: Content, head: str) -> None:
    """Report that a file lacks the record that such files begin with, named by `head`."""
    content.problems.add(f"it does not begin with {head}: earlier records may be missing, too", 1)


def _feed(reading: IncrementalLines, content: Content, record: Any, number: int) -> None:
    if not isinstance(record, dict) or not reading.feed(record, number):
        content.reject(number, reading.refusal)


class GrowingLog:
    """A session that grows."""

    def __init__(self, reading: LineReader, content: Content) -> None:
        self._reading = reading
        self._content = content
        self._session: Session | None = None
        self._calls, self._turns = CallOrder(), TurnOrder()

    def session(self) -> tuple[Session, int]:
        before, session = self._session, self._reading.session(self._content)
        log = self._reading.log
        same, log.stable = log.stable, len(log.messages)
        calls = self._calls.problems(session.messages, same) if self._content.checks_calls else ()
        turns = self._turns.problems(session.messages, same) if self._content.checks_turns else ()
        problems = (*calls, *turns, *self._content.all_problems())
        changes = {name: getattr(session, name) for name in _NAMES} | {"problems": problems}
        self._session = (before or session).grown(session.messages, same, **changes)
        return self._session, same


class GrowingLines(GrowingLog, IncrementalReader):
    """A reader for a growing file of lines."""

    def __init__(self, reading: IncrementalLines, content: Content) -> None:
        super().__init__(reading, content)
        self._lines = reading

    def feed(self, content: Content, number: int, offset: int, line: bytes) -> None:
        for record, _, _ in content.on_line(number, line):
            _feed(self._lines, content, record, number)


_NAMES = [field.name for field in fields(Session) if field.init and field.name != "messages"]
