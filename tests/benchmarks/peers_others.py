"""The peers' memories, each handed the same conversation in its own form.

They live in an environment of the benchmark's own, so they are imported by name and only there. Whatever a peer does
once (building its buffer, its client, its tokenizer) is done beforehand; measured is what it does for every request.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from inspector.llm.tokens.counting import FRAME
from tests.benchmarks.conversations import Raw
from tests.benchmarks.peers_judge import Line

Run = Callable[[], list[Any]]
"""One request's worth of work; gives what the memory would send."""


@dataclass(frozen=True)
class Peer:
    """A memory of somebody else's."""

    prepare: Callable[[Sequence[Raw], int], Callable[[], Run]]
    """(chat messages, budget in tokens) -> what makes a fresh run; making one is not measured."""
    lines: Callable[[list[Any]], Iterable[Line]]
    slow: bool = False
    """Whether 20,000 messages take it minutes."""
    apart: bool = False
    """Whether the system prompt is never among its messages."""
    note: str = ""


def encode() -> Callable[[str], list[int]]:
    encoded: Callable[[str], list[int]] = import_module("tiktoken").get_encoding("o200k_base").encode
    return encoded


def call_ids(raw: Raw) -> tuple[str, ...]:
    return tuple(call["id"] for call in raw.get("tool_calls", ()))


def arguments(call: Raw) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call["function"]["arguments"])
    return found


def in_batches(raws: Sequence[Raw]) -> Iterator[tuple[bool, list[Raw]]]:
    """The results of one reply together, as some forms have them, and all else one by one."""
    for results, run in groupby(raws, key=lambda raw: raw["role"] == "tool"):
        if results:
            yield True, list(run)
        else:
            yield from ((False, [raw]) for raw in run)


# langchain-core


def langchain_messages(raws: Sequence[Raw]) -> list[Any]:
    forms = import_module("langchain_core.messages")

    def written(raw: Raw) -> Any:
        match raw["role"]:
            case "system":
                return forms.SystemMessage(raw["content"])
            case "user":
                return forms.HumanMessage(raw["content"])
            case "tool":
                return forms.ToolMessage(raw["content"], tool_call_id=raw["tool_call_id"])
        calls = [
            {"name": call["function"]["name"], "args": arguments(call), "id": call["id"], "type": "tool_call"}
            for call in raw.get("tool_calls", ())
        ]
        return forms.AIMessage(raw["content"], tool_calls=calls)

    return [written(raw) for raw in raws]


def langchain_lines(messages: list[Any]) -> Iterator[Line]:
    for message in messages:
        match message.type:
            case "system" | "human":
                yield Line("system" if message.type == "system" else "user", message.content)
            case "tool":
                yield Line("tool", message.content, answers=message.tool_call_id)
            case _:
                calls = message.tool_calls
                words = "".join(call["name"] + json.dumps(call["args"]) for call in calls)
                yield Line("assistant", message.content + words, tuple(call["id"] for call in calls))


def exact_counter() -> Callable[[list[Any]], int]:
    """A counter as the guide of `trim_messages` asks for: a list of messages -> tokens."""
    encoded = encode()
    return lambda messages: sum(FRAME + len(encoded(line.text)) for line in langchain_lines(messages))


def trim_messages(exact: bool, **options: Any) -> Callable[[Sequence[Raw], int], Callable[[], Run]]:
    def prepare(raws: Sequence[Raw], budget: int) -> Callable[[], Run]:
        trim = import_module("langchain_core.messages").trim_messages
        utils = import_module("langchain_core.messages.utils")
        counter = exact_counter() if exact else utils.count_tokens_approximately
        messages = langchain_messages(raws)

        def run(given: list[Any]) -> list[Any]:
            kept: list[Any] = trim(given, max_tokens=budget, token_counter=counter, strategy="last", **options)
            return kept

        run(messages[:4])  # it imports the rest of itself when it is first called
        return lambda: lambda: run(messages)

    return prepare


# strands-agents


def strands_messages(raws: Sequence[Raw]) -> list[Any]:
    messages: list[Any] = []
    for results, batch in in_batches(raws):
        raw = batch[0]
        if results:
            blocks = [
                {"toolUseId": each["tool_call_id"], "status": "success", "content": [{"text": each["content"]}]}
                for each in batch
            ]
            messages.append({"role": "user", "content": [{"toolResult": block} for block in blocks]})
        elif raw["role"] != "system":
            calls = [
                {"toolUse": {"toolUseId": call["id"], "name": call["function"]["name"], "input": arguments(call)}}
                for call in raw.get("tool_calls", ())
            ]
            messages.append({"role": raw["role"], "content": [{"text": raw["content"]}, *calls]})
    return messages


def strands_lines(messages: list[Any]) -> Iterator[Line]:
    for message in messages:
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        words = "".join(block["text"] for block in message["content"] if "text" in block)
        words += "".join(use["name"] + json.dumps(use["input"]) for use in uses)
        if words or uses:
            yield Line(message["role"], words, tuple(use["toolUseId"] for use in uses))
        for result in (block["toolResult"] for block in message["content"] if "toolResult" in block):
            yield Line("tool", "".join(item["text"] for item in result["content"]), answers=result["toolUseId"])


