"""An agent whose calls fail, that is killed and started again, prints megabytes, and changes its model.

It acknowledges each message that its memory has taken, and keeps what is wrong with the requests that it sends. As a
program (`python -m … STORE STRATEGY SEED`) it prints each acknowledged text, to be killed from outside.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal

from inspector.memory import LLMMessage, MemoryConfig, MemoryManager
from inspector.store import Store
from tests.memory.scripted_llm import call
from tests.provider_rules import check_anthropic, check_openai

SESSION = "the mill"
LIMIT = 6_000
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MODELS = ("gpt-4o-mini", "gpt-4.1", "o3-mini", "a-model-that-nobody-knows")
CLAUDES = ("claude-sonnet-4-5", "claude-3-5-haiku-latest")
_MERGED = re.compile("could be one|roles must alternate")
"""Messages of one role in a row, which the providers take and join."""


@dataclass(frozen=True)
class Turn:
    """A call of the model, and the fate of it and of the tools that it calls."""

    fate: Literal["reply", "blank", "fails", "calls"] = "reply"
    results: tuple[int, ...] = ()
    """Lines of the result of each parallel call."""
    errs: bool = False
    """True if the first tool raises."""
    turned: bool = False
    """True if the results come in the opposite order."""
    cut: int = -1
    """Number of results after which the program is killed; -1 if it lives."""
    inside: int = -1
    """Steps of the event loop after which the program is killed while a result is being added; -1 if it is not."""
    asks: Literal["", "words", "picture"] = ""
    """Content of the next request of the user."""
    answers: bool = False
    """True if the program that continues answers open calls as interrupted."""
    model: int = -1
    """Model with which the next program continues; -1 for the same one."""


@dataclass
class FailingAgent:
    """Runs turns with a memory in a store. `problems` has all that a provider would refuse, or that was lost."""

    path: str
    strategy: str
    models: Sequence[str] = MODELS
    acknowledged: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    sent: int = 0
    number: int = 0
    model: int = 0

    @property
    def is_claude(self) -> bool:
        return self.models is CLAUDES

    def start(self, answers: bool = False) -> MemoryManager:
        """Open the store as a new process would, and check that nothing acknowledged is lost."""
        config = MemoryConfig(
            compression_threshold=3_000, max_context_tokens=LIMIT, compression_strategy=self.strategy, short_term_size=6
        )
        self.store = Store(self.path)
        self.memory = MemoryManager.resume(
            self.store, SESSION, model=self.models[self.model], config=config, take_over=True, interrupted=answers
        )
        kept = [message.text for message in self.memory.engine.log]
        rest = iter(kept)
        self.problems += [f"lost: {text[:40]}" for text in self.acknowledged if not any(text in one for one in rest)]
        return self.memory

    async def add(self, message: Any, text: str) -> None:
        await self.memory.add_message(message)
        self.acknowledged.append(text)

    async def kill(self, turn: Turn) -> None:
        """Leave everything as it is, like a killed program, and continue in another one."""
        self.store.close()
        if turn.model >= 0:
            self.model = turn.model % len(self.models)
        memory = self.start(turn.answers)
        if memory.open_calls:
            await self.ask(replace(turn, asks="words"))

    async def ask(self, turn: Turn) -> None:
        self.number += 1
        words = f"Request {self.number}: grind the next sack."
        content: Any = words
        if turn.asks == "picture":
            content = [{"type": "text", "text": words}, _picture(self.is_claude)]
        await self.add({"role": "user", "content": content}, words)

    async def take(self, turn: Turn) -> None:
        """Send the context, and add what comes back."""
        self.check()
        if turn.fate == "fails":
            pass  # the provider answered with an error, and the agent goes on with its next turn
        elif turn.fate == "calls":
            await self.call_tools(turn)
        else:
            text = "" if turn.fate == "blank" else f"Reply {self.number}. {'The stone turns. ' * 9}"
            await self.add({"role": "assistant", "content": text}, text)
        if turn.asks:
            await self.ask(turn)
        elif turn.fate in ("reply", "blank"):
            await self.ask(replace(turn, asks="words"))

    async def call_tools(self, turn: Turn) -> None:
        self.number += 1
        names = [f"c{self.number}_{place}" for place in range(len(turn.results))]
        await self.add(_calls(names, self.is_claude), "")
        outputs = {
            name: _output(name, n, turn.errs and name == names[0]) for name, n in zip(names, turn.results, strict=True)
        }
        if not self.is_claude:
            await self.answer(dict(reversed(outputs.items())) if turn.turned else outputs, turn)
        elif turn.cut >= 0:
            await self.kill(turn)
        else:
            blocks = [{"type": "tool_result", "tool_use_id": name, "content": text} for name, text in outputs.items()]
            await self.add({"role": "user", "content": blocks}, outputs[names[0]])

    async def answer(self, outputs: dict[str, str], turn: Turn) -> None:
        """Add the results one by one, unless the program is killed between or inside them."""
        for place, (name, text) in enumerate(outputs.items(), 1):
            if place == turn.cut + 1:
                await self.kill(turn)
                return
            message = LLMMessage("tool", text, tool_call_id=name)
            if turn.inside >= 0 and place == len(outputs):
                task = asyncio.create_task(self.memory.add_message(message))
                for _ in range(turn.inside):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await self.kill(turn)
                return
            await self.add(message, text)

    def check(self) -> None:
        """Record all that a provider would refuse in the request as it is now."""
        self.sent += 1
        raw = [message.to_dict() for message in self.memory.get_context_for_llm()]
        tokens = self.memory.current_tokens
        if tokens > LIMIT:
            self.problems.append(f"request {self.sent} has {tokens:,} tokens")
        request: dict[str, Any] = {"model": self.memory.model, "messages": raw}
        if self.is_claude:
            request |= {"tools": [{"name": "weigh", "input_schema": {"type": "object"}}], "max_tokens": 9}
            system = [message["content"] for message in raw if message["role"] == "system"]
            messages = [message for message in raw if message["role"] != "system"]
            refusals = check_anthropic(request | {"messages": messages, "system": "\n".join(system)})
        else:
            refusals = check_openai(request)
        self.problems += [f"request {self.sent}: {refusal}" for refusal in refusals if not _MERGED.search(refusal)]


async def run_turns(agent: FailingAgent, turns: Sequence[Turn]) -> FailingAgent:
    """Run an agent over its turns, end it, and check once more that nothing is lost."""
    agent.start()
    await agent.add({"role": "system", "content": "You run the mill."}, "You run the mill.")
    await agent.ask(Turn(asks="words"))
    for turn in turns:
        await agent.take(turn)
    agent.check()
    agent.store.close()
    agent.start()
    agent.store.close()
    return agent


def _picture(is_claude: bool) -> dict[str, Any]:
    if is_claude:
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}


def _calls(names: Sequence[str], is_claude: bool) -> dict[str, Any]:
    if not is_claude:
        return {"role": "assistant", "content": None, "tool_calls": [call(name, "weigh") for name in names]}
    blocks = [{"type": "tool_use", "id": name, "name": "weigh", "input": {}} for name in names]
    return {"role": "assistant", "content": blocks}


def _output(name: str, lines: int, errs: bool) -> str:
    return f"{'Error: ' if errs else ''}{name} " + "rye 17 kg, barley 4 kg\n" * lines


def turns_of(random: Random) -> Iterator[Turn]:
    """Yield turns without an end."""
    while True:
        results = tuple(random.choice((0, 2, 40, 3_000)) for _ in range(random.randint(1, 4)))
        yield Turn(random.choice(("reply", "fails", "calls", "calls")), results, errs=random.random() < 0.2)


async def _run_until_killed(path: str, strategy: str, seed: int) -> None:
    agent = FailingAgent(path, strategy)
    memory = agent.start(answers=True)
    print(json.dumps({"open": len(memory.open_calls), "log": len(memory.engine.log)}), flush=True)
    if not memory.engine.log:
        await agent.add({"role": "system", "content": "You run the mill."}, "You run the mill.")
    agent.number = len(memory.engine.log)
    await agent.ask(Turn(asks="words"))
    printed = 0
    for turn in turns_of(Random(seed)):
        await agent.take(turn)
        for text in agent.acknowledged[printed:]:
            print(json.dumps({"text": text[:60], "problems": agent.problems}), flush=True)
        printed = len(agent.acknowledged)


if __name__ == "__main__":
    asyncio.run(_run_until_killed(sys.argv[1], sys.argv[2], int(sys.argv[3])))
