"""Conversion of requests to OpenAI's Responses API into chat requests, the inverse of `responses_request.py`.

Recorded messages are stored in the wire format of the chat API. Reasoning, text and calls of a reply are separate items
in the Responses API, and are combined into one message here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.core.conversation import Raw
from inspector.core.text import dumps
from inspector.llm.providers.openai_chat.chat_wire import ITEM, RESPONSES, is_internal
from inspector.llm.providers.openai_responses.responses_settings import OWN_SETTINGS, SETTINGS

_Item = dict[str, Any]
_CALLS = {"function_call": ("function", "arguments"), "custom_tool_call": ("custom", "input")}
"""Call type in a chat message and field of the tool's input, by item type."""
_OWN_CALLS = {
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "tool_search_call": "arguments",
}
"""Calls of tools that OpenAI defines and the program runs, with the field of their input."""
_OUTPUTS = {"function_call_output": "output", "custom_tool_call_output": "output", "tool_search_output": "tools"} | {
    f"{kind}_output": "output" for kind in _OWN_CALLS
}
"""Field of the result, by type of the item that answers a call."""
_HOSTED = frozenset(
    {
        *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"),
        *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "reasoning"),
    }
)
"""Items other than messages and calls: actions of OpenAI's hosted tools, and reasoning."""
_SUMMARIES = frozenset({"compaction", "context_compaction", "compaction_summary"})
"""Encrypted summaries, which replace the preceding messages and only OpenAI can read."""
SEALED = "[a summary of earlier messages, encrypted: only OpenAI can read it]"
"""Text that replaces such a summary for other APIs."""
_TYPES = frozenset({*_CALLS, *_OWN_CALLS, *_OUTPUTS, *_HOSTED, *_SUMMARIES})
"""Types of items, other than messages, that no other API has."""
_PLAIN_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
"""Results whose output is text or content blocks, like the content of a message."""
_SAME = {"max_output_tokens": "max_completion_tokens"}
_PARTS = frozenset(["input", "instructions", "tools"])


def is_item(value: Any) -> bool:
    """Return True if a JSON value is an item that only this API has."""
    return isinstance(value, dict) and isinstance(kind := value.get("type"), str) and kind in _TYPES


def is_sealed_summary(value: Any) -> bool:
    """Return True if a JSON value is an encrypted summary, or the message converted from one."""
    match value:
        case {"role": "user", "content": [{"type": "item", "item": item}]}:
            return is_sealed_summary(item)
        case {"type": str(kind)}:
            return kind in _SUMMARIES
    return False


def is_request(value: Any) -> bool:
    """Return True if a JSON value is a request to this API."""
    if not isinstance(value, dict) or "messages" in value:
        return False
    match value.get("input"):
        case [*items]:
            return any(is_item(item) or (isinstance(item, dict) and "role" in item) for item in items)
        case str():
            return isinstance(value.get("model"), str)
    return False


def chat_form(request: Raw) -> _Item:
    """Return the equivalent chat request, with both the original and the converted settings.

    Unknown fields are kept.
    """
    chat = {key: value for key, value in request.items() if key not in OWN_SETTINGS and key not in _PARTS}
    chat[RESPONSES] = {key: value for key, value in request.items() if key in SETTINGS}
    chat |= {other: request[name] for name, other in _SAME.items() if name in request}
    entries = request["input"]
    messages = chat_messages([{"role": "user", "content": entries}] if isinstance(entries, str) else entries)
    if isinstance(request.get("instructions"), str) and request["instructions"]:
        messages.insert(0, {"role": "system", "content": request["instructions"]})
    if isinstance(request.get("tools"), list):
        chat["tools"] = [_tool(tool) for tool in request["tools"]]
    return chat | {"messages": messages} | dict(_settings_in(request))


def chat_messages(items: Iterable[Any]) -> list[_Item]:
    """Convert items to messages. Anything that is not an item is skipped."""
    return [message for _, message in placed_messages(items)]


def placed_messages(items: Iterable[Any]) -> list[tuple[int, _Item]]:
    """Convert items to messages, each with the index of its first item."""
    messages: list[tuple[int, _Item]] = []
    is_open = False
    for place, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("type", "message"), str):
            continue
        item = _as_function(item)
        kind = item.get("type", "message")
        speaks = item.get("role") == "assistant" and kind == "message"
        if speaks or kind in _CALLS or _is_beside(kind):
            if not is_open or _is_next(messages[-1][1], kind):
                messages.append((place, {"role": "assistant", "content": None}))
            _add(messages[-1][1], item, kind)
            is_open = True
        elif message := _message(item, kind):
            messages.append((place, message))
            is_open = False
    return messages


