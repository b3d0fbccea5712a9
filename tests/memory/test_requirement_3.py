"""Every example of requirement 3 runs as it is written there, with only the import path changed."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.memory import (
    PRICING,
    BaseAgent,
    CompressedMemory,
    CompressionStrategy,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    ReActAgent,
    ShortTermMemory,
    TokenTracker,
    WorkingMemoryCompressor,
    statistics,
)
from tests.memory.requirement_examples import PYTHON, SETTINGS, STATISTICS_BLOCK
from tests.memory.scripted_llm import Counts, Reply, ScriptedLLM, call
from tests.places import ROOT

DOCUMENT = ROOT.parent / "shared" / "requirements" / "3-memory-management.md"
IMPORTS = re.compile(r"^from (?:memory|agent\.agent|agent\.base) import", re.M)
TALK = [
    LLMMessage("user" if number % 2 == 0 else "assistant", f"Order {number} of May came to {number * 17} dollars. " * 6)
    for number in range(10)
]


async def run(name: str, **given: Any) -> dict[str, Any]:
    """Run an example with these names around it; gives all names that it leaves behind."""
    code = IMPORTS.sub("from inspector.memory import", PYTHON[name])
    compiled = compile(code, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names: dict[str, Any] = dict(given)
    done = eval(compiled, names)
    if inspect.isawaitable(done):
        await done
    return names


async def remembering(llm: Any = None, **settings: Any) -> MemoryManager:
    """A manager that has compressed a talk."""
    memory = MemoryManager(MemoryConfig(compression_threshold=400, short_term_size=4, **settings), llm)
    for message in TALK:
        await memory.add_message(message)
    assert memory.account.compressions
    return memory


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the requirement is not on this machine")
def test_the_examples_here_are_those_of_the_requirement() -> None:
    blocks = re.findall(r"```(\w*)\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert [text for language, text in blocks if language == "python"] == list(PYTHON.values())
    settings = [text for language, text in blocks if language == "bash" and "MEMORY_" in text]
    assert settings == list(SETTINGS.values())
    assert STATISTICS_BLOCK in [text for _, text in blocks]


async def test_a_manager_is_made_of_settings_and_a_model() -> None:
    names = await run("manager", llm=ScriptedLLM())
    assert isinstance(names["memory"], MemoryManager)
    assert names["memory"].config.compression_threshold == 40_000
    assert names["memory"].config.max_context_tokens == 100_000


async def test_short_term_memory_keeps_the_last_messages_and_drops_the_oldest() -> None:
    short_term: ShortTermMemory = (await run("short term"))["short_term"]
    messages = [LLMMessage("user", str(number)) for number in range(25)]
    for message in messages:
        short_term.add_message(message)
    assert short_term.get_all() == messages[5:]


async def test_a_compressor_summarises_old_messages() -> None:
    names = await run("compressor", llm=ScriptedLLM(), config=MemoryConfig(), old_messages=TALK)
    compressed: CompressedMemory = names["compressed"]
    assert "Count the orders of May." in compressed.summary
    assert compressed.original_message_count == 10


async def test_a_tracker_counts_and_knows_prices() -> None:
    names = await run("tracker", message=LLMMessage("user", "a" * 35))
    assert names["tokens"] == 10
    assert names["cost"] == 0


async def test_the_prices_are_those_of_the_requirement() -> None:
    pricing = (await run("prices"))["PRICING"]
    assert pricing == TokenTracker.PRICING


async def test_statistics_are_read_as_written(capsys: pytest.CaptureFixture[str]) -> None:
    memory = await remembering()
    await run("statistics", memory=memory)
    stats = memory.get_stats()
    assert capsys.readouterr().out.splitlines() == [
        f"Current tokens: {stats['current_tokens']}",
        f"Total cost: ${stats['total_cost']:.4f}",
        f"Compressions: {stats['compression_count']}",
        f"Net savings: {stats['net_savings']} tokens",
        f"Savings %: {stats['savings_percentage']:.1f}%",
    ]


async def test_reported_tokens_take_the_place_of_estimates() -> None:
    memory = MemoryManager()
    llm = ScriptedLLM([Reply("Three.", usage=Counts(1_234, 56))])
    await run("actual tokens", llm=llm, memory=memory, LLMMessage=LLMMessage, messages=[], tools=None)
    stats = memory.get_stats()
    assert (stats["total_input_tokens"], stats["total_output_tokens"]) == (1_234, 56)
    assert memory.get_context_for_llm() == [LLMMessage("assistant", "Three.")]


async def test_a_long_task_compresses_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    work = [Reply(f"Step {step}.", [call(f"c{step}", "look", f'{{"at": {step}}}')]) for step in range(19)]
    llm = ScriptedLLM([*work, "The end."])
    names = await run("long tasks", llm=llm, tools=[look])
    assert names["result"] == "The end."
    memory = names["agent"].memory
    assert memory.account.compressions > 0
    *block, last = capsys.readouterr().out.splitlines()
    assert "\n".join(block) == statistics(memory.get_stats())
    assert block[0] == "--- Memory Statistics ---"
    assert last.startswith("Saved ")
    count = memory.token_tracker.count_messages_tokens
    assert max(count(request, "openai", llm.model) for request in llm.asked) <= 100_000


def look(at: int) -> str:
    """Looks at an order."""
    return f"Order {at} is of May and lies in /srv/orders/{at}.csv. " * 500


async def test_a_short_task_runs_without_compression() -> None:
    llm = ScriptedLLM(["4"])
    names = await run("short tasks", llm=llm, tools=[], MemoryConfig=MemoryConfig, ReActAgent=ReActAgent)
    assert names["result"] == "4"
    assert names["agent"].memory.get_stats()["compression_count"] == 0


async def test_a_strategy_is_chosen_in_the_settings() -> None:
    names = await run("custom strategy", llm=ScriptedLLM(), tools=[], ReActAgent=ReActAgent)
    policy = names["agent"].memory.engine.policy
    assert (policy.strategy, policy.threshold, policy.own_settings["ratio"]) == ("selective", 30_000, 0.2)


async def test_the_quality_of_a_compression_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    names = await run("quality", compressor=WorkingMemoryCompressor(ScriptedLLM(), MemoryConfig()), messages=TALK)
    compressed = names["compressed"]
    ratio = compressed.compressed_tokens / compressed.original_tokens
    assert capsys.readouterr().out.splitlines() == [
        f"Original: {compressed.original_tokens} tokens",
        f"Compressed: {compressed.compressed_tokens} tokens",
        f"Ratio: {ratio:.1%}",
        "Message count: 10 → 1 summary",
    ]
    assert 0 < ratio < 0.5


async def test_a_price_can_be_added_to_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    names = await run("own price", X=SimpleNamespace(XX=1.25), Y=SimpleNamespace(YY=5.0))
    for model, rates in names["PRICING"].items():
        monkeypatch.setitem(PRICING, model, rates)
    assert TokenTracker().calculate_cost("your-model-name", 1_000_000, 1_000_000) == pytest.approx(6.25)


async def test_an_overridden_rule_decides_what_a_manager_keeps() -> None:
    compressor = (await run("custom compressor"))["CustomCompressor"]
    keep = LLMMessage("user", "CRITICAL: never touch /srv/data. " * 8)
    memory = MemoryManager(MemoryConfig(compression_threshold=600, short_term_size=2), compressor=compressor)
    for message in [TALK[0], TALK[1], keep, *TALK[3:], *TALK]:
        await memory.add_message(message)
    assert memory.account.compressions > 0
    assert any(message is keep for message in memory.get_context_for_llm())
    assert not any(message is TALK[1] for message in memory.get_context_for_llm()[:-4])


async def test_a_memory_can_be_looked_into(capsys: pytest.CaptureFixture[str]) -> None:
    memory = await remembering(ScriptedLLM())
    await run("inspection", memory=memory)
    total, recent, summary, *_ = capsys.readouterr().out.splitlines()
    assert total == f"Total messages: {len(memory.get_context_for_llm())}"
    assert recent == f"Recent messages: {len(memory.short_term.get_all())}"
    assert summary.startswith("Compressed summary: [Summary of earlier conversation]")


async def test_an_agent_of_ones_own_uses_the_memory(capsys: pytest.CaptureFixture[str]) -> None:
    names = await run("custom agent", LLMMessage=LLMMessage, final_result="finished")
    assert issubclass(names["MyCustomAgent"], BaseAgent)
    llm = ScriptedLLM([f"Thought {number}: {'order ' * 120}" for number in range(12)])
    config = MemoryConfig(compression_threshold=800, short_term_size=3)
    agent = names["MyCustomAgent"](llm, max_iterations=12, memory_config=config)
    assert await agent.run("Count the orders.") == "finished"
    lines = capsys.readouterr().out.splitlines()
    compressed = [line for line in lines if re.fullmatch(r"\[Compressed: saved \d+ tokens\]", line)]
    assert len(compressed) == agent.memory.get_stats()["compression_count"] > 0
    assert re.fullmatch(r"Total cost: \$\d+\.\d{4}", lines[-1])


@pytest.mark.parametrize("name", SETTINGS)
def test_every_block_of_settings_is_read_from_a_config_file(name: str, tmp_path: Path) -> None:
    (tmp_path / ".aloop").mkdir()
    (tmp_path / ".aloop" / "config").write_text(SETTINGS[name], encoding="utf-8")
    config = MemoryConfig.from_env({}, tmp_path)
    written = dict(re.findall(r"^(MEMORY_\w+)=(\S+)$", SETTINGS[name], re.M))
    for variable, text in written.items():
        field, read = FIELDS[variable]
        assert getattr(config, field) == read(text)
    unset = [field for variable, (field, _) in FIELDS.items() if variable not in written]
    assert all(getattr(config, field) == getattr(MemoryConfig(), field) for field in unset)


FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "MEMORY_ENABLED": ("enable_compression", lambda text: text == "true"),
    "MEMORY_COMPRESSION_THRESHOLD": ("compression_threshold", int),
    "MEMORY_COMPRESSION_RATIO": ("compression_ratio", float),
    "MEMORY_SHORT_TERM_SIZE": ("short_term_size", int),
    "MEMORY_COMPRESSION_STRATEGY": ("compression_strategy", CompressionStrategy),
    "MEMORY_PRESERVE_SYSTEM_PROMPTS": ("preserve_system_prompts", lambda text: text == "true"),
}


def test_the_statistics_at_the_end_look_as_shown() -> None:
    """Without compression 45,234 tokens would have been used; 27,000 were, and 2,556 more to make three summaries."""
    memory = MemoryManager(model="gpt-4o-mini")
    tracker = memory.token_tracker
    tracker.add_input_tokens(25_000)
    tracker.add_output_tokens(2_000)
    for saved in (6_000, 6_000, 6_234):
        tracker.add_compression_savings(saved)
    tracker.add_compression_cost(2_556)
    stats = memory.get_stats()
    assert stats["net_savings"] == 45_234 - 27_000 - 2_556
    assert statistics(stats | {"total_cost": 0.02341}) + "\n" == STATISTICS_BLOCK


async def test_the_example_of_a_compression_comes_out_as_shown() -> None:
    system = LLMMessage("system", "You are a helpful assistant...")
    task = LLMMessage("user", "Search for Python tutorials")
    old = [
        LLMMessage("assistant", "I'll search for Python tutorials...", [call("c1")]),
        LLMMessage("tool", "Found 10 results: 1. Official Python Tutorial... " * 40, tool_call_id="c1"),
        LLMMessage("assistant", "I found 10 results. The top ones are..."),
        LLMMessage("user", "Summarize the official tutorial"),
        LLMMessage("assistant", "I'll read and summarize it...", [call("c2")]),
        LLMMessage("tool", 'Content: "Python is an interpreted..." ' * 40, tool_call_id="c2"),
    ]
    recent = [
        LLMMessage("user", "Now create a beginner guide"),
        LLMMessage("assistant", "I'll create a guide... " * 20),
    ]
    llm = ScriptedLLM(summary="Previous conversation: User requested Python tutorial search.")
    memory = MemoryManager(MemoryConfig(compression_threshold=900, short_term_size=2), llm)
    for message in [system, task, *old, *recent]:
        await memory.add_message(message)
    context = memory.get_context_for_llm()
    assert [context[0], context[1], *context[3:]] == [system, task, *recent]
    assert "User requested Python tutorial search." in context[2].content
    assert context[2].role == "user"
