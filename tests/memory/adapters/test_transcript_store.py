"""Transcripts of the Claude Agent SDK in a folder that the app opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.formats import load
from inspector.memory.adapters import TranscriptStore

KEY = {"project_key": "-work-shop", "session_id": "5d0c5d7e-0000-4000-8000-000000000001"}


def entry(number: int, role: str, text: str) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": KEY["session_id"],
        "timestamp": f"2026-01-01T00:00:0{number}.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
    }


async def test_entries_come_back_once_and_the_app_reads_them(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path / "transcripts")
    first, second = entry(0, "user", "Count the orders"), entry(1, "assistant", "Twelve")
    await store.append(KEY, [first])
    await store.append(KEY, [first, second])
    assert await store.load(KEY) == [first, second]
    path = tmp_path / "transcripts" / KEY["project_key"] / f"{KEY['session_id']}.jsonl"
    session, *_ = load(path)
    assert [message.text for message in session.messages] == ["Count the orders", "Twelve"]
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


async def test_a_deleted_session_takes_its_subagents_along(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    below = {**KEY, "subpath": "subagents/agent-1"}
    for key in (KEY, below):
        await store.append(key, [entry(0, "user", "Hello")])
    assert await store.list_subkeys(KEY) == ["subagents/agent-1"]
    assert [row["session_id"] for row in await store.list_sessions(KEY["project_key"])] == [KEY["session_id"]]
    await store.delete(KEY)
    assert await store.load(below) is None and await store.list_sessions(KEY["project_key"]) == []


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "", ".hidden", "a\n", None])
async def test_a_key_never_leads_out_of_the_folder(tmp_path: Path, name: Any) -> None:
    with pytest.raises(ValueError, match="part of a transcript's key"):
        await TranscriptStore(tmp_path).append({**KEY, "session_id": name}, [entry(0, "user", "Hello")])
