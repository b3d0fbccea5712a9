"""Requirement 3's compressor: old messages into one summary."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.memory import CompressionStrategy, LLMMessage, MemoryConfig, WorkingMemoryCompressor
from inspector.summaries import SummaryError
from inspector.summaries.sections import TITLE
from tests.memory.scripted_llm import Reply, ScriptedLLM, call

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
        (ConnectionError("nobody there"), r"The provider could not be reached \(nobody there\)"),
        ("  ", "The model gpt-4o-mini answered with nothing"),
        (Reply("Goal:", stop_reason="max_tokens"), "cut off at its greatest length"),
        ("and so on " * 3_000, "tokens were asked for|were asked for"),
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
    assert "no fewer tokens" in compressed.note
