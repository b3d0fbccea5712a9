"""Find the sessions that tools keep on this machine, by file names, times, and first and last lines.

Nothing is imported or written, no file is read completely, and unreadable files are skipped.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path

from inspector.core.json_objects import json_object
from inspector.formats import FORMATS, current_folders
from inspector.library.listing.quick_metadata import clip_title, read_headline
from inspector.library.listing.session_dirs import PlacedFile, is_called, placed_files, project_files

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
    for file in chain(placed_files(), project_files(current_folders())):
        if not _belongs_to_another(file) and _is_of(file, tools):
            counts[file.tool, file.format] += len(_in_database(file)) if file.path.suffix in _DATABASES else 1
    return tuple(AgentFolder(tool, count, name) for (tool, name), count in counts.items() if count)


def agent_session_files(most: int, tools: Collection[str] = ()) -> list[_SessionFile]:
    """Return the newest sessions of known tools, newest first.

    Args:
        most: Maximum number of sessions.
        tools: Limits the result to tools whose name or format starts with one of these lower-case texts.
    """
    files = (file for file in placed_files() if not _belongs_to_another(file) and _is_of(file, tools))
    newest = heapq.nlargest(most, files, key=attrgetter("mtime", "path"))
    sessions = [session for file in newest for session in _sessions_of(file)]
    folders = [*current_folders(), *(Path(session.folder) for session in sessions if session.folder)]
    sessions += [session for file in project_files(folders) if _is_of(file, tools) for session in _sessions_of(file)]
    return heapq.nlargest(most, sessions, key=attrgetter("mtime", "path", "number"))


def _is_of(file: PlacedFile, tools: Collection[str]) -> bool:
    return not tools or is_called(file.tool, file.format, tools)


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
