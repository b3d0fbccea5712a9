"""Conformance checks for formats, used by the authors of plugins. See `inspector.testing`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, get_args

from inspector.core.conversation import Session
from inspector.formats.base import FEATURES, Format
from inspector.formats.format_entry import names_in
from inspector.formats.reading.content import Content, Sample, Shape
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import UnreadableError
from inspector.formats.recognition import rank

_ODD_RECORDS: tuple[Any, ...] = (
    None,
    7,
    "text",
    [],
    [[{}]],
    {},
    {"type": 7, "role": [], "message": None, "messages": "none", "data": {}, "content": [None, {"type": "text"}]},
)


def check_format(entry: Format, files: Iterable[str | Path], *, seed: int = 0, rounds: int = 40) -> None:
    """Check a format with recordings, and with damaged copies of them.

    Args:
        entry: An object of the format's class.
        files: At least one recording in this format.
        seed: Seed of the first damaged copy. The same seed damages in the same way.
        rounds: Number of damaged copies of each recording.

    Raises:
        AssertionError: A rule is violated. The message names the rule and the file.
    """
    paths = [*map(Path, files)]
    assert paths, "a format is checked with at least one recording"
    _check_entry(entry)
    for sample in odd_samples():
        if sample.shape in entry.entry.shapes:
            _check_confidence(entry, sample, str(sample))
    for path in paths:
        _check_recognition(entry, path)
        _check_reading(entry, path)
        _check_growth(entry, path)
        _check_neighbours(entry, path)
        for number in range(seed, seed + rounds):
            _check_damaged_copy(entry, path, number)


def _check_entry(entry: Format) -> None:
    assert entry.name and entry.title, "a format has a name and a title"
    assert entry.features <= {*FEATURES}, f"features are among {', '.join(FEATURES)}"
    shapes = entry.entry.shapes
    assert shapes and shapes <= {*get_args(Shape)}, f"shapes are among {', '.join(get_args(Shape))}"
    assert all(0 < confidence <= 1 for confidence in entry.entry.hints), "hints have a confidence from 0 to 1"
    assert all(suffix.startswith(".") for suffix in entry.entry.suffixes), "a suffix begins with a dot"


def odd_samples() -> Iterator[Sample]:
    for record in _ODD_RECORDS:
        yield Sample("list", (record,))
        yield Sample("lines", (record, *_ODD_RECORDS))
        if isinstance(record, dict):
            yield Sample("object", (record,))
    yield Sample("text", head="\n\n:\ttext")
    yield Sample("database", tables={"": frozenset(), "messages": frozenset({"id"}), "sessions": frozenset()})
    yield Sample("archive", members=("", "/", "a/b/c.json"))


def _check_confidence(entry: Format, sample: Sample, where: str) -> float:
    try:
        match = entry.recognize(sample)
    except Exception as error:
        raise AssertionError(f"recognize never raises, not even {error!r} ({where})") from error
    assert 0 <= match.confidence <= 1, f"recognize returns a confidence from 0 to 1 ({where})"
    ceiling = entry.entry.ceiling(names_in(sample))
    assert match.confidence <= ceiling, f"hints allow the confidence {match.confidence}, not just {ceiling} ({where})"
    return match.confidence


def _check_recognition(entry: Format, path: Path) -> None:
    sample = open_content(path).sample
    assert sample.shape in entry.entry.shapes, f"the shape {sample.shape} is among those of the format ({path})"
    confidence = _check_confidence(entry, sample, str(path))
    assert confidence, f"the format recognizes its own file ({path})"
    assert entry.recognize(sample).reason, f"recognize gives a reason ({path})"
    others = {other.name: match.confidence for match, other in rank(sample) if other.name != entry.name}
    assert all(other < confidence for other in others.values()), f"no other format is as confident: {others} ({path})"


def _check_reading(entry: Format, path: Path) -> None:
    before = folder_contents(path.parent)
    reports: list[tuple[int, int]] = []
    content = open_content(path)
    sessions = entry.read(content, lambda done, size: reports.append((done, size)))
    assert folder_contents(path.parent) == before, f"read writes nothing ({path})"
    assert all(0 <= done <= size for done, size in reports), f"progress reports parts of a whole ({path})"
    assert sessions, f"read returns a session, or raises UnreadableError ({path})"
    assert all(session.format == entry.name for session in sessions), f"Session.format is the format's name ({path})"
    assert len({session.id for session in sessions}) == len(sessions), f"session ids are unique in a file ({path})"
    for session in sessions:
        _check_session(session, str(path))
    _check_views(entry, path, sessions)


def _check_views(entry: Format, path: Path, sessions: list[Session]) -> None:
    """Check that other ways to read a file agree with its sessions."""
    again = entry.read(open_content(path))
    assert [*map(_outline, sessions)] == [*map(_outline, again)], f"a file gives the same sessions twice ({path})"
    ids = {message.id for session in sessions for message in session}
    end = entry.tail(open_content(path))
    assert not end or {message.id for message in end} <= ids, f"messages in a tail have the same ids ({path})"
    heads = entry.heads(path)
    assert len(heads) in (0, len(sessions)), f"heads returns one row for each session ({path})"


def _check_session(session: Session, where: str) -> None:
    assert session.id and session.title and session.messages, f"a session has an id, a title and messages ({where})"
    ids = [message.id for message in session]
    assert len(set(ids)) == len(ids), f"message ids are unique in a session ({where})"
    for place, message in enumerate(session):
        assert -1 <= message.parent < place, f"a message follows an earlier one ({where}, message {message.id})"
        assert isinstance(message.text, str), f"a message has a text ({where}, message {message.id})"
        assert json.dumps(message.raw), f"raw is made of JSON values ({where}, message {message.id})"


def _outline(session: Session) -> tuple[object, ...]:
    messages = [(message.id, message.role, message.text, message.time) for message in session]
    return session.id, session.title, session.model, [str(problem) for problem in session.problems], messages


def _check_growth(entry: Format, path: Path) -> None:
    content = open_content(path)
    reader = entry.incremental(content) if content.sample.shape == "lines" else None
    if reader:
        for number, offset, line in content.source.lines():
            reader.feed(content, number, offset, line)
        session, _ = reader.session()
        (whole,) = entry.read(open_content(path))
        assert _outline(session)[-1] == _outline(whole)[-1], f"incremental reads the same messages as read ({path})"


def _check_neighbours(entry: Format, path: Path) -> None:
    assert entry.whole(path) is None, f"a recording is not a part of another one ({path})"
    for part in entry.parts(path):
        assert entry.whole(part) in (path, None), f"whole is the inverse of parts ({part})"
        assert entry.entry.may_read_with_others(path), f"the entry's files match those with parts ({path})"


def folder_contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def _check_damaged_copy(entry: Format, path: Path, seed: int) -> None:
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        copy.write_bytes(damaged_copy(Random(f"format {seed}"), path.read_bytes()))
        where = f"a damaged copy of {path}, seed {seed}"
        try:
            content = open_content(copy)
        except UnreadableError:
            return
        sessions = _sessions_of_copy(entry, content, where)
        assert all(isinstance(message.text, str) for session in sessions for message in session), where


def _sessions_of_copy(entry: Format, content: Content, where: str) -> list[Session]:
    if content.sample.shape not in entry.entry.shapes or not _check_confidence(entry, content.sample, where):
        return []
    try:
        return entry.read(content)
    except UnreadableError:
        return []
    except Exception as error:
        raise AssertionError(f"read raises UnreadableError, and not {error!r} ({where})") from error


def damaged_copy(random: Random, data: bytes) -> bytes:
    return random.choice(_DAMAGES)(random, data)


def _cut(random: Random, data: bytes) -> bytes:
    return data[: random.randrange(len(data))]


def _garble(random: Random, data: bytes) -> bytes:
    garbled = bytearray(data)
    for _ in range(random.randint(1, 5)):
        garbled[random.randrange(len(garbled))] = random.randrange(256)
    return bytes(garbled)


def _swap_values(random: Random, data: bytes) -> bytes:
    """Replace a quoted text, which may be the name of a field, or a number."""
    pieces = data.split(b'"')
    pieces[random.randrange(len(pieces))] = random.choice((b"", b"x", b"\\ud800", b"type", b": 7, "))
    return b'"'.join(pieces)


def _shuffle_lines(random: Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(random.choices(lines, k=len(lines)))


_DAMAGES: tuple[Callable[[Random, bytes], bytes], ...] = (_cut, _garble, _swap_values, _shuffle_lines)
