"""Memories in SQLite tables of memory libraries.

A table is known by its columns, because some programs let users name it.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.core.text import word_set
from inspector.formats.memories.letta_tables import LETTA_READ, LETTA_TABLES, letta_blocks, letta_passages
from inspector.formats.memories.memory_cells import (
    cell_text,
    first_cell,
    json_value,
    rows_if_any,
    scope_text,
    table_rows,
    text_of_value,
    topics_of,
)
from inspector.formats.memories.memory_items import (
    ItemKind,
    LoadType,
    MemoryEvent,
    MemoryEventKind,
    MemoryItem,
    time_text,
)
from inspector.formats.reading.databases import LooseRow, rows_of

Reader = Callable[[sqlite3.Connection, str], Iterable[MemoryItem]]


@dataclass(frozen=True, slots=True)
class TableKind:
    """A known kind of table with memories."""

    kind: str
    title: str
    columns: frozenset[str]
    read: Reader
    table: str = ""
    """Its name, where the columns alone do not tell."""
    others: frozenset[str] = frozenset()
    """Other tables that the database must have."""
    hides: frozenset[str] = frozenset()
    """Tables that hold no memories and are not named as unknown."""
    reads: frozenset[str] = frozenset()
    """Other tables that are read if they exist."""


def _stored_vectors(connection: sqlite3.Connection, query: str) -> dict[Any, bytes]:
    """Return the vectors that a query yields by their keys; none if the database has no such table.

    The query yields keys and a vector as `vector`, oldest first.
    """
    rows = rows_if_any(connection, query)
    return {tuple(row.values())[:-1]: row["vector"] for row in rows if isinstance(row["vector"], bytes)}


def _langgraph(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
    vectors = _stored_vectors(connection, "SELECT prefix, key, embedding AS vector FROM store_vectors")
    for row in table_rows(connection, table, "prefix, key"):
        created, updated = time_text(row["created_at"]), time_text(row["updated_at"])
        history = [MemoryEvent("added", created)] + ([MemoryEvent("updated", updated)] if updated > created else [])
        prefix, key, value = cell_text(row["prefix"]), cell_text(row["key"]), json_value(row["value"])
        about = topics_of(value.get("kind")) if isinstance(value, Mapping) else ()
        yield MemoryItem(
            f"{prefix}/{key}",
            text_of_value(value),
            prefix,
            created=created,
            updated=updated,
            expires=time_text(row["expires_at"]),
            name=key,
            history=history,
            vector="store_vectors" if (prefix, key) in vectors else "",
            about=about,
            embedding=vectors.get((prefix, key), b""),
        )


_EVENTS: Mapping[str, MemoryEventKind] = {"ADD": "added", "UPDATE": "updated", "DELETE": "deleted"}


def _mem0(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
    """Replay the history: the vector store, whose payloads are pickled or elsewhere, is not needed."""
    lives: dict[str, list[LooseRow]] = defaultdict(list)
    for row in table_rows(connection, table):
        lives[cell_text(row["memory_id"])].append(row)
    for key, rows in lives.items():
        rows = _in_time_order(rows)
        events = [
            MemoryEvent(
                _EVENTS.get(cell_text(row["event"]).upper(), "updated"),
                time_text(row["updated_at"]) or time_text(row["created_at"]),
                cell_text(row["old_memory"]),
                cell_text(row["new_memory"]),
                cell_text(row["actor_id"] or row["role"]),
            )
            for row in rows
        ]
        last = events[-1]
        is_deleted = last.event == "deleted" or bool(rows[-1]["is_deleted"])
        yield MemoryItem(
            key,
            (last.before if is_deleted else last.after) or last.after or last.before,
            created=time_text(rows[0]["created_at"]),
            updated=last.time,
            is_deleted=is_deleted,
            history=events,
            vector="in the vector store of mem0, which is not read",
        )


def _in_time_order(rows: Sequence[LooseRow]) -> list[LooseRow]:
    """Return rows by their times. A row without a time stays after the one before it: mem0 deletes without one."""
    last, keys = "", []
    for place, row in enumerate(rows):
        last = time_text(row["updated_at"]) or time_text(row["created_at"]) or last
        keys.append((last, place))
    return [rows[place] for _, place in sorted(keys)]


def _chroma(connection: sqlite3.Connection, _table: str) -> Iterator[MemoryItem]:
    names = {row["id"]: cell_text(row["name"]) for row in rows_of(connection, "SELECT id, name FROM collections")}
    owners = {row["id"]: row["collection"] for row in rows_of(connection, "SELECT id, collection FROM segments")}
    values: dict[Any, dict[str, Any]] = defaultdict(dict)
    for row in table_rows(connection, "embedding_metadata", "id, key"):
        value = next(
            (row[f"{kind}_value"] for kind in ("string", "int", "float", "bool") if row[f"{kind}_value"] is not None),
            None,
        )
        values[row["id"]][cell_text(row["key"])] = value
    queue = "SELECT substr(topic, -36), id, vector FROM embeddings_queue WHERE encoding = 'FLOAT32' ORDER BY seq_id"
    vectors = _stored_vectors(connection, queue)
    for row in table_rows(connection, "embeddings", "id"):
        vector = vectors.get((owners.get(row["segment_id"]), row["embedding_id"]), b"")
        fields = values.get(row["id"], {})
        collection = names.get(owners.get(row["segment_id"]), "")
        document = cell_text(fields.pop("chroma:document", None))
        own = {name: value for name, value in fields.items() if not name.startswith("chroma:")}
        yield MemoryItem(
            f"{collection}/{cell_text(row['embedding_id'])}",
            document or (text_of_value(own) if own else cell_text(row["embedding_id"])),
            "/".join(filter(None, (collection, scope_text(fields)))),
            created=time_text(fields.get("created_at") or row["created_at"]),
            updated=time_text(fields.get("updated_at")),
            name=cell_text(row["embedding_id"]),
            vector="embeddings_queue"
            if vector
            else f"in the segment {cell_text(row['segment_id'])}, which is not read",
            about=tuple(f"{name}: {value}"[:200] for name, value in own.items()),
            embedding=vector,
        )


def _agno(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
    for row in table_rows(connection, table):
        yield MemoryItem(
            cell_text(row["memory_id"] or row["id"]),
            text_of_value(json_value(row["memory"])),
            scope_text(row),
            created=time_text(row["created_at"]),
            updated=time_text(row["updated_at"]),
            source=cell_text(row["input"])[:500],
            about=topics_of(row["topics"]),
        )


def _one_column(
    text: str, kind: ItemKind = "fact", name: str = "", scope: str = "", load: LoadType = "recalled"
) -> Reader:
    """Return the reader of a table whose rows are memories, with their text in one column."""

    def read(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
        for number, row in enumerate(table_rows(connection, table), 1):
            yield MemoryItem(
                first_cell(row, "id") or str(number),
                text_of_value(json_value(row[text])) or first_cell(row, "narrative", "title"),
                f"{scope}:{cell_text(row[scope])}" if scope else scope_text(row),
                kind,
                load,
                time_text(first_cell(row, "created_at", "datetime", "createdAt")),
                time_text(first_cell(row, "updated_at", "updatedAt")),
                name=cell_text(row[name]) if name else "",
                source=first_cell(row, "memory_session_id", "sdk_session_id", "session_id"),
                is_deleted=bool(row["is_deleted"]),
            )

    return read


def _basic_memory(connection: sqlite3.Connection, _table: str) -> Iterator[MemoryItem]:
    entities = {row["id"]: row for row in table_rows(connection, "entity", "id")}
    for row in table_rows(connection, "observation", "id"):
        entity = entities.get(row["entity_id"], LooseRow())
        yield MemoryItem(
            f"observation/{row['id']}",
            cell_text(row["content"]),
            created=time_text(entity["created_at"]),
            updated=time_text(entity["updated_at"]),
            name=cell_text(entity["title"]),
            source=cell_text(entity["file_path"]),
            about=topics_of(row["tags"]),
        )


def _at_start(reader: Reader) -> Reader:
    return lambda connection, table: (replace(item, load="at start") for item in reader(connection, table))


TABLE_KINDS: tuple[TableKind, ...] = (
    TableKind(
        "mem0",
        "the history of mem0",
        word_set("memory_id old_memory new_memory event"),
        _mem0,
        hides=word_set("messages"),
    ),
    TableKind(
        "langgraph-store",
        "a store of LangGraph",
        word_set("prefix key value created_at"),
        _langgraph,
        reads=word_set("store_vectors"),
        hides=word_set("store_migrations vector_migrations store_vectors checkpoints writes checkpoint_migrations"),
    ),
    TableKind(
        "chroma",
        "a Chroma database",
        word_set("id segment_id embedding_id"),
        _chroma,
        "embeddings",
        word_set("collections segments embedding_metadata"),
        word_set(
            "migrations acquire_write collection_metadata segment_metadata tenants databases maintenance_log "
            "max_seq_id embeddings_queue embeddings_queue_config collections segments embedding_metadata "
            "embedding_metadata_array embedding_fulltext_search_data embedding_fulltext_search_idx "
            "embedding_fulltext_search_content embedding_fulltext_search_docsize embedding_fulltext_search_config"
        ),
    ),
    TableKind(
        "agno",
        "the memories of agno",
        word_set("memory_id memory user_id"),
        _agno,
        hides=word_set("agno_schema_versions"),
    ),
    TableKind("agno", "the memories of agno", word_set("id memory user_id created_at"), _agno),
    TableKind(
        "claude-mem",
        "the observations of claude-mem",
        word_set("project text type created_at"),
        _one_column("text", "episode", "title", "project"),
        "observations",
    ),
    TableKind(
        "crewai",
        "the long-term memories of CrewAI",
        word_set("task_description metadata datetime score"),
        _one_column("task_description", "episode"),
        "long_term_memories",
    ),
    TableKind(
        "open-webui",
        "the memories of Open WebUI",
        word_set("user_id content created_at"),
        _one_column("content"),
        "memory",
    ),
    TableKind(
        "letta",
        "the blocks of Letta",
        word_set("label value"),
        letta_blocks,
        "block",
        reads=LETTA_READ,
        hides=LETTA_TABLES,
    ),
    TableKind(
        "letta",
        "the archive of Letta",
        word_set("text embedding_config"),
        letta_passages,
        "archival_passages",
        hides=LETTA_TABLES,
        reads=LETTA_READ,
    ),
    TableKind(
        "letta",
        "the archive of Letta",
        word_set("text embedding_config"),
        letta_passages,
        "agent_passages",
        hides=LETTA_TABLES,
        reads=LETTA_READ,
    ),
    TableKind(
        "basic-memory",
        "the index of basic-memory",
        word_set("entity_id content category"),
        _basic_memory,
        "observation",
        word_set("entity"),
        word_set("entity relation project alembic_version search_index"),
    ),
    TableKind(
        "mastra",
        "the working memory of Mastra",
        word_set("id workingMemory"),
        _at_start(_one_column("workingMemory", "note")),
    ),
)
"""Known kinds of tables; the first that fits a table counts."""


def table_kind(tables: Mapping[str, frozenset[str]], table: str) -> TableKind | None:
    """Return the kind of a table of a database, or None."""
    for kind in TABLE_KINDS:
        if kind.columns <= tables[table] and kind.table in ("", table) and kind.others <= tables.keys():
            return kind
    return None
