"""The small agents, and the tools that they are given."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.memory import (
    BaseAgent,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    PromptBuilder,
    ReActAgent,
    Tool,
    WorkingMemoryCompressor,
)
from inspector.memory.tools import as_tool
from tests.memory.scripted_llm import SUMMARY, Counts, Reply, ScriptedLLM, call


def look(at: int, closely: bool = False) -> str:
    """Looks at an order."""
    return f"Order {at}, {'closely' if closely else 'at a glance'}."


class Weigh:
    """A tool as an object."""

    name = "weigh"
    description = "Weighs an order."
    parameters = {"at": {"type": "integer"}}  # noqa: RUF012  as such tools are written

    async def execute(self, at: int) -> dict[str, int]:
        return {"order": at, "kilos": 3}


async def test_it_runs_tools_until_the_model_calls_none() -> None:
    llm = ScriptedLLM(
        [
            Reply("I'll look.", [call("c1", "look", '{"at": 7}'), call("c2", "weigh", '{"at": 7}')], Counts(90, 20)),
            Reply("Order 7 weighs three kilos.", usage=Counts(150, 10)),
        ]
    )
    agent = ReActAgent(llm, [look, Weigh()], system="Be brief.")
    assert await agent.run("How heavy is order 7?") == "Order 7 weighs three kilos."
    assert [(message.role, message.text) for message in llm.asked[1]][0:2] == [
        ("system", "Be brief."),
        ("user", "How heavy is order 7?"),
    ]
    results = [message for message in llm.asked[1] if message.role == "tool"]
    assert [(message.tool_call_id, message.content) for message in results] == [
        ("c1", "Order 7, at a glance."),
        ("c2", '{"order":7,"kilos":3}'),
    ]
    stats = agent.memory.get_stats()
    assert (stats["total_input_tokens"], stats["total_output_tokens"]) == (240, 30)


async def test_the_model_is_shown_the_tools() -> None:
    llm = ScriptedLLM()
    await ReActAgent(llm, [look, Weigh()]).run("Look.")
    looks, weighs = (tool["function"] for tool in llm.tools[0])
    assert (looks["name"], looks["description"]) == ("look", "Looks at an order.")
    assert looks["parameters"] == {
        "type": "object",
        "properties": {"at": {"type": "integer"}, "closely": {"type": "boolean"}},
        "required": ["at"],
    }
    assert weighs["parameters"] == {"type": "object", "properties": {"at": {"type": "integer"}}}


async def test_it_stops_after_its_iterations_with_the_last_words() -> None:
    llm = ScriptedLLM([Reply(f"Step {step}.", [call(f"c{step}", "look", '{"at": 1}')]) for step in range(9)])
    agent = ReActAgent(llm, [look], max_iterations=3)
    assert await agent.run("Look.") == "Step 2."
    assert len(llm.asked) == 3


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("look", '{"where": 1}', "Error: TypeError"),
        ("look", "{not json", "Error: JSONDecodeError"),
        ("look", "[1]", "Error: the arguments of look are a JSON object."),
        ("smell", "{}", "Error: there is no tool 'smell'; the tools are look."),
    ],
)
async def test_a_tool_that_fails_is_told_to_the_model(name: str, arguments: str, words: str) -> None:
    llm = ScriptedLLM([Reply(None, [call("c1", name, arguments)]), "I see."])
    assert await ReActAgent(llm, [look]).run("Look.") == "I see."
    assert llm.asked[1][-1].content.startswith(words)


async def test_a_second_task_goes_on_with_the_same_memory() -> None:
    llm = ScriptedLLM(["Three.", "Four."])
    agent = ReActAgent(llm, system="Be brief.")
    await agent.run("How many in May?")
    await agent.run("And in June?")
    assert [message.text for message in llm.asked[1]] == ["Be brief.", "How many in May?", "Three.", "And in June?"]


async def test_calls_in_anthropics_form_are_answered() -> None:
    uses = [{"type": "tool_use", "id": f"c{at}", "name": "look", "input": {"at": at}} for at in (2, 3)]
    blocks = [{"type": "text", "text": "I'll look."}, *uses]
    llm = ScriptedLLM([Reply(blocks), "Done."], provider_name="anthropic", model="claude-3-5-haiku-20241022")
    assert await ReActAgent(llm, [look]).run("Look.") == "Done."
    results = llm.asked[1][-1]
    assert results.role == "user"
    assert [block["tool_use_id"] for block in results.content] == ["c2", "c3"]
    assert results.content[0]["content"] == "Order 2, at a glance."


def test_an_agent_of_ones_own_says_how_it_runs() -> None:
    with pytest.raises(TypeError, match="abstract"):
        BaseAgent(ScriptedLLM())  # type: ignore[abstract]


async def test_the_memory_has_the_settings_that_were_given() -> None:
    agent = ReActAgent(ScriptedLLM(), memory_config=MemoryConfig(short_term_size=3))
    assert agent.memory.short_term.max_size == 3
    assert agent.memory.llm is agent.llm


def test_what_cannot_be_called_is_no_tool() -> None:
    wrong: Any
    for wrong in (7, object(), "look"):
        with pytest.raises(ValueError, match=re.escape("A tool is a function, or an object with a name")):
            as_tool(wrong)


def test_a_tool_stays_the_tool_that_it_is() -> None:
    tool = Tool("look", look)
    assert as_tool(tool) is tool
    assert tool.definition["function"]["parameters"] == {"type": "object", "properties": {}}
    assert LLMMessage("tool", "x").role == "tool"


async def test_a_run_ends_with_the_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    agent = ReActAgent(ScriptedLLM([Reply("Three.", usage=Counts(1_234, 56))]))
    await agent.run("How many?")
    assert capsys.readouterr().out.splitlines() == [
        "--- Memory Statistics ---",
        "Total tokens: 1,290",
        "Compressions: 0",
        "Net savings: 0 tokens (0.0%)",
        f"Total cost: ${(1_234 * 0.15 + 56 * 0.60) / 1_000_000:.4f}",
    ]


async def test_the_statistics_can_be_turned_off(capsys: pytest.CaptureFixture[str]) -> None:
    await ReActAgent(ScriptedLLM(), show_statistics=False).run("How many?")
    assert capsys.readouterr().out == ""


@dataclass
class CheapLLM(ScriptedLLM):
    """Another provider's model, which reports what a summary took."""

    summary: Any = field(default_factory=lambda: Reply(SUMMARY, usage=Counts(1_000_000, 0)))
    model: str = "claude-3-5-haiku-20241022"
    provider_name: str = "anthropic"


