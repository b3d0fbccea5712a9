"""Find the sessions that tools keep on this machine, by file names, times, and first and last lines.

Nothing is imported or written, no file is read completely, and unreadable files are skipped.
"""

from __future__ import annotations

import heapq
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path

from inspector.core.json_objects import json_object
from inspector.core.text import has_path_end
from inspector.formats import FORMATS, SessionPlace, current_folders, format_entries
from inspector.library.listing.quick_metadata import clip_title, read_headline

_DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
_NAMELESS = frozenset({"events", "api_conversation_history", "base_state", "0"})
"""Generic names of files and folders. The next name in the path describes such a session better."""
_FIRST_PARTS = 10
"""Number of a session's files that are searched for the user's first message."""


@dataclass(frozen=True, slots=True)
class _SessionFile:
    """A session in a tool's own folder."""

    path: Path
    tool: str
    format: str
    title: str
    mtime: float
    """Time of the last change, as Unix time in seconds."""
    bytes: int
    folder: str = ""
    """Folder that the agent worked in; "" if it is unknown."""
    number: int = 0
    """Number of the session in its file, from 1; 0 if the file contains only one."""


@json_object("Tool", "tool=agent format sessions")
@dataclass(frozen=True, slots=True)
class AgentFolder:
    """Number of sessions that a tool keeps on this machine."""

    agent: str
    """Name of the tool as its vendor spells it."""
    sessions: int
    format: str = ""


def agent_folders(tools: Collection[str] = ()) -> tuple[AgentFolder, ...]:
    """Return the tools that keep sessions on this machine, with their number. Only databases are opened, for counting.

    `tools` limits the result to tools whose name or format starts with one of these lower-case texts.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for file in chain(_placed_files(), _project_files(current_folders())):
        if not _belongs_to_another(file) and _is_of(file, tools):
            counts[file.tool, file.format] += len(_in_database(file)) if file.path.suffix in _DATABASES else 1
    return tuple(AgentFolder(tool, count, name) for (tool, name), count in counts.items() if count)


def agent_session_files(most: int, tools: Collection[str] = ()) -> list[_SessionFile]:
    """Return the newest sessions of known tools, newest first.

    Args:
        most: Maximum number of sessions.
        tools: Limits the result to tools whose name or format starts with one of these lower-case texts.
    """
    files = (file for file in _placed_files() if not _belongs_to_another(file) and _is_of(file, tools))
    newest = heapq.nlargest(most, files, key=attrgetter("mtime", "path"))
    sessions = [session for file in newest for session in _sessions_of(file)]
    folders = [*current_folders(), *(Path(session.folder) for session in sessions if session.folder)]
    sessions += [session for file in _project_files(folders) if _is_of(file, tools) for session in _sessions_of(file)]
    return heapq.nlargest(most, sessions, key=attrgetter("mtime", "path", "number"))


def _is_of(file: PlacedFile, tools: Collection[str]) -> bool:
    return not tools or _is_called(file.tool, file.format, tools)


def _belongs_to_another(file: PlacedFile) -> bool:
    """Return True if a file belongs to a sub-agent, and is read together with its session."""
    return file.format == "claude-code" and file.path.name.startswith("agent-")


def _sessions_of(file: PlacedFile) -> Iterator[_SessionFile]:
    if file.path.suffix in _DATABASES:
        yield from _in_database(file)
        return
    if FORMATS[file.format].whole(file.path):
        return
    title, folder = read_headline(file.path, file.bytes)
    if not title and file.path.suffix == ".json":
        parts = islice(FORMATS[file.format].parts(file.path), _FIRST_PARTS)
        title = next(filter(None, (read_headline(part, 0)[0] for part in parts)), "")
    name = next(name for name in reversed(file.path.with_suffix("").parts) if name not in _NAMELESS)
    yield _SessionFile(file.path, file.tool, file.format, title or name, file.mtime, file.bytes, folder)


def _in_database(file: PlacedFile) -> list[_SessionFile]:
    """Return the sessions of a database, each with its number."""
    heads = FORMATS[file.format].heads(file.path)
    return [
        _SessionFile(
            file.path,
            file.tool,
            file.format,
            clip_title(head.title) or file.path.stem,
            head.time or file.mtime,
            file.bytes,
            head.folder,
            number if len(heads) > 1 else 0,
        )
        for number, head in enumerate(heads, 1)
    ]


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file in a tool's folder: most likely one session, or a database of several."""

    path: Path
    tool: str
    """Name of the tool as its vendor spells it."""
    format: str
    mtime: float
    """Time of the last change, as Unix time in seconds."""
    bytes: int


