"""What a file holds before anybody knows its format: one JSON value or one on every line, text, a database, an archive.

Formats are told apart by a small sample of that content, never by the name of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import orjson

from inspector.core.text import one_line, plural
from inspector.formats.reading.archives import DamagedArchiveError, open_archive
from inspector.formats.reading.databases import open_database, tables_of
from inspector.formats.reading.lenient_json import BLANK, BrokenJSONError, parse, salvage, split_values
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import MAX_LINE_LENGTH, OVERLONG, Progress, Source, UnreadableError, open_source

Shape = Literal["object", "list", "lines", "text", "database", "archive"]
"""object: one JSON object. list: one JSON list. lines: JSON lines. text: anything else that can be read as text.
database: SQLite. archive: zip or tar."""

SAMPLE_RECORDS = 50
"""Good records looked at to tell the format."""
_SAMPLE_LINES = 500
"""Lines looked through for them."""
_MIN_SHARE = 0.5
"""Share of these lines that are JSON objects or lists from which on a file whose first is not is one of JSON lines."""
_EMPTY = 2
"""Bytes of an object or a list with nothing in it."""
_LARGEST_VALUE = 2 * MAX_LINE_LENGTH
"""Bytes of a file that is one JSON value: a parser that finds no room for a larger one ends the whole program."""
_RECORD = b"\x1e"
"""The sign before a record, as RFC 7464 has it."""
_HEAD = 64 << 10
"""Bytes of a text that are looked at to tell its format."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How a file begins."""

    shape: Shape
    records: tuple[Any, ...] = ()
    """The object; or the first elements of the list; or the values of the first good lines."""
    head: str = ""
    """How a text begins."""
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The columns of each table of a database."""
    members: tuple[str, ...] = ()
    """The names of what is in an archive."""

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [record for record in self.records if isinstance(record, dict)]


@dataclass(slots=True)
class Coverage:
    """How many records a file has, and how many of them a reader did not know."""

    records: int = 0
    rejected: int = 0
    first: str = ""
    """The first of these, and why, as a sentence without its end: "line 4 is no …"."""
    prose: int = 0
    """Bytes of the lines that are no JSON, and no broken JSON either."""
    first_prose: int = 0
    """The number of the first of these lines."""
    last_prose: int = 0

    @property
    def share(self) -> float:
        """The share of the records that were understood, from 0 to 1."""
        return 1 - self.rejected / self.records if self.records else 1.0

    def note_prose(self, number: int, size: int) -> None:
        """Take in a line of prose. Where a file is read twice, each line counts once."""
        if number > self.last_prose:
            self.prose += size
            self.first_prose = self.first_prose or number
            self.last_prose = number


@dataclass(slots=True)
class Content:
    """An opened file. `value` is its whole JSON value, None where it has one on every line, and where it is no JSON."""

    source: Source
    sample: Sample
    value: Any = None
    problems: Problems = field(default_factory=Problems)
    coverage: Coverage = field(default_factory=Coverage)
    failure: UnreadableError | None = None
    """Why a text is no JSON, where it begins as if it were."""

    def reject(self, number: int, reason: str) -> None:
        """Leave out a record that is none of the format's: `reason` says what it is, or is not, behind "it ".

        Numbers are those of `records`. A file whose records are mostly rejected is not of the format.
        """
        self.disown(number, reason)
        is_line = self.sample.shape == "lines"
        place = "this line" if is_line else f"element {number}" if self.sample.shape == "list" else "this record"
        self.problems.add(f"{place} was left out: it {reason}", number if is_line else None)

    def disown(self, number: int, reason: str) -> None:
        """Count a record as none of the format's, without a word about it among the problems."""
        kind = "line" if self.sample.shape == "lines" else "element"
        self.coverage.rejected += 1
        self.coverage.first = self.coverage.first or f"{kind} {number}: it {reason}"

    def records(self, progress: Progress | None = None) -> Iterator[tuple[int, Any]]:
        """The JSON values on the lines, the elements of the list, or the one object, numbered from 1.

        Lines that cannot be read become problems. A file of another shape has none.
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
                    value = self.on_line(number, line)
                    if value is not None:
                        self.coverage.records += 1
                        yield number, value

    def text_lines(self, progress: Progress | None = None) -> Iterator[tuple[int, str]]:
        """The lines of a text without their ends, numbered from 1. Raises OSError."""
        for number, _, line in self.source.lines(progress):
            yield number, line.decode("utf-8", "replace").rstrip("\r\n")

    def on_line(self, number: int, line: bytes) -> Any:
        """The value on a line; None for a blank line, and for a broken one, which becomes a problem."""
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            return self._on_odd_line(number, line)

    def _on_odd_line(self, number: int, line: bytes) -> Any:
        value_bytes = line.strip(BLANK)
        if zeros := line.count(0) - value_bytes.count(0):  # a crash leaves them where it lost what was written
            self.problems.add(f"something was lost here: {plural(zeros, 'zero byte')} in its place", number)
        if not value_bytes:
            return None
        try:
            value, note = parse(line)
        except BrokenJSONError as error:
            self.problems.add(f"this line was left out: {error}", number)
            if line != OVERLONG and value_bytes[:1] not in b'{["' and value_bytes[-1:] not in b'}]"':
                self.coverage.note_prose(number, len(value_bytes))  # what a cut leaves of JSON has one of its ends
            return None
        if note:
            self.problems.add(note, number)
        return value


def open_content(path: str | Path, progress: Progress | None = None) -> Content:
    """The file at `path` with its JSON found, whatever its name says. Raises `UnreadableError`."""
    source = open_source(path)
    try:
        match source.kind:
            case "database":
                return _content_of_database(source)
            case "archive":
                return _content_of_archive(source)
            case _:
                return content_of_text(source, progress)
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error


def content_of_text(source: Source, progress: Progress | None = None) -> Content:
    """What a text holds. Raises `UnreadableError` and OSError."""
    content = lines_of(source) or _content_of_value(source, progress)
    if source.damage:
        content.problems.add(source.damage)
    return content


def lines_of(source: Source) -> Content | None:
    """JSON lines: a first line that is JSON by itself, and something behind it. None for anything else.

    Raises OSError.
    """
    if source.kind != "text":
        return None
    lines = (line for _, _, line in source.lines() if line.strip(BLANK))
    first, more = next(lines, b""), next(lines, None)
    if more is None or not _parses(first):
        return None
    return Content(source, Sample("lines", _sample_of(source)))


def _parses(line: bytes) -> bool:
    try:
        parse(line)
    except BrokenJSONError:
        return False
    return True


def _sample_of(source: Source) -> tuple[Any, ...]:
    """The values of the first good lines."""
    content = Content(source, Sample("lines", ()))
    lines = ((number, line) for number, _, line in islice(source.lines(), _SAMPLE_LINES))
    values = (content.on_line(number, line) for number, line in lines)
    return tuple(islice((value for value in values if value is not None), SAMPLE_RECORDS))


def _content_of_database(source: Source) -> Content:
    try:
        with open_database(source.path) as connection:
            return Content(source, Sample("database", tables=tables_of(connection)))
    except sqlite3.Error as error:
        path = source.path
        why = one_line(str(error))
        raise UnreadableError(path, f"{path} is a damaged SQLite database ({why}): choose another file.") from error


def _content_of_archive(source: Source) -> Content:
    try:
        with open_archive(source.path) as archive:
            content = Content(source, Sample("archive", members=archive.names))
            if archive.damage:
                content.problems.add(archive.damage)
            return content
    except DamagedArchiveError as error:
        path = source.path
        raise UnreadableError(path, f"{path} is an archive, and {error}: choose another file.") from error


def _content_of_value(source: Source, progress: Progress | None) -> Content:
    """One JSON value; where that fails, lines with a broken first one, or the good part of a list."""
    if source.size > MAX_LINE_LENGTH and source.data is None and (head := _head_of_text(source)):
        return Content(source, Sample("text", head=head))
    if source.size > _LARGEST_VALUE and not source.read([(source.start, _HEAD)])[0].strip(BLANK):
        raise UnreadableError(
            source.path, f"{source.path} is too long to be read whole, and begins with nothing: choose another file.", 1
        )
    if source.size > _LARGEST_VALUE:
        size = f"{source.size / 1e6:,.0f} MB"
        text = f"{source.path} is one JSON value of {size}, which is too much to read at once: open a part of it."
        raise UnreadableError(source.path, text, 1)
    data = source.all()
    if data[:1] in BLANK and not data.strip(BLANK):
        raise UnreadableError(source.path, f"{source.path} is empty: choose a file that holds a conversation.")
    problems = Problems()
    try:
        value, note = _unwrap(data)
    except BrokenJSONError as error:
        return _partial(source, data, error)
    finally:
        if progress:
            progress(source.size, source.size)
    if note:
        problems.add(note)
    return _of_value(source, value, problems)


def _head_of_text(source: Source) -> str:
    """How a file begins that cannot be JSON, so that nobody reads all of a long one; empty for JSON."""
    (head,) = source.read([(source.start, _HEAD)])
    return "" if head.lstrip(BLANK)[:1] in b'{["' else head.decode("utf-8", "replace")


def _unwrap(data: bytes) -> tuple[Any, str]:
    """The value of a JSON text; where that is a string with JSON inside, the value of that."""
    value, note = parse(data)
    for _ in range(3):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        value, more = parse(value.encode("utf-8", "replace"))
        note = note or more
    return value, note


def _partial(source: Source, data: bytes, error: BrokenJSONError) -> Content:
    """What can be had from a file that is not JSON as a whole; its text, where that is nothing."""
    records, share = _sample_of(source), _share_of_json(source)
    if share >= _MIN_SHARE:
        return Content(source, Sample("lines", records))
    if data.lstrip(BLANK + _RECORD)[:1] in b"{[" and (lines := split_values(data)):
        split = replace(source, size=len(lines), data=lines, start=0)
        return Content(split, Sample("lines", _sample_of(split)))
    problems = Problems()
    try:
        value, line = salvage(data, error.place)
    except BrokenJSONError:
        value, line = None, 0
    if (not isinstance(value, dict | list) or not value) and share and data.lstrip(BLANK)[:1] in b"{[":
        return Content(source, Sample("lines", records))
    if not isinstance(value, dict | list) or not value:
        head = data[:_HEAD].decode("utf-8", "replace")
        text = f"{source.path} cannot be read as JSON or JSON lines: at line {error.line} {error}; choose another file."
        if data.lstrip(BLANK + _RECORD)[:1] not in b'{["':
            what = f"{_kind_of_text(source.path, head)} without a conversation (line {error.line} is no JSON)"
            text = f"{source.path} is {what}: choose another file."
        failure = UnreadableError(source.path, text, error.line)
        return Content(source, Sample("text", head=head), problems=problems, failure=failure)
    problems.add(f"only what stands before could be read: {error}", line)
    return _of_value(source, value, problems)


def _kind_of_text(path: str, head: str) -> str:
    """What a text is that is no JSON, by how it begins, or by its name."""
    if head.lstrip().startswith("<"):
        return "a page of HTML or XML"
    kinds = {".md": "Markdown", ".csv": "a table", ".tsv": "a table", ".yaml": "YAML", ".yml": "YAML", ".log": "a log"}
    return kinds.get(Path(path).suffix.lower(), "text")


def _share_of_json(source: Source) -> float:
    """The share of the first lines that hold a JSON object or list each, from 0 to 1."""
    count = good = 0
    for _, _, line in islice(source.lines(), _SAMPLE_LINES):
        if line.strip(BLANK):
            count += 1
            good += line.lstrip(BLANK)[:1] in b"{[" and len(line.strip(BLANK)) > _EMPTY and _parses(line)
    return good / count if count else 0.0


def _of_value(source: Source, value: Any, problems: Problems) -> Content:
    """A file that holds one JSON object or list. Raises `UnreadableError` for any other value."""
    if isinstance(value, list):
        return Content(source, Sample("list", tuple(value[:_SAMPLE_LINES])), value, problems)
    if isinstance(value, dict):
        return Content(source, Sample("object", (value,)), value, problems)
    kind = name_of(value)
    raise UnreadableError(
        source.path, f"{source.path} holds a single JSON {kind}, not a conversation: choose another file."
    )


def name_of(value: Any) -> str:
    """A JSON value's type in plain words."""
    names = {str: "string", bool: "truth value", int: "number", float: "number", list: "list", dict: "object"}
    return names.get(type(value), "null")