def _as_function(item: _Item) -> _Item:
    """Convert a call of a tool that the program runs for OpenAI, or its result, to a function call or result.

    Other items are returned unchanged. Items of tools that OpenAI runs itself have no `call_id`.
    """
    kind, place = str(item.get("type")), str(item.get("call_id") or item.get("id") or "")
    if kind in _OWN_CALLS and isinstance(item.get("call_id"), str) and _OWN_CALLS[kind] in item:
        name = kind.removesuffix("_call")
        return {**item, "type": "function_call", "name": name, "arguments": dumps(item[_OWN_CALLS[kind]])}
    if kind in _OUTPUTS and place and (answer := item.get(_OUTPUTS[kind], item.get("status"))) is not None:
        words = answer if isinstance(answer, str) or kind in _PLAIN_OUTPUTS else _printed(answer)
        return {**item, "type": "function_call_output", "call_id": place, "output": words}
    return item


def _printed(answer: Any) -> Any:
    """Return the output of a tool that the program runs for OpenAI: an image, or JSON."""
    match answer:
        case {"type": "computer_screenshot", "image_url": str(url)}:
            return [{"type": "input_image", "image_url": url}]
    return dumps(answer)


def _is_beside(kind: str) -> bool:
    """Return True if an item of this type is neither message, call, result nor summary: reasoning or a hosted tool."""
    return kind != "message" and kind not in _CALLS and kind not in _OUTPUTS and kind not in _SUMMARIES


def _is_next(message: _Item, kind: str) -> bool:
    """Return True if an item of this type begins a new reply after `message`."""
    if kind in _CALLS:
        return False
    content = message["content"]
    has_words = isinstance(content, str) or not all(map(is_internal, content or ()))
    return has_words or "tool_calls" in message


def _add(message: _Item, item: _Item, kind: str) -> None:
    """Add an item to the reply that it belongs to."""
    if kind in _CALLS:
        own, field = _CALLS[kind]
        call = {"name": str(item.get("name") or ""), field: item.get(field) or ""}
        entry = {"id": str(item.get("call_id") or item.get("id") or ""), "type": own, own: call}
        message.setdefault("tool_calls", []).append(entry)
    elif _is_beside(kind):
        block = item if kind == "reasoning" else {"type": ITEM, "item": item}
        message["content"] = [*(message["content"] or ()), block]
    elif message["content"]:
        content = _content(item.get("content"))
        message["content"] += [{"type": "text", "text": content}] if isinstance(content, str) else content
    else:
        message["content"] = _content(item.get("content"))


def _message(item: _Item, kind: str) -> _Item | None:
    """Convert an item to a result or a message not from the model, or return None if it is neither."""
    if is_sealed_summary(item):
        return {"role": "user", "content": [{"type": ITEM, "item": item}]}
    if kind in _OUTPUTS:
        content = _content(item.get("output"))
        return {"role": "tool", "tool_call_id": str(item.get("call_id") or ""), "content": content}
    if kind == "message" and isinstance(item.get("role"), str):
        return {"role": item["role"], "content": _content(item.get("content"))}
    return None


def _content(content: Any) -> Any:
    """Convert content to blocks of the chat API."""
    if isinstance(content, list):
        return [_block(block) for block in content]
    return content if isinstance(content, str) else dumps(content) if content is not None else ""


def _block(block: Any) -> Any:
    match block:
        case {"type": "input_text" | "output_text", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "input_image", "image_url": str(url), **rest}:
            detail = rest.get("detail")
            return {"type": "image_url", "image_url": {"url": url} | ({"detail": detail} if detail else {})}
        case {"type": "input_file", **rest}:
            return {"type": "file", "file": rest}
    return block


def _tool(tool: Any) -> Any:
    match tool:
        case {"type": "function" | "custom" as kind, "name": str()}:
            return {"type": kind, kind: {name: value for name, value in tool.items() if name != "type"}}
    return tool


def _settings_in(request: Raw) -> Iterator[tuple[str, Any]]:
    match request.get("reasoning"):
        case {"effort": str(effort)}:
            yield "reasoning_effort", effort
    text = request.get("text")
    match text.get("format") if isinstance(text, Mapping) else None:
        case {"type": "json_schema", **schema}:
            yield "response_format", {"type": "json_schema", "json_schema": schema}
        case {"type": str(kind)}:
            yield "response_format", {"type": kind}
    match text:
        case {"verbosity": str(verbosity)}:
            yield "verbosity", verbosity
    match request.get("tool_choice"):
        case {"type": "function" | "custom" as kind, **rest}:
            yield "tool_choice", {"type": kind, kind: rest}
        case str() | {"type": str()} as choice:
            yield "tool_choice", choice
