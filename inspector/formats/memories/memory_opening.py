"""Open memory stores. Files and folders are recognized by content, texts by their names."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from inspector.core.limits import limit
from inspector.core.text import plural, without_controls
from inspector.formats.memories.folder_tree import FolderTree, folder_tree
from inspector.formats.memories.markdown_items import frontmatter
from inspector.formats.memories.memory_items import MemoryItem, MemoryStore
from inspector.formats.memories.memory_readers import is_plugin_file, items_read, reader_of
from inspector.formats.memories.memory_servers import copied_tables, is_server_address
from inspector.formats.memories.memory_tables import TableKind, table_kind
from inspector.formats.memories.note_folders import (
    INDEX,
    is_memory_path,
    is_note_folder,
    is_project,
    read_note_file,
    read_note_folder,
)
from inspector.formats.memories.rule_files import read_rule_file, rule_kind, text_file
from inspector.formats.reading.content import Content, Sample, describe_sample
from inspector.formats.reading.databases import open_database
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.source import DamagedDatabaseError, UnreadableError

_TEXT_SUFFIXES = (".md", ".mdc", ".mdx", ".txt")
_DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3", ".vscdb")
_DOT_FOLDERS = (".claude", ".cursor", ".github", ".windsurf", ".roo", ".junie", ".kiro", ".clinerules")
_NOTE_FIELDS = ("type", "modified", "originSessionId", "metadata")


def open_memories(path: str | Path) -> list[MemoryStore]:
    """Open the memory stores in a file, a folder, or a PostgreSQL database by its address.

    Raises:
        UnreadableError: There is none, or it cannot be read. The message says what it is.
    """
    if isinstance(path, str) and is_server_address(path):
        with copied_tables(path) as (connection, tables, place_name):
            return list(
                _table_stores(place_name, tables, f"the database {place_name}", lambda: nullcontext(connection))
            )
    place = Path(path)
    if place.is_dir():
        stores = memories_in(place)[0]
        if not stores:
            raise UnreadableError(place, f"{place} contains no memory store that is supported.")
        return stores
    return _open_file(place)


def memories_title(sample: Sample, path: str) -> str:
    """Return what memories a file has, such as "the memories of agno"; "" for a file that is no known store."""
    if sample.shape == "text":
        return "rules or notes for an agent" if is_memory_path(path) else ""
    kinds = filter(None, (table_kind(sample.tables, table) for table in sample.tables))
    return next((kind.title for kind in kinds), "") or getattr(reader_of(sample), "title", "")


def _open_file(path: Path) -> list[MemoryStore]:
    if not path.exists():
        raise UnreadableError(path, f"{path} does not exist.")
    if path.name == INDEX:
        return read_note_file(path)
    if rule_kind(path) is not None:
        return read_rule_file(path)
    if path.suffix.lower() in _TEXT_SUFFIXES and not is_plugin_file(path.name):
        fields, _ = frontmatter(text_file(path)[0].split("\n"))
        is_note = "name" in fields and any(name in fields for name in _NOTE_FIELDS)
        return read_note_file(path) if is_note else read_rule_file(path)
    content = open_content(path)
    return list(_database_stores(content) if content.sample.shape == "database" else _read_store(content))


def _read_store(content: Content) -> Iterator[MemoryStore]:
    """Yield the store in a file that a reader recognizes."""
    path, reader = content.source.path, reader_of(content.sample)
    if reader is None:
        what = describe_sample(content.sample)
        raise UnreadableError(path, f"{path} is {what}, and no memory store that is supported.")
    items, problems = _bounded(items_read(reader, content))
    problems += [
        f"Line {problem.line}: {problem.text}" if problem.line else problem.text for problem in content.problems.all()
    ]
    if content.sample.shape == "text":
        items = [item if item.path or not item.line else replace(item, path=path) for item in items]
    there = [item for item in items if not item.is_deleted]
    yield MemoryStore(path, reader.name, reader.title, there, [item for item in items if item.is_deleted], problems)


_Connect = Callable[[], AbstractContextManager[sqlite3.Connection]]


def _database_stores(content: Content) -> Iterator[MemoryStore]:
    path, tables = content.source.path, content.sample.tables
    if {"id", "point"} == {*tables.get("points", ())}:
        problem = "Its points are pickled, and are never loaded. The texts are in the history of mem0, history.db."
        yield MemoryStore(path, "qdrant", "vectors of a local Qdrant", problems=[problem])
    elif not any(table_kind(tables, table) for table in tables) and reader_of(content.sample):
        yield from _read_store(content)
    else:
        yield from _table_stores(path, tables, describe_sample(content.sample), partial(open_database, path))


def _table_stores(
    path: str, tables: Mapping[str, frozenset[str]], what: str, connect: _Connect
) -> Iterator[MemoryStore]:
    """Yield a store for each kind of table. Tables that no kind knows are named."""
    kinds: dict[str, tuple[TableKind, list[str]]] = {}
    hidden: set[str] = set()
    for table in sorted(tables):
        if kind := table_kind(tables, table):
            kinds.setdefault(kind.kind, (kind, []))[1].append(table)
            hidden |= {table} | kind.hides
    if not kinds:
        raise UnreadableError(path, f"{path} is {what}: none is known as a memory store.")
    unknown = sorted(tables.keys() - hidden)
    for name, (kind, names) in kinds.items():
        items, problems = _table_items(names, tables, connect)
        if unknown:
            listed = ", ".join(without_controls(table)[:60] for table in unknown[:8])
            problems.append(
                f"{plural(len(unknown), 'other table')} not read: {listed}{' …' if len(unknown) > 8 else ''}."
            )
        there = [item for item in items if not item.is_deleted]
        yield MemoryStore(path, name, kind.title, there, [item for item in items if item.is_deleted], problems)


def _table_items(
    names: Iterable[str], tables: Mapping[str, frozenset[str]], connect: _Connect
) -> tuple[list[MemoryItem], list[str]]:
    items: list[MemoryItem] = []
    problems: list[str] = []
    try:
        with connect() as connection:
            for table in names:
                kind = table_kind(tables, table)
                if kind is not None:
                    new, cut = _bounded(kind.read(connection, table))
                    items, problems = items + new, problems + cut
    except sqlite3.Error as error:
        problems.append(f"The database could not be read to its end ({without_controls(str(error))}).")
    return items, problems


def _bounded(items: Iterable[MemoryItem]) -> tuple[list[MemoryItem], list[str]]:
    """Return items up to the limit `memory_items`, with harmless ids that are unique."""
    most = limit("memory_items")
    kept: list[MemoryItem] = []
    ids: set[str] = set()
    for item in islice(items, most + 1):
        key, number = item.id, 2
        while key in ids:
            key, number = f"{item.id}.{number}", number + 1
        ids.add(key)
        kept.append(replace(item, id=key) if key != item.id else item)
    return kept[:most], [f"Only the first {most:,} items were read."] if len(kept) > most else []


def memories_in(root: Path, tree: FolderTree | None = None) -> tuple[list[MemoryStore], list[str], FolderTree]:
    """Return the memory stores in a folder and its subfolders, why others could not be read, and the names in it."""
    tree = tree or folder_tree(root)
    inside = (path for path in tree.folders if not tree.is_opaque(path) and is_note_folder(root / path))
    own = [""] if is_note_folder(root) else []
    notes = own if own and not is_project(root) else [*own, *sorted(inside)]
    closed = tuple(f"{path}/" if path else "" for path in notes if not is_project(root / path))
    stores, errors = _file_stores(root, tree, closed)
    for path in notes:
        with suppress(UnreadableError):
            stores += read_note_folder(root / path)
    return stores, errors, tree


def _file_stores(root: Path, tree: FolderTree, in_notes: tuple[str, ...]) -> tuple[list[MemoryStore], list[str]]:
    """Return the stores in single files, and why rule files could not be read. A file is opened once."""
    stores: list[MemoryStore] = []
    errors: list[str] = []
    seen: set[str] = set()
    names = (path for path in tree.files if _may_be_store(path) and not _is_in_notes(path, in_notes))
    for path in sorted(names, key=lambda path: (path.count("/"), path))[: limit("memory_files")]:
        real = os.path.realpath(root / path)
        if real in seen:
            continue
        try:
            opened = _open_file(root / path)
        except UnreadableError as error:
            errors += [error.sentence] if rule_kind(path) else []
            stores += damaged_store(error)
            continue
        folder = _load_folder(root / path)
        stores += [_placed(store, root, folder) for store in opened if os.path.realpath(store.path) not in seen]
        seen |= {real, *(os.path.realpath(store.path) for store in opened)}
    return stores, errors


def damaged_store(error: UnreadableError) -> list[MemoryStore]:
    """Return a damaged database as a store without items; none for a file that is no memory store."""
    if not isinstance(error, DamagedDatabaseError):
        return []
    why = error.sentence.removesuffix(": choose another file.")
    return [MemoryStore(error.path, "damaged", "a damaged database", problems=[f"{why}: its memories cannot be read."])]


def _is_in_notes(path: str, in_notes: tuple[str, ...]) -> bool:
    return path.startswith(in_notes) and path.lower().endswith(_TEXT_SUFFIXES)


def _may_be_store(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    if rule_kind(path) is not None or name.endswith(_DATABASE_SUFFIXES):
        return True
    if name.endswith(".af") or is_plugin_file(name):
        return True
    is_named = name.startswith("kg.") or any(word in name for word in ("memor", "knowledge", "graph"))
    return is_named and name.endswith((".json", ".jsonl"))


def _load_folder(path: Path) -> Path:
    """Return the folder for whose files a rule file is loaded, with the files that it imports."""
    folder = path.parent
    while folder.name in _DOT_FOLDERS or folder.parent.name in _DOT_FOLDERS:
        folder = folder.parent
    return folder


def _placed(store: MemoryStore, root: Path, folder: Path) -> MemoryStore:
    """Return a rule file that is loaded in a subfolder as loaded for the paths of this folder."""
    if store.kind != "rule-file" or folder == root or root not in folder.parents or store.load != "always":
        return store
    pattern = f"{folder.relative_to(root).as_posix()}/**"
    items = [replace(item, load="by path", about=(pattern,)) for item in store.items]
    return replace(store, load="by path", paths=(pattern,), items=items)