def describe_sample(sample: Sample) -> str:
    """What was found, for the person whose file is of no known format."""
    if sample.shape == "database":
        return f"an SQLite database with {_first_names('table', sorted(sample.tables))}"
    if sample.shape == "archive":
        return f"an archive with {_first_names('file', sample.members)}"
    kinds: dict[Shape, str] = {
        "object": "a JSON object",
        "list": "a JSON list",
        "lines": "JSON lines",
        "text": "text",
    }
    objects = sample.objects
    if sample.shape == "text":
        return "text"
    if not objects:
        inner = f" of {name_of(sample.records[0])}s" if sample.records else " with nothing in it"
        return kinds[sample.shape] + inner
    fields = ", ".join(map(_field_name, list(objects[0])[:6]))
    of = "" if sample.shape == "object" else " of objects"
    return f"{kinds[sample.shape]}{of} with the fields {fields}" if fields else kinds[sample.shape]


def _first_names(kind: str, names: Sequence[str]) -> str:
    """The first of some names, and what they are names of."""
    if not names:
        return f"no {kind}s"
    return f"the {kind}s {', '.join(map(_field_name, names[:6]))}{' …' if len(names) > 6 else ''}"


def _field_name(name: str) -> str:
    """A field's name that can do no harm in a sentence."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name[:30])
