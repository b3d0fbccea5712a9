"""Transcripts of the Claude Agent SDK in a store that the app opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.memory.adapters import TranscriptStore
from inspector.store import Store, check_store, repair_store

KEY = {"project_key": "-work-shop", "session_id": "5d0c5d7e-0000-4000-8000-000000000001"}
BELOW = {**KEY, "subpath": "subagents/agent-1"}


def entry(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": KEY["session_id"],
        "timestamp": f"2026-01-01T00:00:0{number}.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
        **more,
    }


ENTRIES = [
    entry(0, "user", "Count the orders"),
    {"type": "file-history-snapshot", "snapshot": {"half": "\ud83d", "size": 1.50}},
    entry(1, "assistant", "Twelve"),
]


async def test_entries_come_back_once_as_they_were_and_the_app_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = TranscriptStore(path)
    await store.append(KEY, ENTRIES[:1])
    await store.append(KEY, ENTRIES)
    assert await store.load(KEY) == ENTRIES
    assert await store.load({**KEY, "session_id": "other"}) is None
    store.close()
    with Store(path) as other:
        session = other.load(KEY["session_id"])
        assert [message.text for message in session.messages] == ["Count the orders", "Twelve"]
    assert path.stat().st_mode & 0o777 == 0o600


async def test_a_session_grows_while_its_agents_work(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = TranscriptStore(path)
    for number in range(9):
        await store.append(KEY, [entry(number, "assistant" if number % 2 else "user", f"words {number}")])
    await store.append(BELOW, [entry(0, "user", "Look there", isSidechain=True, agentId="1")])
    store.close()
    with Store(path) as other:
        (row,) = other.sessions()
        assert row.id == KEY["session_id"] and row.agents == 2 and row.messages == 10


async def test_a_deleted_session_takes_its_subagents_along(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path / "memory.db")
    for key in (KEY, BELOW):
        await store.append(key, [entry(0, "user", "Hello")])
    assert await store.list_subkeys(KEY) == ["subagents/agent-1"]
    assert [row["session_id"] for row in await store.list_sessions(KEY["project_key"])] == [KEY["session_id"]]
    await store.delete(KEY)
    assert await store.load(BELOW) is None and await store.list_sessions(KEY["project_key"]) == []
    assert store.store.sessions() == []


async def test_a_repaired_store_has_its_transcripts(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = TranscriptStore(path)
    await store.append(KEY, ENTRIES)
    store.close()
    store.store.close()
    assert check_store(path).whole
    repair_store(path)
    assert await TranscriptStore(path).load(KEY) == ENTRIES


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "", ".hidden", "a\n", None])
async def test_a_key_is_made_of_plain_names(tmp_path: Path, name: Any) -> None:
    with pytest.raises(ValueError, match="part of a transcript's key"):
        await TranscriptStore(tmp_path / "memory.db").append({**KEY, "session_id": name}, [entry(0, "user", "Hello")])
