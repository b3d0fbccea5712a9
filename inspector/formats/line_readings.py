"""Sessions out of files of lines, all at once or while another program goes on with them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from inspector.conversation import Session
from inspector.formats.base import Growing
from inspector.formats.log_builder import LogBuilder
from inspector.formats.sample import Content
from inspector.formats.source import Progress


class LineReading(Protocol):
    """The one session of a file while its records come in."""

    log: LogBuilder
    """What the records came to. Another one where they had to be read anew, in another dialect."""
    refusal: str
    """What is said of a record that is none of the format's, behind "it "."""

    def take(self, record: dict[str, Any], number: int) -> bool:
        """Take in the next record, which stands on a line with this number. False where it is none of the format's."""

    def session(self, content: Content) -> Session:
        """The session so far. More records may come, so nothing is closed by it.

        Costs what came in since it was last asked for. Raises UnreadableError where there is no message.
        """


def read_records(reading: LineReading, content: Content, progress: Progress | None = None) -> list[Session]:
    """The session of a whole file. Raises UnreadableError and OSError."""
    for number, record in content.records(progress):
        _take(reading, content, record, number)
    return [reading.session(content)]


def _take(reading: LineReading, content: Content, record: Any, number: int) -> None:
    if not isinstance(record, dict) or not reading.take(record, number):
        content.reject(number, reading.refusal)


class GrowingLines(Growing):
    """A file of lines that goes on."""

    def __init__(self, reading: LineReading, content: Content) -> None:
        self._reading = reading
        self._content = content
        self._session: Session | None = None

    def take(self, content: Content, number: int, offset: int, line: bytes) -> None:
        record = content.on_line(number, line)
        if record is not None:
            _take(self._reading, content, record, number)

    def session(self) -> tuple[Session, int]:
        before, session = self._session, self._reading.session(self._content)
        log = self._reading.log
        same, log.stable = log.stable, len(log.messages)
        changes = {name: getattr(session, name) for name in _NAMES} | {"problems": self._content.problems.all()}
        self._session = (before or session).grown(session.messages, same, **changes)
        return self._session, same


_NAMES = [field.name for field in fields(Session) if field.init and field.name != "messages"]