async def test_a_cheaper_model_writes_the_summaries_and_changes_no_other_number() -> None:
    config = MemoryConfig(compression_threshold=700, short_term_size=2)
    work = [Reply(f"Step {step}: {'order ' * 90}", [call(f"c{step}", "look", '{"at": 1}')]) for step in range(9)]

    async def run(cheap: CheapLLM | None) -> tuple[ScriptedLLM, ReActAgent]:
        llm = ScriptedLLM([*work, "Done."], model="gpt-4o")
        compressor = WorkingMemoryCompressor(cheap, config) if cheap else None
        agent = ReActAgent(llm, [look], memory_config=config, compressor=compressor, show_statistics=False)
        await agent.run("Look.")
        return llm, agent

    cheap = CheapLLM()
    own_llm, own = await run(None)
    llm, agent = await run(cheap)
    assert (agent.memory.llm, agent.memory.model, agent.memory.provider) == (llm, "gpt-4o", "openai")
    assert (len(cheap.briefed), len(cheap.asked), len(llm.briefed)) == (len(own_llm.briefed), 0, 0)
    assert cheap.briefed
    assert llm.asked == own_llm.asked
    stats, own_stats = agent.memory.get_stats(), own.memory.get_stats()
    same = ("used_tokens", "total_input_tokens", "current_tokens", "counting", "avoided_tokens", "avoided_cost")
    assert {name: stats[name] for name in same} == {name: own_stats[name] for name in same}
    assert stats["compression_cost"] == pytest.approx(0.80 * len(cheap.briefed))
    calls = (stats["total_input_tokens"] * 2.50 + stats["total_output_tokens"] * 10.00) / 1_000_000
    assert stats["total_cost"] == pytest.approx(calls + stats["compression_cost"])


async def test_the_model_that_is_named_is_the_agents_and_not_that_of_the_summaries() -> None:
    compressor = WorkingMemoryCompressor(CheapLLM())
    memory = MemoryManager(model="gpt-4o", compressor=compressor)
    assert (memory.model, memory.provider, memory.counter.name) == ("gpt-4o", "", "o200k_base")
    nameless = MemoryManager(llm=SimpleNamespace(call_async=None), compressor=compressor)
    assert (nameless.model, nameless.provider) == ("", "")
    alone = MemoryManager(compressor=compressor)
    assert (alone.model, alone.provider) == ("claude-3-5-haiku-20241022", "anthropic")


class AnthropicLLM:
    """Calls a tool, then answers; notes what it was shown."""

    model = "claude-sonnet-4-5"

    def __init__(self) -> None:
        self.tools: Any = None
        self.count = 0

    async def call_async(self, messages: Any, tools: Any = None) -> Any:
        self.tools, self.count = tools, self.count + 1
        call = {"type": "tool_use", "id": "t1", "name": "orders", "input": {"months": ["May"]}}
        blocks = [call] if self.count == 1 else [{"type": "text", "text": "done"}]
        return {"role": "assistant", "content": blocks, "usage": {"input_tokens": 5, "output_tokens": 3}}


def orders(months: list[str], options: dict[str, int] | None = None, limit: int = 3, other: Any = None) -> int:
    """Counts orders."""
    return len([months, options, limit, other])


async def test_tools_are_shown_in_the_form_of_the_models_provider() -> None:
    llm = AnthropicLLM()
    assert await ReActAgent(llm, [orders], show_statistics=False).run("go") == "done"
    properties = {
        "months": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object"},
        "limit": {"type": "integer"},
        "other": {},
    }
    schema = {"type": "object", "properties": properties, "required": ["months"]}
    assert llm.tools == [{"name": "orders", "description": "Counts orders.", "input_schema": schema}]


def test_a_tool_without_a_name_that_providers_take_is_refused() -> None:
    with pytest.raises(ValueError, match="'<lambda>' is none: give it a name"):
        ReActAgent(AnthropicLLM(), [lambda months: months])


async def test_a_run_that_fails_prints_what_it_has_cost(capsys: pytest.CaptureFixture[str]) -> None:
    class Failing(AnthropicLLM):
        async def call_async(self, messages: Any, tools: Any = None) -> Any:
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        await ReActAgent(Failing(), [orders]).run("go")
    assert "--- Memory Statistics ---" in capsys.readouterr().out


def test_the_tools_of_an_agent_go_into_a_prompt() -> None:
    agent = ReActAgent(AnthropicLLM(), [orders])
    for tools in (agent.tools, agent.tools.values(), agent.definitions):
        [definition] = PromptBuilder().add_tools(tools).add_user("go").build().request("anthropic")["tools"]
        assert definition["name"] == "orders"
    with pytest.raises(ValueError, match="A tool must be a definition"):
        PromptBuilder().add_tools([orders])
