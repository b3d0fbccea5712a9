"""An opened file before its format is known, and the small sample of it that formats are recognized by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from inspector.core.conversation import Problem
from inspector.core.text import plural
from inspector.formats.reading.lenient_json import BLANK, BrokenJSONError, parse, spans_of_objects
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_order import OrderCheck, RecordOrder
from inspector.formats.reading.source import OVERLONG, Progress, Source, UnreadableError

Fields = dict[str, Any]
"""A JSON object in a record of a file."""
Shape = Literal["object", "list", "lines", "text", "database", "archive"]
"""object: one JSON object. list: one JSON list. lines: JSON lines. text: any other text. database: SQLite.
archive: zip or tar."""

SAMPLE_RECORDS = 50
"""Maximum number of JSON lines in a sample."""

_LARGE = 64 << 20
"""Bytes from which on a file can have texts of which no copies are made."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file."""

    shape: Shape
    records: tuple[Any, ...] = ()
    """The object, the first elements of the list, or the values of the first lines that are JSON."""
    head: str = ""
    """The beginning of a text."""
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Columns of each table of a database."""
    members: tuple[str, ...] = ()
    """Names of the files in an archive."""

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The records that are JSON objects."""
        return [record for record in self.records if isinstance(record, dict)]


@dataclass(slots=True)
class Coverage:
    """Number of records in a file, and of those that a reader did not know."""

    records: int = 0
    rejected: int = 0
    first: str = ""
    """The first rejected record and the reason, as a clause: "line 4: it has no …"."""
    prose: int = 0
    """Number of bytes on lines that are neither JSON nor damaged JSON."""
    first_prose: int = 0
    """Number of the first of these lines."""
    last_prose: int = 0

    @property
    def share(self) -> float:
        """Share of the records that were understood, from 0 to 1."""
        return 1 - self.rejected / self.records if self.records else 1.0

    def note_prose(self, number: int, size: int) -> None:
        """Count a line of prose. A line that is read twice counts once."""
        if number > self.last_prose:
            self.prose += size
            self.first_prose = self.first_prose or number
            self.last_prose = number


