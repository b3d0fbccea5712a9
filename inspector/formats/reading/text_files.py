"""Text files as content: JSON lines, one JSON value, the readable part of damaged JSON, or plain text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

from inspector.core.limits import limit
from inspector.core.text import dumps
from inspector.formats.reading.content import SAMPLE_RECORDS, Content, Sample, name_of
from inspector.formats.reading.lenient_json import BLANK, BrokenJSONError, complete, parse, salvage, split_values
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import MAX_LINE_LENGTH, Progress, Source, UnreadableError

_SAMPLE_LINES = 500
"""Number of lines, or of list elements, that are searched for a sample."""
_MIN_SHARE = 0.5
"""Minimum share of these lines that are JSON objects or lists in JSON lines whose first line is damaged."""
_EMPTY = 2
"""Number of bytes of an empty object or list."""
_RECORD = b"\x1e"
"""Separator before a record (RFC 7464)."""
_HEAD = 64 << 10
"""Number of bytes of a text that are searched to recognize its format."""
_KINDS = {".md": "Markdown", ".csv": "a table", ".tsv": "a table", ".yaml": "YAML", ".yml": "YAML", ".log": "a log"}

_TEXTS = {
    "'type': 'TeamState'": "a Python representation of a state of AutoGen, which is not JSON",
    "run_replay.py": "a demonstration of SWE-agent, without the requests to the model",
    "mcp_jules_replay_session": "the test cases of Jules, without a conversation",
}
"""Kinds of text by what the beginning of each contains."""


def text_content(source: Source, progress: Progress | None = None) -> Content:
    """Return the content of a text.

    Raises:
        UnreadableError: The text is empty, too long, or a JSON value without structure.
        OSError: The file cannot be read.
    """
    content = lines_of(source) or _content_of_value(source, progress)
    if source.damage:
        content.problems.add(source.damage)
    return content


def lines_of(source: Source) -> Content | None:
    """Return the content of JSON lines: the first line is JSON, and others follow. Return None for any other file.

    Raises:
        OSError: The file cannot be read.
    """
    if source.kind != "text":
        return None
    lines = ((number, line) for number, _, line in source.lines())
    filled = ((number, line) for number, line in lines if line.strip(BLANK))
    first, second = next(filled, None), next(filled, None)
    if first is None or second is None or not _parses(first[1]):
        return None
    return Content(source, Sample("lines", _records_on(chain((first, second), filled))))


def _records_on(lines: Iterator[tuple[int, bytes]]) -> tuple[Any, ...]:
    """Return the values of the first lines that are JSON, given numbered lines."""
    near = takewhile(lambda numbered: numbered[0] <= _SAMPLE_LINES, lines)
    values = (_value_of(line) for _, line in near)
    return tuple(islice((value for value in values if value is not None), SAMPLE_RECORDS))


def _value_of(line: bytes) -> Any:
    """Return the JSON value of a line, or None."""
    try:
        return parse(line)[0]
    except BrokenJSONError:
        return None


def _parses(line: bytes) -> bool:
    try:
        parse(line)
    except BrokenJSONError:
        return False
    return True


def _content_of_value(source: Source, progress: Progress | None) -> Content:
    """Return the content of a file that is not JSON lines from its first line on."""
    if source.size > MAX_LINE_LENGTH and source.data is None and (head := _head_of_text(source)):
        return Content(source, Sample("text", head=head))
    _require_readable_size(source)
    data = source.all()
    if data[:1] in BLANK and not data.strip(BLANK):
        raise UnreadableError(source.path, f"{source.path} is empty: choose another file.")
    try:
        value, note = _unwrap(data)
    except BrokenJSONError as error:
        return _damaged_content(source, data, error)
    finally:
        if progress:
            progress(source.size, source.size)
    return _structured_content(source, value, note)


def _head_of_text(source: Source) -> str:
    """Return the beginning of a long file that cannot be JSON, so that it is not read whole; "" for JSON."""
    (head,) = source.read([(source.start, _HEAD)])
    return "" if head.lstrip(BLANK)[:1] in b'{["' else head.decode("utf-8", "replace")


def _require_readable_size(source: Source) -> None:
    """Raise UnreadableError for a too large JSON value: a parser that runs out of memory ends the program."""
    if source.size <= limit("json_value"):
        return
    if not source.read([(source.start, _HEAD)])[0].strip(BLANK):
        text = f"{source.path} is too long to be read at once, and begins with NUL or white space: choose another file."
        raise UnreadableError(source.path, text, 1)
    size = f"{source.size / 1e6:,.0f} MB"
    text = f"{source.path} is one JSON value of {size}, which is too much to read at once: open a part of it."
    raise UnreadableError(source.path, text, 1)


def _unwrap(data: bytes) -> tuple[Any, str]:
    """Return the value of a JSON text, and a note on repairs. JSON within a JSON string is parsed, too."""
    value, note = parse(data)
    for _ in range(3):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        value, more = parse(value.encode("utf-8", "replace"))
        note = note or more
    return value, note


def _damaged_content(source: Source, data: bytes, error: BrokenJSONError) -> Content:
    """Return what can be read of a file that is not JSON as a whole: lines, values, the beginning, or its text."""
    records, share = _survey(source)
    if share >= _MIN_SHARE:
        return Content(source, Sample("lines", records))
    if data.lstrip(BLANK + _RECORD)[:1] in b"{[" and (lines := split_values(data)):
        split = replace(source, size=len(lines), data=lines, start=0)
        return Content(split, Sample("lines", _survey(split)[0]))
    try:
        value, line = salvage(data, error.place)
    except BrokenJSONError:
        value, line = None, 0
    if isinstance(value, dict | list) and value:
        return _structured_content(source, value, f"only the part before the damage could be read: {error}", line)
    if share and data.lstrip(BLANK)[:1] in b"{[":
        return Content(source, Sample("lines", records))
    head = data[:_HEAD].decode("utf-8", "replace")
    return Content(source, Sample("text", head=head), failure=_failure_of_text(source.path, data, error))


def cut_content(source: Source) -> Content | None:
    """Return the content of a text that was cut off, up to the cut: its last value is incomplete.

    Returns None for a text that is whole, or damaged before its end. Raises OSError.
    """
    if source.kind != "text" or source.size > MAX_LINE_LENGTH:
        return None
    data = source.all().rstrip(BLANK)
    before, _, last = data.rpartition(b"\n")
    head = replace(source, size=len(before), data=before, start=0)
    is_lines = before.lstrip(BLANK)[:1] in (b"{", b"[") and _survey(head)[1] >= _MIN_SHARE
    value = _value_before_cut(last if is_lines else data)
    if value is None:
        return None
    lines = data.count(b"\n") + 1
    note = f"the file is cut off after {len(data):,} bytes: its last value is incomplete"
    if not is_lines:
        return _structured_content(source, value, note, lines)
    whole = before + b"\n" + dumps(value).encode()
    mended = replace(source, size=len(whole), data=whole, start=0)
    content = Content(mended, Sample("lines", _survey(mended)[0]))
    content.problems.add(note, lines)
    return content


def _value_before_cut(data: bytes) -> dict[str, Any] | list[Any] | None:
    """Return the object or list that was cut off, as far as it is there. Return None for any other text."""
    if _parses(data):
        return None
    try:
        value = complete(data)
        value = complete(value.encode()) if isinstance(value, str) and value[:1] in ("{", "[") else value
    except BrokenJSONError:
        return None
    return value if isinstance(value, dict | list) and value else None


def _survey(source: Source) -> tuple[tuple[Any, ...], float]:
    """Return the values on the first lines that are JSON, and the share of lines that are an object or a list."""
    records: list[Any] = []
    count = good = 0
    for _, _, line in islice(source.lines(), _SAMPLE_LINES):
        text = line.strip(BLANK)
        if text:
            count += 1
            value = _value_of(line)
            good += value is not None and text[:1] in b"{[" and len(text) > _EMPTY
            records += [] if value is None or len(records) >= SAMPLE_RECORDS else [value]
    return tuple(records), good / count if count else 0.0


def _failure_of_text(path: str, data: bytes, error: BrokenJSONError) -> UnreadableError:
    """Return the error for a text that no format recognizes."""
    head = data[:_HEAD].decode("utf-8", "replace").lstrip()
    if kind := next((kind for mark, kind in _TEXTS.items() if mark in head), ""):
        return UnreadableError(path, f"{path} is {kind}: choose another file.", error.line)
    if data.lstrip(BLANK + _RECORD)[:1] in b'{["':
        text = f"{path} cannot be read as JSON or JSON lines: at line {error.line} {error}; choose another file."
    else:
        if head.startswith(("event: ", "data: {")):
            what = "the events of a streamed response, without the prompt"
            return UnreadableError(path, f"{path} is {what}: open the request, or a log that has both.", error.line)
        is_page = head.startswith("<")
        kind = "a page of HTML or XML" if is_page else _KINDS.get(Path(path).suffix.lower(), "text")
        text = f"{path} is {kind} without a conversation (line {error.line} is no JSON): choose another file."
    return UnreadableError(path, text, error.line)


def _structured_content(source: Source, value: Any, note: str, line: int | None = None) -> Content:
    """Return the content of a JSON object or list.

    Args:
        source: The file.
        value: Its JSON value.
        note: A problem with the file, or "".
        line: Number of the line with the problem.

    Raises:
        UnreadableError: The value is neither an object nor a list.
    """
    problems = Problems()
    if note:
        problems.add(note, line)
    if isinstance(value, list):
        return Content(source, Sample("list", tuple(value[:_SAMPLE_LINES])), value, problems)
    if isinstance(value, dict):
        return Content(source, Sample("object", (value,)), value, problems)
    text = f"{source.path} contains a single JSON {name_of(value)}, not a conversation: choose another file."
    raise UnreadableError(source.path, text)
