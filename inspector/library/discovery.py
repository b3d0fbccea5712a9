"""Lists the session files that agents keep on this machine, from file names, times and first lines.

Nothing is imported, no file is read whole, and a file that cannot be read is left out.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

_HEAD = 64 * 1024
"""Bytes of a file that are read to find its title."""
_TITLE = 80
"""Characters of a title, at most."""


@dataclass(frozen=True, slots=True)
class _SessionFile:
    """A session file in an agent's own folder."""

    path: Path
    format: str
    title: str
    mtime: float
    """Time of the last change of the file, in Unix seconds."""
    bytes: int
    folder: str = ""
    """The folder that the agent worked in; empty where the first lines do not tell."""


@dataclass(frozen=True, slots=True)
class AgentFolder:
    """What an agent has left on this machine."""

    agent: str
    """As its makers write its name."""
    sessions: int


def agent_folders() -> tuple[AgentFolder, ...]:
    """The agents that have left sessions on this machine, with how many. No file is opened."""
    count = sum(1 for _ in _claude_files(_claude_folder()))
    return (AgentFolder("Claude Code", count),) if count else ()


def agent_session_files(most: int) -> list[_SessionFile]:
    """The newest session files of known agents, at most `most`, newest first."""
    files = heapq.nlargest(most, _claude_files(_claude_folder()))
    return [_session_file(*file) for file in files]


def _session_file(mtime: float, size: int, path: Path) -> _SessionFile:
    records = list(_first_records(path))
    folders = (record.get("cwd") for record in records)
    folder = next((folder for folder in folders if isinstance(folder, str)), "")
    return _SessionFile(path, "claude-code", _title_of(records) or path.stem, mtime, size, folder)


def _claude_folder() -> Path:
    """Where Claude Code keeps its transcripts: a folder for each project."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "projects"


def _claude_files(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Every transcript as (time of its last change, bytes, path); those of sub-agents belong to their session."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "subagents"]
        for name in names:
            if not name.endswith(".jsonl") or name.startswith("agent-"):
                continue
            path = Path(place, name)
            try:
                status = path.stat()
            except OSError:
                continue
            if status.st_size:
                yield status.st_mtime, status.st_size, path


def _title_of(records: Iterable[dict[str, Any]]) -> str:
    """The title that a transcript's first records give it, or the first words from the person; empty for none."""
    words = ""
    for record in records:
        match record:
            case {"type": "summary", "summary": str(title)} | {"type": "custom-title", "customTitle": str(title)}:
                return _clip_title(title)
            case {"type": "user", "message": {"content": content}} if not words and not record.get("isMeta"):
                words = _words_of(content)
    return _clip_title(words)


def _first_records(path: Path) -> Iterator[dict[str, Any]]:
    """The whole records at the beginning of a file of JSON lines."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return
    for line in head.splitlines():
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, dict):
            yield record


def _words_of(content: Any) -> str:
    """The text that a person typed; empty for tool results and for text that a program sent in the user role."""
    match content:
        case str(text):
            return "" if text.lstrip().startswith("<") else text
        case [*blocks]:
            texts = (
                _words_of(block.get("text"))
                for block in blocks
                if isinstance(block, dict) and block.get("type") == "text"
            )
            return next(filter(None, texts), "")
    return ""


def _clip_title(text: str) -> str:
    line = " ".join(text[: 8 * _TITLE].split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
