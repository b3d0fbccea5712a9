"""Messages of a transcript whose lines may not all be read yet."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from inspector.core.conversation import Body, InMemoryBody, Kind, Raw, Role, Usage, WorkEvent
from inspector.core.text import dumps
from inspector.formats.readers.claude_code.file_body import FileBody, around, join_raw, raw_of, unwrap_progress
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.source import Source
from inspector.llm.providers import MessageMetadata

_Record = dict[str, Any]
Span = tuple[int, int]
"""Offset and length of a line in its file, in bytes."""


@dataclass(slots=True, eq=False)
class MessageDraft:
    """A message of the log whose lines may not all be read yet."""

    number: int
    """Among the drafts of the file, from 0."""
    id: str
    role: Role
    kind: Kind
    metadata: MessageMetadata
    thread: str
    """"" for the main conversation; a sub-agent's id, or the uuid that its records hang from."""
    anchor: MessageDraft | None
    """The draft that this one's parent record belongs to, if it is known."""
    is_root: bool
    """True if the record says that nothing comes before it."""
    source: Source
    key: str
    piece: int
    of: int
    """Number of messages in its record; this is the one with the number `piece`."""
    spans: list[Span]
    records: list[_Record] | None
    """The records themselves, where they cannot be read again."""
    raw: Raw | None
    """The message, where it is one of those in a held record."""
    time: str = ""
    model: str = ""
    usage: Usage | None = None
    events: tuple[WorkEvent, ...] = ()
    before: MessageDraft | None = None
    """The draft before this one in its context, once the tree is built."""
    depth: int = -1
    """Number of drafts before it in its context."""
    leap: MessageDraft | None = None
    """One of these, further away: with these leaps, any of them is found in a logarithm of steps."""
    steady: MessageDraft | None = None
    """The newest of them, or itself, that is neither a notice nor a result."""
    name: str = ""
    """The tool that a result came from."""
    caller: MessageDraft | None = None
    """The draft that called for this result."""
    results: list[MessageDraft] | None = None
    """The results of this draft's own calls."""
    position: int = -1
    is_attached: bool = False
    """True if it goes on from the newest message, whatever its record hangs from."""
    more: list[MessageMetadata] | None = None
    """The metadata of its further lines; None for none, as in nearly all."""
    compare_count: int = 0
    """Number of its lines whose digests are in `says`."""
    says: set[tuple[str, bytes]] | None = None
    """The uuid of each line and a digest of its message; None until one is compared."""

    def feed(self, line: RecordLine, metadata: MessageMetadata) -> None:
        """Add a line to those that make up this message."""
        if self.more is None:
            self.more = []
        self.more.append(metadata)
        if line.span:
            self.spans.append(line.span)
        elif self.records:
            self.records.append(line.record)

    def has(self, uuid: str, record: _Record) -> bool:
        """Return True if one of the lines carries this uuid and says the same. Each line is read again once."""
        lines = self.lines(self.compare_count)
        self.compare_count = len(self.records or self.spans)
        if self.says is None:
            self.says = set()
        self.says.update((text_in(line, "uuid"), _digest(line)) for line in lines)
        return (uuid, _digest(record)) in self.says

    def lines(self, start: int) -> list[_Record]:
        """Read the records of this message again, from the one at `start` on. Empty if they cannot be read."""
        try:
            data = [] if self.records else self.source.read(self.spans[start:])
            lines = (self.records or [])[start:] or [unwrap_progress(parse(line)[0]) for line in data]
        except (OSError, BrokenJSONError):
            return []
        return [record for record in lines if isinstance(record, dict)]

    @property
    def body(self) -> Body:
        if self.records:
            raw = self.raw if self.raw is not None else join_raw(self.records)
            return InMemoryBody(raw, {} if self.piece else around(self.records[0]))
        return FileBody(self.source, self.key, tuple(self.spans), self.piece, self.of)


@dataclass(slots=True)
class RecordLine:
    """A record and its place in the file."""

    record: _Record
    number: int
    source: Source
    span: Span | None
    message: _Record
    """The API message in it, or an empty object."""
    uuid: str
    """"" where it has none."""


def _digest(record: _Record) -> bytes:
    """16 bytes for what the message in a record says."""
    return blake2b(dumps(raw_of(record)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def text_in(record: _Record, name: str) -> str:
    """Return the string under `name`; "" if there is no string."""
    value = record.get(name)
    return value if isinstance(value, str) else ""
