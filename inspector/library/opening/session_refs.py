"""Resolve targets to sessions: a path, `path#3`, or the id of a stored session or a prefix of it.

`path+capture` joins a transcript with the file of its captured requests. Otherwise, they are looked for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inspector.core.conversation import Message, Session
from inspector.core.errors import InspectorError
from inspector.core.text import plural
from inspector.core.work_pool import ProgressCallback
from inspector.formats import UnreadableError, find, load
from inspector.library.capture.capture_search import with_capture
from inspector.store import LostError, SessionStore, Store, StoreError

TRANSIENT: set[str] = set()
"""Paths of temporary files that are deleted at exit. Permanent data must not refer to them."""
_NUMBERED = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)


class OpenError(InspectorError):
    """Raised for a target that does not exist or cannot be read. The text is one sentence with a remedy."""


@dataclass(frozen=True, slots=True)
class ResolvedTarget:
    """The session of a target, with remarks about the target."""

    session: Session
    store_id: str = ""
    """Id of the session in the store; "" for a file."""
    notes: tuple[str, ...] = ()
    siblings: int = 0
    """Number of other sessions in the file if the target names only the file."""


def resolve(
    target: str, store: SessionStore | None = None, on_progress: ProgressCallback | None = None
) -> ResolvedTarget:
    """Return the session of a target, with remarks about the target.

    Args:
        target: Target to resolve.
        store: Store with stored sessions.
        on_progress: Called with the progress of reading.

    Raises:
        OpenError: If the target does not exist or cannot be read.
    """
    path, number = place_of(target)
    if path is None:
        session_id = find_session_id(target, store)
        assert store is not None, "it was found there"
        return ResolvedTarget(store.load(session_id), session_id)
    file, sessions, notes = (
        _read_folder(path, on_progress) if path.is_dir() else (path, read_file(path, on_progress), ())
    )
    if number < 0 or number > len(sessions):
        number = max(number, 0)
        raise OpenError(f"{file} contains {plural(len(sessions), 'session')}. There is no {file}#{number}.")
    siblings = 0 if number else len(sessions) - 1
    if siblings:
        notes = (*notes, f"{file} contains {len(sessions):,} sessions. This is the first; the next is {file}#2.")
    session = _with_requests(sessions[max(number, 1) - 1], target)
    if session.capture:
        notes = (*notes, f"Joined with the requests in {session.capture}.")
    return ResolvedTarget(session, notes=notes, siblings=siblings)


def _with_requests(session: Session, target: str) -> Session:
    """Return a session joined with its captured requests, if there are any.

    Raises:
        OpenError: If the target names a file that has no requests of the session.
    """
    try:
        return with_capture(session, capture_of(target))
    except UnreadableError as error:
        raise OpenError(str(error)) from error


def place_of(target: str) -> tuple[Path | None, int]:
    """Return the path of a target, None if it has none, and the number after `#`: 0 without one, -1 for `#0`."""
    try:
        if os.path.lexists(target):  # dangling links are reported as such
            return Path(target), 0
        if (match := _NUMBERED.fullmatch(target)) and Path(match[1]).exists():
            return Path(match[1]), int(match[2]) or -1
    except (OSError, ValueError):  # not a valid file name
        return None, 0
    transcript, capture = _named_pair(target)
    return place_of(transcript) if capture.is_file() else (None, 0)


def capture_of(target: str) -> Path | None:
    """Return the file of captured requests in a target, as in `session.jsonl+capture.jsonl`; None without one."""
    if os.path.lexists(target):
        return None
    capture = _named_pair(target)[1]
    return capture if capture.is_file() else None


def _named_pair(target: str) -> tuple[str, Path]:
    """Return the transcript and the capture that a target names; empty paths if it names no existing transcript."""
    places = [place for place, letter in enumerate(target) if letter == "+"]
    pairs = ((target[:place], target[place + 1 :]) for place in reversed(places))
    transcript, capture = next((pair for pair in pairs if pair[1] and place_of(pair[0])[0] is not None), ("", ""))
    return transcript, Path(capture)


def find_session_id(target: str, store: SessionStore | None) -> str:
    """Return the id of the stored session of a target.

    Raises:
        OpenError: If there is no such session.
    """
    if (missing := str(_named_pair(target)[1])) != ".":
        raise OpenError(f"{missing} does not exist. Check the name.")
    looks_like_path = "/" in target or "\\" in target or Path(target).suffix in (".json", ".jsonl")
    if store is None:
        raise OpenError(f"{target} does not exist. Check the name.")
    try:
        return store.find(target)
    except LostError:
        raise
    except StoreError as error:
        if looks_like_path:  # ids of sub-agents contain a slash, too
            raise OpenError(f"{target} does not exist. Check the name.") from error
        raise OpenError(f"There is no file {target}, and {error}. inspector ls lists sessions.") from error


def _read_folder(folder: Path, on_progress: ProgressCallback | None) -> tuple[Path, list[Session], tuple[str, ...]]:
    """Return the first file of a folder with a conversation, its sessions, and a note if there are more files.

    Raises:
        OpenError: If no file contains a conversation.
    """
    files, closed = files_in(folder)
    for file in files:
        try:
            sessions = read_file(file, on_progress)
        except OpenError:  # folders can contain other files, whose errors are reported only if they are named
            continue
        more = [f"{folder} contains {len(files):,} files. This is {file}; to open another one, name it."]
        return file, sessions, (*(more if len(files) > 1 else ()), *closed_words(closed))
    raise OpenError(nothing_in(folder, closed))


def files_in(path: Path) -> tuple[list[Path], list[Path]]:
    """Return the files that can contain conversations, in the order of `find`, and the unreadable folders."""
    closed: list[Path] = []
    return find(path, closed.append), closed


def nothing_in(folder: Path, closed: Sequence[Path] = ()) -> str:
    """Return the reason why no conversation was found in a folder, mentioning subfolders that are not readable."""
    if folder in closed:
        return f"You may not read the folder {folder}. Change its permissions."
    return " ".join([f"The folder {folder} contains no conversation. Name a file.", *closed_words(closed)])


def closed_words(closed: Sequence[Path]) -> list[str]:
    """Return a sentence about the folders that are not readable; empty if there are no such folders."""
    if not closed:
        return []
    others = f" and {len(closed) - 1:,} more" if len(closed) > 1 else ""
    return [f"You may not read {closed[0]}{others}. It is skipped."]


def read_file(path: Path, on_progress: ProgressCallback | None = None) -> list[Session]:
    """Return all sessions of a file, at least one.

    Raises:
        OpenError: If the file cannot be read or contains no conversation.
    """
    try:
        sessions = load(path, (lambda count, total: on_progress("reading", count, total)) if on_progress else None)
    except UnreadableError as error:
        raise OpenError(str(error)) from error
    if not sessions:
        raise OpenError(f"{path} contains no conversation. Name another file.")
    return sessions


def session_id_in(session: Session, store: Store) -> str:
    """Return the id of the stored session with this log, or a prefix or continuation of it; "" if none exists."""
    for candidate in store.ids_under(session.id):
        if _same_log(session.messages, store.load(candidate).messages):
            return candidate
    return ""


def _same_log(ours: Sequence[Message], theirs: Sequence[Message]) -> bool:
    """Return True if one log is a prefix of the other, judged by the heads of their messages.

    The newest message of each agent can differ, because a live source was still being written.
    """
    shared = min(len(ours), len(theirs))
    last = {message.agent: place for place, message in enumerate(theirs[:shared])}
    last |= {
        f"{message.agent} replies": place
        for place, message in enumerate(theirs[:shared])
        if message.role == "assistant"
    }
    open_ends = set(last.values())
    return all(
        ours[place].id == theirs[place].id and (place in open_ends or _gist(ours[place]) == _gist(theirs[place]))
        for place in range(shared)
    )


def _gist(message: Message) -> tuple[object, ...]:
    return message.role, message.kind, message.chars, message.preview, message.calls, message.answers


def with_absolute_path(session: Session) -> Session:
    """Return the session with an absolute source path, or with none if the file is temporary."""
    path = "" if session.path in TRANSIENT or not session.path else str(Path(session.path).absolute())
    return replace(session, path=path)
