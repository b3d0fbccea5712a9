"""Several models that write summaries: who is asked, who is billed, and what is told of those that failed."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.llm.models import price_of
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager, WorkingMemoryCompressor
from tests.memory.scripted_llm import Counts, Reply, ScriptedLLM
from tests.memory.test_manager import talk

SUMMARY = "Goal:\n- Count the orders of May.\n\nResults:\n- There were three."
DOWN = ConnectionError("nobody there")


def writer(model: str, summary: Any = SUMMARY) -> ScriptedLLM:
    """A model that says what its answers took."""
    answer = summary if isinstance(summary, BaseException) else Reply(summary, usage=Counts(1_000, 100))
    return ScriptedLLM(summary=answer, model=model)


def settings(**more: Any) -> MemoryConfig:
    base: dict[str, Any] = {"compression_threshold": 1_000, "short_term_size": 4, "summary_retries": 0}
    return MemoryConfig(**(base | more))


async def compressed(llm: Any, summary_llm: Any = None, config: MemoryConfig | None = None) -> MemoryManager:
    memory = MemoryManager(config or settings(), llm, summary_llm=summary_llm)
    for message in talk(16):
        await memory.add_message(message)
    assert memory.account.compressions
    return memory


async def test_the_cheaper_model_writes_and_is_billed_as_itself() -> None:
    own, cheap = writer("gpt-4o"), writer("gpt-4.1-nano")
    memory = await compressed(own, cheap)
    stats, price = memory.get_stats(), price_of("gpt-4.1-nano")
    number = len(cheap.briefed)
    assert (number > 0, own.briefed) == (True, [])
    assert stats["summaries_by"] == {"gpt-4.1-nano": number}
    assert stats["compression_cost"] == pytest.approx(number * (1_000 * price.input + 100 * price.output) / 1e6)
    assert memory.model == "gpt-4o"


async def test_the_next_is_asked_where_one_fails_and_both_are_told_of() -> None:
    first, second, own = writer("one", DOWN), writer("two"), writer("gpt-4o")
    memory = await compressed(own, [first, second])
    stats = memory.get_stats()
    assert stats["summaries_by"] == {"two": len(second.briefed)}
    assert first.begun
    assert not own.briefed
    assert "one" in stats["last_error"]
    assert stats["failed_compressions"] == 0


async def test_behind_all_of_them_stands_the_agents_own_and_then_the_conversations_own_lines() -> None:
    own = writer("gpt-4o")
    memory = await compressed(own, [writer("one", DOWN), writer("two", DOWN)])
    assert memory.get_stats()["summaries_by"] == {"gpt-4o": len(own.briefed)}
    memory = await compressed(writer("gpt-4o", DOWN), writer("one", DOWN))
    stats = memory.get_stats()
    assert stats["summaries_by"] == {"extractive": stats["compression_count"]}
    assert "one" in stats["last_error"]
    assert "gpt-4o" in stats["last_error"]


async def test_what_the_settings_forbid_is_not_done_for_want_of_a_model() -> None:
    config = settings(fallback_to_extractive=False)
    memory = MemoryManager(config, writer("gpt-4o", DOWN), summary_llm=writer("one", DOWN))
    for message in talk(16):
        await memory.add_message(message)
    assert memory.account.compressions == 0
    assert memory.get_stats()["failed_compressions"] > 0


async def test_a_name_is_asked_of_the_agents_own_client() -> None:
    asked: list[str] = []

    class Client:
        model, provider_name = "gpt-4o", "openai"

        async def call_async(self, messages: list[LLMMessage], tools: Any = None) -> Reply:
            asked.append(self.model)
            if self.model == "nano":
                raise DOWN
            return Reply(SUMMARY)

    memory = await compressed(Client(), None, settings(summary_model="nano, mini"))
    assert asked[:2] == ["nano", "mini"]
    assert set(memory.get_stats()["summaries_by"]) == {"mini"}
    assert memory.llm.model == "gpt-4o"


class _Writes(WorkingMemoryCompressor):
    async def compress(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("llm", "summary_llm", "compressor", "words"),
    [
        (None, "nano", None, "nano has no client"),
        (writer("gpt-4o"), object(), None, "call_async"),
        (writer("gpt-4o"), writer("one"), _Writes, "overrides compress"),
    ],
)
def test_what_could_never_write_is_refused(llm: Any, summary_llm: Any, compressor: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MemoryManager(settings(), llm, summary_llm=summary_llm, compressor=compressor)


@pytest.mark.parametrize("wrong", [3, [None], {"a": 1}])
def test_what_is_no_name_of_a_model_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="summary_model"):
        settings(summary_model=wrong)
