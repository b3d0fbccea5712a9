"""Sessions that agents keep on this machine by themselves: a light list, from names, times and first lines.

Nothing is imported and no file is read whole. What cannot be read is left out: nobody has asked for it.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator
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
    changed: float
    """When the file was last written, as a Unix time in seconds."""
    bytes: int


def found_here(most: int) -> list[_SessionFile]:
    """The newest session files of the agents that are known, at most so many, the newest first."""
    files = heapq.nlargest(most, _claude_files(_claude_folder()))
    return [_SessionFile(path, "claude-code", _title_of(path), changed, size) for changed, size, path in files]


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


def _title_of(path: Path) -> str:
    """The title that a transcript's first lines give it, or the first words from the person, or its name."""
    spoken = ""
    for record in _first_records(path):
        match record:
            case {"type": "summary", "summary": str(title)} | {"type": "custom-title", "customTitle": str(title)}:
                return _shortened(title)
            case {"type": "user", "message": {"content": content}} if not spoken and not record.get("isMeta"):
                spoken = _words_of(content)
    return _shortened(spoken) or path.stem


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
    """What the person typed; nothing for tool results and for what a program put in the person's name."""
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


def _shortened(text: str) -> str:
    line = " ".join(text[: 8 * _TITLE].split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
