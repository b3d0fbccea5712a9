"""Notes that agents write themselves: an index with topics, or a folder of Markdown files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from inspector.core.limits import limit
from inspector.core.text import without_controls
from inspector.formats.memories.markdown_items import blocks_of, frontmatter
from inspector.formats.memories.memory_items import LoadType, MemoryItem, MemoryStore, time_text
from inspector.formats.memories.rule_files import RULE_FILES, rule_kind, text_file
from inspector.formats.reading.source import UnreadableError

INDEX = "MEMORY.md"
INDEX_LINES, INDEX_BYTES = 200, 25_000
"""Number of lines and bytes of MEMORY.md that Claude Code loads at the start of a session."""
_SUFFIXES = frozenset({".md", ".txt", ".mdx"})
_NAMED_FOLDERS = ("memory", "memories", "memory-bank", "agent-memory", "memory_bank")
_LINK = re.compile(r"\[[^\]\n]{0,300}\]\(<?([^()\s<>]{1,300})>?\)")
_DEEPEST = 3


def is_note_folder(folder: Path) -> bool:
    """Return True if a folder has the notes of an agent: an index, or the name of such a folder and texts.

    A folder of that name with rule files in it is a project, and one with pages is part of a site.
    """
    if (folder / INDEX).is_file():
        return True
    if folder.name not in _NAMED_FOLDERS or any(folder.glob("*.html")):
        return False
    kinds = [rule_kind(path) for path in islice(_note_files(folder), limit("memory_files"))]
    return bool(kinds) and not any(kind and kind.load == "always" for kind in kinds)


def is_project(folder: Path) -> bool:
    """Return True if a folder has rule files that are always loaded. Its texts are notes if an index links to them."""
    names = (kind.pattern for kind in RULE_FILES if kind.load == "always" and "*" not in kind.pattern)
    return any((folder / name).is_file() for name in names)


def is_memory_path(path: str) -> bool:
    """Return True if a path is that of a rule file, or of a note in a folder of an agent's notes."""
    *folders, name = path.replace("\\", "/").split("/")
    is_note = Path(name).suffix.lower() in _SUFFIXES and not set(_NAMED_FOLDERS).isdisjoint(folders)
    return name == INDEX or is_note or rule_kind(path) is not None


def read_note_folder(folder: str | Path) -> list[MemoryStore]:
    """Return the notes in a folder as one store: the points of the index, and one item for each topic.

    Raises:
        UnreadableError: There are no notes.
    """
    root = Path(folder)
    items: list[MemoryItem] = []
    problems: list[str] = []
    index, cap, text = root / INDEX, 0, ""
    if index.is_file():
        text, cut = text_file(index)
        problems += [cut] if cut else []
        cap = 0 if _is_of_letta(root) else _index_cap(text)
        items += _index_items(index, text, cap, root)
    for number, path in enumerate(_linked_files(root, text) if is_project(root) else _note_files(root)):
        if path == index:
            continue
        if number >= limit("memory_files"):
            problems.append(f"{root} has more than {limit('memory_files'):,} notes; the others were left out.")
            break
        try:
            items.append(_topic(path, root, has_index=index.is_file()))
        except UnreadableError as error:
            problems.append(error.sentence)
    if not items:
        raise UnreadableError(root, f"{root} has no notes.")
    title = f"notes of an agent in {root.name}"
    return [MemoryStore(str(root), "notes", title, items, (), problems, _owner(root), "", "", cap=cap)]


def read_note_file(path: str | Path) -> list[MemoryStore]:
    """Return the notes next to an index, or the only note in a file. Raises UnreadableError."""
    if Path(path).name == INDEX:
        return read_note_folder(Path(path).parent)
    item = _topic(Path(path), Path(path).parent, has_index=False)
    return [MemoryStore(str(path), "notes", "a note of an agent", [item])]


def _index_cap(text: str) -> int:
    """Return the last line of an index that is loaded, or 0 if all of it is."""
    size = 0
    for number, line in enumerate(text.split("\n"), 1):
        size += len(line.encode()) + 1
        if number > INDEX_LINES or size > INDEX_BYTES + 1:
            return number - 1 if text.split("\n", number - 1)[-1].strip() else 0
    return 0


