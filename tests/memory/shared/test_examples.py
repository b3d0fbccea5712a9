"""The examples of requirement 4 run with only the import path changed, against a model's endpoint on loopback."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.memory import EndpointBackend, ILLMConfig, PersistentMemory
from tests.engine.summaries.endpoint import Asked, Endpoint, serving
from tests.memory.shared import examples
from tests.places import ROOT

DOCUMENT = ROOT.parent / "shared" / "requirements" / "4-shared-memory.md"
IMPORTS = re.compile(r"^from massgen\.\w+ import", re.M)
ANSWERS = {
    "Design the API": "The API has one route, /orders, and answers in JSON",
    "Implement the API we designed": "The route /orders is implemented",
    "Build a new feature": "The feature is behind the switch new-orders",
    "Analyze this problem": "The pool is exhausted",
}


def reply(asked: Asked) -> None:
    """Votes for the first where it is asked to vote, and answers the task else."""
    tools = [tool["function"] for tool in asked.body.get("tools", ())]
    vote = next((tool for tool in tools if tool["name"] == "vote"), None)
    asked.head()
    if vote is not None:
        choice = vote["parameters"]["properties"]["agent_id"]["enum"][0]
        function = {"name": "vote", "arguments": f'{{"agent_id": "{choice}", '}
        asked.piece(tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": function}])
        asked.piece(tool_calls=[{"index": 0, "function": {"arguments": '"reason": "it is whole"}'}}])
        asked.piece(finish="tool_calls")
    else:
        task = next(message["content"] for message in reversed(asked.body["messages"]) if message["role"] == "user")
        for word in ANSWERS[task].split(" "):
            asked.piece(f"{word} ")
        asked.piece(finish="stop")
    asked.event("[DONE]")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Endpoint]:
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "memory.db"))
    with serving(reply) as server:
        yield server


async def run(code: str, endpoint: Endpoint, **names: Any) -> dict[str, Any]:
    """Run an example with these names around it; gives all names that it leaves behind."""
    backend = EndpointBackend(ILLMConfig(model="small"), api_key="key", base_url=endpoint.url)
    names |= {f"backend{number}": backend for number in ("", 1, 2, 3)}
    compiled = compile(
        IMPORTS.sub("from inspector.memory import", code), "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    result = eval(compiled, names)
    if inspect.isawaitable(result):
        await result
    return names


def shared_texts(endpoint: Endpoint) -> list[str]:
    """The system message that each request carries; empty where it carries none."""
    return [
        next((message["content"] for message in request.body["messages"] if message["role"] == "system"), "")
        for request in endpoint.requests
    ]


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the requirement is not on this machine")
def test_the_examples_are_those_of_the_document() -> None:
    lines = {line.strip() for line in DOCUMENT.read_text(encoding="utf-8").splitlines()}
    for code in (examples.CONVERSATION, examples.PERSISTENT, examples.BOTH, examples.NEITHER):
        assert {line.strip() for line in code.splitlines()} <= lines


async def test_agents_share_a_conversation(endpoint: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    names = await run(examples.CONVERSATION, endpoint, messages=[{"role": "user", "content": "Analyze this problem"}])
    texts = [message["content"] for message in await names["shared_memory"].get_messages()]
    assert texts == ["The pool is exhausted"] * 3 + ["Vote for analyzer: it is whole"] * 3
    assert [text.count("The pool is exhausted") for text in shared_texts(endpoint)] == [0, 1, 2, 3, 3, 3]
    assert "[reviewer]: The pool is exhausted" in capsys.readouterr().out


async def test_agents_remember_the_session_before(endpoint: Endpoint) -> None:
    await run(examples.PERSISTENT, endpoint)
    *_, last = (text for text in shared_texts(endpoint) if text)
    assert "/orders" in last
    memory = PersistentMemory(user_id="team_project_alpha", agent_id="orchestrator")
    assert "/orders" in await memory.retrieve("Which routes has the API?")


async def test_agents_share_both(endpoint: Endpoint) -> None:
    names = await run(examples.BOTH, endpoint)
    assert await names["shared_conv_memory"].size() == 6
    assert "new-orders" in await names["shared_persist_memory"].retrieve("What is the feature's switch called?")


async def test_agents_work_without_a_shared_memory(endpoint: Endpoint) -> None:
    await run(examples.NEITHER, endpoint)
    assert shared_texts(endpoint) == [""] * 4
