"""Agents with the providers' own clients, and APIs that refuse a request as the providers do: `python -m … TURNS`.

An agent calls tools, gets long results, and is asked for something else from time to time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from aiohttp import web

from inspector.engine.compression import Preset, find
from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.library.capture.live_preset import LivePreset
from inspector.library.capture.proxy import RecordingProxy, Upstream
from inspector.llm.tokens import Counter, counter_for
from tests.provider_rules import check_anthropic, check_openai
from tests.responses_rules import check_responses

APIS = ("anthropic-messages", "openai-chat", "openai-responses")
MODEL = {"anthropic-messages": "claude-opus-5", "openai-chat": "gpt-5", "openai-responses": "gpt-5"}
_WORDS = ("mill", "stone", "river", "sack", "flour", "wheel", "barley", "oats", "rye", "belt", "gear", "shaft")
_UNREAD = ("call_id", "cache_control", "id", "role", "status", "tool_call_id", "tool_use_id", "type")
_MARK = ', "cache_control": {"type": "ephemeral"}'
_SIZES = (3, 40, 400)
_EVERY = 6
"""Calls between two requests of the user."""


@dataclass
class Api:
    """An API that answers every request with a tool call, and refuses invalid ones."""

    counter: Counter
    refusals: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    """Tokens of the texts in each request."""
    prefixes: list[list[str]] = field(default_factory=list)
    replies: int = 0

    def check(self, request: Mapping[str, Any], check: Callable[[Any], list[str]], name: str) -> None:
        self.refusals += check(request)[:1]
        parts = [*request[name], *([request["system"]] if request.get("system") else ())]
        self.sizes.append(self.counter.count("\n".join(text for part in parts for text in _texts(part))))
        self.prefixes.append([json.dumps(part).replace(_MARK, "") for part in request[name]])
        self.replies += 1

    async def messages(self, request: web.Request) -> web.Response:
        self.check(await request.json(loads=orjson.loads), check_anthropic, "messages")
        call = {"type": "tool_use", "id": f"toolu_{self.replies}", "name": "read", "input": {"path": self.path}}
        blocks = [{"type": "text", "text": self.text}, call]
        usage = {"input_tokens": self.sizes[-1], "output_tokens": 20}
        head = {"id": f"msg_{self.replies}", "type": "message", "role": "assistant", "model": "claude-opus-5"}
        return self.answer(
            {**head, "content": blocks, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}
        )

    async def chat(self, request: web.Request) -> web.Response:
        self.check(await request.json(loads=orjson.loads), check_openai, "messages")
        function = {"name": "read", "arguments": json.dumps({"path": self.path})}
        calls = [{"id": f"call_{self.replies}", "type": "function", "function": function}]
        message = {"role": "assistant", "content": self.text, "tool_calls": calls}
        usage = {"prompt_tokens": self.sizes[-1], "completion_tokens": 20, "total_tokens": self.sizes[-1] + 20}
        choices = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
        head = {"id": f"c_{self.replies}", "object": "chat.completion", "created": 1_790_000_000, "model": "gpt-5"}
        return self.answer({**head, "choices": choices, "usage": usage})

    async def responses(self, request: web.Request) -> web.Response:
        self.check(await request.json(loads=orjson.loads), check_responses, "input")
        number = self.replies
        text = {"type": "output_text", "text": self.text, "annotations": []}
        arguments = json.dumps({"path": self.path})
        output = [
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text]},
            {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": "read",
                "arguments": arguments,
            },
        ]
        head = {"id": f"resp_{number}", "object": "response", "created_at": 1_790_000_000, "model": "gpt-5"}
        rest = {"status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None}
        return self.answer({**head, **rest, "output": output})

    @property
    def text(self) -> str:
        return f"Step {self.replies}: the file of part {self.replies}."

    @property
    def path(self) -> str:
        return f"parts/{self.replies}.txt"

    def answer(self, value: Any) -> web.Response:
        return web.json_response(value, status=400 if self.refusals else 200)


def _texts(value: Any) -> list[str]:
    """Return the texts that a model reads, without ids and types."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for key, one in value.items() if key not in _UNREAD for text in _texts(one)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []


