"""Messages as the libraries write them down that trace calls to models, made into chat messages of one form.

Known are those of OpenAI (chat and Responses), Anthropic, Gemini, LangChain, and the parts of OpenTelemetry's GenAI
conventions, which Pydantic AI writes too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.conversation import Part, Role, Text, ToolResult, attachment
from inspector.formats.blocks import blocks_of, call_of, decode_json, fields_of, objects_of, result_of, thoughts_of
from inspector.formats.log_builder import raw_from
from inspector.providers import DEFAULT_DIALECT, as_text, chat_messages, is_item
from inspector.text import dumps

_Fields = dict[str, Any]
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "systemmessage": "system",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolmessage": "tool",
    "functionmessage": "tool",
    "user": "user",
    "human": "user",
    "humanmessage": "user",
    "chat": "user",
    "chatmessage": "user",
}
_LISTS = ("messages", "input", "contents", "prompts", "prompt", "history", "query", "question")
"""Where a request has its messages."""
_REPLIES = ("choices", "generations", "candidates", "output", "outputs", "messages", "message", "content", "text")
"""Where a response has its message."""
_DEEPEST = 12
"""How many wrappings are taken off."""


def request_messages(value: Any) -> list[_Fields]:
    """The chat messages of what was sent to a model, however it was written down; none where there are none.

    What says itself to be the definition of a tool is no message.
    """
    return list(_messages(decode_json(value), "user", _LISTS, 0))


def reply_messages(value: Any) -> list[_Fields]:
    """The chat messages of what a model answered."""
    return list(_messages(decode_json(value), "assistant", _REPLIES, 0))


def _messages(value: Any, role: Role, names: Iterable[str], depth: int) -> Iterator[_Fields]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if value:
            yield {"role": role, "content": value}
    elif isinstance(value, list):
        yield from _listed(value, role, names, depth)
    elif isinstance(value, dict):
        if is_item(value):
            yield from chat_messages([_plain_item(value)])
        elif _role_of(value):
            yield from _message(value, role)
        elif inner := next((name for name in names if value.get(name)), ""):
            if isinstance(value.get("instructions"), str) and role == "user":
                yield {"role": "system", "content": value["instructions"]}
            yield from _messages(decode_json(value[inner]), role, names, depth + 1)


def _listed(value: list[Any], role: Role, names: Iterable[str], depth: int) -> Iterator[_Fields]:
    if any(is_item(entry) for entry in value):
        yield from chat_messages([_plain_item(entry) for entry in value if isinstance(entry, dict)])
    elif value and isinstance(value[0], list):  # a batch: the first of it
        yield from _messages(value[0], role, names, depth + 1)
    else:
        for entry in value:
            yield from _messages(entry, role, names, depth + 1)


def _plain_item(item: _Fields) -> _Fields:
    """An item of the Responses interface with its arguments as text."""
    arguments = item.get("arguments")
    return item if arguments is None or isinstance(arguments, str) else item | {"arguments": dumps(arguments)}


def _role_of(value: _Fields) -> Role | None:
    """Who speaks in a message; None for what is none."""
    if isinstance(value.get("lc"), int) or isinstance(value.get("kwargs"), dict):
        path = value.get("id")
        return _ROLES.get(as_text(path[-1]).lower()) if isinstance(path, list) and path else None
    own = value.get("role")
    if isinstance(own, str):
        return _ROLES.get(own.lower(), "user")
    if isinstance(value.get("parts"), list):
        return "user"
    if "content" in value or isinstance(value.get("data"), dict):
        return _ROLES.get(as_text(value.get("type")).lower())
    return None


def _message(value: _Fields, usual: Role) -> Iterator[_Fields]:
    role = _role_of(value) or usual
    fields = next((inner for name in ("kwargs", "data") if isinstance(inner := value.get(name), dict)), value)
    if _is_definition(fields):
        return
    parts = [*_parts_in(fields, role)]
    results = [part for part in parts if isinstance(part, ToolResult)]
    others = [part for part in parts if not isinstance(part, ToolResult)]
    for result in results:
        yield dict(raw_from([result], "tool", DEFAULT_DIALECT, as_text(fields.get("name"))))
    if others:
        name = as_text(fields.get("name"))
        raw = dict(raw_from(others, "user" if role == "tool" else role, DEFAULT_DIALECT, ""))
        yield raw | {"name": name} if name and role == "user" else raw


def _is_definition(fields: _Fields) -> bool:
    """Whether what stands among messages is the definition of a tool."""
    match fields.get("content"):
        case {"type": "function", "function": dict()}:
            return True
    return False


def _parts_in(fields: _Fields, role: Role) -> Iterator[Part]:
    content, parts = fields.get("content"), fields.get("parts")
    if role == "tool" and not isinstance(parts, list):
        text = content if content is not None else fields.get("response")
        has_failed = fields.get("status") == "error" or fields.get("error") is True
        yield result_of(fields.get("tool_call_id") or fields.get("id"), text, is_error=has_failed)
        return
    yield from thoughts_of(fields.get("reasoning_content"), fields.get("reasoning"))
    entries = parts if isinstance(parts, list) else content
    for entry in entries if isinstance(entries, list) else [entries]:
        yield from _block_parts(entry)
    yield from _calls_in(fields)


def _calls_in(fields: _Fields) -> Iterator[Part]:
    """The calls that stand beside the content of a reply."""
    extra = fields_of(fields.get("additional_kwargs"))
    for call in objects_of(fields.get("tool_calls")) or objects_of(extra.get("tool_calls")):
        function = fields_of(call.get("function"))
        arguments = function.get("arguments") if function else call.get("args", call.get("arguments"))
        yield call_of(call.get("id"), function.get("name") or call.get("name"), arguments)


def _block_parts(block: Any) -> Iterator[Part]:
    """One block of content, in the words of any of the libraries."""
    match block:
        case None:
            return
        case {"type": "thinking" | "reasoning", **rest}:
            yield from thoughts_of(rest.get("thinking") or rest.get("content") or rest.get("text"))
        case {"type": "tool_use" | "tool_call" | "server_tool_call", **rest}:
            arguments = next((rest[name] for name in ("input", "arguments", "args") if name in rest), None)
            yield call_of(rest.get("id"), rest.get("name"), arguments)
        case {"type": "tool_result", **rest}:
            yield result_of(rest.get("tool_use_id"), rest.get("content"), is_error=rest.get("is_error") is True)
        case {"type": "tool_call_response" | "server_tool_call_response", **rest}:
            yield result_of(rest.get("id"), rest.get("response", rest.get("result")))
        case {"type": "text", "content": str(text)}:
            yield Text(text)
        case {"type": "blob" | "uri"}:
            yield from _media_parts(block)
        case _:
            yield from _gemini_parts(block)


def _media_parts(block: _Fields) -> Iterator[Part]:
    """A picture or a document of the GenAI conventions."""
    media_type = as_text(block.get("mime_type"))
    match block:
        case {"content": str(data)}:
            yield attachment(f"data:{media_type};base64,{data}")
        case {"uri": str(address)}:
            yield attachment(address, media_type)
        case _:
            yield from blocks_of(block)


def _gemini_parts(block: Any) -> Iterator[Part]:
    """A part of Gemini's, whose calls may have no id but their name."""
    match block:
        case {"functionCall": dict(call)} | {"function_call": dict(call)}:
            yield call_of(call.get("id") or call.get("name"), call.get("name"), call.get("args"))
        case {"functionResponse": dict(answer)} | {"function_response": dict(answer)}:
            yield result_of(answer.get("id") or answer.get("name"), answer.get("response"))
        case {"text": str(text), "thought": True}:
            yield from thoughts_of(text)
        case _:
            yield from blocks_of(block)
