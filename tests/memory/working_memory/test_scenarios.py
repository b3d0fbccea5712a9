"""The six scenarios of the working-memory agent and its unit test, as they are documented, on managers that keep."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from inspector.memory import (
    IAgentInput,
    InMemoryManager,
    OfflineClient,
    SQLiteMemoryManager,
    WorkingMemoryAgent,
    play_scenarios,
)
from inspector.memory.working_memory.backends.base import MemoryManagerBase

NO_CONVERSATION = "error: no conversation_id provided"
STATUSES = {
    "Basic memory operations": ["success"] * 4,
    "Multiple conversations": ["success"] * 2,
    "Error handling": [NO_CONVERSATION] * 2,
    "Agent without memory manager": ["success"],
    "Advanced memory patterns: customer support": ["success"] * 5,
    "Memory retrieval: a customer returns": ["success"],
    "Unit test with doubles for client and manager": ["success"],
}
ALICE = (
    "- My name is Alice and I work as a software engineer at TechCorp\n"
    "- I'm interested in learning about machine learning for my current project\n"
    "- Specifically, I need help with natural language processing techniques\n"
    "- I prefer practical examples over theoretical explanations"
)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_the_six_scenarios_end_as_documented(kind: str, tmp_path: Path) -> None:
    manager: MemoryManagerBase = InMemoryManager() if kind == "memory" else SQLiteMemoryManager(tmp_path / "notes.db")
    runs = await play_scenarios(OfflineClient(), manager)
    assert {run.title: [played.status for played in run.interactions] for run in runs} == STATUSES
    assert [run.title for run in runs if not run.holds] == []
    memories = {record.conversation_id: record.working_memory for record in await manager.list()}
    assert memories.keys() == {"user_alice_session_001", "user_bob_session_002", "support_ticket_12345"}
    assert memories["user_alice_session_001"] == ALICE
    assert "Alice" not in memories["user_bob_session_002"]
    basic, _, _, alone, support, returning, unit_test = runs
    assert [len(played.memory.splitlines()) for played in basic.interactions] == [1, 2, 3, 4]
    assert alone.interactions[-1].memory == "- Hello, I have no memory manager"
    assert returning.interactions[-1].memory.startswith(support.interactions[-1].memory + "\n")
    assert unit_test.interactions[-1].memory == "Memory updated with user context"


async def test_what_goes_otherwise_is_found() -> None:
    forgetful = AsyncMock()
    forgetful.chat.return_value = {"llm_response": "Something was said.", "usage": {}}
    runs = await play_scenarios(forgetful, InMemoryManager())
    assert [run.name for run in runs if not run.holds] == ["support"]
    silent = AsyncMock()
    silent.chat.side_effect = ConnectionError("no route to host")
    runs = await play_scenarios(silent, InMemoryManager())
    assert [run.name for run in runs if run.holds] == ["errors", "unit-test"]


@pytest.mark.asyncio
async def test_memory_agent_with_context() -> None:
    """Test memory agent retrieves and uses context."""
    mock_llm = AsyncMock()
    mock_llm.chat.return_value = {"llm_response": "Memory updated with user context", "usage": {"total_tokens": 50}}
    mock_memory = AsyncMock()
    mock_memory.retrieve.return_value = [type("obj", (), {"working_memory": "User likes technical details"})()]
    agent = WorkingMemoryAgent(mock_llm, mock_memory)
    result = await agent.process(IAgentInput(message="Tell me about APIs", metadata={"conversation_id": "test_123"}))
    mock_memory.retrieve.assert_called_once()
    mock_memory.store.assert_called_once()
    assert "success" in result
