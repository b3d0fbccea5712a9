"""A preview tells what a compression would do, and changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.memory import CompressionStrategy, LLMMessage, MemoryConfig, MemoryManager, WorkingMemoryCompressor
from inspector.memory.message_adapter import message_of
from tests.generated import conversations
from tests.memory.scripted_llm import Counts, Reply, ScriptedLLM
from tests.memory.test_manager import same, talk, work


def state(memory: MemoryManager) -> Any:
    """Everything that a compression could change."""
    engine = memory.engine
    return (
        [id(message) for message in engine.log],
        list(engine.plans),
        engine.window(),
        engine.pins,
        engine.trigger,
        memory.get_stats(),
        dict(memory.compressions.summaries),
        [id(message) for message in memory.get_context_for_llm()],
    )


async def fed(messages: Sequence[LLMMessage], llm: Any = None, **settings: Any) -> MemoryManager:
    config = MemoryConfig(**({"compression_threshold": 100_000, "short_term_size": 4, "summary_retries": 0} | settings))
    memory = MemoryManager(config, llm)
    for message in messages:
        await memory.add_message(message)
    return memory


@given(conversations(), st.sampled_from(list(CompressionStrategy)), st.booleans())
def test_nothing_is_changed_and_the_compression_does_what_was_foretold(
    session: Session, strategy: CompressionStrategy, calls_stay: bool
) -> None:
    async def run() -> None:
        settings = {"compression_strategy": strategy, "short_term_size": 2, "minimum_progress": 0}
        memory = await fed(
            [message_of(message.raw) for message in session], **settings, preserve_tool_calls=calls_stay or None
        )
        before = repr(state(memory))
        preview = await memory.preview()
        assert repr(state(memory)) == before
        assert [item.tokens for item in preview.items] == list(memory.engine.window().tokens)
        assert await memory.compress() == preview.would_compress
        assert memory.current_tokens <= preview.savings.before
        if preview.would_compress:
            plan = memory.engine.plans[-1]
            assert (plan.ids, plan.fates) == (preview.plan.ids, preview.plan.fates)
            assert [summary.text for summary in plan.summaries] == [s.text for s in preview.plan.summaries]
            assert memory.engine.total == preview.savings.after
            assert preview.reason == ""
        else:
            assert preview.reason

    asyncio.run(run())


async def test_a_model_is_called_only_when_asked_for_and_then_it_is_billed() -> None:
    llm = ScriptedLLM(summary=Reply(ScriptedLLM().summary, usage=Counts(1_000, 100)))
    memory = await fed(talk(20), llm)
    preview = await memory.preview()
    assert (llm.begun, preview.summary, preview.summary_is_written) == (0, "", False)
    assert preview.savings.compression_cost > 0  # what it would take
    written = await memory.preview(ask_model=True)
    assert llm.begun == 1
    assert "There were three." in written.summary
    assert memory.get_stats()["compression_input_tokens"] == 1_000
    assert memory.get_stats()["compression_count"] == 0
    assert same(memory.get_context_for_llm(), [item.message for item in written.items])


async def test_it_says_what_becomes_of_each_message_what_it_costs_and_when_it_pays() -> None:
    memory = await fed(work(12), ScriptedLLM())
    preview = await memory.preview()
    text = str(preview)
    assert "down to" in text
    assert "not due yet" in text
    assert "breaks even" in text
    assert preview.counts["summarised"] > 0
    assert {item.fate.kind for item in preview.items} == set(preview.counts)
    assert preview.savings.gross == preview.savings.before - preview.savings.after > 0


async def test_where_nothing_would_change_it_says_why() -> None:
    preview = await (await fed(talk(2))).preview()
    assert not preview.would_compress
    assert str(preview) == f"Nothing would change: {preview.reason}"


async def test_a_rule_that_raises_is_told_of() -> None:
    class Broken(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            raise RuntimeError("no rule")

    memory = MemoryManager(MemoryConfig(), compressor=Broken)
    await memory.add_message("Count the orders.")
    preview = await memory.preview()
    assert not preview.would_compress
    assert "no rule" in preview.reason


@pytest.mark.parametrize("hostile", ["\x1b]0;x\x07", "\x1b[2J"])
async def test_its_text_is_safe_to_print(hostile: str) -> None:
    memory = await fed([LLMMessage(m.role, m.content + hostile) for m in talk(20)])
    assert "\x1b" not in str(await memory.preview())
