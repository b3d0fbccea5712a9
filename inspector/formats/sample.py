"""What a file holds before anybody knows its format: one JSON value, or a JSON value on every line.

Formats are told apart by a small sample of that content, never by the name of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import orjson

from inspector.formats.lenient_json import BLANK, BrokenJSONError, parse, salvage
from inspector.formats.source import Problems, Progress, Source, UnreadableError, open_source

_Shape = Literal["object", "list", "lines"]

SAMPLE_RECORDS = 50
"""Good records looked at to tell the format."""
_SAMPLE_LINES = 500
"""Lines looked through for them."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How a file begins."""

    shape: _Shape
    """object: one JSON object. list: one JSON list. lines: JSON lines."""
    records: tuple[Any, ...]
    """The object; or the first elements of the list; or the values of the first good lines."""

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [record for record in self.records if isinstance(record, dict)]


@dataclass(slots=True)
class Content:
    """An opened file. `value` is its whole JSON value, None where it has one on every line."""

    source: Source
    sample: Sample
    value: Any = None
    problems: Problems = field(default_factory=Problems)

    def records(self, progress: Progress | None = None) -> Iterator[tuple[int, Any]]:
        """The JSON values on the lines, the elements of the list, or the one object, numbered from 1.

        Lines that cannot be read become problems.
        """
        match self.sample.shape:
            case "object":
                yield 1, self.value
            case "list":
                yield from enumerate(self.value, 1)
            case "lines":
                for number, _, line in self.source.lines(progress):
                    value = self.on_line(number, line)
                    if value is not None:
                        yield number, value

    def on_line(self, number: int, line: bytes) -> Any:
        """The value on a line; None for a blank line, and for a broken one, which becomes a problem."""
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            return self._on_odd_line(number, line)

    def _on_odd_line(self, number: int, line: bytes) -> Any:
        if not line.strip(BLANK):
            return None
        try:
            value, note = parse(line)
        except BrokenJSONError as error:
            self.problems.add(f"this line was left out: {error}", number)
            return None
        if note:
            self.problems.add(note, number)
        return value


def open_content(path: str | Path, progress: Progress | None = None) -> Content:
    """The file at `path` with its JSON found, whatever its name says. Raises `UnreadableError`."""
    source = open_source(path)
    try:
        return lines_of(source) or _content_of_value(source, progress)
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error


def lines_of(source: Source) -> Content | None:
    """JSON lines: a first line that is JSON by itself, and something behind it. None for anything else.

    Raises OSError.
    """
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


def _content_of_value(source: Source, progress: Progress | None) -> Content:
    """One JSON value; where that fails, lines with a broken first one, or the good part of a list."""
    data = source.all()
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
    """What can be had from a file that is not JSON as a whole."""
    records = _sample_of(source)
    if any(isinstance(record, dict | list) and record for record in records):
        return Content(source, Sample("lines", records))
    problems = Problems()
    try:
        value, line = salvage(data, error.place)
    except BrokenJSONError:
        value, line = None, 0
    if not isinstance(value, dict | list) or not value:
        raise UnreadableError(
            source.path,
            f"{source.path} cannot be read as JSON or JSON lines: at line {error.line} {error}; choose another file.",
            error.line,
        ) from error
    problems.add(f"only what stands before could be read: {error}", line)
    return _of_value(source, value, problems)


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


def words(text: str) -> frozenset[str]:
    """A set of words, written as such."""
    return frozenset(text.split())


def name_of(value: Any) -> str:
    """A JSON value's type in plain words."""
    names = {str: "string", bool: "truth value", int: "number", float: "number", list: "list", dict: "object"}
    return names.get(type(value), "null")


def describe_sample(sample: Sample) -> str:
    """What was found, for the person whose file is of no known format."""
    kinds: dict[_Shape, str] = {"object": "a JSON object", "list": "a JSON list", "lines": "JSON lines"}
    objects = sample.objects
    if not objects:
        inner = f" of {name_of(sample.records[0])}s" if sample.records else " with nothing in it"
        return kinds[sample.shape] + inner
    fields = ", ".join(map(_field_name, list(objects[0])[:6]))
    of = "" if sample.shape == "object" else " of objects"
    return f"{kinds[sample.shape]}{of} with the fields {fields}" if fields else kinds[sample.shape]


def _field_name(name: str) -> str:
    """A field's name that can do no harm in a sentence."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in name[:30])
