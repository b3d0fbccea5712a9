"""Conversion of messages in traces, as many libraries write them, to chat messages.

Supported are those of OpenAI (chat and Responses), of LangChain, and those composed of the blocks of `library_blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from inspector.core.conversation import Part, Role, ToolCall, ToolResult
from inspector.core.text import dumps
from inspector.formats.building.blocks import call_of, decode_json, fields_of, objects_of, result_of, thoughts_of
from inspector.formats.building.library_blocks import block_parts, is_call, is_foreign_block, is_system_prompt
from inspector.formats.building.log_builder import definition_of, raw_from
from inspector.formats.reading.content import Fields
from inspector.llm.providers import DEFAULT_DIALECT, as_text, chat_messages, is_item

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
_LISTS = ("messages", "input", "contents", "prompts", "prompt", "history", "query", "question", "args")
"""Fields of a request with its messages."""
_PROMPTS = ("instructions", "system", "system_instruction", "systemInstruction", "system_prompt")
"""Fields of a request, or of its `config`, with the system prompt."""
_TRANSCRIPT = re.compile(r"^(system|user|assistant|tool): ", re.MULTILINE)
"""Start of a message in a text with all messages: `system: Be brief.`"""
_REPLIES = ("choices", "generations", "candidates", "output", "outputs", "messages", "message", "content", "text")
"""Fields of a response with its message."""
_CONTENTS = ("parts", "items", "blocks", "content")
"""Fields of a message with its blocks."""
FAILED = "is_error"
"""Field of a failed result, which the OpenAI API does not have. See `without_failure`."""
_DEEPEST = 12
"""Maximum number of nested wrappers."""


def request_messages(value: Any) -> list[Fields]:
    """Return the chat messages in the input of a call, in any notation.

    Definitions of tools in a list of messages are skipped. Failed results have the field `FAILED`.
    """
    messages = _answered_by_name(_messages(decode_json(value), "user", _LISTS, 0))
    match messages:
        case [{"role": "user", "content": str(text)}] if len(pieces := _TRANSCRIPT.split(text)) > 3 and not pieces[0]:
            return [{"role": pieces[n], "content": pieces[n + 1].strip()} for n in range(1, len(pieces), 2)]
    return messages


def tools_in(request: Any) -> list[Fields]:
    """Return the tool definitions in a request, also those of Gemini, in the chat format."""
    fields = fields_of(request)
    places = (
        fields,
        *(fields_of(fields.get(name)) for name in ("config", "parameters", "kwargs", "invocation_params")),
    )
    listed = next(filter(None, (objects_of(place.get("tools")) for place in places)), [])
    groups = (tool.get("function_declarations") or tool.get("functionDeclarations") for tool in listed)
    flat = [one for tool, group in zip(listed, groups, strict=True) for one in objects_of(group) or [tool]]
    return [*map(_in_chat_form, flat)]


def _in_chat_form(tool: Fields) -> Fields:
    """Return a tool definition in the chat format. A definition without a name stays as it is."""
    if "function" in tool or "name" not in tool:
        return tool
    names = ("parameters", "parametersJsonSchema", "parameters_json_schema", "inputSchema", "input_schema")
    schema: Fields = next((tool[name] for name in names if isinstance(tool.get(name), dict)), {})
    return definition_of({**tool, "parameters": schema}, DEFAULT_DIALECT)


def reply_messages(value: Any) -> list[Fields]:
    """Return the chat messages in the output of a call."""
    return list(_messages(decode_json(value), "assistant", _REPLIES, 0))


def without_failure(raw: Fields) -> tuple[Fields, Fields]:
    """Separate the field `FAILED` from a chat message.

    Returns:
        The message as it is sent, and the fields for `Message`: `is_error` if it is a failed result of a tool.
    """
    if raw.get("role") != "tool" or FAILED not in raw:
        return raw, {}
    has_failed = raw[FAILED] is True
    return {name: value for name, value in raw.items() if name != FAILED}, {"is_error": True} if has_failed else {}


def _messages(value: Any, role: Role, names: Iterable[str], depth: int) -> Iterator[Fields]:
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
        else:
            yield from _wrapped(value, role, names, depth)


def _wrapped(value: Fields, role: Role, names: Iterable[str], depth: int) -> Iterator[Fields]:
    """Yield the messages in a field of a request or a response, after the prompt that is another field."""
    inner = next((name for name in names if value.get(name)), "")
    messages = [*_messages(decode_json(value[inner]), role, names, depth + 1)] if inner else []
    if messages and role == "user" and not any(raw["role"] == "system" for raw in messages):
        yield from _prompt_of(value)
    yield from messages


def _prompt_of(request: Fields) -> Iterator[Fields]:
    """Yield the system prompt that is a field of a request."""
    places = (request, fields_of(request.get("config")))
    prompt = next((place[name] for place in places for name in _PROMPTS if place.get(name)), None)
    if isinstance(prompt, str | list):
        yield from _said_messages({"content": prompt}, "system")
    elif isinstance(prompt, dict):
        yield from _said_messages(prompt, "system")


def _answered_by_name(messages: Iterable[Fields]) -> list[Fields]:
    """Return messages whose role is the name of a called tool as its results, which is how Langfuse logs LangChain."""
    rows: list[Fields] = []
    waiting: dict[str, list[str]] = {}
    for raw in messages:
        name = as_text(raw.get("name"))
        if raw["role"] == "user" and waiting.get(name):
            raw = {"role": "tool", "tool_call_id": waiting[name].pop(0), "content": raw.get("content")}
        for call in objects_of(raw.get("tool_calls")):
            waiting.setdefault(as_text(fields_of(call.get("function")).get("name")), []).append(as_text(call.get("id")))
        if raw["role"] == "tool":
            answered = raw.get("tool_call_id")
            waiting = {key: [own for own in ids if own != answered] for key, ids in waiting.items()}
        rows.append(raw)
    return rows


def _listed(value: list[Any], role: Role, names: Iterable[str], depth: int) -> Iterator[Fields]:
    if any(is_item(entry) for entry in value):
        yield from chat_messages([_plain_item(entry) for entry in value if isinstance(entry, dict)])
    elif role == "assistant" and value and all(isinstance(entry, dict) and is_call(entry) for entry in value):
        yield from _said_messages({"content": value}, role)
    elif value and isinstance(value[0], list):  # a batch: the first of it
        yield from _messages(value[0], role, names, depth + 1)
    else:
        for entry in value:
            yield from _messages(entry, role, names, depth + 1)


def _plain_item(item: Fields) -> Fields:
    """Return an item of the Responses API with its arguments as text."""
    arguments = item.get("arguments")
    return item if arguments is None or isinstance(arguments, str) else item | {"arguments": dumps(arguments)}


def _role_of(value: Fields) -> Role | None:
    """Return the role of a message, or None if the value is not a message."""
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


def _message(value: Fields, usual: Role) -> Iterator[Fields]:
    fields = next((inner for name in ("kwargs", "data") if isinstance(inner := value.get(name), dict)), value)
    own = as_text(value.get("role"))
    if own and own.lower() not in _ROLES and "name" not in fields:
        fields = {**fields, "name": own}
    yield from _said_messages(fields, _role_of(value) or usual)


def _said_messages(fields: Fields, role: Role) -> Iterator[Fields]:
    """Yield the chat messages of one message of a library. See `said_parts`."""
    name = as_text(fields.get("name"))
    for own, parts in said_parts(fields, role):
        raw = dict(raw_from(parts, own, DEFAULT_DIALECT, name if own == "tool" else ""))
        if own == "tool" and any(isinstance(part, ToolResult) and part.is_error for part in parts):
            raw[FAILED] = True
        yield raw | {"name": name} if name and own == role == "user" else raw


def said_parts(fields: Fields, role: Role) -> Iterator[tuple[Role, list[Part]]]:
    """Yield the parts of a library's message by role: a system prompt, each tool result, and the rest.

    In a reply, results follow the text and calls before them in the message; in other messages, they come first.
    """
    if _is_definition(fields):
        return
    entries = _content_blocks(fields)
    if prompts := [*filter(is_system_prompt, entries)]:
        yield "system", [part for prompt in prompts for part in block_parts(prompt)]
        entries = [entry for entry in entries if not is_system_prompt(entry)]
    for said, results in _rounds(_parts_in(fields, role, entries)):
        answers: list[tuple[Role, list[Part]]] = [("tool", [result]) for result in results]
        speaker = _speaker(role, said)
        others: list[tuple[Role, list[Part]]] = [(speaker, said)] if said else []
        yield from [*others, *answers] if speaker == "assistant" else [*answers, *others]


def _speaker(role: Role, said: list[Part]) -> Role:
    """Return the role of the content next to results. Calls are the model's."""
    if role != "tool":
        return role
    return "assistant" if any(isinstance(part, ToolCall) for part in said) else "user"


