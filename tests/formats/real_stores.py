"""Write a memory store with its real package: `python -m tests.formats.real_stores KIND PLACE`.

Each kind stores MEMORIES, changes the one with number 2, and deletes the one with number 4.
"""

from __future__ import annotations

import sys
from typing import Any

MEMORIES = (
    ("mia", "Prefers metric units."),
    ("mia", "The shop opens at 7:30."),
    ("mia", "Deliveries come on Tuesdays."),
    ("tom", "Speaks Portuguese at home."),
    ("tom", "Uses fish as a shell."),
    ("tom", "The desk has two lamps."),
)
CHANGED, DELETED = 2, 4
NEW_TEXT = "Deliveries come on Wednesdays."


def _langgraph(store: Any) -> None:
    store.setup()
    for number, (user, text) in enumerate(MEMORIES):
        store.put(("memories", user), f"k{number}", {"content": text})
    store.put(("memories", "mia"), f"k{CHANGED}", {"content": NEW_TEXT})
    store.delete(("memories", "tom"), f"k{DELETED}")


def write_sqlite_store(place: str) -> None:
    from langgraph.store.sqlite import SqliteStore

    with SqliteStore.from_conn_string(f"{place}/langgraph.sqlite") as store:
        _langgraph(store)


def write_postgres_store(place: str) -> None:
    from langgraph.store.postgres import PostgresStore

    with PostgresStore.from_conn_string(place) as store:
        _langgraph(store)


def write_chroma(place: str) -> None:
    import chromadb

    client = chromadb.PersistentClient(place, settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("memories", embedding_function=None)
    collection.add(
        ids=[f"k{number}" for number in range(len(MEMORIES))],
        documents=[text for _, text in MEMORIES],
        metadatas=[{"user_id": user} for user, _ in MEMORIES],
        embeddings=[[float(number), 1.0, 2.0] for number in range(len(MEMORIES))],
    )
    collection.update(ids=[f"k{CHANGED}"], documents=[NEW_TEXT], embeddings=[[9.0, 1.0, 2.0]])
    collection.delete(ids=[f"k{DELETED}"])


def write_agno(place: str) -> None:
    from agno.db.schemas.memory import UserMemory
    from agno.db.sqlite import SqliteDb

    database = SqliteDb(db_file=f"{place}/agno.db")
    for number, (user, text) in enumerate(MEMORIES):
        database.upsert_user_memory(UserMemory(memory=text, memory_id=f"k{number}", user_id=user))
    database.upsert_user_memory(UserMemory(memory=NEW_TEXT, memory_id=f"k{CHANGED}", user_id="mia"))
    database.delete_user_memory(f"k{DELETED}")


def write_mem0(place: str) -> None:
    from mem0.memory.storage import SQLiteManager

    history = SQLiteManager(f"{place}/history.db")
    for number, (_, text) in enumerate(MEMORIES):
        history.add_history(f"k{number}", None, text, "ADD", created_at=f"2026-02-0{number + 1}T10:00:00+00:00")
    changed, deleted = MEMORIES[CHANGED][1], MEMORIES[DELETED][1]
    history.add_history(f"k{CHANGED}", changed, NEW_TEXT, "UPDATE", updated_at="2026-03-01T10:00:00+00:00")
    history.add_history(f"k{DELETED}", deleted, None, "DELETE", is_deleted=1)


WRITERS = {
    "langgraph": write_sqlite_store,
    "langgraph-postgres": write_postgres_store,
    "chroma": write_chroma,
    "agno": write_agno,
    "mem0": write_mem0,
}

if __name__ == "__main__":
    WRITERS[sys.argv[1]](sys.argv[2])
