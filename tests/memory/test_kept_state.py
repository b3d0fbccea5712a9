"""The block of state before the summaries of a memory, for messages of every API and every strategy with summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from inspector.engine.strategies import STRATEGIES
from inspector.engine.window import problems
from inspector.engine.work_state import without_block
from inspector.llm.providers import PROVIDERS
from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from inspector.store import Store
from tests.engine.strategies.passes import CHECKS
from tests.memory.message_forms import FORMS, Asked, Called, Replied, Step

HEADING = "State of the work:"
BOXES = {"completed": "[x]", "in_progress": "[~]", "pending": "[ ]"}
SETTINGS: dict[str, dict[str, Any]] = {
    "amortized": {"forgotten": "summarised", "limit": 8},
    "head_tail": {"middle": "summarised", "tail": 2},
    "pipeline": {"stages": "mask_observations keep=2; sliding_window keep_recent=2"},
}
SUMMARISING = [
    "pipeline",
    *(name for name, each in STRATEGIES.items() if "state_tokens" in {k.name for k in each.knobs}),
]
MOVES = ("task", "test fails", "test passes", "serve", "stop", "edit", "read", "rule", "allow", "ask", "talk")
FILLING = " ".join(f"The rate of country {number} is {number * 7} percent." for number in range(14))


@dataclass
class Truth:
    """The state of the work, as the steps make it."""

    steps: list[Step] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)
    tasks: dict[str, str] = field(default_factory=dict)
    servers: dict[str, str] = field(default_factory=dict)
    is_failing: bool = False
    request: str = ""

    def take(self, move: str) -> None:
        """Add a step to the conversation."""
        number = len(self.steps)
        match move:
            case "task":
                self.tasks[f"Add the table number {number % 5}"] = list(BOXES)[number % 3]
                todos = [{"content": text, "status": state, "activeForm": text} for text, state in self.tasks.items()]
                self.steps.append(Called("TodoWrite", {"todos": todos}, "Todos have been modified."))
            case "test fails" | "test passes":
                self.is_failing = move == "test fails"
                result = "Exit code: 1\nFAILED tests/tax.test.js" if self.is_failing else "Exit code: 0\n12 passed"
                self.steps.append(Called("Bash", {"command": "npm test"}, result))
            case "serve":
                self.servers[f"srv{number}"] = f"npm run dev-{number}"
                arguments = {"command": f"npm run dev-{number}", "run_in_background": True}
                result = f"Command running in background with ID: srv{number}"
                self.steps.append(Called("Bash", arguments, result))
            case "stop" if self.servers:
                name, _ = self.servers.popitem()
                self.steps.append(Called("KillShell", {"shell_id": name}, f"Successfully killed shell: {name}"))
            case "edit":
                arguments = {"file_path": f"/srv/shop/tax{number}.py", "old_string": "a", "new_string": FILLING}
                self.steps.append(Called("Edit", arguments, "The file has been updated."))
            case "read":
                self.steps.append(Called("Read", {"file_path": f"/srv/shop/rates{number}.py"}, FILLING))
            case "rule":
                self.rules.add("Never push to main.")
                self.ask("Never push to main.")
            case "allow" if self.rules:
                self.rules.clear()
                self.ask("You may push to main now.")
            case "ask":
                self.ask(f"Which rates are left after number {number}?")
            case _:
                self.steps.append(Replied(f"{number}: {FILLING}"))

    def ask(self, text: str) -> None:
        self.request = text
        self.steps.append(Asked(text))

    def faults(self, block: str) -> Iterator[str]:
        """Yield the statements of a block that are not so."""
        lines = block.splitlines()[1:]
        expected = {f"- Rule: “{rule}”" for rule in self.rules}
        expected |= {f"- Task {BOXES[state]} {text}" for text, state in self.tasks.items()}
        expected |= {f"- Running: {name} {command}" for name, command in self.servers.items()}
        expected |= {f"- Latest request: “{self.request}”"}
        checked = [line for line in lines if re.match(r"- (?:Rule|Task|Running|Latest request)\b", line)]
        yield from (f"invented or ended: {line}" for line in checked if line not in expected)
        if not self.is_failing and "- Failing:" in block:
            yield "failing"


def blocks_of(memory: MemoryManager) -> list[str]:
    """Return the blocks of state in the context as it would be sent."""
    texts = (message.text for message in memory._context().messages if message.kind == "summary")
    return [text.removesuffix(without_block(text)) for text in texts if text.startswith(HEADING)]


def assert_sound(memory: MemoryManager) -> None:
    """Hold a context against what the provider accepts, and its block against the bounds."""
    window = memory._context()
    assert not problems(window)
    request = PROVIDERS[window.context.dialect].request(window.context, window.messages)
    assert CHECKS[window.context.dialect](request) == []
    assert sum(message.text.count(HEADING) for message in window.messages) <= 1
    assert all(memory.counter.count(block) <= 400 for block in blocks_of(memory))


def manager(form: str, strategy: str) -> MemoryManager:
    _, model, provider = FORMS[form]
    config = MemoryConfig(
        compression_strategy=strategy,
        compression_threshold=3_000,
        short_term_size=2,
        strategy_settings=SETTINGS.get(strategy, {}),
    )
    return MemoryManager(config, model=model, provider=provider, keep_state=True)


MOVE_LISTS = st.lists(st.sampled_from(MOVES), min_size=24, max_size=40)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=8)
@given(moves=MOVE_LISTS, strategy=st.sampled_from(SUMMARISING))
async def test_the_block_states_the_work_as_it_is(form: str, moves: list[str], strategy: str) -> None:
    memory, truth, write = manager(form, strategy), Truth(), FORMS[form][0]
    truth.ask("Add taxes to the shop.")
    count = 0
    for place, move in enumerate(["", *moves]):
        if move:
            truth.take(move)
        for step in truth.steps[count:]:
            count += 1
            for message in write(step, f"call_{count}"):
                await memory.add_message(message)
                if memory.was_compressed_last_iteration:
                    assert_sound(memory)
        if place % 8 == 7 and await memory.compress():
            assert_sound(memory)
            before = blocks_of(memory)
            assert [fault for block in before for fault in truth.faults(block)] == [], before
            await memory.compress()
            assert_sound(memory)
            assert blocks_of(memory) == before


async def fed(form: str, moves: str) -> tuple[MemoryManager, Truth]:
    """Return a memory with the steps of some moves, separated by commas, and long talk."""
    memory, truth = manager(form, "sliding_window"), Truth()
    truth.ask("Add taxes to the shop. Never push to main.")
    truth.rules.add("Never push to main.")
    for move in [*moves.split(","), *["talk"] * 4, "ask"]:
        truth.take(move)
    for number, step in enumerate(truth.steps):
        await memory.add_messages(FORMS[form][0](step, f"call_{number}"))
    return memory, truth


@pytest.mark.parametrize("form", FORMS)
async def test_the_block_is_the_same_for_messages_of_every_api(form: str) -> None:
    memory, truth = await fed(form, "serve,task,edit,task,test fails,serve,stop,read,task,serve")
    assert await memory.compress()
    (block,) = blocks_of(memory)
    assert memory._context().messages[-1].text == truth.request, "it is not repeated"
    assert block.splitlines() == [
        HEADING,
        "- Rule: “Never push to main.”",
        *[f"- Task {BOXES[state]} {text}" for text, state in truth.tasks.items() if state != "completed"],
        *[f"- Running: {name} {command}" for name, command in truth.servers.items()],
        "- Failing: `npm test`: FAILED tests/tax.test.js",
        *[f"- Task {BOXES[state]} {text}" for text, state in truth.tasks.items() if state == "completed"],
        "",
    ]


async def test_another_strategy_keeps_the_state_as_well() -> None:
    memory, _ = await fed("chat", "serve")
    assert await memory.compress("selective")
    (block,) = blocks_of(memory)
    assert "Never push to main." in block and "npm run dev-1" in block
    assert not memory.config.with_strategy("deletion").strategy_settings
    pipeline = memory.config.with_strategy("pipeline")
    assert "sliding_window state_tokens=400" in pipeline.strategy_settings["stages"]
    assert pipeline.with_strategy("selective").strategy_settings == {"state_tokens": 400}


async def test_a_resumed_memory_keeps_the_state(tmp_path: Path) -> None:
    config = MemoryConfig(compression_threshold=1_500, short_term_size=2)
    with Store(tmp_path / "store.db") as store:
        memory = MemoryManager.resume(store, "shop", config=config, model="gpt-5", keep_state=True)
        await memory.add_message("Add taxes to the shop. Never push to main.")
        for _ in range(3):
            await memory.add_messages([LLMMessage("assistant", FILLING), LLMMessage("user", FILLING)])
        memory.close()
        again = MemoryManager.resume(store, "shop", model="gpt-5")
        for _ in range(6):
            await again.add_messages([LLMMessage("assistant", FILLING), LLMMessage("user", FILLING)])
        (block,) = blocks_of(again)
        assert "Never push to main." in block
        again.close()
