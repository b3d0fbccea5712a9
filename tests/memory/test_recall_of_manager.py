"""What a manager archives comes back into its context where it has to do with the request, and goes again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import pytest

from inspector.engine.retrieval import FloatArray
from inspector.engine.strategies import Services
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from inspector.store import MemoryFilter, Store

LONG = "We spoke of many other things that day, and of the weather. " * 8
CODE = "The invoice of the zeppelin has the number INV-77310-K."
ASK = "What number has the invoice of the zeppelin?"


def config(**more: Any) -> MemoryConfig:
    settings = {"keep_last": 4} | more.pop("settings", {})
    return MemoryConfig(
        compression_threshold=1_500, compression_strategy="vector_swap", strategy_settings=settings, **more
    )


async def fed(**arguments: Any) -> MemoryManager:
    """A manager that has archived the number of an invoice."""
    memory = MemoryManager(arguments.pop("config", config()), **arguments)
    await talk(memory)
    return memory


async def talk(memory: MemoryManager) -> None:
    await memory.add_message(LLMMessage("user", "The task."))
    await memory.add_message(LLMMessage("assistant", "Yes?"))
    await memory.add_message(LLMMessage("user", CODE))
    for number in range(12):
        await memory.add_message(LLMMessage("assistant" if number % 2 == 0 else "user", f"{number}: {LONG}"))


async def test_what_has_to_do_with_the_request_is_in_the_context_and_goes_again() -> None:
    memory = await fed()
    assert memory.engine.plans
    await memory.add_message(LLMMessage("assistant", "Go on."))
    before = memory.get_stats()
    await memory.add_message(LLMMessage("user", ASK))
    context = memory.get_context_for_llm()
    assert context[-1].content == ASK
    assert CODE in str(context[-2].content)
    assert memory.current_tokens == memory.engine.context().total
    await memory.add_message(LLMMessage("assistant", "INV-77310-K."))
    stats = memory.get_stats()
    assert stats["recalls"] == before["recalls"] + 1
    assert memory.engine.recall is not None
    assert stats["recalled_tokens"] == before["recalled_tokens"] + memory.engine.recall.tokens
    await memory.add_message(LLMMessage("user", "Thanks!"))
    assert not any(CODE in str(message.content) for message in memory.get_context_for_llm())
    assert all(not message.id.startswith("memory") for message in memory.engine.log)


async def test_a_call_more_in_the_same_turn_has_it_too_and_counts_once_as_a_recall() -> None:
    memory = await fed()
    await memory.add_message(LLMMessage("assistant", "Go on."))
    start = memory.get_stats()
    await memory.add_message(LLMMessage("user", ASK))
    memory.get_context_for_llm()
    await memory.add_message(LLMMessage("assistant", "Let me see."))
    middle = memory.get_stats()
    await memory.add_message(LLMMessage("assistant", "INV-77310-K."))
    end = memory.get_stats()
    assert start["recalls"] + 1 == middle["recalls"] == end["recalls"]
    assert (
        end["recalled_tokens"] - middle["recalled_tokens"] == middle["recalled_tokens"] - start["recalled_tokens"] > 0
    )


async def test_what_is_archived_is_in_the_persistent_tier_with_where_it_comes_from(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        memory = await fed(store=store)
        entries = store.entries.page(meant=MemoryFilter(tier="persistent", kind="archived"))
        by_text = {entry.text: entry for entry in entries}
        assert len(entries) == len(memory.engine.cursor.archived) == len(by_text)
        entry = by_text[CODE]
        assert (entry.origin, entry.reason) == ("vector_swap", "older than the newest 4 messages")
        assert entry.message_id in [message.id for message in memory.engine.log]
        assert memory.retrieve("invoice zeppelin")[0].text == CODE


async def test_without_a_store_it_is_in_persistent_memory_as_long_as_the_manager() -> None:
    memory = await fed()
    assert CODE in [entry.text for entry in memory.persistent_memory]


async def test_a_saved_session_has_each_archived_message_once(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        memory = await fed(store=store)
        session = memory.save()
        await memory.add_message(LLMMessage("user", LONG * 6))
        memory.close()
        MemoryManager.load(store, session)
        entries = store.entries.page(meant=MemoryFilter(tier="persistent", kind="archived"))
        assert [entry.text for entry in entries].count(CODE) == 1
        assert {entry.session_id for entry in entries} == {session}


async def test_a_resumed_manager_brings_back_what_the_first_one_archived(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        first = await fed(store=store)
        await first.add_message(LLMMessage("assistant", "Go on."))
        session = first.save()
        await first.add_message(LLMMessage("user", ASK))
        first.get_context_for_llm()
        await first.add_message(LLMMessage("assistant", "INV-77310-K."))
        first.close()
        memory = MemoryManager.resume(store, session)
        assert memory.get_context_for_llm() == first.get_context_for_llm()
        for name in ("recalls", "recalled_tokens"):
            assert memory.get_stats()[name] == first.get_stats()[name] > 0
        memory.close()


@pytest.mark.parametrize("others", [True, False])
async def test_entries_of_other_sessions_come_back_where_a_setting_says_so(tmp_path: Path, others: bool) -> None:
    with Store(tmp_path / "memory.db") as store:
        first = await fed(store=store)
        first.save()
        first.close()
        memory = MemoryManager(config(recall_other_sessions=others), store=store, session_id="second")
        memory.save()
        await memory.add_message(LLMMessage("user", ASK))
        context = memory.get_context_for_llm()
        assert any(CODE in str(message.content) for message in context) is others
        if others:
            assert 'from="another session"' in str(context[-2].content)
        memory.close()


async def test_its_own_entries_do_not_come_back_twice(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        memory = await fed(store=store, config=config(recall_other_sessions=True))
        await memory.add_message(LLMMessage("assistant", "Go on."))
        await memory.add_message(LLMMessage("user", ASK))
        texts = "\n".join(str(message.content) for message in memory.get_context_for_llm())
        assert texts.count(CODE) == 1


async def test_a_store_that_cannot_be_written_is_told_of_and_the_agent_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db")
    memory = MemoryManager(config(), store=store)
    store.close()
    await talk(memory)
    assert memory.engine.plans
    assert memory.get_stats()["last_error"].startswith("Archived messages could not be stored:")
    assert memory.get_context_for_llm()


class Colours:
    """Vectors by which words for one colour lie together. It notes in which threads it was asked, and for how much."""

    name, dimensions = "colours", 3

    def __init__(self) -> None:
        self.asked: list[tuple[bool, int]] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        import numpy

        self.asked.append((current_thread() is main_thread(), len(texts)))
        words = (("crimson", "scarlet"), ("azure", "navy"))
        rows = [[float(any(word in text for word in group)) for group in words] + [0.01] for text in texts]
        vectors = numpy.asarray(rows, dtype=numpy.float32)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


async def test_with_an_embedder_it_comes_back_by_meaning_and_is_indexed_in_a_worker_thread() -> None:
    embedder = Colours()
    memory = MemoryManager(config(settings={"k": 1}), embedder=embedder)
    await memory.add_message(LLMMessage("user", "The task."))
    await memory.add_message(LLMMessage("assistant", "Paint the door scarlet."))
    await talk(memory)
    await memory.add_message(LLMMessage("assistant", "Go on."))
    assert embedder.asked and not any(in_main and count > 1 for in_main, count in embedder.asked)
    await memory.add_message(LLMMessage("user", "Crimson: where? I mean crimson."))
    assert "scarlet" in str(memory.get_context_for_llm()[-2].content)
    assert all(count <= 2 for in_main, count in embedder.asked if in_main), "of the request alone"
    with pytest.raises(ValueError, match="services or an embedder"):
        MemoryManager(embedder=embedder, services=Services())
