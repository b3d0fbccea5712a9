"""What agents share beyond a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.memory import AgentGroup, Orchestrator, Permissions, PersistentMemory, SharedMemorySettings
from inspector.store import Store
from tests.warm import Program


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "agent_id": "a", **fields}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


async def test_what_was_recorded_is_retrieved_with_who_said_it(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path)
    await memory.record([said("The invoices are due on Friday"), said("The zeppelin is red", agent_id="b"), said(" ")])
    again = PersistentMemory(user_id="team", store=path)
    assert (await again.retrieve("invoices due?")).splitlines()[0] == "[a]: The invoices are due on Friday"
    messages = [{"role": "user", "content": "Which colour has the zeppelin?"}, {"role": "assistant", "content": "?"}]
    assert (await again.retrieve(messages)).startswith("[b]: The zeppelin is red")
    assert await again.retrieve("") == ""


async def test_a_search_explains_itself(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path, limit=1)
    await memory.record([said("The zeppelin is red"), said("The zeppelin is in the harbour, beside the old lantern")])
    retrieval = await memory.search("the red zeppelin")
    assert [part.name for part in retrieval.results[0].parts] == ["bm25", "embedding"]
    assert retrieval.near_misses[0].reason.startswith("the limit is 1 result")


async def test_memories_of_others_are_not_seen(path: Path) -> None:
    names: list[dict[str, Any]] = [
        {"user_id": "one", "agent_id": "x"},
        {"user_id": "one", "agent_id": "y"},
        {"user_id": "two", "agent_id": "x"},
        {"session_id": "one"},
    ]
    for number, place in enumerate(names):
        await PersistentMemory(**place, store=path).record(said(f"the zeppelin of {number}"))
    Store(path).entries.remember("fact", "the zeppelin of nobody")

    async def visible(**place: Any) -> set[str]:
        lines = (await PersistentMemory(**place, store=path, limit=9).retrieve("zeppelin")).splitlines()
        return {line[-1] for line in lines}

    assert await visible(**names[0]) == {"0"}
    assert await visible(user_id="one") == {"0", "1"}
    assert await visible(agent_id="x") == {"0", "2"}
    assert await visible(session_id="one") == {"3"}
    assert await visible(user_id='one",null') == set()


async def test_a_message_that_is_recorded_again_replaces_what_it_said(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path)
    await memory.record(said("The port is 8080", id="m"))
    revision = await memory.revision()
    await memory.record(said("The port is 8081", id="m"))
    assert await memory.retrieve("port") == "[a]: The port is 8081"
    assert await memory.revision() != revision


async def test_what_was_said_again_comes_back_once(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path)
    await memory.record([said("The port is 8080"), said("The port is 8080"), said("The port is 8080", agent_id="b")])
    assert sorted((await memory.retrieve("port")).splitlines()) == ["[a]: The port is 8080", "[b]: The port is 8080"]


async def test_what_is_for_a_group_is_for_its_readers_alone(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path)
    permissions = Permissions({"red": AgentGroup(frozenset({"a", "b"}), frozenset({"a"}))})
    orchestrator = Orchestrator(
        {}, shared_persistent_memory=memory, settings=SharedMemorySettings(permissions=permissions)
    )
    await orchestrator._record_to_shared_memory("a", "The zeppelin is red")
    await orchestrator._record_to_shared_memory("c", "The harbour is closed")
    task = [{"role": "user", "content": "zeppelin and harbour"}]
    texts = {name: (await orchestrator.injection(task, name)).text for name in "abc"}
    assert {name: "zeppelin" in text for name, text in texts.items()} == {"a": True, "b": True, "c": False}
    assert all("harbour is closed" in text for text in texts.values())


@pytest.mark.parametrize("names", [{}, {"user_id": ""}, {"user_id": None, "agent_id": ""}])
def test_a_memory_of_nobody_is_refused(names: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="belongs to somebody"):
        PersistentMemory(**names)


async def test_what_it_gives_stays_within_its_budget(path: Path) -> None:
    memory = PersistentMemory(user_id="team", store=path, budget=60)
    await memory.record([said(f"zeppelin {number} " + "and more " * 15) for number in range(5)])
    assert (await memory.search("zeppelin")).tokens <= 60
    assert len(await memory.retrieve("zeppelin")) <= 60 * 4


PROGRAM = """
import asyncio, sys
from inspector.memory import PersistentMemory
memory = PersistentMemory(user_id="team", store=sys.argv[1])
for number in range(5):
    asyncio.run(memory.record({"role": "assistant", "content": f"zeppelin {number}", "agent_id": sys.argv[2]}))
"""


async def test_programs_record_at_once_and_lose_nothing(path: Path) -> None:
    Store(path).close()
    programs = [Program(["-c", PROGRAM, path, f"agent{i}"]) for i in range(3)]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    lines = (await PersistentMemory(user_id="team", store=path, limit=99).retrieve("zeppelin")).splitlines()
    assert sorted(lines) == sorted(f"[agent{i}]: zeppelin {n}" for i in range(3) for n in range(5))