@dataclass(slots=True)
class Content:
    """An opened file, ready to be read by a format."""

    source: Source
    sample: Sample
    value: Any = None
    """The whole JSON value; None if the file has one on each line, or is not JSON."""
    problems: Problems = field(default_factory=Problems)
    coverage: Coverage = field(default_factory=Coverage)
    failure: UnreadableError | None = None
    """The reason why a text is not JSON."""
    order: OrderCheck | None = None
    """The order of the records, if it is checked."""

    def check_order(self, order: RecordOrder) -> None:
        """Check the order of the records: those of a value at once, and lines as they are read."""
        self.order = OrderCheck(order, self.sample.shape == "lines", self.source.size > _LARGE)
        if self.value is not None:
            for number, record in enumerate(self.value if isinstance(self.value, list) else [self.value], 1):
                self.order.feed(record, number)

    @property
    def checks_calls(self) -> bool:
        """True if the format records each call and its result."""
        return self.order is not None and self.order.order.calls

    @property
    def checks_turns(self) -> bool:
        """True if no field of the records shows that one was dropped, but perhaps the turns of its speakers."""
        is_json = self.sample.shape in ("lines", "list", "object")
        return is_json and self.order is not None and self.checks_calls and self.order.order.is_undeclared

    def all_problems(self) -> tuple[Problem, ...]:
        """Return the problems of the file so far, with those in the order of its records."""
        problems = self.problems.all()
        return (*problems, *self.order.problems({problem.line for problem in problems})) if self.order else problems

    def reject(self, number: int, reason: str) -> None:
        """Skip a record that does not belong to the format. A file whose records are mostly rejected is not opened.

        Args:
            number: Number of the record, from `records`.
            reason: A clause that follows "it ": "has no role".
        """
        self.disown(number, reason)
        is_line = self.sample.shape == "lines"
        place = "this line" if is_line else f"element {number}" if self.sample.shape == "list" else "this record"
        self.problems.add(f"{place} was left out: it {reason}", number if is_line else None)

    def disown(self, number: int, reason: str) -> None:
        """Count a record as rejected without reporting a problem. The arguments are those of `reject`."""
        kind = "line" if self.sample.shape == "lines" else "element"
        self.coverage.rejected += 1
        self.coverage.first = self.coverage.first or f"{kind} {number}: it {reason}"

    def records(self, progress: Progress | None = None) -> Iterator[tuple[int, Any]]:
        """Yield the JSON values on the lines, the elements of the list, or the object, numbered from 1.

        Lines that cannot be read become problems. Files that are not JSON have no records.
        """
        match self.sample.shape:
            case "object":
                self.coverage.records += 1
                yield 1, self.value
            case "list":
                self.coverage.records += len(self.value)
                yield from enumerate(self.value, 1)
            case "lines":
                for number, _, line in self.source.lines(progress):
                    for value, _, _ in self.on_line(number, line):
                        self.coverage.records += 1
                        yield number, value

    def text_lines(self, progress: Progress | None = None) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text without their ends, numbered from 1. Raises OSError."""
        for number, _, line in self.source.lines(progress):
            yield number, line.decode("utf-8", "replace").rstrip("\r\n")

    def on_line(self, number: int, line: bytes) -> Iterator[tuple[Any, int, int]]:
        """Yield the JSON value of a line, its offset in the line and its length. A damaged line becomes a problem.

        A blank line has no value. A line has several if a program wrote the next record without a line break.
        """
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            if spans := spans_of_objects(line):
                self.problems.add(f"{len(spans):,} records are on one line", number)
                for start, length in spans:
                    yield from ((value, start, length) for value, _, _ in self.on_line(number, line[start:][:length]))
                return
            value = self._on_odd_line(number, line)
        if self.order is not None:
            self.order.feed(value, number)
        if value is not None:
            yield value, 0, len(line)

    def _on_odd_line(self, number: int, line: bytes) -> Any:
        value_bytes = line.strip(BLANK)
        if zeros := line.count(0) - value_bytes.count(0):  # a crash leaves zeros in place of lost data
            self.problems.add(f"data was lost here: {plural(zeros, 'zero byte')} in its place", number)
        if not value_bytes:
            return None
        try:
            value, note = parse(line)
        except BrokenJSONError as error:
            self.problems.add(f"this line was left out: {error}", number)
            if line != OVERLONG and value_bytes[:1] not in b'{["' and value_bytes[-1:] not in b'}]"':
                self.coverage.note_prose(number, len(value_bytes))  # JSON that was cut has one of its ends
            return None
        if note:
            self.problems.add(note, number)
        return value


def name_of(value: Any) -> str:
    """Return the type of a JSON value in words."""
    names = {str: "string", bool: "truth value", int: "number", float: "number", list: "list", dict: "object"}
    return names.get(type(value), "null")


def describe_sample(sample: Sample) -> str:
    """Describe the content of a file of no known format."""
    if sample.shape == "database":
        return f"an SQLite database with {_first_names('table', sorted(sample.tables))}"
    if sample.shape == "archive":
        return f"an archive with {_first_names('file', sample.members)}"
    if sample.shape == "text":
        return "text"
    kinds: dict[Shape, str] = {"object": "a JSON object", "list": "a JSON list", "lines": "JSON lines"}
    objects = sample.objects
    if not objects:
        inner = f" of {name_of(sample.records[0])}s" if sample.records else " with nothing in it"
        return kinds[sample.shape] + inner
    fields = ", ".join(map(_field_name, list(objects[0])[:6]))
    of = "" if sample.shape == "object" else " of objects"
    return f"{kinds[sample.shape]}{of} with the fields {fields}" if fields else kinds[sample.shape]


def _first_names(kind: str, names: Sequence[str]) -> str:
    """Return the first names of a list, after the plural of their kind."""
    if not names:
        return f"no {kind}s"
    return f"the {kind}s {', '.join(map(_field_name, names[:6]))}{' …' if len(names) > 6 else ''}"


def _field_name(name: str) -> str:
    """Return a short name without control characters."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name[:30])
