"""The examples of requirement 1 run, with nothing imported but `inspector.memory`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from inspector.memory import (
    PROMPT_TEMPLATE,
    LLMMessage,
    MemoryConfig,
    MemoryManager,
    PromptBuilder,
    TokenBudget,
    TokenTracker,
    WorkingMemoryCompressor,
    format_history,
    format_tools,
)
from tests.memory.scripted_llm import ScriptedLLM

TOOLS = [{"name": "query", "description": "Asks the orders.", "input_schema": {"type": "object", "properties": {}}}]
WORDS = "The order came to 4,711 dollars, as was agreed. " * 4
count_tokens = TokenTracker().count_message_tokens


def talk(messages: int = 24) -> list[LLMMessage]:
    return [LLMMessage("user" if at % 2 == 0 else "assistant", f"{at}: {WORDS}") for at in range(messages)]


@dataclass
class Agent:
    """What the examples take for granted."""

    system_prompt: str = "Be brief."
    tools: list[Any] = field(default_factory=lambda: TOOLS)
    history: list[LLMMessage] = field(default_factory=talk)
    memory: MemoryManager = field(default_factory=MemoryManager)

    def build_prompt(self, input: str) -> Any:
        builder = PromptBuilder()
        builder.add_system(self.system_prompt)
        builder.add_context(self.memory.retrieve(input))
        builder.add_tools(self.tools)
        builder.add_history(self.history, max_tokens=2000)
        builder.add_user(input)
        return builder.build()

    async def evict(self, strategy: str, **settings: Any) -> list[LLMMessage]:
        """The history without what a strategy takes out of it."""
        config = MemoryConfig(compression_strategy=strategy, strategy_settings=settings)
        compressed = await WorkingMemoryCompressor(None, config).compress(self.history)
        return list(compressed.preserved_messages)


def test_a_prompt_by_the_template() -> None:
    agent = Agent()
    prompt = PROMPT_TEMPLATE.format(
        system_prompt=agent.system_prompt,
        tool_descriptions=format_tools(agent.tools),
        history=format_history(PromptBuilder().add_history(agent.history[:2]).build().of("history")),
        user_input="How many in May?",
    )
    order = [
        agent.system_prompt,
        "## Available Tools",
        "query",
        "## Conversation",
        "0: The",
        "## Current Request",
        "How",
    ]
    places = [prompt.index(words) for words in order]
    assert places == sorted(places)


def test_a_prompt_by_the_builder_stands_in_the_standard_order() -> None:
    agent = Agent()
    agent.memory.on_turn_end(LLMMessage("user", "Remember: orders above 500 dollars need two signatures."))
    prompt = agent.build_prompt("Who signs orders of 700 dollars?")
    contents = [message["content"] for message in prompt.messages]
    assert contents[:2] == ["Be brief.", "Remember: orders above 500 dollars need two signatures."]
    assert contents[-1] == "Who signs orders of 700 dollars?"
    assert contents[2:-1] == [message.content for message in agent.history[-len(contents[2:-1]) :]]
    assert 0 < prompt.tokens["history"] <= 2_000
    assert prompt.tools == tuple(TOOLS)


async def test_fifo_leaves_the_newest_messages_and_the_task() -> None:
    agent = Agent()
    assert await agent.evict("fifo", max_messages=6) == [agent.history[0], *agent.history[-5:]]


async def test_a_window_of_tokens_leaves_the_newest_that_fit_and_the_task() -> None:
    agent = Agent()
    kept = await agent.evict("token_window", max_tokens=600)
    assert kept == [agent.history[0], *agent.history[1 - len(kept) :]]
    assert 450 < sum(map(count_tokens, kept)) <= 600


async def test_half_of_the_history_becomes_a_summary() -> None:
    agent = Agent()
    assert await agent.evict("summarize_half", max_tokens=1_200) == [agent.history[0], *agent.history[12:]]


async def test_the_last_ten_stay_and_the_relevant_come_back() -> None:
    agent = Agent()
    agent.history[3] = LLMMessage("assistant", "The warehouse in Lisbon is closed on Mondays.")
    agent.history[-1] = LLMMessage("user", "When is the warehouse in Lisbon closed?")
    kept = await agent.evict("vector_swap", keep_last=10, k=1)
    assert [message for message in kept if message in agent.history[-10:]] == agent.history[-10:]
    (memory,) = [message for message in kept if "Lisbon is closed on Mondays" in message.content]
    assert kept.index(memory) == len(kept) - 2, "it stands right before the request"


async def test_what_scores_highest_stays_in_the_order_of_time() -> None:
    agent = Agent()
    agent.history[4] = LLMMessage("user", f"Important: never ship before the invoice is paid. {WORDS}")
    kept = await agent.evict("importance", max_tokens=700)
    assert agent.history[4] in kept
    assert kept == [message for message in agent.history if message in kept]


def test_turns_and_sessions_move_up_the_tiers() -> None:
    class Manager(MemoryManager):
        def on_turn_end(self, turn: Any) -> None:
            self.session_memory.add(turn)
            if self.should_persist(turn):
                self.persistent_memory.add(turn)

        def on_session_end(self) -> Any:
            summary = self.summarize_session()
            self.persistent_memory.add(summary)
            return summary

    memory = Manager(MemoryConfig(), ScriptedLLM())
    for words in ("Good morning.", "Remember: orders above 500 dollars need two signatures."):
        memory.on_turn_end(LLMMessage("user", words))
    memory.on_session_end()
    assert next(entry.text for entry in memory.session_memory) == "Good morning."
    kinds = [entry.kind for entry in memory.persistent_memory]
    assert kinds == ["archived", "summary"]


@pytest.mark.parametrize("total", [4_000, 8_000, 128_000])
def test_a_budget_leaves_for_history_what_the_document_says(total: int) -> None:
    budget = TokenBudget(total=total)
    assert budget.remaining_for_history({"system": 900, "tools": 1200, "history": 77}) == total - 2_100 - 500
    assert budget.allocations["output_reserve"] == 500
    assert TokenBudget().allocations == {
        "system": 1000,
        "tools": 1500,
        "history": 4000,
        "input": 1000,
        "output_reserve": 500,
    }


def test_a_budget_can_be_changed_and_extended() -> None:
    class Budget(TokenBudget):
        def __init__(self, total: int = 8000) -> None:
            super().__init__(total)
            self.allocations["scratchpad"] = 100

    budget = Budget(9_000)
    budget.total = 10_000
    assert budget.section("scratchpad") == 100
    assert budget.remaining_for_history({}) == 9_500
