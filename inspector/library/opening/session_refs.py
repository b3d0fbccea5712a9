"""From what a person names to a session: a path, `path#3`, or the id of a stored session or its beginning."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.core.conversation import Message, Session
from inspector.core.errors import InspectorError
from inspector.core.text import plural
from inspector.formats import UnreadableError, find, load
from inspector.store import Store, StoreError

ProgressCallback = Callable[[str, int, int], None]
"""Called with the activity in one word, the count of items processed, and their total."""
TRANSIENT: set[str] = set()
"""Paths of files that are gone when the program ends: nothing that stays names them."""
_NUMBERED = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)


class OpenError(InspectorError):
    """A target that names no session, or one that cannot be read. Its text is one sentence: what, and what to do."""


@dataclass(frozen=True, slots=True)
class ResolvedTarget:
    """The session that a target names, and remarks about the target."""

    session: Session
    store_id: str = ""
    """Its id where it comes from the store; empty for a file."""
    notes: tuple[str, ...] = ()
    siblings: int = 0
    """How many more sessions its file holds, where none of them was named."""


def resolve(target: str, store: Store | None = None, on_progress: ProgressCallback | None = None) -> ResolvedTarget:
    """The session that a target names, with remarks about the target. Raises OpenError."""
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
        raise OpenError(f"{file} holds {plural(len(sessions), 'session')}: there is no {file}#{number}.")
    siblings = 0 if number else len(sessions) - 1
    if siblings:
        notes = (*notes, f"{file} holds {len(sessions):,} sessions; this is the first, {file}#2 is the next.")
    session = sessions[max(number, 1) - 1]
    return ResolvedTarget(session, notes=notes, siblings=siblings)


def place_of(target: str) -> tuple[Path | None, int]:
    """The path that a target names, None where it names none; and the number behind `#`, 0 without one."""
    try:
        if os.path.lexists(target):  # a link that leads nowhere is told as what it is
            return Path(target), 0
        if (match := _NUMBERED.fullmatch(target)) and Path(match[1]).exists():
            return Path(match[1]), int(match[2]) or -1
    except (OSError, ValueError):  # a name that no file can have
        return None, 0
    return None, 0


def find_session_id(target: str, store: Store | None) -> str:
    """The id of the stored session that a target names. Raises OpenError."""
    looks_like_path = "/" in target or "\\" in target or Path(target).suffix in (".json", ".jsonl")
    if store is None or looks_like_path:
        raise OpenError(f"There is no file {target}: check the name.")
    try:
        return store.find(target)
    except StoreError as error:
        raise OpenError(f"There is no file {target}, and {error}; inspector ls lists what there is.") from error


def _read_folder(folder: Path, on_progress: ProgressCallback | None) -> tuple[Path, list[Session], tuple[str, ...]]:
    """The first file of a folder that holds a conversation, its sessions, and a note that there are more files."""
    files, closed = files_in(folder)
    for file in files:
        try:
            sessions = read_file(file, on_progress)
        except OpenError:  # a folder may hold any files; what is wrong with one is told when it is named
            continue
        more = [f"{folder} holds {len(files):,} files; this is {file}, name another to see it."]
        return file, sessions, (*(more if len(files) > 1 else ()), *closed_words(closed))
    raise OpenError(nothing_in(folder, closed))


def files_in(path: Path) -> tuple[list[Path], list[Path]]:
    """The files that may hold conversations, as `find` has them, and the folders that could not be looked into."""
    closed: list[Path] = []
    return find(path, closed.append), closed


def nothing_in(folder: Path, closed: Sequence[Path] = ()) -> str:
    """Why there is nothing to be had of a folder, some of which could not be looked into."""
    if folder in closed:
        return f"The folder {folder} may not be read by you: change its permissions."
    return " ".join([f"There is no conversation in the folder {folder}: name a file.", *closed_words(closed)])


def closed_words(closed: Sequence[Path]) -> list[str]:
    """What is said of folders that could not be looked into: a sentence; none where there is no such folder."""
    if not closed:
        return []
    others = f" and {len(closed) - 1:,} more" if len(closed) > 1 else ""
    return [f"{closed[0]}{others} may not be read by you: what is in it is passed over."]


def read_file(path: Path, on_progress: ProgressCallback | None = None) -> list[Session]:
    """All sessions of a file, at least one. Raises OpenError."""
    try:
        sessions = load(path, (lambda count, total: on_progress("reading", count, total)) if on_progress else None)
    except UnreadableError as error:
        raise OpenError(str(error)) from error
    if not sessions:
        raise OpenError(f"There is no conversation in {path}: name another file.")
    return sessions


def session_id_in(session: Session, store: Store) -> str:
    """The id under which this very log, or a beginning or continuation of it, is in the store; empty without one."""
    for candidate in store.ids_under(session.id):
        if _same_log(session.messages, store.load(candidate).messages):
            return candidate
    return ""


def _same_log(ours: Sequence[Message], theirs: Sequence[Message]) -> bool:
    """Whether one log is the beginning of the other, by the heads of their messages.

    The newest message of each agent may say more in one than in the other: a live source was still being written.
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
