"""Sessions out of records that come in one by one, all at once or while another program goes on with them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from inspector.core.conversation import Session
from inspector.formats.base import IncrementalReader
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content
from inspector.formats.reading.source import Progress


class LineReader(Protocol):
    """The one session of a file, or of several, while its records come in."""

    log: LogBuilder
    """What the records came to. Another one where they had to be read anew, in another dialect."""

    def session(self, content: Content) -> Session:
        """The session so far. More records may come, so nothing is closed by it.

        Costs what came in since it was last asked for. Raises UnreadableError where there is no message.
        """


class IncrementalLines(LineReader, Protocol):
    """The session of a file of lines."""

    refusal: str
    """What is said of a record that is none of the format's, behind "it "."""

    def feed(self, record: dict[str, Any], number: int) -> bool:
        """Take in the next record, which stands on a line with this number. False where it is none of the format's."""


def read_records(reading: IncrementalLines, content: Content, progress: Progress | None = None) -> list[Session]:
    """The session of a whole file. Raises UnreadableError and OSError."""
    for number, record in content.records(progress):
        _feed(reading, content, record, number)
    return [reading.session(content)]


def note_missing_head(content: Content, head: str) -> None:
    """Say of a file that it lacks the record that its kind begins with, called `head`: more may be missing."""
    content.problems.add(f"it does not begin with {head}: what stood before may be missing, too", 1)


def _feed(reading: IncrementalLines, content: Content, record: Any, number: int) -> None:
    if not isinstance(record, dict) or not reading.feed(record, number):
        content.reject(number, reading.refusal)


class GrowingLog:
    """A session of which more comes in."""

    def __init__(self, reading: LineReader, content: Content) -> None:
        self._reading = reading
        self._content = content
        self._session: Session | None = None

    def session(self) -> tuple[Session, int]:
        before, session = self._session, self._reading.session(self._content)
        log = self._reading.log
        same, log.stable = log.stable, len(log.messages)
        changes = {name: getattr(session, name) for name in _NAMES} | {"problems": self._content.problems.all()}
        self._session = (before or session).grown(session.messages, same, **changes)
        return self._session, same


class GrowingLines(GrowingLog, IncrementalReader):
    """A file of lines that goes on."""

    def __init__(self, reading: IncrementalLines, content: Content) -> None:
        super().__init__(reading, content)
        self._lines = reading

    def feed(self, content: Content, number: int, offset: int, line: bytes) -> None:
        record = content.on_line(number, line)
        if record is not None:
            _feed(self._lines, content, record, number)


_NAMES = [field.name for field in fields(Session) if field.init and field.name != "messages"]
