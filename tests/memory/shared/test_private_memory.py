"""An agent's own memory: recorded and injected by itself, apart from what agents share."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import orjson
import pytest

from inspector.memory import ConversationMemory, MemoryTools, Orchestrator, PersistentMemory, SingleAgent
from inspector.memory.shared.pending_writes import PendingWrites
from inspector.memory.shared.private_memory import PRIVATE_TITLE
from tests.memory.shared.scripted import FailingBackend, ScriptedBackend

Message = dict[str, Any]


class TwoMethods:
    """A memory with no more than the documented methods."""

    def __init__(self) -> None:
        self.rows: list[Message] = []

    async def add(self, message: Message) -> None:
        self.rows.append(message)

    async def get_messages(self) -> list[Message]:
        return list(self.rows)


class Unsteady(TwoMethods):
    """A memory that is away for a while, for a conversation or for knowledge."""

    is_away = True

    async def add(self, message: Message) -> None:
        if self.is_away:
            raise ConnectionError("the server is away")
        await super().add(message)

    async def record(self, messages: list[Message]) -> None:
        for message in messages:
            await self.add(message)

    async def retrieve(self, query: Any) -> str:
        return ""


class CallingBackend:
    """Makes the calls that a test has written down, one reply after the other, then says "done"."""

    def __init__(self, *replies: list[tuple[str, Message]]) -> None:
        self.replies = list(replies)
        self.requests: list[list[Message]] = []
        self.offers: list[list[str]] = []

    async def stream_with_tools(
        self, messages: list[Message], tools: list[Message], **_: Any
    ) -> AsyncIterator[Message]:
        self.requests.append(messages)
        self.offers.append([tool["function"]["name"] for tool in tools])
        uses = self.replies.pop(0) if self.replies else []
        calls = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": orjson.dumps(values).decode()}}
            for n, (name, values) in enumerate(uses)
        ]
        if calls:
            yield {"type": "tool_calls", "tool_calls": calls}
            yield {"type": "complete_message", "complete_message": {"role": "assistant", "tool_calls": calls}}
        else:
            yield {"type": "content", "content": "done"}
        yield {"type": "done"}


def user(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


async def ask(agent: SingleAgent, messages: list[Message], tools: Any = (), **options: Any) -> list[Any]:
    return [chunk async for chunk in agent.chat(messages, tools, **options)]


def words(messages: list[Message]) -> list[tuple[str, Any]]:
    return [(message["role"], message.get("content")) for message in messages]


@pytest.mark.parametrize("memory", [ConversationMemory(), TwoMethods()], ids=["ours", "two methods"])
async def test_an_agent_sends_its_earlier_conversation_in_front_of_a_new_message(memory: Any) -> None:
    backend = ScriptedBackend("Hello, Alice.")
    agent = SingleAgent(backend, "a", "Be brief.", conversation_memory=memory)
    await ask(agent, user("My name is Alice"))
    await ask(agent, user("What is my name?"))
    assert words(backend.requests[-1]) == [
        ("system", "Be brief."),
        ("user", "My name is Alice"),
        ("assistant", "Hello, Alice."),
        ("user", "What is my name?"),
    ]
    assert all(set(message) <= {"role", "content"} for message in backend.requests[-1])
    assert [row["content"] for row in await memory.get_messages()] == [
        *("My name is Alice", "Hello, Alice."),
        *("What is my name?", "Hello, Alice."),
    ]


async def test_a_caller_that_sends_the_whole_conversation_has_nothing_doubled() -> None:
    backend, memory = ScriptedBackend("Yes."), ConversationMemory()
    agent = SingleAgent(backend, "a", conversation_memory=memory)
    history = user("One?")
    await ask(agent, history)
    history = [*history, {"role": "assistant", "content": "Yes."}, *user("Two?")]
    await ask(agent, history)
    assert backend.requests[-1] == history
    assert await memory.size() == 4


@pytest.mark.parametrize("memory", [ConversationMemory(), TwoMethods()], ids=["ours", "two methods"])
@pytest.mark.parametrize("option", ["reset_chat", "clear_history", ""])
async def test_a_reset_forgets_the_conversation(memory: Any, option: str) -> None:
    backend = ScriptedBackend("Yes.")
    agent = SingleAgent(backend, conversation_memory=memory)
    await ask(agent, user("First"))
    if not option:
        await agent.reset()
    await ask(agent, user("Second"), **({option: True} if option else {}))
    assert words(backend.requests[-1]) == [("user", "Second")]


async def test_only_whole_turns_within_the_budget_are_sent_again() -> None:
    backend, memory = ScriptedBackend("word " * 200), ConversationMemory()
    agent = SingleAgent(backend, conversation_memory=memory, memory_budget=600)
    for number in range(5):
        await ask(agent, user(f"Question {number}"))
    asked = [text for role, text in words(backend.requests[-1]) if role == "user"]
    assert asked == ["Question 2", "Question 3", "Question 4"]
    assert await memory.size() == 10


async def test_a_call_without_a_result_is_sent_again_as_text_and_an_answered_one_as_it_is() -> None:
    memory = ConversationMemory()
    backend = CallingBackend([("look", {"at": "x"})], [], [("look", {"at": "y"})], [])
    agent = SingleAgent(backend, conversation_memory=memory)
    await ask(agent, user("Look at x"))
    await ask(agent, [{"role": "tool", "tool_call_id": "c0", "content": "x is 1"}])
    assert [message["role"] for message in backend.requests[-1]] == ["user", "assistant", "tool"]
    await ask(agent, user("Look at y"))
    await ask(agent, user("Never mind"))
    roles = [message["role"] for message in backend.requests[-1]]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant", "user"]
    assert backend.requests[-1][-2] == {"role": "assistant", "content": '[look: {"at":"y"}]'}


async def test_knowledge_of_earlier_sessions_comes_after_the_system_message(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    first = SingleAgent(ScriptedBackend("Noted."), "a", persistent_memory=PersistentMemory(agent_id="a", store=store))
    await ask(first, user("The port of the server is 8080"))
    backend = ScriptedBackend("8080")
    knowing = PersistentMemory(agent_id="a", store=store)
    await ask(SingleAgent(backend, "a", "Be brief.", persistent_memory=knowing), user("Which port has the server?"))
    system, knowledge, request = backend.requests[0]
    assert (system["content"], request["content"]) == ("Be brief.", "Which port has the server?")
    assert knowledge["content"].startswith(f"\n{PRIVATE_TITLE}\n")
    assert "[user]: The port of the server is 8080" in knowledge["content"]


async def test_private_and_shared_memory_stay_apart() -> None:
    private, shared = ConversationMemory(), ConversationMemory()
    quiet, other = ScriptedBackend("The cause is the pool", "b"), ScriptedBackend("It is the network", "a")
    agents = {"a": SingleAgent(quiet, "a", conversation_memory=private), "b": SingleAgent(other, "b")}
    orchestrator = Orchestrator(agents, shared_conversation_memory=shared)
    await private.add({"role": "user", "content": "A secret of a"})
    [_ async for _ in orchestrator.chat(user("Find the cause"))]
    assert any("A secret of a" in str(request) for request in quiet.requests)
    assert not any("A secret of a" in str(request) for request in other.requests)
    assert not any("A secret" in row["content"] for row in await shared.get_messages())
    assert not any(row["role"] == "system" for row in await private.get_messages())


async def test_a_reply_that_failed_is_not_recorded_and_the_same_question_is_not_sent_twice() -> None:
    memory = ConversationMemory()
    agent = SingleAgent(FailingBackend(), conversation_memory=memory)
    await ask(agent, user("One?"))
    agent.backend = backend = ScriptedBackend("Yes.")
    await ask(agent, user("One?"))
    assert words(backend.requests[-1]) == [("user", "One?")]
    assert [row["content"] for row in await memory.get_messages()] == ["One?", "Yes."]


async def test_failing_memories_are_logged_and_the_agent_answers(caplog: pytest.LogCaptureFixture) -> None:
    broken = MagicMock(spec=ConversationMemory)
    broken.add = AsyncMock(side_effect=OSError("no disk"))
    knowing = MagicMock()
    knowing.retrieve = knowing.record = AsyncMock(side_effect=NotImplementedError())
    agent = SingleAgent(ScriptedBackend("Yes."), conversation_memory=broken, persistent_memory=knowing)
    with caplog.at_level(logging.WARNING):
        chunks = await ask(agent, user("One?"))
    assert [chunk.type for chunk in chunks if chunk.type != "content"] == ["complete_message", "done"]
    assert "Failed to add to memory: no disk (waiting: 1 message)" in caplog.text
    assert agent.private.persistent_writes.waiting == 0


async def test_a_model_saves_to_its_memory_and_recalls_from_it(tmp_path: Path) -> None:
    memory = PersistentMemory(agent_id="a", store=tmp_path / "memory.db")
    backend = CallingBackend(
        [("save_to_memory", {"thinking": "asked to", "content": ["The port is 8080", "The host is kiwi"]})],
        [("recall_from_memory", {"keywords": ["port"]})],
    )
    agent = SingleAgent(backend, "a", persistent_memory=memory, memory_tools=True)
    chunks = await ask(agent, user("Remember the port"))
    assert backend.offers[0] == ["save_to_memory", "recall_from_memory"]
    saved, recalled = (orjson.loads(request[-1]["content"]) for request in backend.requests[1:])
    assert saved == {"success": True, "message": "Saved 2 facts."}
    assert recalled["success"] and "[a]: The port is 8080" in recalled["memories"]
    assert [chunk.type for chunk in chunks] == ["content", "done"]


async def test_calls_of_other_tools_are_left_to_the_caller_and_those_of_the_memory_are_not_passed_on() -> None:
    memory = Unsteady()
    memory.is_away = False
    backend = CallingBackend([("save_to_memory", {"thinking": "", "content": ["A fact"]}), ("look", {"at": "x"})])
    look = {"type": "function", "function": {"name": "look", "parameters": {}}}
    chunks = await ask(SingleAgent(backend, "a", persistent_memory=memory, memory_tools=True), user("Look"), [look])
    assert [row["content"] for row in memory.rows[:1]] == ["A fact"]
    message = next(chunk.complete_message for chunk in chunks if chunk.complete_message)
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["look"]
    assert [call["function"]["name"] for chunk in chunks for call in chunk.tool_calls] == ["look"]


async def test_a_model_that_calls_its_memory_for_ever_is_stopped() -> None:
    backend = CallingBackend(*[[("recall_from_memory", {"keywords": "x"})]] * 100)
    chunks = await ask(SingleAgent(backend, persistent_memory=Unsteady(), memory_tools=True), user("Look"))
    assert len(backend.requests) == 8
    assert not any(chunk.tool_calls for chunk in chunks)


async def test_the_tools_of_a_memory_state_a_failure() -> None:
    memory = Unsteady()
    tools = MemoryTools(memory)
    assert [tool.name for tool in tools.tools] == ["save_to_memory", "recall_from_memory"]
    answer = await tools.save_to_memory("", ["A fact"])
    assert not answer["success"] and "the server is away" in answer["message"]
    assert await tools.recall_from_memory(["fact"]) == {"success": True, "memories": []}


@pytest.mark.parametrize("limit", [1, 2])
async def test_at_most_the_limit_is_recalled(tmp_path: Path, limit: int) -> None:
    memory = PersistentMemory(agent_id="a", store=tmp_path / "memory.db")
    await memory.save_to_memory("", ["The port is 8080\nand open", "The port is free"])
    answer = await memory.recall_from_memory(["port"], limit)
    assert len(answer["memories"]) == limit and all(row.startswith("[a]: The port") for row in answer["memories"])


async def test_contributions_that_could_not_be_stored_are_stored_before_later_ones() -> None:
    talk, facts = Unsteady(), Unsteady()
    orchestrator = Orchestrator({}, shared_conversation_memory=talk, shared_persistent_memory=facts)
    for number in range(3):
        await orchestrator._record_to_shared_memory("a", f"fact {number}")
    assert orchestrator.conversation_writes.waiting == orchestrator.persistent_writes.waiting == 3
    talk.is_away = facts.is_away = False
    await orchestrator._record_to_shared_memory("a", "fact 3")
    for memory in (talk, facts):
        assert [row["content"] for row in memory.rows] == [f"fact {number}" for number in range(4)]
    assert orchestrator.conversation_writes.lost == 0


async def test_the_oldest_of_too_many_waiting_messages_are_lost_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    memory = Unsteady()
    writes = PendingWrites(memory.add, "add to memory", limit=2)
    with caplog.at_level(logging.WARNING):
        for number in range(5):
            assert not await writes.store({"content": number})
    assert (writes.waiting, writes.lost) == (2, 3)
    assert "more than 2 messages wait (lost: 3 messages)" in caplog.text
    memory.is_away = False
    assert await writes.flush()
    assert memory.rows == [{"content": 3}, {"content": 4}]


async def test_an_invalid_message_is_lost_and_does_not_keep_others_waiting() -> None:
    rows = []

    async def write(message: Message) -> None:
        if not message["content"]:
            raise ValueError("no content")
        rows.append(message["content"])

    writes = PendingWrites(write, "add to memory")
    assert await writes.store({"content": "One"}, {"content": ""}, {"content": "Two"})
    assert (rows, writes.waiting, writes.lost) == (["One", "Two"], 0, 1)
