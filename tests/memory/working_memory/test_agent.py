"""The agent that keeps working memory, and what goes wrong with it."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from inspector.memory import (
    ConversationSimulator,
    IAgentInput,
    ILLMConfig,
    ILLMInput,
    InMemoryManager,
    OfflineClient,
    OpenRouterClient,
    SQLiteMemoryManager,
    WorkingMemoryAgent,
    create_memory_agent,
)
from tests.engine.summaries.endpoint import fails, says, serving

ALICE = "user_alice_session_001"


class ScriptedClient:
    """Answers with the memory and what was said, after a pause; notes what it was asked."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.requests: list[ILLMInput] = []

    async def chat(self, input: ILLMInput) -> Any:
        self.requests.append(input)
        await asyncio.sleep(0.001)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return self.answer
        return {"llm_response": f"{input.working_memory} {input.interaction}".strip(), "usage": {}}


def about(conversation_id: str, message: str = "hello") -> IAgentInput:
    return IAgentInput(message=message, metadata={"conversation_id": conversation_id})


async def memory_of(manager: Any, conversation_id: str) -> str | None:
    records = await manager.retrieve({"conversation_id": conversation_id})
    return None if records is None else records[0].working_memory


async def test_memory_grows_and_conversations_are_apart() -> None:
    manager, client = InMemoryManager(), ScriptedClient()
    simulator = ConversationSimulator(WorkingMemoryAgent(client, memory_manager=manager))
    for text in ("I am Alice.", "I like examples."):
        assert await simulator.add_interaction(ALICE, text) == "success"
    assert await simulator.add_interaction("user_bob_session_002", "I am Bob.") == "success"
    assert manager.memories == {ALICE: "I am Alice. I like examples.", "user_bob_session_002": "I am Bob."}
    assert client.requests[1].user_message == "Notes:\nI am Alice.\n\nNew message:\nI like examples."
    assert "(none yet)" in client.requests[2].user_message


@pytest.mark.parametrize("metadata", [None, {}, {"conversation_id": None}, {"conversation_id": ""}, {"other": 1}])
async def test_without_a_conversation_there_is_an_error(metadata: Any) -> None:
    manager, client = InMemoryManager(), ScriptedClient()
    agent = WorkingMemoryAgent(llm_client=client, memory_manager=manager)
    assert await agent.process(IAgentInput("hello", metadata)) == "error: no conversation_id provided"
    assert client.requests == [] and manager.memories == {}


async def test_an_id_that_is_no_text_is_an_error() -> None:
    status = await WorkingMemoryAgent(ScriptedClient()).process(IAgentInput("hello", {"conversation_id": 7}))
    assert status == "error: a conversation_id is a text, not int"


async def test_without_a_manager_memory_is_written_and_not_kept() -> None:
    agent = WorkingMemoryAgent(llm_client=ScriptedClient(), memory_manager=None)
    assert await agent.process(about("a", "first")) == "success"
    assert await agent.process(about("a", "second")) == "success"
    assert agent.last_memory == "second"


class BrokenManager(InMemoryManager):
    """Fails at what it is told to fail at."""

    failing = ""

    async def store(self, data: Any) -> None:
        if self.failing == "store":
            raise ConnectionError("no route\x1b[31m to host\nsecond line")
        await super().store(data)

    async def retrieve(self, query: Any) -> Any:
        if self.failing == "retrieve":
            raise OSError("the disk is gone")
        return await super().retrieve(query)


@pytest.mark.parametrize("failing", ["store", "retrieve"])
async def test_a_failing_manager_loses_nothing_and_the_agent_goes_on(failing: str) -> None:
    manager = BrokenManager()
    agent = WorkingMemoryAgent(ScriptedClient(), memory_manager=manager)
    assert await agent.process(about("a", "first")) == "success"
    manager.failing = failing
    status = await agent.process(about("a", "second"))
    assert status.startswith("error: The memory could not be ") and "\n" not in status and "\x1b" not in status
    assert "The message waits until the memory can be stored (waiting: 1 message)." in status
    assert await agent.process(about("a", "second")) == status, "a sender that tries again adds nothing"
    assert manager.memories == {"a": "first"} and agent.waiting == 1
    manager.failing = ""
    assert await agent.process(about("a", "third")) == "success"
    assert manager.memories == {"a": "first second third"} and agent.waiting == agent.lost == 0


async def test_messages_that_wait_are_stored_in_order_and_without_a_new_one() -> None:
    manager = BrokenManager()
    agent = WorkingMemoryAgent(ScriptedClient(), memory_manager=manager)
    manager.failing = "store"
    for number in range(50):
        await agent.process(about("ab"[number % 2], f"fact{number}"))
    assert agent.waiting == 50 and not await agent.flush() and agent.waiting == 50
    manager.failing = ""
    assert await agent.flush()
    assert {name: text.split() for name, text in manager.memories.items()} == {
        name: [f"fact{number}" for number in range(place, 50, 2)] for place, name in enumerate("ab")
    }