def _rounds(parts: Iterable[Part]) -> Iterator[tuple[list[Part], list[ToolResult]]]:
    """Yield the texts and calls of a message, and the results in it."""
    said: list[Part] = []
    answers: list[ToolResult] = []
    for part in parts:
        if isinstance(part, ToolResult):
            answers.append(part)
            continue
        if answers and not isinstance(part, ToolCall) and any(isinstance(other, ToolCall) for other in said):
            yield said, answers
            said, answers = [], []
        said.append(part)
    yield said, answers


def is_foreign(message: Any) -> bool:
    """Return True if a message has calls or results in a notation that is neither OpenAI's nor Anthropic's."""
    if not isinstance(message, dict):
        return False
    calls = objects_of(message.get("tool_calls"))
    return (
        any(is_foreign_block(block) for name in ("content", "parts") for block in objects_of(message.get(name)))
        or any(key in message for key in ("toolInvocations", "toolCalls"))
        or any("function" in call and not call.get("id") for call in calls)
    )


def _is_definition(fields: Fields) -> bool:
    """Return True if an entry in a list of messages is the definition of a tool."""
    match fields.get("content"):
        case {"type": "function", "function": dict()}:
            return True
    return False


def _content_blocks(fields: Fields) -> list[Any]:
    """Return the content of a message, block by block."""
    entries = next((fields[name] for name in _CONTENTS if isinstance(fields.get(name), list)), fields.get("content"))
    return entries if isinstance(entries, list) else [entries]


