"""Memory stores of every kind, written as their programs write them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.formats.written import write_json

Writer = Callable[[Path], Path]
TIME = "2026-03-01T08:00:00+00:00"


def table(path: Path, create: str, rows: list[tuple[Any, ...]], name: str) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(create)
    for row in rows:
        connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", row)
    connection.commit()
    connection.close()
    return path


def mem0(folder: Path) -> Path:
    create = (
        "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
        "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
    )
    rows: list[tuple[Any, ...]] = [
        ("1", "lamp", None, "The lamp is red.", "ADD", TIME, TIME, 0, None, "user"),
        ("2", "cat", None, "Mia has a cat.", "ADD", TIME, TIME, 0, None, "user"),
        (
            "3",
            "lamp",
            "The lamp is red.",
            "The lamp is green.",
            "UPDATE",
            TIME,
            "2026-04-01T08:00:00+00:00",
            0,
            "mia",
            "",
        ),
        ("4", "cat", "Mia has a cat.", None, "DELETE", TIME, "2026-05-01T08:00:00+00:00", 1, None, "user"),
    ]
    return table(folder / "history.db", create, rows, "history")


def langgraph(folder: Path) -> Path:
    create = (
        "CREATE TABLE store_migrations (v INTEGER); CREATE TABLE store (prefix text, key text, value text, created_at "
        "TIMESTAMP, updated_at TIMESTAMP, expires_at TIMESTAMP, ttl_minutes REAL)"
    )
    lamp = json.dumps({"content": "The lamp is green."}).encode()
    cat = json.dumps({"kind": "Memory", "content": {"content": "Mia has a cat."}})
    rows: list[tuple[Any, ...]] = [
        ("users.mia", "a", lamp, "2026-03-01 08:00:00", "2026-04-01 08:00:00", None, None),
        ("users.mia", "b", cat, TIME, TIME, TIME, 5.0),
    ]
    return table(folder / "store.sqlite", create, rows, "store")


def chroma(folder: Path) -> Path:
    path = folder / "chroma.sqlite3"
    create = (
        "CREATE TABLE collections (id TEXT, name TEXT);"
        "CREATE TABLE segments (id TEXT, type TEXT, scope TEXT, collection TEXT);"
        "CREATE TABLE embeddings (id INTEGER, segment_id TEXT, embedding_id TEXT, created_at TIMESTAMP);"
        "CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, "
        "float_value REAL, bool_value INTEGER);"
        "INSERT INTO collections VALUES ('c', 'notes');"
        "INSERT INTO segments VALUES ('s', '', 'METADATA', 'c');"
        "INSERT INTO embeddings VALUES (1, 's', 'lamp', '2026-03-01 08:00:00'), (2, 's', 'cat', '2026-03-01 08:00:00')"
    )
    rows: list[tuple[Any, ...]] = [
        (1, "chroma:document", "The lamp is green.", None, None, None),
        (1, "user_id", "mia", None, None, None),
        (2, "data", "Mia has a cat.", None, None, None),
        (2, "number", None, 7, None, None),
    ]
    return table(path, create, rows, "embedding_metadata")


def agno(folder: Path) -> Path:
    create = (
        "CREATE TABLE own_name (memory_id VARCHAR, memory JSON, input VARCHAR, agent_id VARCHAR, user_id VARCHAR, "
        "topics JSON, created_at BIGINT, updated_at BIGINT)"
    )
    rows: list[tuple[Any, ...]] = [
        ("1", '"The lamp is green."', None, None, "mia", '["lamps"]', 1772352000, 1772352000),
        ("2", '{"memory": "Mia has a cat."}', "I have a cat", "bot", "mia", None, 1772352000, None),
    ]
    return table(folder / "agno.db", create, rows, "own_name")


def plain_table(name: str, columns: str, *rows: tuple[Any, ...]) -> Writer:
    def write(folder: Path) -> Path:
        return table(folder / f"{name}.db", f"CREATE TABLE {name} ({columns})", [*rows], name)

    return write


def graph(folder: Path) -> Path:
    records = [
        {"type": "entity", "name": "lamp", "entityType": "thing", "observations": ["is green", "is old"]},
        {"type": "entity", "name": "Mia", "entityType": "person", "observations": []},
        {"type": "relation", "from": "Mia", "to": "lamp", "relationType": "owns"},
    ]
    path = folder / "memory.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def letta(folder: Path) -> Path:
    blocks = [{"id": "block-1", "label": "human", "value": "Mia has a cat.", "limit": 5000}]
    return write_json(folder / "agent.af", {"agents": [{"name": "a", "block_ids": ["block-1"]}], "blocks": blocks})


LETTA_TABLES = f"""
    CREATE TABLE block (id VARCHAR, label VARCHAR, value VARCHAR, description VARCHAR, "limit" INTEGER,
        is_template BOOLEAN, metadata_ JSON, current_history_entry_id VARCHAR, version INTEGER,
        organization_id VARCHAR, created_at TIMESTAMP, updated_at TIMESTAMP, is_deleted BOOLEAN);
    CREATE TABLE block_history (id VARCHAR, description TEXT, label VARCHAR, value TEXT, "limit" BIGINT, metadata_ JSON,
        actor_type VARCHAR, actor_id VARCHAR, block_id VARCHAR, sequence_number INTEGER, created_at TIMESTAMP);
    CREATE TABLE blocks_agents (agent_id VARCHAR, block_id VARCHAR, block_label VARCHAR);
    CREATE TABLE blocks_tags (block_id VARCHAR, tag VARCHAR, organization_id VARCHAR);
    CREATE TABLE blocks_conversations (conversation_id VARCHAR, block_id VARCHAR, block_label VARCHAR);
    CREATE TABLE agents (id VARCHAR, name VARCHAR, system VARCHAR);
    CREATE TABLE archives_agents (agent_id VARCHAR, archive_id VARCHAR, created_at TIMESTAMP, is_owner BOOLEAN);
    CREATE TABLE archival_passages (id VARCHAR, text VARCHAR, embedding_config JSON, metadata_ JSON, tags JSON,
        archive_id VARCHAR, organization_id VARCHAR, created_at TIMESTAMP, updated_at TIMESTAMP, is_deleted BOOLEAN);
    INSERT INTO agents VALUES ('agent-1', 'shop', 'You sell lamps.');
    INSERT INTO block VALUES ('block-1', 'human', 'Mia has two cats.', 'The user.', 5000, FALSE, '{{}}', 'block_hist-2',
        3, 'org-1', '{TIME}', '{TIME}', FALSE);
    INSERT INTO block_history VALUES
        ('block_hist-2', NULL, 'human', 'Mia has a cat.', 5000, '{{}}', 'letta_agent', 'agent-1', 'block-1', 2,
        '{TIME}'),
        ('block_hist-1', NULL, 'human', '', 5000, '{{}}', 'letta_user', 'user-1', 'block-1', 1, '{TIME}');
    INSERT INTO blocks_agents VALUES ('agent-1', 'block-1', 'human');
    INSERT INTO archives_agents VALUES ('agent-1', 'archive-1', '{TIME}', TRUE);
    INSERT INTO archival_passages VALUES ('passage-1', 'The lamp is green.', '{{}}', '{{}}', '["lamps"]', 'archive-1',
        'org-1', '{TIME}', '{TIME}', FALSE);
