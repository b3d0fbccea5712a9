"""A manager's session in a store: it is there at any moment, and another manager goes on where one stopped."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sqlite3
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.memory import (
    PRICING,
    CompressionStrategy,
    ContextLimitError,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    TokenTracker,
    WorkingMemoryCompressor,
)
from inspector.memory.message_adapter import message_of
from inspector.memory.open_calls import describe_open_calls
from inspector.store import DamagedError, Store, StoreError
from tests.generated import conversations
from tests.memory.recorded_agent import SESSION, config, message
from tests.memory.scripted_llm import ScriptedLLM
from tests.memory.test_manager import talk
from tests.places import ROOT
from tests.store.made import persistent_entries
from tests.warm import Program, run


def sent(memory: MemoryManager) -> Any:
    """What would be sent, or why it cannot be."""
    try:
        return [message.to_dict() for message in memory.get_context_for_llm()]
    except ContextLimitError as error:
        return str(error)


def seen(memory: MemoryManager) -> Any:
    """Everything that an agent can see of a memory, and what decides what comes next."""
    engine, trigger = memory.engine, memory.engine.trigger
    newest = memory.compressed_memory
    return (
        [(one.id, one.raw, one.kind, one.role, one.dialect) for one in engine.log],
        [(plan.ids, plan.fates, plan.turn, plan.note, list(plan.rewrites)) for plan in engine.plans],
        sent(memory),
        memory.get_stats(),
        (trigger.level, trigger.length, trigger.attempts, trigger.gave_up, trigger.over_limit),
        engine.policy,
        newest and (newest.summary, newest.original_tokens, newest.original_message_count),
        newest and [one.to_dict() for one in newest.preserved_messages],
        (memory.was_compressed_last_iteration, memory.last_compression_savings),
        [message.to_dict() for message in memory.short_term.get_all()],
    )


@given(
    conversations(14),
    st.sampled_from(list(CompressionStrategy)),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from([150, "+100", "adaptive"]),
)
def test_whoever_resumes_goes_on_as_if_nothing_had_happened(
    session: Session, strategy: CompressionStrategy, begin: int, stop: int, threshold: Any
) -> None:
    async def run() -> None:
        settings = MemoryConfig(
            compression_threshold=threshold, short_term_size=3, compression_strategy=strategy, max_context_tokens=400
        )
        messages = [message_of(one.raw) for one in session.messages] or [LLMMessage("user", "Hello.")]
        actual = [
            {"input": 90, "output": 4, "cache_read": 10 * (place % 3)} if place % 4 == 1 else None
            for place in range(len(messages))
        ]
        whole = MemoryManager(settings, provider=session.dialect)
        with Store() as store:
            memory = MemoryManager(settings, provider=session.dialect, store=store, session_id="one")
            for place, one in enumerate(messages):
                if place == min(begin, len(messages) - 1):
                    memory.save()
                if place == stop and place > begin:
                    memory = MemoryManager.resume(store, "one", take_over=True)
                    assert memory.resume_notes == tuple(describe_open_calls(memory.open_calls))
                await whole.add_message(one, actual[place])
                await memory.add_message(one, actual[place])
                expected, found = seen(whole), seen(memory)
                assert found == expected
            resumed = MemoryManager.load(store, "one")
            assert seen(resumed) == seen(whole)

    asyncio.run(run())


async def test_messages_archived_before_the_first_save_belong_to_the_session_after_it() -> None:
    with Store() as store:
        settings = MemoryConfig(compression_strategy="vector_swap", strategy_settings={"keep_last": 2})
        memory = MemoryManager(settings, store=store, session_id="one")
        await memory.add_messages(talk(12))
        assert await memory.compress() is not None and memory.get_stats()["last_error"] == ""
        before = persistent_entries(store)
        memory.save()
        assert before and {entry.session_id for entry in before} == {None}
        assert [entry.text for entry in persistent_entries(store)] == [entry.text for entry in before]
        assert {entry.session_id for entry in persistent_entries(store)} == {"one"}


def agent(path: Path, *arguments: str) -> subprocess.Popen[str]:
    return Program(["-m", "tests.memory.recorded_agent", path, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("pause", ["0", "0.03"], ids=["at work", "while summaries are written"])
async def test_a_killed_agent_resumes_at_its_last_message(tmp_path: Path, pause: str) -> None:
    path, dice = tmp_path / "memory.db", random.Random(7)
    count = 0
    for _ in range(5):
        process = agent(path, pause)
        assert process.stdout
        begun = int(process.stdout.readline())
        assert begun >= count
        killer = threading.Timer(dice.random() * 0.4, process.kill)
        killer.start()
        count = begun
        for line in process.stdout:
            count = int(line) if line.endswith("\n") else count
        assert process.wait() == -signal.SIGKILL
        with Store(path) as store:
            memory = MemoryManager.load(store, SESSION)
            log = memory.engine.log
            assert count <= len(log) <= count + 1
            assert [one.raw for one in log] == [message(number).to_dict() for number in range(len(log))]
            stats = memory.get_stats()
            assert stats["total_messages"] == len(log)
            assert stats["current_tokens"] == memory.engine.total
            replies = (len(log)) // 2
            assert stats["total_output_tokens"] == 60 * replies
            summaries = [text for plan in memory.engine.plans for text in plan.summaries]
            assert stats["compression_count"] == len(memory.engine.plans) == len(summaries)
    assert count > 12
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_what_was_killed_and_resumed_is_what_one_agent_alone_would_have(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for _ in range(3):
        process = agent(path)
        assert process.stdout
        start = int(process.stdout.readline())
        while int(process.stdout.readline()) < start + 17:
            pass
        process.kill()
        process.wait()
    with Store(path) as store:
        found = MemoryManager.load(store, SESSION, ScriptedLLM())
        alone = MemoryManager(config(), ScriptedLLM())
        for number in range(len(found.engine.log)):
            usage = {"input": alone.current_tokens, "output": 60, "cache_read": 10} if number % 2 else None
            await alone.add_message(message(number), actual_tokens=usage)
        newest = found.engine.sizes.measure(found.engine.log[-1])
        assert found.engine.total <= 1_500 + newest  # the kill may come between a message and its compression
        same = [message.to_dict() for message in alone.get_context_for_llm()[-3:]]
        assert [message.to_dict() for message in found.get_context_for_llm()[-3:]] == same


async def test_the_store_shows_it_while_the_agent_runs(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    process = agent(path)
    assert process.stdout
    try:
        while int(process.stdout.readline()) < 40:
            pass
        with Store(path) as store:
            [row] = store.sessions()
            assert (row.id, row.format, row.model) == (SESSION, "agent memory", "gpt-4o-mini")
            assert row.messages >= 40
            plans = store.plans(SESSION, "main")
            assert plans
            [hit, *_] = store.search("38.csv")
            assert hit.session_id == SESSION
        shown = json.loads(run(["-m", "inspector", "show", SESSION, "--db", path, "--json"]).stdout)
        assert process.poll() is None
        assert any(one["kind"] == "summary" for one in shown["messages"])
        assert shown["plans"]
    finally:
        process.kill()
        process.wait()


async def test_a_session_that_is_being_written_is_refused_and_may_be_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    process = agent(path)
    assert process.stdout
    while int(process.stdout.readline()) < 10:
        pass
    with Store(path) as store:
        with pytest.raises(StoreError, match=f"written by process {process.pid}: close that memory first"):
            MemoryManager.resume(store, SESSION)
        memory = MemoryManager.resume(store, SESSION, take_over=True)
        assert process.wait() == 1  # its next message was refused
        count = len(memory.engine.log)
        await memory.add_message("Go on.")
        assert len(MemoryManager.load(store, SESSION).engine.log) == count + 1


async def test_the_older_of_two_is_told_and_keeps_nothing_that_is_not_written() -> None:
    with Store() as store:
        first = MemoryManager.resume(store, "one", config=config())
        await first.add_message("Count the orders.")
        with pytest.raises(StoreError, match="being written"):
            MemoryManager.resume(store, "one")
        second = MemoryManager.resume(store, "one", take_over=True)
        with pytest.raises(StoreError, match="taken over by another memory"):
            await first.add_message("Of May.")
        assert len(first.engine.log) == 1
        await second.add_message("Of June.")
        second.close()
        third = MemoryManager.resume(store, "one")
        assert [one.text for one in third.engine.log] == ["Count the orders.", "Of June."]
        with pytest.raises(StoreError, match=r"closed|taken over"):
            await first.add_message("Of May.")
        store.remove("one")
        with pytest.raises(StoreError, match="no longer in the store"):
            await third.add_message("Of July.")


async def test_another_program_that_writes_holds_up_no_event_loop(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Store(path) as store:
        memory = MemoryManager.resume(store, "one", config=MemoryConfig())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waiting = [asyncio.create_task(memory.add_message(f"number {number}")) for number in range(5)]
        await asyncio.sleep(0.05)
        assert len(memory.engine.log) == 0
        other.execute("COMMIT")
        other.close()
        await asyncio.gather(*waiting)
        await memory.add_message("number 5")
        assert [one.text for one in memory.engine.log] == [f"number {number}" for number in range(6)]
        assert seen(MemoryManager.load(store, "one")) == seen(memory)


async def test_what_cannot_be_written_has_not_come_in() -> None:
    with Store() as store:
        memory = MemoryManager.resume(store, "one", config=MemoryConfig())
        await memory.add_message("Count the orders.")
        with pytest.raises(StoreError, match="cannot be stored"):
            await memory.add_message(LLMMessage("user", [{"type": "text", "text": "x", "odd": object()}]))
        await memory.add_message("Of May.")
        assert len(memory.engine.log) == 2
        assert seen(MemoryManager.load(store, "one")) == seen(memory)


async def test_other_settings_are_told_and_prices_are_set_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRICING, "own-model", {"input": 1.0, "output": 4.0})
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
    with Store() as store:
        memory = MemoryManager(MemoryConfig(compression_threshold="60%"), model="own-model", tools=tools, store=store)
        name = memory.save(title="The books of May")
        await memory.add_message("Count the orders.")
        await memory.add_message(LLMMessage("assistant", "There are three."), {"input": 1_000, "output": 500})
        before = memory.get_stats()
        memory.close()
        monkeypatch.delitem(PRICING, "own-model")
        same = MemoryManager.load(store, name)
        assert (same.resume_notes, same.get_stats()) == ((), before)
        assert before["total_cost"] == pytest.approx(0.003)
        assert same.engine.sizes.tools == memory.engine.sizes.tools > 0
        [row] = store.sessions()
        assert row.title == "The books of May"
        changed = MemoryConfig(compression_threshold=30_000)
        other = MemoryManager.load(store, name, config=changed, model="gpt-4o")
        assert other.resume_notes == (
            "compression_threshold is 30,000, and was '60%' when the session was written.",
            "model is 'gpt-4o', and was 'own-model' when the session was written.",
        )
        assert other.engine.policy.threshold == 30_000
        monkeypatch.setitem(PRICING, "own-model", {"input": 2.0, "output": 4.0})
        [note] = MemoryManager.load(store, name).resume_notes
        assert note.startswith("The price of own-model is")


async def test_a_shared_tracker_is_given_back_what_was_of_this_session() -> None:
    usage = {"input": 100, "output": 10}
    with Store() as store:
        tracker = TokenTracker("gpt-4o-mini")
        first = MemoryManager(MemoryConfig(), model="gpt-4o-mini", tracker=tracker, store=store, session_id="one")
        second = MemoryManager(MemoryConfig(), model="gpt-4o-mini", tracker=tracker)
        first.save()
        for memory in (first, second):
            await memory.add_message("Hello.")
            await memory.add_message(LLMMessage("assistant", "Hello."), usage)
        assert tracker.total_input_tokens == 200
        first.close()
        again = MemoryManager.resume(store, "one", tracker=TokenTracker("gpt-4o-mini"))
        assert again.get_stats()["total_input_tokens"] == 100


async def test_a_session_is_saved_in_the_midst_and_loaded_without_being_written() -> None:
    with Store() as store:
        memory = MemoryManager(config(), ScriptedLLM())
        for one in talk(20):
            await memory.add_message(one)
        with pytest.raises(ValueError, match="no store"):
            memory.save()
        assert memory.save("one", store=store) == "one" == memory.save()
        copy = MemoryManager.load(store, "one", ScriptedLLM())
        assert seen(copy) == seen(memory)
        await copy.add_message("Only here.")
        assert seen(MemoryManager.load(store, "one", ScriptedLLM())) == seen(memory)
        with pytest.raises(StoreError, match="has a session 'one'"):
            copy.save("one", store=store)
        assert copy.save("two", store=store) == "two"
        assert len(store.sessions()) == 2


async def test_a_session_of_another_kind_is_refused() -> None:
    with Store() as store:
        store.add(Session("log", "log", "openai", ()))
        with pytest.raises(StoreError, match="no agent's memory"):
            MemoryManager.load(store, "log")
        with pytest.raises(StoreError, match="has a session 'log'"):
            MemoryManager.resume(store, "log")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET event = '{\"messages\": 3}'",
        "UPDATE journal SET event = 'x'",
        "UPDATE agent_session SET state = '[]'",
        "UPDATE agent_session SET state = '{\"at\": 0}'",
    ],
)
async def test_damage_is_told(tmp_path: Path, change: str) -> None:
    path = tmp_path / "memory.db"
    with Store(path) as store:
        memory = MemoryManager.resume(store, "one", config=MemoryConfig())
        assert store.sessions()[0].messages == 0
        await memory.add_message("Count the orders.")
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with Store(path) as store, pytest.raises(DamagedError):
        MemoryManager.load(store, "one")


async def test_a_store_that_nobody_may_write_shows_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Store(path) as store:
        memory = MemoryManager.resume(store, "one", config=MemoryConfig())
        await memory.add_message("Count the orders.")
        assert store.sessions()[0].messages == 1
        await memory.add_message("Of May.")
        with store.atomic():
            assert store.sessions()[0].messages == 1
        assert store.sessions()[0].messages == 2


async def test_what_stays_by_a_rule_is_restored_with_its_summary() -> None:
    class Careful(WorkingMemoryCompressor):
        def _should_preserve(self, message: LLMMessage) -> bool:
            return "3:" in message.text[:3] or super()._should_preserve(message)

    with Store() as store:
        memory = MemoryManager(config(), ScriptedLLM(), compressor=Careful, store=store, session_id="one")
        memory.save()
        for one in talk(24):
            await memory.add_message(one)
        assert memory.compressed_memory
        assert memory.compressed_memory.preserved_messages
        assert seen(MemoryManager.load(store, "one", ScriptedLLM(), compressor=Careful)) == seen(memory)


@pytest.mark.parametrize("name", [None, 5, "", " "])
def test_a_session_without_a_name_is_refused(tmp_path: Path, name: Any) -> None:
    with Store(tmp_path / "memory.db") as store, pytest.raises(ValueError, match="named by a text"):
        MemoryManager.resume(store, name)