def _placed_files() -> Iterator[PlacedFile]:
    """Yield the files of all tools, in no particular order. No file is opened, and inaccessible ones are skipped."""
    for name, place in _all_places():
        if not place.in_projects:
            yield from _files_of_place(name, place, Path())


def _project_files(folders: Iterable[Path]) -> Iterator[PlacedFile]:
    """Yield the session files of tools that keep them in the project's folder, for the given folders."""
    every = dict.fromkeys(folders)
    for name, place in _all_places():
        for folder in every if place.in_projects else ():
            yield from _files_of_place(name, place, folder)


def _all_places() -> list[tuple[str, SessionPlace]]:
    """Return the places that formats declare, with the names of the formats."""
    return [(name, place) for name, entry in format_entries().items() for place in entry.places]


def _files_of_place(format: str, place: SessionPlace, start: Path) -> Iterator[PlacedFile]:
    """Yield the files of a place. A plugin whose place fails is disabled.

    Args:
        format: Name of the format.
        place: Place of its files.
        start: Folder that relative paths start from.
    """
    try:
        files = [start / _real(path) for path in place.files()]
        folders = [start / _real(folder) for folder in place.folders()]
    except Exception as error:
        if format not in FORMATS.added:
            raise
        FORMATS.disable(format, error)
        return
    for path in dict.fromkeys(files):
        if file := _placed(path, place, format):
            yield file
    for folder in dict.fromkeys(folders):
        yield from (file for file in _matching(folder, folder, place, format) if file.path not in files)


def tool_names() -> list[str]:
    """Return the names of all supported tools, as their vendors spell them, sorted."""
    return sorted({place.tool for _, place in _all_places()}, key=str.lower)


def knows_tool(name: str) -> bool:
    """Return True if the name or format of a supported tool starts with a lower-case text."""
    return any(_is_called(place.tool, own, {name}) for own, place in _all_places())


def _is_called(tool: str, format: str, names: Collection[str]) -> bool:
    """Return True if a tool's name or format starts with one of some lower-case texts.

    Args:
        tool: Name of the tool.
        format: Name of its format.
        names: Beginnings in lower case; an empty collection matches nothing.
    """
    return any(own.startswith(name) for own in (tool.lower(), format) for name in names)


def _real(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # unknown user
        return folder


def _placed(path: Path, place: SessionPlace, format: str) -> PlacedFile | None:
    """Return a file that the user named; None if it does not exist or is empty."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    is_some = stat.S_ISREG(status.st_mode) and status.st_size > 0
    return PlacedFile(path, place.tool, format, status.st_mtime, status.st_size) if is_some else None


def _matching(root: Path, folder: Path, place: SessionPlace, format: str, depth: int = 0) -> Iterator[PlacedFile]:
    """Yield the session files in a folder and its subfolders. Links to folders are not followed.

    Args:
        root: Folder of the place.
        folder: Folder to search, in `root`.
        place: Place that the folder belongs to.
        format: Name of its format.
        depth: Depth of `folder` in `root`.
    """
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except (OSError, ValueError):
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if depth < place.deepest and entry.name not in place.skips:
                    yield from _matching(root, Path(entry.path), place, format, depth + 1)
            elif _fits(root, entry, place) and entry.is_file():
                status = entry.stat()
                if status.st_size:
                    yield PlacedFile(Path(entry.path), place.tool, format, status.st_mtime, status.st_size)
        except OSError:
            continue


def _fits(root: Path, entry: os.DirEntry[str], place: SessionPlace) -> bool:
    """Return True if the end of a file's path matches one of the patterns, folder by folder."""
    if entry.name in place.indexes:
        return False
    names = entry.path[len(str(root)) :].replace("\\", "/").strip("/").split("/")
    return any(has_path_end(names, pattern) for pattern in place.patterns)