def _parts_in(fields: Fields, role: Role, entries: list[Any]) -> Iterator[Part]:
    yield from thoughts_of(*(fields.get(name) for name in ("reasoning_content", "reasoning", "thinking")))
    parts = [part for entry in entries if entry is not None for part in block_parts(entry)]
    if role == "tool" and not any(isinstance(part, ToolCall | ToolResult) for part in parts):
        content = fields.get("content")
        text = content if content is not None else fields.get("response")
        has_failed = fields.get("status") == "error" or fields.get("error") is True
        own = next((fields[key] for key in ("tool_call_id", "toolCallId", "id") if fields.get(key)), "")
        yield result_of(own, text, is_error=has_failed)
        return
    yield from parts
    if not any(isinstance(part, ToolCall) for part in parts):
        yield from _calls_in(fields)


def _calls_in(fields: Fields) -> Iterator[Part]:
    """Yield the calls of a reply that are not in its content, some with their results."""
    extra = fields_of(fields.get("additional_kwargs"))
    calls = (objects_of(where.get(name)) for where in (fields, extra) for name in ("tool_calls", "toolCalls"))
    for call in next(filter(None, calls), ()):
        function = fields_of(call.get("function"))
        arguments = function.get("arguments") if function else call.get("args", call.get("arguments"))
        yield call_of(call.get("id"), function.get("name") or call.get("name"), arguments)
    for invocation in objects_of(fields.get("toolInvocations")):
        yield from block_parts({"type": "tool-invocation", "toolInvocation": invocation})
