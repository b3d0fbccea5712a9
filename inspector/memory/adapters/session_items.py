"""Items of OpenAI's Responses interface, as the messages of a memory and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.core.conversation import Raw
from inspector.llm.providers import placed_messages
from inspector.memory.message_adapter import LLMMessage, message_of

_ITEMS = "responses_items"
"""Field of a stored message with the items that it was made of."""


def messages_with_items(items: Sequence[Raw]) -> Iterator[LLMMessage]:
    """Yield the messages for items, each with the items that it was made of."""
    placed = placed_messages(items)
    ends = [place for place, _ in placed[1:]] + [len(items)]
    start = 0
    for (_, raw), end in zip(placed, ends, strict=True):
        yield message_of({**raw, _ITEMS: list(items[start:end])})
        start = end


def made_of_items(message: LLMMessage) -> list[Raw]:
    """Return the items that a message was made of; [] for others."""
    return list(message.further.get(_ITEMS) or ())


def items_of(message: LLMMessage) -> list[Raw]:
    """Return the items of a message: those that it was made of, or new ones if it was changed."""
    items = made_of_items(message)
    raw = {key: value for key, value in message.to_dict().items() if key != _ITEMS}
    if items and [chat for _, chat in placed_messages(items)] == [raw]:
        return items
    if message.role == "tool":
        first = items[0] if items else {"type": "function_call_output", "call_id": message.tool_call_id}
        return [{**first, "output": _own_text(raw)}]
    calls = [
        {"type": "function_call", "call_id": call["id"], **dict(call["function"])} for call in message.tool_calls or ()
    ]
    words = [{"role": message.role, "content": _own_text(raw)}] if message.content or not calls else []
    return [*words, *calls]


def _own_text(raw: Raw) -> str:
    """Return the text of a chat message, without its calls."""
    return raw["content"] if isinstance(raw.get("content"), str) else LLMMessage("user", raw.get("content")).text


def as_item(item: Any) -> Raw:
    dump = getattr(item, "model_dump", None)
    return dict(dump(exclude_unset=True) if callable(dump) else item)


def is_output(item: Raw) -> bool:
    return str(item.get("type", "")).endswith("_output")


def function_tools(agent: Any) -> list[Raw]:
    """Return the definitions of an agent's function tools, as they are sent."""
    functions = [tool for tool in getattr(agent, "tools", ()) if isinstance(_schema_of(tool), Mapping)]
    return [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": _schema_of(tool)}
        for tool in functions
    ]


def _schema_of(tool: Any) -> Any:
    return getattr(tool, "params_json_schema", None)
