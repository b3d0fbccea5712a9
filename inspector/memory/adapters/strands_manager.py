"""Strands Agents: a conversation manager."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from inspector.core.text import dumps
from inspector.memory.adapters.context_fitter import ContextFitter
from inspector.memory.adapters.optional_frameworks import framework_class
from inspector.memory.message_adapter import LLMMessage

_ConversationManager: Any = framework_class("strands.agent.conversation_manager", "ConversationManager", "strands")


class CompressionManager(_ConversationManager):
    """Fits the messages of an agent into a budget, before each request of the model.

    The messages of the agent are replaced. If the model refuses a request as too long, it is reduced further.

    Args:
        options: `preset`, `budget`, `model`, `provider` and `summarise`, as for `ContextFitter`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._fitter = ContextFitter(_converse_messages, _chat_messages, join=_alternating, **options)

    def register_hooks(self, registry: Any, **kwargs: Any) -> None:
        """Register the compression before each request."""
        from strands.hooks import BeforeModelCallEvent

        super().register_hooks(registry, **kwargs)
        registry.add_callback(BeforeModelCallEvent, self._before_request)

    def apply_management(self, agent: Any, **kwargs: Any) -> None:
        """Fit the messages of an agent."""
        self._fit(agent)

    def reduce_context(self, agent: Any, e: Exception | None = None, **kwargs: Any) -> None:
        """Reduce the messages of an agent. Raises `e` again if nothing can be removed."""
        before = list(agent.messages)
        self._fit(agent, overflow=True)
        if e is not None and list(agent.messages) == before:
            raise e

    def _before_request(self, event: Any) -> None:
        self._fit(event.agent)

    def _fit(self, agent: Any, *, overflow: bool = False) -> None:
        prompt = agent.system_prompt
        system = [{"role": "system", "content": [{"text": prompt}]}] if isinstance(prompt, str) and prompt else []
        fitted = self._fitter.fit([*system, *agent.messages], list(_offered_tools(agent)), overflow=overflow)
        kept = [message for message in fitted if message["role"] != "system"]
        self.removed_message_count += max(0, len(agent.messages) - len(kept))
        agent.messages[:] = kept


def _offered_tools(agent: Any) -> Iterator[dict[str, Any]]:
    for spec in agent.tool_registry.get_all_tool_specs():
        schema = spec["inputSchema"].get("json", spec["inputSchema"])
        function = {"name": spec["name"], "description": spec["description"], "parameters": schema}
        yield {"type": "function", "function": function}


def _chat_messages(message: Mapping[str, Any]) -> list[LLMMessage]:
    """Return a message of the Converse API as chat messages: results first, as a chat API requires."""
    blocks, calls, results = [], [], []
    for block in message["content"]:
        if use := block.get("toolUse"):
            function = {"name": use["name"], "arguments": dumps(use["input"])}
            calls.append({"id": use["toolUseId"], "type": "function", "function": function})
        elif result := block.get("toolResult"):
            content = [_chat_block(entry) for entry in result["content"]]
            results.append(LLMMessage("tool", content, tool_call_id=result["toolUseId"]))
        else:
            blocks.append(_chat_block(block))
    words = [LLMMessage(message["role"], blocks or None, calls or None)] if blocks or calls else []
    return [*results, *words]


def _chat_block(block: Mapping[str, Any]) -> dict[str, Any]:
    match block:
        case {"text": str(text)}:
            return {"type": "text", "text": text}
        case {"image": {"format": str(kind), "source": {"bytes": bytes(data)}}}:
            url = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
            return {"type": "image_url", "image_url": {"url": url}}
        case {"json": value}:
            return {"type": "text", "text": dumps(value)}
        case {"reasoningContent": {"reasoningText": {"text": str(text)}}}:
            return {"type": "text", "text": text}
    return {"type": "text", "text": f"[{', '.join(block)}]"}


def _converse_messages(original: Mapping[str, Any] | None, messages: Sequence[LLMMessage]) -> list[dict[str, Any]]:
    if original is None:
        return [{"role": message.role, "content": [{"text": message.text}]} for message in messages]
    kept = {block["toolResult"]["toolUseId"]: block for block in original["content"] if "toolResult" in block}
    blocks = [block for message in messages for block in _blocks(message, kept)]
    return [{**original, "content": blocks}] if blocks else []


def _blocks(message: LLMMessage, results: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message as blocks of the Converse API, given the original results by id."""
    if message.role == "tool":
        result = results[str(message.tool_call_id)]["toolResult"]
        yield {"toolResult": {**result, "content": [{"text": LLMMessage("user", message.content).text}]}}
        return
    if message.content:
        yield {"text": LLMMessage("user", message.content).text}
    for call in message.tool_calls or ():
        function = call["function"]
        yield {
            "toolUse": {
                "toolUseId": call["id"],
                "name": function["name"],
                "input": _input_values(function["arguments"]),
            }
        }


def _input_values(arguments: str) -> Any:
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return {}


def _alternating(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return messages in which neighbours of one role are merged, as the Converse API requires."""
    merged: list[Any] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"] != "system":
            merged[-1] = {**merged[-1], "content": [*merged[-1]["content"], *message["content"]]}
        else:
            merged.append(message)
    return merged