async def test_what_waits_is_bounded_and_the_loss_is_stated(caplog: pytest.LogCaptureFixture) -> None:
    manager = BrokenManager()
    agent = WorkingMemoryAgent(ScriptedClient(), memory_manager=manager)
    manager.failing = "store"
    statuses = [await agent.process(about(f"c{number}")) for number in range(502)]
    assert agent.waiting == 500 and agent.lost == 2
    assert statuses[-1].endswith("(waiting: 500 messages; lost: 2 messages).")
    assert "A message of 'c1' was lost" in caplog.text


async def test_a_message_that_no_back_end_accepts_does_not_wait() -> None:
    manager = AsyncMock()
    manager.retrieve.return_value = None
    manager.store.side_effect = ValueError("a NUL character cannot be stored")
    agent = WorkingMemoryAgent(ScriptedClient(), memory_manager=manager)
    assert "waits" not in await agent.process(about("a")) and agent.waiting == 0


@pytest.mark.parametrize(
    "answer",
    [ValueError("boom"), {}, {"llm_response": ""}, {"llm_response": " \n"}, {"llm_response": None}, "words", None],
)
async def test_a_model_that_gives_no_memory_changes_none(answer: Any) -> None:
    manager = InMemoryManager()
    await manager.store({"conversation_id": "a", "working_memory": "first"})
    client = AsyncMock()
    client.chat.side_effect = answer if isinstance(answer, Exception) else None
    client.chat.return_value = answer
    status = await WorkingMemoryAgent(client, memory_manager=manager).process(about("a"))
    assert status.startswith("error: The model ") and manager.memories == {"a": "first"}


async def test_messages_at_once_all_reach_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    agents = [WorkingMemoryAgent(ScriptedClient(), memory_manager=SQLiteMemoryManager(path)) for _ in range(3)]
    words = [f"fact{number}" for number in range(9)]
    turns = (agents[place % 3].process(about("a", word)) for place, word in enumerate(words))
    assert await asyncio.gather(*turns) == ["success"] * 9
    assert sorted((await memory_of(SQLiteMemoryManager(path), "a") or "").split()) == words


def test_an_agent_may_be_shared_by_event_loops() -> None:
    manager = InMemoryManager()
    agent = WorkingMemoryAgent(ScriptedClient(), memory_manager=manager)
    statuses: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: statuses.append(asyncio.run(agent.process(about("a", f"fact{n}")))))
        for n in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == ["success"] * 5
    assert sorted(manager.memories["a"].split()) == [f"fact{number}" for number in range(5)]


async def test_the_model_sees_the_end_of_the_history() -> None:
    client, history = ScriptedClient(), AsyncMock()
    history.get_history.return_value = [{"role": "assistant", "content": f"reply {n}"} for n in range(30)]
    agent = WorkingMemoryAgent(client, "Note it.", chat_history_client=history)
    assert await agent.process(about("a")) == "success"
    [request] = client.requests
    assert request.system_prompt == "Note it."
    assert (
        "Earlier messages:\nassistant: reply 10\n" in request.user_message and "reply 9\n" not in request.user_message
    )
    history.get_history.side_effect = OSError("gone")
    assert (await agent.process(about("a"))).startswith("error: The chat history could not be read")


async def test_memory_is_kept_small_without_a_model() -> None:
    manager = InMemoryManager()
    agent = WorkingMemoryAgent(OfflineClient(tokens=300), memory_manager=manager)
    await agent.process(about("a", "The invoice #4567 was charged twice, transactions TXN001 and TXN002."))
    for number in range(200):
        assert (
            await agent.process(about("a", f"Then somebody talked about topic {number} for quite a while."))
            == "success"
        )
    assert len(manager.memories["a"]) <= 4 * 300 and "TXN001" in manager.memories["a"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, "names no model"),
        ({"model": "m", "memory_type": "redis"}, "names no redis_url"),
        ({"model": "m", "memory_type": "database"}, "names no db_connection"),
        ({"model": "m", "memory_type": "cloud"}, "no memory_type 'cloud'; there are memory, sqlite, redis, database"),
    ],
)
def test_a_configuration_that_says_too_little_is_refused(config: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        create_memory_agent(config)


COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Alice likes examples."}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
}


async def test_a_model_is_asked_over_http(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "key-of-mine-123456")
    config = {"model": "a/model", "temperature": 0.1, "memory_type": "sqlite", "path": tmp_path / "memory.db"}
    with serving(says(json.dumps(COMPLETION), "application/json")) as endpoint:
        monkeypatch.setenv("OPENROUTER_BASE_URL", endpoint.url)
        agent = create_memory_agent(config)
        assert await agent.process(about("a", "I am Alice.")) == "success"
        assert await memory_of(agent.memory_manager, "a") == "Alice likes examples."
        [asked] = endpoint.requests
        path, key, body = asked.path, asked.headers["authorization"], asked.body
        assert (path, key, body["model"], body["temperature"]) == (
            "/v1/chat/completions",
            "Bearer key-of-mine-123456",
            "a/model",
            0.1,
        )
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        answer = await OpenRouterClient(ILLMConfig(model="m")).chat(ILLMInput("Be brief.", "Hello."))
        assert answer["usage"] == {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
        endpoint.then(fails(401, {"message": "key-of-mine-123456 is wrong"}))
        status = await agent.process(about("a", "Again."))
    assert status == f"error: The model gave no memory: {endpoint.host} did not accept the API key (401)."