def sliding_window(raws: Sequence[Raw], budget: int) -> Callable[[], Run]:
    """It knows messages only: it is told how many of the newest fit into the budget."""
    manager = import_module("strands.agent.conversation_manager").SlidingWindowConversationManager
    messages = strands_messages(raws)
    encoded = encode()
    fits = used = 0
    for message in reversed(messages):
        used += sum(FRAME + len(encoded(line.text)) for line in strands_lines([message]))
        if used > budget:
            break
        fits += 1

    def fresh() -> Run:
        left = list(messages)
        window, agent = manager(window_size=fits), SimpleNamespace(messages=left)

        def run() -> list[Any]:
            window.apply_management(agent)
            return left

        return run

    return fresh


# llama-index-core


def llama_messages(raws: Sequence[Raw]) -> list[Any]:
    message = import_module("llama_index.core.llms").ChatMessage

    def written(raw: Raw) -> Any:
        given = {key: raw[key] for key in ("tool_calls", "tool_call_id") if key in raw}
        return message(role=raw["role"], content=raw["content"], additional_kwargs=given)

    return [written(raw) for raw in raws]


def llama_lines(messages: list[Any]) -> Iterator[Line]:
    for message in messages:
        given = message.additional_kwargs
        words = "".join(
            call["function"]["name"] + call["function"]["arguments"] for call in given.get("tool_calls", ())
        )
        yield Line(message.role.value, (message.content or "") + words, call_ids(given), given.get("tool_call_id", ""))


def chat_memory_buffer(raws: Sequence[Raw], budget: int) -> Callable[[], Run]:
    buffer = import_module("llama_index.core.memory").ChatMemoryBuffer
    memory = buffer.from_defaults(chat_history=llama_messages(raws), token_limit=budget, tokenizer_fn=encode())
    return lambda: memory.get


# autogen


def autogen_messages(raws: Sequence[Raw]) -> list[Any]:
    forms, call_form = import_module("autogen_core.models"), import_module("autogen_core").FunctionCall
    names = {call["id"]: call["function"]["name"] for raw in raws for call in raw.get("tool_calls", ())}

    def written(results: bool, batch: list[Raw]) -> Any:
        raw = batch[0]
        if results:
            return forms.FunctionExecutionResultMessage(
                content=[
                    forms.FunctionExecutionResult(
                        call_id=each["tool_call_id"], content=each["content"], name=names[each["tool_call_id"]]
                    )
                    for each in batch
                ]
            )
        if raw["role"] == "system":
            return forms.SystemMessage(content=raw["content"])
        if raw["role"] == "user":
            return forms.UserMessage(content=raw["content"], source="user")
        calls = [
            call_form(id=call["id"], name=call["function"]["name"], arguments=call["function"]["arguments"])
            for call in raw.get("tool_calls", ())
        ]
        thought = raw["content"] if calls else None
        return forms.AssistantMessage(content=calls or raw["content"], thought=thought, source="agent")

    return [written(results, batch) for results, batch in in_batches(raws)]


def autogen_lines(messages: list[Any]) -> Iterator[Line]:
    for message in messages:
        match message.type:
            case "SystemMessage" | "UserMessage":
                yield Line("system" if message.type == "SystemMessage" else "user", message.content)
            case "FunctionExecutionResultMessage":
                yield from (Line("tool", result.content, answers=result.call_id) for result in message.content)
            case _ if isinstance(message.content, str):
                yield Line("assistant", message.content)
            case _:
                words = "".join(call.name + call.arguments for call in message.content)
                yield Line("assistant", (message.thought or "") + words, tuple(call.id for call in message.content))


def token_limited_context(raws: Sequence[Raw], budget: int) -> Callable[[], Run]:
    context = import_module("autogen_core.model_context").TokenLimitedChatCompletionContext
    client = import_module("autogen_ext.models.openai").OpenAIChatCompletionClient(model="gpt-4o", api_key="none")
    client.count_tokens([])
    memory = context(client, token_limit=budget, initial_messages=autogen_messages(raws))
    loop = asyncio.new_event_loop()
    return lambda: lambda: loop.run_until_complete(memory.get_messages())


GUIDED = {"start_on": "human", "include_system": True}
"""What the guide of `trim_messages` advises for a valid result; none of it is the default."""

PEERS: dict[str, Peer] = {
    "langchain trim_messages, tiktoken": Peer(trim_messages(True), langchain_lines),
    "langchain trim_messages, tiktoken, guided": Peer(trim_messages(True, **GUIDED), langchain_lines),
    "langchain trim_messages, approximate": Peer(trim_messages(False), langchain_lines),
    "langchain trim_messages, approximate, guided": Peer(trim_messages(False, **GUIDED), langchain_lines),
    "strands SlidingWindowConversationManager": Peer(sliding_window, strands_lines, apart=True),
    "llama-index ChatMemoryBuffer": Peer(chat_memory_buffer, llama_lines, slow=True),
    "autogen TokenLimitedChatCompletionContext": Peer(token_limited_context, autogen_lines, slow=True),
}
PACKAGES = (
    *("langchain-core", "strands-agents", "llama-index-core", "autogen-core", "autogen-ext[openai]", "tiktoken"),
    *("openai-agents", "langgraph-checkpoint-sqlite", "claude-code-log"),
)
