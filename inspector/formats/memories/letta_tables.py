"""The tables of Letta: blocks with their checkpoints, and archives."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.core.text import word_set
from inspector.formats.memories.memory_cells import (
    cell_text,
    first_cell,
    rows_if_any,
    scope_text,
    table_rows,
    topics_of,
)
from inspector.formats.memories.memory_items import MemoryEvent, MemoryEventKind, MemoryItem, time_text
from inspector.formats.reading.databases import LooseRow

LETTA_TABLES = word_set(
    "agent_environment_variables agents agents_tags alembic_version archives archives_agents block_history "
    "blocks_agents blocks_conversations blocks_tags conversation_messages groups groups_agents groups_blocks "
    "identities identities_agents identities_blocks job_messages jobs llm_batch_items llm_batch_job mcp_oauth "
    "mcp_server mcp_tools organizations passage_tags prompts provider_models provider_trace_metadata "
    "provider_traces providers run_metrics runs sandbox_configs sandbox_environment_variables sources_agents "
    "step_metrics steps tools tools_agents users"
)
"""Tables of Letta without memories. Messages, files and sources are named, because they have texts."""
LETTA_READ = word_set("agents archives_agents block_history blocks_agents")
"""Tables that are read with the blocks and passages."""


def letta_blocks(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
    """Yield the blocks with the checkpoints of their values, oldest first, as their history."""
    owners = _letta_owners(connection, "SELECT block_id AS owned, agent_id FROM blocks_agents")
    earlier: dict[Any, list[LooseRow]] = defaultdict(list)
    for row in rows_if_any(connection, "SELECT * FROM block_history ORDER BY block_id, sequence_number"):
        earlier[row["block_id"]].append(row)
    for row in table_rows(connection, table):
        key, value = cell_text(row["id"]), cell_text(row["value"])
        yield MemoryItem(
            key,
            value,
            owners.get(key, ""),
            "note",
            "at start",
            time_text(row["created_at"]),
            time_text(row["updated_at"]),
            name=cell_text(row["label"]),
            is_deleted=bool(row["is_deleted"]),
            history=_block_events(earlier[row["id"]], row, value),
            about=tuple(filter(None, (cell_text(row["description"]),))),
        )


def _block_events(checkpoints: Sequence[LooseRow], row: LooseRow, value: str) -> list[MemoryEvent]:
    events: list[MemoryEvent] = []
    before = ""
    for checkpoint in checkpoints:
        after, who = cell_text(checkpoint["value"]), first_cell(checkpoint, "actor_id", "actor_type")
        kind: MemoryEventKind = "updated" if events else "added"
        events.append(MemoryEvent(kind, time_text(checkpoint["created_at"]), before, after, who))
        before = after
    if events and before != value:
        events.append(MemoryEvent("updated", time_text(row["updated_at"]), before, value))
    return events


def letta_passages(connection: sqlite3.Connection, table: str) -> Iterator[MemoryItem]:
    owners = _letta_owners(connection, "SELECT archive_id AS owned, agent_id FROM archives_agents")
    for row in table_rows(connection, table):
        yield MemoryItem(
            cell_text(row["id"]),
            cell_text(row["text"]),
            owners.get(cell_text(row["archive_id"]), "") or scope_text(row),
            created=time_text(row["created_at"]),
            updated=time_text(row["updated_at"]),
            is_deleted=bool(row["is_deleted"]),
            about=topics_of(row["tags"]),
        )


def _letta_owners(connection: sqlite3.Connection, query: str) -> dict[str, str]:
    """Return the scope of each block or archive: the agents that have it, by their names."""
    names = {row["id"]: cell_text(row["name"]) for row in rows_if_any(connection, "SELECT id, name FROM agents")}
    owners: dict[str, list[str]] = defaultdict(list)
    for row in rows_if_any(connection, query):
        owners[cell_text(row["owned"])].append(names.get(row["agent_id"]) or cell_text(row["agent_id"]))
    return {owned: "/".join(f"agent:{name}" for name in sorted(agents)) for owned, agents in owners.items()}
