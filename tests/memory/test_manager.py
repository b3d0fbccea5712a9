"""The memory manager: what goes in, what comes out, and what becomes of the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.engine.window import KEPT, Fate, Plan, apply
from inspector.engine.window.window import problems
from inspector.llm.providers import message_from_raw
from inspector.memory import CompressionStrategy, LLMMessage, MemoryConfig, MemoryManager, WorkingMemoryCompressor
from inspector.memory.message_adapter import message_of
from inspector.store import Store
from tests.generated import conversations
from tests.memory.scripted_llm import Reply, ScriptedLLM, call
from tests.refusals import FIRST_ROLE, NO_MESSAGES, THINKING_CHANGED, THINKING_GONE, standing_refusals
from tests.store.made import persistent_entries

WORDS = "The order lies in /srv/orders/may.csv and came to 4,711 dollars, as was agreed. "
SYSTEM = LLMMessage("system", "Be brief.")


def talk(messages: int, words: str = WORDS * 4) -> list[LLMMessage]:
    return [LLMMessage("user" if number % 2 == 0 else "assistant", f"{number}: {words}") for number in range(messages)]


def work(steps: int, words: str = WORDS * 4) -> list[LLMMessage]:
    """A task, and so many steps of two parallel calls each."""
    messages = [LLMMessage("user", "Look at all orders.")]
    for step in range(steps):
        ids = f"c{step}", f"d{step}"
        messages.append(LLMMessage("assistant", None, [call(each) for each in ids]))
        messages += [LLMMessage("tool", f"{each}: {words}", tool_call_id=each) for each in ids]
    return messages


async def fed(
    messages: Sequence[LLMMessage], llm: Any = None, compressor: Any = None, **settings: Any
) -> MemoryManager:
    config = MemoryConfig(**({"compression_threshold": 1_000, "short_term_size": 4, "summary_retries": 0} | settings))
    memory = MemoryManager(config, llm, compressor=compressor)
    for message in messages:
        await memory.add_message(message)
    return memory


async def until(done: Callable[[], bool]) -> None:
    """Wait until something is so; a test that waits for ever fails after a while."""
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.001)


def same(first: Sequence[LLMMessage], second: Sequence[LLMMessage]) -> bool:
    """Whether these are the very same objects."""
    return [*map(id, first)] == [*map(id, second)]


async def test_below_the_threshold_everything_comes_back_as_it_went_in() -> None:
    messages = [SYSTEM, *talk(6)]
    memory = await fed(messages, compression_threshold=40_000)
    assert same(memory.get_context_for_llm(), messages)
    assert memory.compressed_memory is None
    assert not memory.was_compressed_last_iteration
    assert memory.last_compression_savings == 0


async def test_above_it_the_context_is_system_task_summary_and_the_newest() -> None:
    messages = [SYSTEM, *talk(16)]
    memory = await fed(messages, ScriptedLLM())
    system, task, summary, *rest = memory.get_context_for_llm()
    assert (system, task) == (SYSTEM, messages[1])
    assert "There were three." in summary.text
    assert same(rest, messages[-len(rest) :])
    assert len(rest) >= 4


async def test_the_message_that_led_to_a_compression_tells_of_it() -> None:
    memory = await fed([])
    told = []
    for message in talk(40):
        before = memory.engine.full_total - memory.current_tokens
        await memory.add_message(message)
        saved = memory.engine.full_total - memory.current_tokens - before
        told.append((memory.was_compressed_last_iteration, saved))
        if memory.was_compressed_last_iteration:
            assert memory.last_compression_savings == saved > 0
    assert sum(compressed for compressed, _ in told) == memory.get_stats()["compression_count"] > 1
    assert all(compressed == (saved != 0) for compressed, saved in told)


async def test_the_newest_summary_tells_what_it_stands_for_with_all_that_it_took_in() -> None:
    messages = talk(60)
    memory = await fed(messages, ScriptedLLM())
    assert memory.get_stats()["compression_count"] > 2
    compressed = memory.compressed_memory
    assert compressed
    context = memory.get_context_for_llm()
    assert compressed.summary == context[1].text
    assert compressed.original_message_count == len(messages) - (len(context) - 1)
    assert compressed.compressed_tokens < compressed.original_tokens
    saved = memory.engine.full_total - memory.current_tokens
    assert compressed.original_tokens - compressed.compressed_tokens == saved


async def test_switched_off_it_never_compresses() -> None:
    messages = talk(60)
    memory = await fed(messages, ScriptedLLM(), enable_compression=False)
    assert same(memory.get_context_for_llm(), messages)
    assert memory.get_stats()["compression_count"] == 0


@pytest.mark.parametrize("strategy", CompressionStrategy)
async def test_every_strategy_gives_a_context_that_is_valid_at_every_step(strategy: CompressionStrategy) -> None:
    memory = await fed([SYSTEM], compression_strategy=strategy, compression_threshold=1_500)
    task, *steps = work(40)
    for message in [task, *steps]:
        await memory.add_message(message)
        assert list(standing_refusals(memory.engine.context(), "openai")) == []
        context = memory.get_context_for_llm()
        assert context[0] is SYSTEM
        assert any(each is task for each in context)
        assert context[-1] is message


async def test_a_summary_is_made_without_a_model_too() -> None:
    memory = await fed(talk(20))
    assert memory.compressed_memory
    assert "/srv/orders/may.csv" in memory.compressed_memory.summary
    assert memory.get_stats()["compression_input_tokens"] == 0


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (ConnectionError("nobody there"), "Cannot reach the provider (nobody there)"),
        ("", "The model gpt-4o-mini returned an empty answer"),
        (Reply("Goal:", stop_reason="length"), "cut off"),
        ("and so on " * 5_000, "instead of"),
    ],
)
async def test_a_failed_summary_leaves_the_context_as_it_was_and_is_counted(summary: Any, words: str) -> None:
    messages = talk(16)
    memory = await fed(messages, ScriptedLLM(summary=summary))
    assert same(memory.get_context_for_llm(), messages)
    stats = memory.get_stats()
    assert stats["compression_count"] == 0
    assert stats["failed_compressions"] > 0
    assert words in stats["last_error"]


async def test_a_failing_model_is_not_asked_at_every_message() -> None:
    llm = ScriptedLLM(summary=ConnectionError("nobody there"))
    memory = await fed(talk(80), llm)
    assert 3 <= len(llm.briefed) < 20
    assert memory.get_stats()["gave_up"].startswith("Waiting: the last ")


async def test_where_the_model_fails_the_conversations_own_lines_serve_if_the_settings_say_so() -> None:
    memory = await fed(talk(16), ScriptedLLM(summary=ConnectionError("nobody there")), fallback_to_extractive=True)
    assert memory.compressed_memory
    assert "/srv/orders/may.csv" in memory.compressed_memory.summary
    assert "nobody there" in memory.get_stats()["last_error"]


async def test_no_model_is_asked_for_what_would_not_be_worth_it() -> None:
    llm = ScriptedLLM()
    memory = await fed([*talk(6, WORDS), *talk(4, WORDS * 30)], llm)
    assert llm.briefed == []
    assert memory.engine.trigger.attempts > 0
    assert memory.get_stats()["failed_compressions"] == 0


async def test_where_it_gives_up_the_statistics_say_why() -> None:
    memory = await fed(talk(20), ScriptedLLM(), short_term_size=20)
    assert "nothing is older than the newest 20 messages" in memory.get_stats()["gave_up"]


async def test_messages_added_at_once_keep_their_order_and_none_is_lost() -> None:
    messages = talk(60)
    llm = ScriptedLLM(pause=0.001)
    memory = MemoryManager(MemoryConfig(compression_threshold=1_000, short_term_size=4), llm)
    await asyncio.gather(*[memory.add_message(message) for message in messages])
    assert [memory.adapter.original(message) for message in memory.engine.log] == messages
    assert memory.get_stats()["compression_count"] == len(memory.engine.plans) > 0
    context = memory.get_context_for_llm()
    assert context[0] is messages[0]
    assert context[-1] is messages[-1]
    assert list(standing_refusals(memory.engine.context(), "openai")) == []
    assert memory.engine.total == memory.engine.window().total


async def test_never_two_compressions_at_once() -> None:
    class Watching(ScriptedLLM):
        running = most = 0

        async def call_async(self, messages: list[LLMMessage], tools: Any = None) -> Reply:
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                return await super().call_async(messages, tools)
            finally:
                self.running -= 1

    llm = Watching(pause=0.002)
    memory = MemoryManager(MemoryConfig(compression_threshold=600, short_term_size=2), llm)
    for start in range(0, 60, 10):
        await asyncio.gather(*[memory.add_message(message) for message in talk(60)[start : start + 10]])
    assert len(llm.briefed) > 1
    assert llm.most == 1
    assert memory.engine.trigger.attempts == 0, "who waited for a compression did not try again"


async def test_messages_are_in_the_context_while_a_compression_is_under_way() -> None:
    llm = ScriptedLLM(pause=0.02)
    messages = talk(14)
    memory = await fed(messages[:-2], llm, compression_threshold=900)
    adding = [asyncio.create_task(memory.add_message(message)) for message in messages[-2:]]
    await asyncio.sleep(0.001)
    assert same(memory.get_context_for_llm()[-2:], messages[-2:])
    await asyncio.gather(*adding)
    assert same(memory.get_context_for_llm()[-2:], messages[-2:])


async def test_a_cancelled_message_is_in_the_memory_and_nothing_else_has_changed() -> None:
    llm = ScriptedLLM(pause=30)
    messages = talk(16)
    memory = await fed(messages[:-6], llm)
    adding = asyncio.gather(*[memory.add_message(message) for message in messages[-6:]])
    await until(lambda: llm.begun == 1)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    await until(lambda: llm.cancelled == 1)
    assert same(memory.get_context_for_llm(), messages)
    llm.pause = 0
    assert await memory.compress()
    assert memory.compressed_memory


async def test_messages_behind_a_long_one_that_is_being_counted_keep_the_order_of_the_calls() -> None:
    memory = MemoryManager(MemoryConfig(enable_compression=False, max_context_tokens=1_000_000))
    messages = [LLMMessage("user", words) for words in ("first", WORDS * 20_000, "third", WORDS * 5_000, "fifth")]
    adding = [asyncio.create_task(memory.add_message(message)) for message in messages]
    await asyncio.gather(*adding[2:])
    assert same(memory.get_context_for_llm(), messages)
    one_by_one = await fed_plainly(messages)
    assert memory.current_tokens == one_by_one.current_tokens


async def test_a_long_message_whose_addition_is_cancelled_comes_in_where_it_was_handed_over() -> None:
    memory = MemoryManager(MemoryConfig(enable_compression=False, max_context_tokens=1_000_000))
    long = LLMMessage("user", WORDS * 20_000)
    adding = [asyncio.create_task(memory.add_message(message)) for message in (long, LLMMessage("user", "second"))]
    await asyncio.sleep(0)
    for task in adding:
        task.cancel()
    await asyncio.gather(*adding, return_exceptions=True)
    await memory.add_message(LLMMessage("user", "third"))
    assert memory.get_context_for_llm()[0] is long
    assert [message.content for message in memory.get_context_for_llm()[1:]] == ["second", "third"]


async def fed_plainly(messages: Sequence[LLMMessage]) -> MemoryManager:
    memory = MemoryManager(MemoryConfig(enable_compression=False))
    for message in messages:
        await memory.add_message(message)
    return memory


async def test_what_an_overridden_rule_preserves_stays_word_for_word() -> None:
    class Orders(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            return "ORDER:" in message.content or super()._should_preserve(message)

    messages = talk(40)
    messages[5] = LLMMessage("assistant", f"ORDER: {WORDS}")
    messages[8] = LLMMessage("user", [{"type": "text", "text": f"ORDER: {WORDS}"}])
    for llm in (None, ScriptedLLM()):
        memory = await fed(messages, llm, Orders)
        context = memory.get_context_for_llm()
        assert memory.get_stats()["compression_count"] > 0
        assert all(any(each is messages[place] for each in context) for place in (5, 8))
        assert not any(each is messages[6] for each in context)
        assert memory.compressed_memory
        assert memory.compressed_memory.preserved_messages == (messages[5], messages[8])


async def test_a_compressor_without_a_model_has_that_of_the_manager() -> None:
    llm = ScriptedLLM()
    memory = await fed(talk(16), llm, WorkingMemoryCompressor(config=MemoryConfig()))
    assert memory.llm is llm
    assert llm.briefed


async def test_a_compressor_may_be_handed_over_ready_made() -> None:
    compressor = WorkingMemoryCompressor(ScriptedLLM(), MemoryConfig())
    memory = await fed(talk(16), compressor=compressor)
    assert memory.compressor is compressor
    assert len(compressor.llm.briefed) > 0


async def test_a_rule_that_raises_compresses_nothing_and_is_told_of() -> None:
    class Broken(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            raise KeyError("importance")

    messages = talk(16)
    memory = await fed(messages, compressor=Broken)
    assert same(memory.get_context_for_llm(), messages)
    assert memory.get_stats()["last_error"] == "_should_preserve failed: KeyError: 'importance'."


async def test_tool_calls_stay_where_the_settings_say_so() -> None:
    messages = work(6)
    for index in range(len(messages), 0, -3):
        messages.insert(index, LLMMessage("user", f"And then? {WORDS * 3}"))
    gone = await fed(messages)
    works = [message for message in messages if message.tool_calls or message.role == "tool"]
    for strategy in ("sliding_window", "selective", "deletion", "mask_observations", "fifo"):
        kept = await fed(messages, preserve_tool_calls=True, compression_strategy=strategy)
        assert same([m for m in kept.get_context_for_llm() if m.tool_calls or m.role == "tool"], works)
        assert kept.get_stats()["compression_count"] > 0 or strategy == "mask_observations"
    assert len([m for m in gone.get_context_for_llm() if m.tool_calls]) < 6


async def test_system_messages_may_leave_where_the_settings_say_so() -> None:
    messages = [LLMMessage("system", f"Be brief. {WORDS * 5}"), *talk(20)]
    assert (await fed(messages)).get_context_for_llm()[0] is messages[0]
    memory = await fed(messages, preserve_system_prompts=False)
    assert [message.role for message in memory.get_context_for_llm()].count("system") == 0


async def test_results_in_anthropics_form_stay_with_their_calls() -> None:
    messages = [LLMMessage("user", "Look at all orders.")]
    for step in range(12):
        uses = [{"type": "tool_use", "id": f"{each}{step}", "name": "query", "input": {}} for each in "ab"]
        rows = [{"type": "tool_result", "tool_use_id": f"{each}{step}", "content": WORDS * 4} for each in "ab"]
        messages += [LLMMessage("assistant", uses), LLMMessage("user", rows)]
    memory = MemoryManager(MemoryConfig(compression_threshold=1_000, short_term_size=4), provider="anthropic")
    for message in messages:
        await memory.add_message(message)
    assert memory.get_stats()["compression_count"] > 0
    assert memory.engine.cursor.context.dialect == "anthropic"
    assert list(standing_refusals(memory.engine.context(), "anthropic")) == []
    first, _, *rest = memory.get_context_for_llm()
    assert first is messages[0]
    assert same(rest, messages[-len(rest) :])


@pytest.mark.parametrize(
    ("instead", "refusal"), [([], THINKING_GONE), ([{"type": "thinking", "thinking": "No."}], THINKING_CHANGED)]
)
async def test_thinking_torn_from_the_newest_step_is_seen_in_the_window_of_a_memory(
    instead: list[dict[str, Any]], refusal: str
) -> None:
    memory = MemoryManager(provider="anthropic")
    use = {"type": "tool_use", "id": "c1", "name": "query", "input": {}}
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}
    await memory.add_message(LLMMessage("user", "Look at the order."))
    await memory.add_message(LLMMessage("assistant", [thinking, use]))
    await memory.add_message(
        LLMMessage("user", [{"type": "tool_result", "tool_use_id": "c1", "content": "4,711 dollars"}])
    )
    window = memory.engine.window()
    asked = window.messages[1]
    torn = message_from_raw(asked.id, {"role": "assistant", "content": [*instead, use]}, "anthropic")
    fates = tuple([Fate("trimmed", "a test") if each == asked.id else KEPT for each in window.ids])
    after = apply(window, Plan("test", {}, window.ids, fates, {asked.id: torn}))
    assert problems(window) == ()
    assert [problem.text for problem in problems(after)] == [refusal]


async def test_it_compresses_when_asked_to_due_or_not() -> None:
    memory = await fed(talk(12), compression_threshold=40_000)
    assert await memory.compress()
    assert memory.compressed_memory
    assert memory.was_compressed_last_iteration
    assert not await memory.compress()


async def test_the_tools_of_an_agent_count() -> None:
    tool = {"type": "function", "function": {"name": "look", "description": WORDS, "parameters": {}}}
    bare, armed = MemoryManager(model="gpt-4o"), MemoryManager(model="gpt-4o", tools=[tool])
    assert armed.current_tokens - bare.current_tokens > 20


@given(conversations(14), st.sampled_from(["sliding_window", "selective", "deletion", "pipeline"]))
def test_any_conversation_gives_a_valid_context_in_which_nothing_is_changed_unseen(
    session: Session, strategy: str
) -> None:
    async def run() -> None:
        config = MemoryConfig(compression_threshold=150, short_term_size=3, compression_strategy=strategy)
        memory = MemoryManager(config, provider=session.dialect)
        given = [message_of(message.raw) for message in session.messages]
        for message in given:
            await memory.add_message(message)
            refused = {words for _, words in standing_refusals(memory.engine.context(), session.dialect)}
            assert refused <= {FIRST_ROLE, NO_MESSAGES[session.dialect]}, "save where nobody has spoken yet"
        known = {id(message) for message in given}
        changed = {name for plan in [*memory.engine.plans, memory.engine.repair_plan()] for name in plan.rewrites}
        summaries = {summary.id for plan in memory.engine.plans for summary in plan.summaries}
        named = zip(memory.engine.log, session.messages, strict=True)
        summaries |= {
            kept.id for kept, message in named if message.answers == "" or message.has_flaw or not message.text.strip()
        }
        context = memory.engine.context()
        back = memory.adapter.to_llm(context.messages)
        for message, run in zip(back, memory.adapter.runs(context.messages), strict=True):
            ids = {context.ids[place] for place in run}
            assert id(message) in known or ids & (changed | summaries) or len(run) > 1

    asyncio.run(run())


async def test_it_moves_what_was_said_up_the_tiers(tmp_path: Path) -> None:
    with Store(tmp_path / "memory.db") as store:
        memory = MemoryManager(store=store)
        ruled, greeted = LLMMessage("user", "The gateway must listen on port 8443."), LLMMessage("user", "hello")
        for message in (ruled, greeted):
            await memory.add_message(message)
            memory.on_turn_end(message)
        assert [entry.text for entry in memory.session_memory] == [ruled.content, greeted.content]
        assert [entry.text for entry in persistent_entries(store)] == [ruled.content]
        memory.on_session_end()
        assert [entry.kind for entry in persistent_entries(store)] == ["summary", "archived"]


async def test_a_subclass_says_what_outlives_the_session(tmp_path: Path) -> None:
    class Forgetful(MemoryManager):
        def should_persist(self, turn: Any) -> bool:
            return "pin" in turn.content

    with Store(tmp_path / "memory.db") as store:
        memory = Forgetful(store=store)
        for text in ("Never touch /srv/archive.", "Put a pin in that."):
            message = LLMMessage("user", text)
            await memory.add_message(message)
            memory.on_turn_end(message)
        assert [entry.text for entry in memory.persistent_memory] == ["Put a pin in that."]
        assert memory.persistent_memory is memory.tiers.persistent_memory
        assert len(memory.session_memory) == 2
        assert len(memory.working_memory) == 0
