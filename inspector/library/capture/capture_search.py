"""Find the capture with the requests of a transcript."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path

from inspector import library
from inspector.core.conversation import Message, Session
from inspector.formats import UnreadableError, capture_folder, load

_START = b'{"capture":'
"""Begins a capture."""
_MAX_FILES = 30
"""Maximum number of captures that are searched, the newest first."""
_HEAD = 2_000
"""Bytes at the start of a capture with the time of its first call."""
_TIME = re.compile(rb'"time": ?"([^"]{10,40})"')
"""Time of a call: `"time":"2026-01-02T03:04:05.000+00:00"`."""
_SLACK = 300.0
"""Seconds by which the clocks of a transcript and a capture may differ."""
_CAPTURE = "capture"
"""Format of captures."""
_FIRST_BYTES, _LAST_BYTES = 1 << 19, 1 << 17
"""Bytes at both ends of a capture that are searched for ids."""
_IDS_PER_END = 4
_ID = re.compile(rb'"id": ?"([A-Za-z]{2,12}_[A-Za-z0-9]{12,80})"')
"""Id of a reply or a call: `"id":"msg_01ABCDEFGHIJKL"`."""


def with_capture(session: Session, named: Path | None = None) -> Session:
    """Return a session joined with its captured requests, if there are any.

    Args:
        session: The transcript of the session, as its program records it.
        named: File with the requests; None to search the folder of `inspector record`, if the transcript lacks the
            system prompt.

    Raises:
        UnreadableError: The named file cannot be read, or has no requests of the session.
    """
    if named is not None:
        joined = library.join_capture(session, load(named), str(named))
        if joined is session:
            raise UnreadableError(str(named), f"{named} contains no requests of {session.path or session.title}.")
        return joined
    if session.records_system or session.format == _CAPTURE:
        return session
    for path in _captures_with(session):
        with suppress(UnreadableError, OSError):
            joined = library.join_capture(session, load(path), str(path))
            if joined is not session:
                return joined
    return session


def captures() -> list[Path]:
    """Return the captures in the folder of `inspector record`, the last changed first."""
    try:
        times = {path: path.stat().st_mtime for path in capture_folder().glob("*.jsonl")}
    except OSError:
        return []
    return sorted(times, key=lambda path: times[path], reverse=True)


def is_capture_log(path: Path) -> bool:
    """Return True if a file is a log of `inspector record`."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as start:
            return start.read(len(_START)) == _START
    except OSError:
        return False


def captures_of_transcripts(transcripts: Iterable[tuple[Path, float]]) -> dict[Path, Path]:
    """Return the capture of each transcript that has one, by ids at the start and the end of the capture.

    A capture counts only if ids of both ends are in transcripts. Otherwise it also contains another conversation.

    Args:
        transcripts: Files of sessions, with the time of their last change in Unix seconds.
    """
    files, paths, pairs = list(transcripts), captures()[:_MAX_FILES], dict[Path, Path]()
    for path in paths:
        with suppress(OSError, ValueError):
            start = _time_of_first(path) - _SLACK
            during = [file for file, changed in files if changed >= start]
            owners = [{file for file in during if _contains(file, ids)} for ids in _ids_of_ends(path) if during]
            if owners and all(owners):
                pairs = dict.fromkeys(set().union(*owners), path) | pairs
    return pairs


def _ids_of_ends(capture: Path) -> tuple[list[bytes], list[bytes]]:
    """Return the first and the last ids of replies and calls in a capture."""
    with capture.open("rb") as file:
        first = _ID.findall(file.read(_FIRST_BYTES))
        file.seek(max(0, capture.stat().st_size - _LAST_BYTES))
        last = _ID.findall(file.read(_LAST_BYTES))
    return list(dict.fromkeys(first))[:_IDS_PER_END], list(dict.fromkeys(reversed(last)))[:_IDS_PER_END]


def _captures_with(session: Session) -> Iterator[Path]:
    """Yield the captures that contain an id of the session."""
    paths = captures()[:_MAX_FILES]
    if not paths:
        return
    first, last = (_time_of_one(messages) for messages in (session.messages, reversed(session.messages)))
    for path in paths:
        with suppress(OSError, ValueError):
            end = path.stat().st_mtime + _SLACK
            start = _time_of_first(path) - _SLACK
            if first and (end < first or start > last):
                continue
            replies = (message for message in session.messages if message.is_reply)
            during = [one for one in replies if start <= (_unix_seconds(one.time) or start) <= end]
            if during and _contains(path, _ids_to_find(during)):
                yield path


def _time_of_one(messages: Iterable[Message]) -> float:
    """Return the time of the first message that has one, in Unix seconds; 0 without any."""
    return next((time for message in messages if (time := _unix_seconds(message.time))), 0.0)


def _ids_to_find(replies: Sequence[Message]) -> list[bytes]:
    """Return ids of the first, the middle and the last of some replies."""
    some = {replies[place].id: replies[place] for place in (0, len(replies) // 2, -1)}
    words = [word for reply in some.values() for word in (reply.id, *(call.id for call in reply.calls[:1]))]
    return [word.encode("utf-8", "surrogatepass") for word in words if len(word) > 4]


def _contains(path: Path, words: Sequence[bytes]) -> bool:
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return any(data.find(word) >= 0 for word in words)


def _time_of_first(path: Path) -> float:
    """Return when the first call of a capture was made, in Unix seconds; 0 if unknown."""
    with path.open("rb") as file:
        match = _TIME.search(file.read(_HEAD))
    return _unix_seconds(match[1].decode()) if match else 0.0


@lru_cache(maxsize=1_000)
def _unix_seconds(time: str) -> float:
    """Return a recorded time in Unix seconds; 0 if it is none."""
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(time).timestamp() if time else 0.0
    return 0.0
