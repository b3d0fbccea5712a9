"""Exports of requests of Copilot Chat: prompts, each with its requests and the tools that ran between them.

Every request holds all messages that were sent. Roles and kinds of parts are numbers there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Session
from inspector.core.text import dumps, word_set
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.traces import ModelCall, trace_sessions
from inspector.formats.reading.content import Content, Fields
from inspector.llm.providers import as_text

_ROLES = ("system", "user", "assistant", "tool")
"""Roles by their numbers."""
_ASIDE = word_set("title promptCategorization chat/agentTitle followups rename copilotLanguageModelWrapper")
"""Requests that the program makes for itself."""


def prompts_in(record: Any) -> list[Fields]:
    """Return the prompts of an export, or the prompt that it is; empty for any other value."""
    if not isinstance(record, dict):
        return []
    return objects_of(record.get("prompts")) or ([record] if "logs" in record else [])


def is_prompt(prompt: Fields) -> bool:
    """Return True if a prompt contains a request in the form of Copilot Chat."""
    return any(_is_request_log(entry) for entry in objects_of(prompt.get("logs")))


def replay_sessions(content: Content, format: str, prompts: Sequence[Fields]) -> list[Session]:
    """Return the sessions of the prompts; requests of the program itself are last. Raises UnreadableError."""
    answered = {
        as_text(message.get("toolCallId") or message.get("tool_call_id"))
        for prompt in prompts
        for entry in filter(_is_request_log, objects_of(prompt.get("logs")))
        for message in objects_of(entry["requestMessages"]["messages"])
    }
    calls = [call for prompt in prompts for call in _calls_behind(prompt, answered)]
    calls.sort(key=lambda call: call.title != "")
    return trace_sessions(content, format, calls)


def _is_request_log(entry: Fields) -> bool:
    return entry.get("kind") == "request" and isinstance(fields_of(entry.get("requestMessages")).get("messages"), list)


def _calls_behind(prompt: Fields, answered: Container[str]) -> Iterator[ModelCall]:
    """Yield the model calls of a prompt, each with the tools that it called.

    The results of the last one follow as a request without an answer, unless another has them: `answered` are the ids
    of the calls whose results were sent.
    """
    logs = objects_of(prompt.get("logs"))
    places = [place for place, entry in enumerate(logs) if _is_request_log(entry)]
    for place, end in zip(places, [*places[1:], len(logs)], strict=True):
        entry = logs[place]
        tools = [other for other in logs[place + 1 : end] if other.get("kind") == "toolCall"]
        call = _model_call(entry, tools)
        yield call
        results = [_result_of_tool(tool) for tool in tools if "response" in tool]
        if end == len(logs) and results and not any(result["tool_call_id"] in answered for result in results):
            yield replace(call, sent=[*call.sent, call.answer, *results], answer={}, usage={}, time="")


def _model_call(entry: Fields, tools: Sequence[Fields]) -> ModelCall:
    """Return a request with its reply, and with the tools that ran next."""
    metadata = fields_of(entry.get("metadata"))
    name = as_text(entry.get("name"))
    return ModelCall(
        [_sent(message) for message in objects_of(entry["requestMessages"]["messages"])],
        _answer_of(entry, tools),
        as_text(metadata.get("model")),
        fields_of(metadata.get("usage")),
        time_of(metadata.get("endTime") or metadata.get("startTime")),
        [_definition(tool) for tool in objects_of(metadata.get("tools"))],
        name if name in _ASIDE else "",
        record={key: entry[key] for key in ("id", "name", "type") if entry.get(key)},
    )


def _sent(message: Fields) -> Fields:
    """Return a message as the chat interface has it."""
    role = message.get("role")
    if type(role) is int:
        role = _ROLES[role] if 0 <= role < len(_ROLES) else "user"
    calls = [call for part in objects_of(message.get("content")) if (call := _call_in(part))]
    calls += objects_of(message.get("toolCalls") or message.get("tool_calls"))
    content = message.get("content")
    raw: Fields = {"role": role, "content": content if isinstance(content, str) else list(_sent_parts(content))}
    if calls:
        raw["tool_calls"] = calls
    if role == "tool":
        raw["tool_call_id"] = as_text(message.get("toolCallId") or message.get("tool_call_id"))
    return raw


def _sent_parts(content: Any) -> Iterator[Fields]:
    """Yield the parts of a message: 1 is text, 2 a value of some kind, 3 marks a place in the cache."""
    for part in objects_of(content):
        value = fields_of(part.get("value"))
        thinking = fields_of(value.get("thinking")).get("text")
        if part.get("type") in (1, "text") or isinstance(part.get("text"), str):
            yield {"type": "text", "text": as_text(part.get("text"))}
        elif isinstance(part.get("imageUrl"), dict):
            yield {"type": "image_url", "image_url": part["imageUrl"]}
        elif isinstance(thinking, str) and thinking:
            yield {"type": "thinking", "thinking": thinking}


def _call_in(part: Fields) -> Fields:
    """Return the call in a part, or an empty object."""
    call = fields_of(fields_of(part.get("value")).get("toolCall"))
    return _call_raw(call.get("id"), call.get("name"), call.get("input")) if call else {}


def _call_raw(id: Any, name: Any, arguments: Any) -> Fields:
    text = arguments if isinstance(arguments, str) else dumps(arguments or {})
    return {"id": as_text(id), "type": "function", "function": {"name": as_text(name), "arguments": text}}


def _answer_of(entry: Fields, tools: Sequence[Fields]) -> Fields:
    """Return the reply, with the tools that ran next."""
    said = fields_of(entry.get("response")).get("message")
    text = "".join(map(as_text, said)) if isinstance(said, list) else as_text(said)
    raw: Fields = {"role": "assistant", "content": text}
    if tools:
        raw["tool_calls"] = [_call_raw(tool.get("id"), tool.get("tool"), tool.get("args")) for tool in tools]
    return raw


def _result_of_tool(tool: Fields) -> Fields:
    """Return the result of a tool in the chat interface: a text, or a list of texts."""
    said = tool.get("response")
    text = "\n".join(map(as_text, said)) if isinstance(said, list) else as_text(said)
    return {"role": "tool", "tool_call_id": as_text(tool.get("id")), "content": text}


def _definition(tool: Fields) -> Fields:
    """Return the definition of a tool as the chat interface has it."""
    if "function" in tool:
        return tool
    names = ("name", "description", "parameters")
    return {"type": "function", "function": {name: tool[name] for name in names if name in tool}}