@asynccontextmanager
async def running_api(model: str) -> AsyncIterator[tuple[Api, str]]:
    api = Api(counter_for(model))
    app = web.Application(client_max_size=1 << 30)
    app.router.add_post("/v1/messages", api.messages)
    app.router.add_post("/v1/chat/completions", api.chat)
    app.router.add_post("/v1/responses", api.responses)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield api, f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def _result(random: Random, number: int) -> str:
    return "".join(
        f"{number}.{line} {' '.join(random.choices(_WORDS, k=6))}\n" for line in range(random.choice(_SIZES))
    )


def _request(number: int) -> str:
    return f"Request {number}: mend part {number} at 10.0.{number}.7, and never stop the wheel."


async def anthropic_agent(address: str, turns: int) -> list[str]:
    """Run an agent, and return the texts of its replies."""
    from anthropic import AsyncAnthropic

    random, texts, messages = Random(7), list[str](), list[Any]()
    tools: Any = [{"name": "read", "description": "Read a file.", "input_schema": {"type": "object"}}]
    system: Any = [{"type": "text", "text": "You run the mill.", "cache_control": {"type": "ephemeral"}}]
    async with AsyncAnthropic(base_url=address, api_key="k-1", max_retries=0) as client:
        for turn in range(turns):
            asked = [{"type": "text", "text": _request(turn // _EVERY)}] if turn % _EVERY == 0 else []
            results = messages.pop()["content"] if turn else []
            messages.append({"role": "user", "content": _marked([*results, *asked])})
            reply = await client.messages.create(
                model="claude-opus-5", max_tokens=500, system=system, tools=tools, messages=messages
            )
            messages[-1] = {"role": "user", "content": [*results, *asked]}
            messages.append({"role": "assistant", "content": [block.to_dict() for block in reply.content]})
            calls = [block for block in reply.content if block.type == "tool_use"]
            texts += [block.text for block in reply.content if block.type == "text"]
            answers = [
                {"type": "tool_result", "tool_use_id": call.id, "content": _result(random, turn)} for call in calls
            ]
            messages.append({"role": "user", "content": answers})
    return texts


def _marked(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return content whose last block is marked for the prompt cache, as programs do in each request."""
    return [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]


async def chat_agent(address: str, turns: int) -> list[str]:
    """Run an agent, and return the texts of its replies."""
    from openai import AsyncOpenAI

    random, texts = Random(7), list[str]()
    messages: list[Any] = [{"role": "system", "content": "You run the mill."}]
    function = {"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {}}}
    tools: Any = [{"type": "function", "function": function}]
    async with AsyncOpenAI(base_url=address, api_key="k-1", max_retries=0) as client:
        for turn in range(turns):
            if turn % _EVERY == 0:
                messages.append({"role": "user", "content": _request(turn // _EVERY)})
            sent: Any = {"messages": messages}  # see `responses_agent`
            reply = await client.chat.completions.create(model="gpt-5", messages=[], extra_body=sent, tools=tools)
            message = reply.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            texts.append(message.content or "")
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": _result(random, turn)}
                for call in message.tool_calls or ()
            ]
    return texts


async def responses_agent(address: str, turns: int) -> list[str]:
    """Run an agent, and return the texts of its replies."""
    from openai import AsyncOpenAI

    random, texts, items = Random(7), list[str](), list[Any]()
    tools: Any = [{"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}}]
    async with AsyncOpenAI(base_url=address, api_key="k-1", max_retries=0) as client:
        for turn in range(turns):
            if turn % _EVERY == 0:
                items.append({"role": "user", "content": _request(turn // _EVERY)})
            reply = await client.responses.create(
                model="gpt-5", instructions="You run the mill.", extra_body={"input": items}, tools=tools, store=False
            )  # as the client writes `input` after comparing it with the types of all items, which takes far longer
            items += [item.model_dump(exclude_none=True) for item in reply.output]
            texts.append(reply.output_text)
            items += [
                {"type": "function_call_output", "call_id": item.call_id, "output": _result(random, turn)}
                for item in reply.output
                if item.type == "function_call"
            ]
    return texts


_AGENTS: Mapping[str, Callable[[str, int], Awaitable[list[str]]]] = {
    "anthropic-messages": anthropic_agent,
    "openai-chat": chat_agent,
    "openai-responses": responses_agent,
}


@dataclass
class AgentRun:
    """What the API and the agent have seen."""

    api: Api
    texts: list[str]
    states: dict[str, int]
    reason: str
    log: Path
    facts: list[Mapping[str, Any]]

    @property
    def changes(self) -> list[int]:
        """Numbers of the requests whose beginning is not the request before."""
        pairs = zip(self.api.prefixes, self.api.prefixes[1:], strict=False)
        return [place for place, (before, after) in enumerate(pairs, 1) if after[: len(before)] != before]


async def run_agent(
    api_name: str, preset: Preset, turns: int, log: Path, *, is_trial: bool = False, summary_model: Any = None
) -> AgentRun:
    """Run an agent through the proxy with a preset."""
    writer, facts = CaptureLog(log), list[Mapping[str, Any]]()

    def keep(call: CapturedCall) -> None:
        facts.append(call.preset)
        writer.append(call)

    live = LivePreset(preset, log, is_trial=is_trial, summary_model=summary_model)
    async with running_api(MODEL[api_name]) as (api, address):
        upstreams = {"ANTHROPIC": Upstream("anthropic", address), "OPENAI": Upstream("openai/v1", f"{address}/v1")}
        with live.running():
            async with RecordingProxy(upstreams, "token", keep, 0, live) as proxy:
                name = "ANTHROPIC" if api_name == "anthropic-messages" else "OPENAI"
                texts = await _AGENTS[api_name](proxy.addresses[name], turns)
    return AgentRun(api, texts, live.counts, live.newest_reason, log, facts)


def expected_texts(turns: int) -> list[str]:
    """Return the texts of the replies of the API to an agent."""
    return [f"Step {number}: the file of part {number}." for number in range(1, turns + 1)]


async def direct_texts(api_name: str, turns: int) -> list[str]:
    """Run an agent without a proxy, and return the texts of its replies."""
    async with running_api(MODEL[api_name]) as (_, address):
        prefix = "" if api_name == "anthropic-messages" else "/v1"
        return await _AGENTS[api_name](f"{address}{prefix}", turns)


def small(name: str, tokens: int) -> Preset:
    """A preset by its name, with a threshold that short sessions reach."""
    return replace(find(name), threshold=tokens)


_THRESHOLD = 30_000
"""Tokens from which the presets compress, so that 400 turns have many compactions."""

if __name__ == "__main__":
    for preset_name in sys.argv[2:]:
        for api_name in APIS:
            with TemporaryDirectory() as folder:
                started = time.process_time()
                one = small(preset_name, _THRESHOLD)
                run = asyncio.run(run_agent(api_name, one, int(sys.argv[1]), Path(folder, "log.jsonl")))
                row: Any = {
                    "preset": preset_name,
                    "api": api_name,
                    "replies": len(run.texts),
                    "unchanged replies": run.texts == expected_texts(len(run.texts)),
                    "states": run.states,
                    "reason": run.reason,
                    "refused": run.api.refusals,
                    "largest": max(run.api.sizes),
                    "budget": max(int(each.get("budget", 0)) for each in run.facts),
                    "requests with plans": sum("plans" in each for each in run.facts),
                    "changed prefixes": len(run.changes),
                    "unexplained changes": sum("plans" not in run.facts[place] for place in run.changes),
                    "CPU seconds": round(time.process_time() - started, 1),
                }
                print(json.dumps(row), flush=True)