"""
"""The tables of Letta 0.16 with the columns that count, for SQLite and PostgreSQL."""


def letta_server(folder: Path) -> Path:
    path = folder / "letta.db"
    connection = sqlite3.connect(path)
    connection.executescript(LETTA_TABLES)
    connection.close()
    return path


def export(folder: Path) -> Path:
    records = [{"id": "1", "memory": "Mia has a cat.", "user_id": "mia", "created_at": TIME, "categories": ["pets"]}]
    return write_json(folder / "memories.json", {"results": records})


def rules(folder: Path) -> Path:
    path = folder / "CLAUDE.md"
    path.write_text(
        "# Lamp\n\n@style.md\n\n- Use a green lamp.\n- Never sell it.\n\n```sh\nmake lamp\n```\n", encoding="utf-8"
    )
    (folder / "style.md").write_text("Write short sentences.\n", encoding="utf-8")
    return path


def rule_folder(folder: Path) -> Path:
    """Return a new folder with rules, notes and a database."""
    folder.mkdir()
    for write in (rules, notes, mem0):
        write(folder)
    return folder


def notes(folder: Path) -> Path:
    place = folder / "projects" / "-home-mia-lamp" / "memory"
    place.mkdir(parents=True)
    (place / "MEMORY.md").write_text("# Memory\n\n- [Lamp](lamp.md): its colour\n", encoding="utf-8")
    topic = "---\nname: lamp\ndescription: its colour\ntype: project\nmodified: 2026-03-01\n---\nThe lamp is green.\n"
    (place / "lamp.md").write_text(topic, encoding="utf-8")
    return place


STORES: Mapping[str, Writer] = {
    "rule-file": rules,
    "notes": notes,
    "knowledge-graph": graph,
    "memory-export": export,
    "mem0": mem0,
    "langgraph-store": langgraph,
    "chroma": chroma,
    "agno": agno,
    "letta": letta,
    "claude-mem": plain_table(
        "observations",
        "id INTEGER, project TEXT, text TEXT, type TEXT, title TEXT, narrative TEXT, "
        "memory_session_id TEXT, created_at TEXT",
        (1, "lamp", None, "change", "Lamp", "The lamp became green.", "s1", TIME),
    ),
    "crewai": plain_table(
        "long_term_memories",
        "id INTEGER, task_description TEXT, metadata TEXT, datetime TEXT, score REAL",
        (1, "Paint the lamp", "{}", "1772352000.5", 9.0),
    ),
    "open-webui": plain_table(
        "memory",
        "id TEXT, user_id TEXT, content TEXT, updated_at BIGINT, created_at BIGINT",
        ("1", "mia", "Mia has a cat.", 1772352000, 1772352000),
    ),
    "mastra": plain_table(
        "mastra_resources",
        "id TEXT, workingMemory TEXT, metadata TEXT, createdAt TEXT, updatedAt TEXT",
        ("mia", "Has a cat.", "{}", TIME, TIME),
    ),
    "basic-memory": lambda folder: table(
        folder / "memory.db",
        "CREATE TABLE entity (id INTEGER, title TEXT, file_path TEXT, created_at TEXT, updated_at TEXT); "
        f"INSERT INTO entity VALUES (1, 'Lamp', 'lamp.md', '{TIME}', '{TIME}'); CREATE TABLE observation "
        "(id INTEGER, entity_id INTEGER, content TEXT, category TEXT, context TEXT, tags TEXT)",
        [(1, 1, "The lamp is green.", "fact", None, '["lamps"]')],
        "observation",
    ),
}  # fmt: skip
"""Writers of a store of each kind. Each writes into an empty folder and returns the path to open."""
