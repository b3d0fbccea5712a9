"""`inspector demo working-memory`."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path

import pytest
from openai import _base_client

from inspector.memory import SQLiteMemoryManager
from inspector.store import Store
from tests.cli.calling import inspect
from tests.cli.json_schema import output_faults
from tests.engine.summaries.endpoint import answers, says, serving
from tests.store.made import persistent_entries

LINE = "demo working-memory"
ANSWER = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Notes."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
}


def test_the_scenarios_are_played_offline_and_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("nothing is asked of a network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("OPENROUTER_API_KEY", "key")
    ended = inspect(*LINE.split(), INSPECTOR_DB=str(tmp_path / "store.db"))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.count("    success  ") == 14
    assert ended.out.count("    error: no conversation_id provided  ") == 2
    assert "7 of 7 scenarios passed." in ended.out and "✗" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []


def test_memories_are_kept_beside_a_store_where_that_is_asked_for(tmp_path: Path) -> None:
    db = tmp_path / "folder" / "store.db"
    ended = inspect(*LINE.split(), "--db", db, "--json")
    assert (ended.code, output_faults(ended.json, LINE, 0)) == (0, [])
    assert ended.json["path"] == str(tmp_path / "folder" / "working-memory.db")
    records = asyncio.run(SQLiteMemoryManager(ended.json["path"]).list())
    assert len(records) == 3 and [path.name for path in db.parent.iterdir()] == ["working-memory.db"]
    assert inspect(*LINE.split(), "--db", db).code == 0, "what is there already is gone on with"


@pytest.mark.parametrize("variable", ["OPENROUTER_BASE_URL", "OPENAI_BASE_URL"])
def test_a_model_writes_the_memories_where_one_is_named(variable: str) -> None:
    with serving(says(json.dumps(ANSWER), "application/json")) as endpoint:
        ended = inspect(*LINE.split(), "--model", "--json", INSPECTOR_MODEL="small", **{variable: endpoint.url})
        assert {asked.body["model"] for asked in endpoint.requests} == {"small"}
    assert (ended.code, ended.json["model"]) == (3, "small")
    assert [each["name"] for each in ended.json["scenarios"] if not each["holds"]] == ["support"]
    assert ended.json["missed"] == ["Advanced memory patterns: customer support: failed."]
    assert "The memory lacks Jane Smith, #4567, TXN001, TXN002, $99.99." in ended.out


def test_a_model_that_cannot_be_reached_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_base_client, "INITIAL_RETRY_DELAY", 0)  # it is asked again as often, and at once
    ended = inspect(*LINE.split(), "--model", "small", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert ended.code == 3 and "    error: The model gave no memory: " in ended.out
    assert "2 of 7 scenarios passed." in ended.out


def test_a_model_that_is_not_set_up_is_wrong_usage() -> None:
    ended = inspect(*LINE.split(), "--model")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "No model is set up. Name one with --model NAME or in INSPECTOR_MODEL.\n"


def test_a_file_that_cannot_be_used_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "working-memory.db").write_text("no database at all, whatever is asked of it", encoding="utf-8")
    ended = inspect(*LINE.split(), "--db", tmp_path / "store.db")
    assert (ended.code, ended.out) == (1, "") and ended.err.count("\n") == 1
    assert "cannot be used" in ended.err


SHARED = "demo shared-memory"


def test_agents_share_memory_offline_and_nothing_is_kept(tmp_path: Path) -> None:
    ended = inspect(*SHARED.split(), INSPECTOR_DB=str(tmp_path / "store.db"))
    assert (ended.code, ended.err) == (0, "")
    assert "4 of 4 examples passed." in ended.out and "✗" not in ended.out
    assert "=== SHARED CONVERSATION MEMORY ===" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []


def test_what_agents_share_is_kept_in_a_store_where_that_is_asked_for(tmp_path: Path) -> None:
    ended = inspect(*SHARED.split(), "--db", tmp_path / "store.db", "--json")
    assert (ended.code, output_faults(ended.json, SHARED, 0)) == (0, [])
    assert [example["holds"] for example in ended.json["examples"]] == [True] * 4
    exchanges = {(row["writer"], row["reader"]): row for row in ended.json["examples"][0]["exchanges"]}
    assert exchanges["analyzer", "implementer"]["adopted"] > 0
    with Store(tmp_path / "store.db") as store:
        assert {memory.agent for memory in persistent_entries(store)} == {"analyzer", "implementer", "reviewer"}


def test_agents_ask_the_model_that_is_named() -> None:
    with serving(answers("The pool is too small", usage=False)) as endpoint:
        ended = inspect(*SHARED.split(), "--model", "small", "--json", OPENROUTER_BASE_URL=endpoint.url)
        assert {asked.body["model"] for asked in endpoint.requests} == {"small"}
    assert (ended.code, ended.json["missed"], ended.json["model"]) == (0, [], "small")
    assert inspect(*SHARED.split(), "--model", INSPECTOR_MODEL="").code == 2