def links_in(text: str) -> Iterator[str]:
    """Yield the targets of the Markdown links in a text, without anchors and addresses."""
    for match in _LINK.finditer(text):
        target = match[1].partition("#")[0]
        if target and "://" not in target and not target.startswith(("mailto:", "/")):
            yield target


def _index_items(index: Path, text: str, cap: int, root: Path) -> Iterator[MemoryItem]:
    most = limit("memory_items")
    for block in blocks_of(text)[:most]:
        if block.kind != "heading":
            load: LoadType = "never" if cap and block.line > cap else "at start"
            links = tuple(links_in(block.text))
            yield MemoryItem(
                f"{index.name}:{block.line}",
                without_controls(block.text),
                _owner(root),
                "note",
                load,
                updated=_time_of(index),
                name=block.heading,
                path=str(index),
                line=block.line,
                end=block.end,
                about=links,
            )


def _topic(path: Path, root: Path, has_index: bool) -> MemoryItem:
    text, _ = text_file(path)
    lines = text.split("\n")
    fields, start = frontmatter(lines)
    body = "\n".join(lines[start:]).strip()
    name = _first_value(fields, "name", "title") or path.stem
    updated = time_text(_first_value(fields, "modified", "updated", "updated_at", "date", "lastUpdated")) or _time_of(
        path
    )
    about = tuple(value for key in ("description", "type", "tags") for value in fields.get(key, ()))
    load: LoadType = "on demand" if has_index and not _is_in_prompt(path, root) else "at start"
    return MemoryItem(
        os.path.relpath(path, root).replace(os.sep, "/"),
        without_controls(body),
        _owner(root),
        "note",
        load,
        time_text(_first_value(fields, "created", "created_at")),
        updated,
        time_text(_first_value(fields, "expires", "expires_at")),
        name=name,
        path=str(path),
        line=start + 1,
        end=len(lines),
        source=_first_value(fields, "originSessionId", "session", "source"),
        about=about,
    )


def _linked_files(root: Path, text: str) -> Iterator[Path]:
    """Yield the texts in a folder that its index links to, without rule files."""
    for link in dict.fromkeys(links_in(text)):
        path = Path(os.path.normpath(root / link))
        if root in path.parents and path.suffix.lower() in _SUFFIXES and path.is_file() and not rule_kind(path):
            yield path


def _first_value(fields: Mapping[str, tuple[str, ...]], *names: str) -> str:
    return next((value for name in names for value in fields.get(name, ()) if value), "")


def _time_of(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0).isoformat()
    except (OSError, ValueError, OverflowError):
        return ""


def _owner(root: Path) -> str:
    """Return whose notes a folder has: the project whose name Claude Code writes into the path, or the agent."""
    parts = root.parts
    if "projects" in parts[:-1]:
        return f"project:{parts[parts.index('projects') + 1]}"
    if root.parent.name in ("agent-memory", "agent-memory-local"):
        return f"agent:{root.name}"
    return f"agent:{root.parent.name}" if _is_of_letta(root) else ""


def _is_of_letta(root: Path) -> bool:
    """Return True for the memory of an agent of Letta Code: `~/.letta/agents/ID/memory`, or in the local backend."""
    return root.name == "memory" and root.parent.parent.name in ("agents", "memfs") and ".letta" in root.parts


def _is_in_prompt(path: Path, root: Path) -> bool:
    """Return True for a note that Letta Code puts into the system prompt: next to the index, or in `system`."""
    return _is_of_letta(root) and path.parent in (root, root / "system")


def _note_files(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield the notes in a folder before those of its subfolders. Links to folders are not followed."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    folders = []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.path)
        elif Path(entry.name).suffix.lower() in _SUFFIXES and Path(entry).is_file():
            yield Path(entry.path)
    for path in folders if depth < _DEEPEST else ():
        yield from _note_files(Path(path), depth + 1)
