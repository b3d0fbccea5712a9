"""Calls without a result, after the program of an agent has ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.memory import LLMMessage, MemoryManager
from inspector.store import Store
from tests.memory.scripted_llm import call

BLOCKS: list[dict[str, Any]] = [{"type": "tool_use", "id": name, "name": "look", "input": {}} for name in ("c1", "c2")]
REPLIES: list[Any] = [
    LLMMessage("assistant", None, [call("c1", "look"), call("c2", "look")]),
    LLMMessage("assistant", BLOCKS),
]
RESULTS: list[Any] = [
    LLMMessage("tool", "12", tool_call_id="c1"),
    LLMMessage("user", [{"type": "tool_result", "tool_use_id": "c1", "content": "12"}]),
]


async def write_session(store: Store, form: int) -> None:
    """Write a session whose program ends before the second call is answered."""
    memory = MemoryManager.resume(store, "s")
    for message in ("Count.", REPLIES[form], RESULTS[form]):
        await memory.add_message(message)
    memory.close()


def answers(memory: MemoryManager) -> dict[str, str]:
    """Return the text of each result in the log by the id of its call."""
    return {message.answers: message.text for message in memory.engine.log if message.answers is not None}


@pytest.mark.parametrize("form", [0, 1])
async def test_open_calls_are_stated_after_a_resume(tmp_path: Path, form: int) -> None:
    with Store(tmp_path / "s.db") as store:
        await write_session(store, form)
        memory = MemoryManager.load(store, "s")
        assert [(one.id, one.name) for one in memory.open_calls] == [("c2", "look")]
        assert memory.resume_notes == ("1 call without a result: look. Add the results, or a new request.",)
        await memory.add_message("Go on.")
        assert memory.open_calls == ()


@pytest.mark.parametrize("form", [0, 1])
async def test_open_calls_are_answered_as_interrupted_and_stored(tmp_path: Path, form: int) -> None:
    with Store(tmp_path / "s.db") as store:
        await write_session(store, form)
        memory = MemoryManager.resume(store, "s", interrupted=True)
        assert memory.open_calls == ()
        assert answers(memory) == {"c1": "12", "c2": "[interrupted: the program ended before this tool returned]"}
        assert len(memory.get_context_for_llm()) == 4
        memory.close()
        again = MemoryManager.resume(store, "s", interrupted=True)
        assert (answers(again), again.resume_notes) == (answers(memory), ())
        again.close()


def test_a_new_session_has_no_open_calls(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        memory = MemoryManager.resume(store, "new", interrupted=True)
        assert (memory.open_calls, memory.resume_notes) == ((), ())
        memory.close()
