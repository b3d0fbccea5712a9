"""Requirement 3's compressor: old messages into one summary."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from inspector.engine.strategies import STRATEGIES
from inspector.engine.summaries import SummaryError
from inspector.engine.summaries.summary_sections import TITLE
from inspector.memory import (
    CompressedMemory,
    CompressionStrategy,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    TokenTracker,
    WorkingMemoryCompressor,
)
from tests.memory.scripted_llm import SUMMARY, Counts, Reply, ScriptedLLM, call

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. " * 4
SYSTEM = LLMMessage("system", "Be brief.")
MARKED = LLMMessage("user", f"This is important: {WORDS}")
CALL = LLMMessage("assistant", None, [call("c1")])
RESULT = LLMMessage("tool", WORDS, tool_call_id="c1")
TALK = [LLMMessage("user" if number % 2 == 0 else "assistant", f"{number}: {WORDS}") for number in range(6)]
ALL = [SYSTEM, *TALK[:3], MARKED, CALL, RESULT, *TALK[3:]]


def compressor(llm: Any = None, **settings: Any) -> WorkingMemoryCompressor:
    return WorkingMemoryCompressor(llm, MemoryConfig(**({"summary_retries": 0} | settings)))


async def test_all_old_messages_become_one_summary_and_the_system_prompt_stays() -> None:
    llm = ScriptedLLM()
    compressed = await compressor(llm).compress(ALL)
    assert compressed.preserved_messages == (SYSTEM,)
    assert compressed.summary.startswith(TITLE)
    assert "There were three." in compressed.summary
    assert compressed.original_message_count == len(ALL)
    assert compressed.compressed_tokens < compressed.original_tokens
    assert compressed.token_savings == compressed.original_tokens - compressed.compressed_tokens
    assert len(llm.briefed) == 1


async def test_the_model_is_shown_what_to_summarise_and_no_tools() -> None:
    llm = ScriptedLLM()
    await compressor(llm).compress(ALL)
    (request,) = llm.briefed
    assert [message.role for message in request] == ["system", "user"]
    assert "calls query, call c1" in request[1].text
    assert "result of query, call c1" in request[1].text
    assert "Be brief." not in request[1].text
    assert llm.tools == [None]


async def test_identifiers_that_the_model_lost_are_put_back() -> None:
    compressed = await compressor(ScriptedLLM()).compress(ALL)
    assert "/srv/orders/may.csv" in compressed.summary


async def test_without_a_model_the_summary_is_made_of_the_messages_own_lines() -> None:
    compressed = await compressor().compress(ALL)
    assert "/srv/orders/may.csv" in compressed.summary
    assert compressed.compression_ratio < 0.5


async def test_selective_keeps_tools_and_marked_messages() -> None:
    compressed = await compressor(ScriptedLLM()).compress(ALL, CompressionStrategy.SELECTIVE)
    assert compressed.preserved_messages == (SYSTEM, MARKED, CALL, RESULT)
    selective = compressor(ScriptedLLM(), compression_strategy="selective")
    assert (await selective.compress(ALL)).preserved_messages == (SYSTEM, MARKED, CALL, RESULT)
    without = compressor(ScriptedLLM(), compression_strategy="selective", preserve_tool_calls=False)
    assert (await without.compress(ALL)).preserved_messages == (SYSTEM, MARKED)


async def test_tool_calls_stay_with_any_strategy_where_the_settings_say_so() -> None:
    compressed = await compressor(ScriptedLLM(), preserve_tool_calls=True).compress(ALL)
    assert compressed.preserved_messages == (SYSTEM, CALL, RESULT)


async def test_deletion_leaves_nothing_and_asks_nobody() -> None:
    llm = ScriptedLLM()
    compressed = await compressor(llm, compression_strategy="deletion").compress(TALK)
    assert (compressed.summary, compressed.compressed_tokens, compressed.compression_ratio) == ("", 0, 0.0)
    assert llm.briefed == []


async def test_the_size_of_the_summary_is_asked_for() -> None:
    llm = ScriptedLLM()
    await compressor(llm).compress(TALK, target_tokens=123)
    assert "at most 123 tokens" in llm.briefed[0][0].text


async def test_a_call_stays_with_its_results_where_either_is_preserved() -> None:
    class Rows(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            return message.role == "tool"

    assert (await Rows(ScriptedLLM(), MemoryConfig()).compress(ALL)).preserved_messages == (CALL, RESULT)


async def test_a_call_that_waits_for_its_result_is_not_compressed() -> None:
    compressed = await compressor(ScriptedLLM()).compress([*TALK, CALL])
    assert compressed.preserved_messages == (CALL,)


async def test_a_rule_is_always_given_text_to_look_at() -> None:
    seen = []

    class Careful(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            seen.append(message.content)
            return "CRITICAL:" in message.content or super()._should_preserve(message)

    blocks = LLMMessage("user", [{"type": "text", "text": "CRITICAL: keep this"}])
    compressed = await Careful(ScriptedLLM(), MemoryConfig()).compress([*TALK, CALL, RESULT, blocks])
    assert compressed.preserved_messages == (blocks,)
    assert all(isinstance(content, str) for content in seen)


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (ConnectionError("nobody there"), r"Cannot reach the provider \(nobody there\)"),
        ("  ", "The model gpt-4o-mini returned an empty answer"),
        (Reply("Goal:", stop_reason="max_tokens"), "cut off at the maximum length"),
        ("and so on " * 3_000, "tokens instead of|cut off"),
    ],
)
async def test_a_model_that_gives_no_summary_is_told_of(summary: Any, words: str) -> None:
    with pytest.raises(SummaryError, match=words):
        await compressor(ScriptedLLM(summary=summary)).compress(TALK)


async def test_where_the_model_fails_the_messages_own_lines_serve_if_the_settings_say_so() -> None:
    failing = compressor(ScriptedLLM(summary=ConnectionError("nobody there")), fallback_to_extractive=True)
    assert "/srv/orders/may.csv" in (await failing.compress(TALK)).summary


@pytest.mark.parametrize("messages", [[], [SYSTEM]])
async def test_where_nothing_may_be_compressed_nothing_is(messages: list[LLMMessage]) -> None:
    compressed = await compressor(ScriptedLLM()).compress(messages)
    assert compressed.preserved_messages == tuple(messages)
    assert (compressed.summary, compressed.compression_ratio) == ("", 1.0)
    assert compressed.note


async def test_a_summary_that_would_be_no_smaller_is_left_out() -> None:
    short = [LLMMessage("user", "Hi."), LLMMessage("assistant", "Hello.")]
    compressed = await compressor(ScriptedLLM()).compress(short)
    assert compressed.preserved_messages == tuple(short)
    assert compressed.compression_ratio == 1.0
    assert "not have fewer tokens" in compressed.note


@pytest.mark.parametrize(
    "name", [name for name in STRATEGIES if name not in ("sliding_window", "selective", "deletion")]
)
async def test_every_other_strategy_does_what_it_does_to_a_context(name: str) -> None:
    """What is left is what a manager with the same settings would send."""
    steps = [message for step in range(12) for message in worked(step)]
    settings: dict[str, Any] = {"compression_strategy": name, "short_term_size": 2, "target_tokens": 500}
    size = TokenTracker().count_messages_tokens(steps, "openai", "gpt-4o-mini")
    manager = MemoryManager(MemoryConfig(compression_threshold=size * 2, minimum_progress=0, **settings), ScriptedLLM())
    for message in steps:
        await manager.add_message(message)
    await manager.compress()
    compressed = await compressor(ScriptedLLM(), **settings).compress(steps, target_tokens=500)
    context = manager.get_context_for_llm()
    summaries = [message for message in context if message.text == compressed.summary]
    assert [message for message in context if message not in summaries] == list(compressed.preserved_messages)
    assert bool(compressed.summary) == bool(summaries)
    assert compressed.strategy == name
    assert compressed.original_message_count == len(steps)
    assert compressed.compressed_tokens + 3 == manager.current_tokens


def worked(step: int) -> list[LLMMessage]:
    asks = LLMMessage("assistant", f"Step {step}.", [call(f"c{step}")])
    return [
        LLMMessage("user", f"{step}: {WORDS}"),
        asks,
        LLMMessage("tool", f"{step}: {WORDS}", tool_call_id=f"c{step}"),
    ]


async def test_fifo_keeps_the_newest_and_asks_nobody() -> None:
    llm = ScriptedLLM()
    talk = [LLMMessage("user", f"{number}: {WORDS}") for number in range(12)]
    compressed = await compressor(llm, strategy_settings={"max_messages": 4}, compression_strategy="fifo").compress(
        talk
    )
    assert compressed.preserved_messages == (talk[0], *talk[-3:])
    assert (compressed.summary, compressed.strategy, llm.briefed) == ("", "fifo", [])


async def test_a_strategy_that_has_nothing_to_do_says_so() -> None:
    compressed = await compressor().compress(TALK, "clear_thinking")
    assert compressed.preserved_messages == tuple(TALK)
    assert (compressed.summary, compressed.compression_ratio, bool(compressed.note)) == ("", 1.0, True)


async def test_a_model_that_fails_is_told_of_with_every_strategy_that_summarises() -> None:
    with pytest.raises(SummaryError, match="nobody there"):
        await compressor(ScriptedLLM(summary=ConnectionError("nobody there"))).compress(TALK, "summarize_half")


async def test_what_has_to_stay_stays_with_every_strategy() -> None:
    class Second(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            return str(message.content).startswith("1:")

    for name in ("fifo", "token_window", "importance", "summarize_half"):
        config = MemoryConfig(
            strategy_settings={"max_messages": 2} if name == "fifo" else {}, compression_strategy=name
        )
        compressed = await Second(None, config).compress([*TALK, *TALK[2:]], target_tokens=100)
        assert TALK[1] in compressed.preserved_messages
        assert compressed.token_savings > 0


ERRORS = [
    LLMMessage("assistant", f"Error: connection refused by 10.0.0.7. {WORDS}"),
    LLMMessage("user", f"I get this: Traceback (most recent call last): ValueError: no order 7. {WORDS}"),
]
FAILED = {"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": WORDS}


async def test_selective_keeps_error_messages_whoever_says_them() -> None:
    compressed = await compressor(compression_strategy="selective").compress([*TALK, *ERRORS])
    assert compressed.preserved_messages == tuple(ERRORS)
    assert compressed.summary


async def test_selective_keeps_errors_of_tools_though_tool_calls_may_go() -> None:
    failed = [CALL, LLMMessage("tool", f"Error: no such order 7\n{WORDS}", tool_call_id="c1")]
    going = compressor(compression_strategy="selective", preserve_tool_calls=False)
    assert (await going.compress([*TALK, *failed])).preserved_messages == tuple(failed)
    assert (await going.compress([*TALK, CALL, RESULT])).preserved_messages == ()


async def test_selective_keeps_tools_in_anthropics_form_too() -> None:
    uses = LLMMessage("assistant", [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}])
    kept = await compressor(compression_strategy="selective").compress([*TALK, uses, LLMMessage("user", [FAILED])])
    assert kept.preserved_messages == (uses, LLMMessage("user", [FAILED]))
    going = compressor(compression_strategy="selective", preserve_tool_calls=False)
    failed = await going.compress([*TALK, uses, LLMMessage("user", [FAILED])])
    assert failed.preserved_messages == (uses, LLMMessage("user", [FAILED]))


class Brief(WorkingMemoryCompressor):
    """A compressor with a `compress` of its own."""

    result: Any = None

    async def compress(
        self, messages: Sequence[LLMMessage], strategy: str | None = None, target_tokens: int | None = None
    ) -> CompressedMemory:
        if self.result is None:
            compressed = await super().compress(messages, strategy, target_tokens)
            return replace(compressed, summary=f"BRIEF {compressed.summary}")
        result: CompressedMemory = self.result(messages) if callable(self.result) else self.result
        return result


async def remembering(kind: type[WorkingMemoryCompressor], llm: Any = None, **settings: Any) -> MemoryManager:
    config = MemoryConfig(compression_threshold=500, short_term_size=2, summary_retries=0, **settings)
    memory = MemoryManager(config, llm, compressor=kind)
    for message in [*TALK, *TALK]:
        await memory.add_message(message)
    return memory


@pytest.mark.parametrize("strategy", ["sliding_window", "selective", "summarize_half"])
async def test_a_manager_calls_an_overridden_compress(strategy: str) -> None:
    llm = ScriptedLLM(summary=Reply(SUMMARY, usage=Counts(1_000, 10)))
    memory = await remembering(Brief, llm, compression_strategy=strategy)
    assert memory.compressed_memory
    assert memory.compressed_memory.summary.startswith("BRIEF ")
    assert any(message.text.startswith("BRIEF ") for message in memory.get_context_for_llm())
    assert memory.get_stats()["compression_input_tokens"] == 1_000 * len(llm.briefed) > 0


async def test_it_is_called_without_a_model_too() -> None:
    memory = await remembering(Brief)
    assert memory.compressed_memory
    assert "/srv/orders/may.csv" in memory.compressed_memory.summary


@pytest.mark.parametrize("llm", [None, ScriptedLLM()])
async def test_many_of_them_do_not_wait_for_each_others_threads(llm: Any) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    async with asyncio.timeout(60):
        memories = await asyncio.gather(*[remembering(Brief, llm) for _ in range(8)])
    assert all(memory.compressed_memory for memory in memories)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (7, "Brief.compress gave no CompressedMemory but 7"),
        (lambda messages: CompressedMemory("x", 9, 1, 1, tuple(messages[:1])), "Brief.compress kept messages"),
        (lambda _: 1 / 0, "Brief.compress failed: .*division by zero"),
        (lambda _: CompressedMemory("", 9, 9, 1), "empty"),
    ],
)
async def test_an_overridden_compress_that_gives_no_summary_changes_nothing(
    result: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Brief, "result", staticmethod(result) if callable(result) else result)
    memory = await remembering(Brief)
    assert memory.get_context_for_llm() == [*TALK, *TALK]
    assert re.search(words, memory.get_stats()["last_error"])


def test_an_overridden_compress_that_would_never_be_called_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Brief overrides compress\(\), which deletion never calls"):
        MemoryManager(MemoryConfig(compression_strategy="deletion"), compressor=Brief)
    assert MemoryManager(MemoryConfig(compression_strategy="deletion"), compressor=WorkingMemoryCompressor)


async def test_one_message_alone_is_a_list_of_one() -> None:
    compressor = WorkingMemoryCompressor(None, MemoryConfig())
    words = "The orders of May were counted, and there were twelve. " * 30
    for message in (words, {"role": "user", "content": words}, LLMMessage("user", words)):
        result = await compressor.compress(message)  # type: ignore[arg-type]
        assert result.original_message_count == 1
    with pytest.raises(ValueError, match="list of messages can be compressed, not NoneType"):
        await compressor.compress(None)  # type: ignore[arg-type]


async def test_what_takes_out_nothing_says_so() -> None:
    result = await WorkingMemoryCompressor(None, MemoryConfig()).compress([LLMMessage("user", "a b c")] * 3, "dedupe")
    assert result.note == "dedupe would remove nothing."


async def test_a_manager_can_keep_the_state_of_the_work() -> None:
    config = MemoryConfig(compression_threshold=600, short_term_size=2)
    memory = MemoryManager(config, ScriptedLLM(), keep_state=True)
    await memory.add_message("Fix the shop. Never push to main.")
    for number in range(12):
        await memory.add_message(LLMMessage("assistant" if number % 2 == 0 else "user", f"{number}: {WORDS}"))
    assert memory.compressed_memory is not None
    summary = memory.compressed_memory.summary
    assert summary.startswith("State of the work:") and "Never push to main" in summary
    assert summary.count("State of the work:") == 1 and "There were three." in summary
    assert MemoryManager(replace(config, strategy_settings={"state_tokens": 50}), keep_state=True).config.preset
    with pytest.raises(ValueError, match="deletion has no setting 'state_tokens'"):
        MemoryManager(MemoryConfig(compression_strategy="deletion"), keep_state=True)
