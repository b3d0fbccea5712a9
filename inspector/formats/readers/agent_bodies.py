"""Bodies of HTTP traffic with APIs in other notations, as requests and replies in the chat notation.

https://docs.cohere.com/v1/reference/chat, https://docs.cohere.com/reference/chat, https://docs.x.ai/docs/grpc-reference,
https://a2a-protocol.org and https://docs.aws.amazon.com/bedrock/latest/userguide/trace-events.html: the traces of an
agent of Amazon Bedrock have each request to a model that the service made, with its reply, in AWS's event stream
encoding or as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import library_usage
from inspector.formats.building.streamed_replies import events_in
from inspector.formats.building.traces import ModelCall, usage_fields
from inspector.formats.reading.content import Fields
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.llm.providers import as_text, token_count

_SPEAKERS = {"user": "user", "chatbot": "assistant", "system": "system", "tool": "tool"}
_RPC = ("message/send", "message/stream", "SendMessage", "SendStreamingMessage")
_PREFIX, _TRAILER = 12, 4
"""Bytes before the headers and after the payload of a message in AWS's encoding: lengths and checksums."""
_TRACE = re.compile(r'\{"agentAliasId"')
"""The beginning of a trace, where the encoding was lost with the bytes that are no text."""


class ChatBodies(NamedTuple):
    """Request and reply of a call in the chat notation."""

    asked: Fields
    answer: Fields


def cohere_bodies(asked: Fields, body: str) -> ChatBodies | None:
    """Return a call of Cohere's chat API, or None if the request is none.

    Args:
        asked: Body of the request.
        body: Body of the response, which may be a stream.
    """
    if isinstance(asked.get("message"), str) and isinstance(asked.get("chat_history", []), list):
        answer = _json_object(body) or _streamed_cohere(body)
        return ChatBodies(_cohere_request(asked), _cohere_reply(answer))
    answer = _json_object(body)
    is_second = isinstance(asked.get("messages"), list) and isinstance(answer.get("message"), dict)
    return ChatBodies(asked, _cohere_reply(answer)) if is_second and "finish_reason" in answer else None


def _cohere_request(asked: Fields) -> Fields:
    messages: list[Fields] = []
    if preamble := asked.get("preamble"):
        messages.append({"role": "system", "content": as_text(preamble)})
    for row in objects_of(asked.get("chat_history")):
        role = _SPEAKERS.get(as_text(row.get("role")).lower(), "user")
        messages += _cohere_results(row) if role == "tool" else [_cohere_message(row, role)]
    if text := as_text(asked.get("message")):
        messages.append({"role": "user", "content": text})
    messages += _cohere_results(asked)
    tools = [_cohere_tool(tool) for tool in objects_of(asked.get("tools"))]
    return {"messages": messages, "model": as_text(asked.get("model")), **({"tools": tools} if tools else {})}


def _cohere_message(row: Fields, role: str) -> Fields:
    message: Fields = {"role": role, "content": as_text(row.get("message") or row.get("text"))}
    calls = [_chat_call(_call_id(call), call) for call in objects_of(row.get("tool_calls"))]
    return message | ({"tool_calls": calls} if calls and role == "assistant" else {})


def _cohere_results(row: Fields) -> list[Fields]:
    """Return the results of calls, which have no ids in this API: a call is named by its tool and arguments."""
    return [
        {"role": "tool", "tool_call_id": _call_id(fields_of(one.get("call"))), "content": as_text(one.get("outputs"))}
        for one in objects_of(row.get("tool_results"))
    ]


def _call_id(call: Fields) -> str:
    return as_text(call.get("id")) or f"{as_text(call.get('name'))} {as_text(call.get('parameters'))}"


def _chat_call(name: str, call: Fields) -> Fields:
    arguments = call.get("parameters", call.get("arguments"))
    return {
        "id": name,
        "type": "function",
        "function": {"name": as_text(call.get("name")), "arguments": as_text(arguments)},
    }


def _cohere_tool(tool: Fields) -> Fields:
    named = fields_of(tool.get("parameter_definitions"))
    schema = {"type": "object", "properties": named}
    function = {"name": as_text(tool.get("name")), "description": as_text(tool.get("description"))}
    return {"type": "function", "function": {**function, "parameters": schema}}


def _cohere_reply(answer: Fields) -> Fields:
    """Return a reply of either version: `text` with `meta`, or a message with `usage`."""
    inner = fields_of(answer.get("message"))
    blocks = inner.get("content")
    said = "".join(as_text(block.get("text")) for block in objects_of(blocks)) if inner else answer.get("text")
    if not answer or (not inner and not isinstance(said, str)):
        error = answer.get("message")
        return {"error": {"message": error}} if isinstance(error, str) else {}
    calls = objects_of(inner.get("tool_calls"))
    calls = calls or [_chat_call(_call_id(call), call) for call in objects_of(answer.get("tool_calls"))]
    message: Fields = {"role": "assistant", "content": as_text(said), **({"tool_calls": calls} if calls else {})}
    usage = fields_of(answer.get("usage")) or fields_of(answer.get("meta"))
    counts = fields_of(usage.get("tokens")) or fields_of(usage.get("billed_units"))
    report = usage_fields(token_count(counts, "input_tokens"), token_count(counts, "output_tokens"))
    return {"choices": [{"message": message}], "usage": report}


def _streamed_cohere(body: str) -> Fields:
    """Return the whole reply, with which the last event of a stream ends."""
    events = (_json_object(line) for line in reversed(body.splitlines()) if "stream-end" in line)
    return fields_of(next(events, {}).get("response"))


def grpc_exchange(row: Fields) -> Fields:
    """Return a recorded call of xAI's gRPC API as an exchange of HTTP traffic; other rows as they are."""
    asked, answer = (fields_of(fields_of(row.get(f"{name}_sample")).get("json")) for name in ("request", "response"))
    if not isinstance(asked.get("messages"), list):
        return row
    request: Fields = {"messages": [_grpc_message(one) for one in objects_of(asked["messages"])]}
    request |= {
        "model": as_text(asked.get("model")),
        "tools": [_grpc_tool(one) for one in objects_of(asked.get("tools"))],
    }
    report = library_usage(_in_chat_words(fields_of(answer.get("usage"))))
    outputs = [_grpc_message(fields_of(one.get("message"))) for one in objects_of(answer.get("outputs"))]
    last = outputs.pop() if outputs else {}
    reply: Fields = {
        "choices": [{"message": last}],
        "usage": usage_fields(report.input, report.output, report.cache_read) if report else {},
        "model": as_text(answer.get("model")),
        "created": answer.get("created"),
    }
    request["messages"] += outputs  # calls that the service ran itself, with their results
    return {"request": {"uri": "", "parsed_body": request}, "response": {"parsed_body": reply if last else {}}}


def _in_chat_words(usage: Fields) -> Fields:
    thoughts, cached = token_count(usage, "reasoning_tokens"), token_count(usage, "cached_prompt_text_tokens")
    sent, reply = token_count(usage, "prompt_tokens"), token_count(usage, "completion_tokens") + thoughts
    return usage_fields(sent, reply, cached)


def _grpc_message(message: Fields) -> Fields:
    role = as_text(message.get("role")).removeprefix("ROLE_").lower()
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(as_text(block.get("text")) for block in objects_of(content) if block.get("text"))
    calls = objects_of(message.get("tool_calls"))
    if role in ("tool", "function"):
        name = as_text(message.get("tool_call_id")) or next((as_text(call.get("id")) for call in calls), "")
        return {"role": "tool", "tool_call_id": name, "content": as_text(content)}
    own = [_chat_call(as_text(call.get("id")), fields_of(call.get("function"))) for call in calls]
    role = role if role in ("system", "developer", "assistant") else "user"
    return {"role": role, "content": as_text(content), **({"tool_calls": own} if own else {})}


def _grpc_tool(tool: Fields) -> Fields:
    """Return a tool, of which the API names the kind by its only field: `{"code_execution": {}}`."""
    kind, inner = next(iter(tool.items()), ("", {}))
    facts = fields_of(inner)
    schema = _json_object(as_text(facts.get("parameters")))
    return {
        "type": "function",
        "function": {
            "name": as_text(facts.get("name")) or kind,
            "parameters": schema,
            **({"description": as_text(facts["description"])} if facts.get("description") else {}),
        },
    }


class AgentTalks:
    """Messages between agents by the A2A protocol, each with those of its context so far."""

    def __init__(self) -> None:
        self._earlier: dict[str, list[Fields]] = {}

    def bodies(self, asked: Fields, body: str) -> ChatBodies | None:
        """Return a message to an agent and its reply, or None if the request is none."""
        if asked.get("method") not in _RPC:
            return None
        message = fields_of(fields_of(asked.get("params")).get("message"))
        results = [fields_of(one.get("result")) for one in (_json_object(body), *events_in(body)) if one.get("result")]
        names = (as_text(one.get("contextId")) for one in (message, *results))
        context = next(filter(None, names), "")
        asking = {"role": "user", "content": _text_of_parts(message)}
        messages = [*self._earlier.get(context, ()), asking]
        said = list(dict.fromkeys(text for result in results for text in _replies_in(result)))
        reply = {"role": "assistant", "content": "\n\n".join(said)}
        if context:
            self._earlier[context] = [*messages, reply] if said else messages
        return ChatBodies({"messages": messages}, {"choices": [{"message": reply}]} if said else {})


def _replies_in(result: Fields) -> Iterator[str]:
    """Yield the texts of an agent in a message, a task, or an update of one."""
    task = fields_of(result.get("task")) or result
    status = fields_of(task.get("status"))
    places = [fields_of(result.get("message")) or task, fields_of(status.get("message"))]
    places += [fields_of(task.get("artifact")), *objects_of(task.get("artifacts"))]
    yield from filter(None, map(_text_of_parts, places))


def _text_of_parts(message: Fields) -> str:
    return "\n".join(as_text(part.get("text") or part.get("data")) for part in objects_of(message.get("parts")))


def bedrock_calls(body: bytes | str) -> list[ModelCall]:
    """Return the calls of models in the traces of an agent of Amazon Bedrock.

    Args:
        body: Body of a response.
    """
    payloads = _payloads(body) if isinstance(body, bytes) else _objects_from(body)
    return _calls_in(payloads)


def _calls_in(records: Iterable[Fields]) -> list[ModelCall]:
    """Return the calls of models in trace events of Amazon Bedrock, each a request followed by its reply."""
    calls: list[ModelCall] = []
    waiting: dict[str, ModelCall] = {}
    for record in records:
        for inner in fields_of(record.get("trace", record)).values():
            facts = fields_of(inner)
            asked, answered = (fields_of(facts.get(f"modelInvocation{end}")) for end in ("Input", "Output"))
            if asked:
                agent = as_text(record.get("collaboratorName"))
                call = ModelCall(_anthropic_request(asked), {}, as_text(asked.get("foundationModel")), title=agent)
                waiting[as_text(asked.get("traceId"))] = call
                calls.append(call)
            if answered and (known := waiting.pop(as_text(answered.get("traceId")), None)):
                _add_answer(known, answered, as_text(record.get("eventTime")))
    return calls


def _anthropic_request(asked: Fields) -> Any:
    text = as_text(asked.get("text"))
    request = _json_object(text)
    if not request:
        return {"messages": [{"role": "user", "content": text}]}
    system = as_text(request.get("system"))
    start = [{"role": "system", "content": system}] if system else []
    return {"messages": [*start, *objects_of(request.get("messages"))]}


def _add_answer(call: ModelCall, answered: Fields, time: str) -> None:
    text = as_text(fields_of(answered.get("rawResponse")).get("content"))
    raw = _json_object(text)
    blocks = objects_of(raw.get("content") or fields_of(fields_of(raw.get("output")).get("message")).get("content"))
    said = "\n".join(as_text(block["text"]) for block in blocks if block.get("text")) if blocks else text
    counts = fields_of(fields_of(answered.get("metadata")).get("usage"))
    call.answer = {"choices": [{"message": {"role": "assistant", "content": said}}]}
    call.usage = usage_fields(token_count(counts, "inputTokens"), token_count(counts, "outputTokens"))
    call.time = time


def _payloads(data: bytes) -> Iterator[Fields]:
    """Yield the JSON payloads of messages in AWS's event stream encoding."""
    start = 0
    while start + _PREFIX + _TRAILER <= len(data):
        length, headers = (int.from_bytes(data[start + at : start + at + 4]) for at in (0, 4))
        if not _PREFIX + headers + _TRAILER <= length <= len(data) - start:
            return
        yield _json_object(data[start + _PREFIX + headers : start + length - _TRAILER].decode("utf-8", "replace"))
        start += length


def _objects_from(text: str) -> Iterator[Fields]:
    """Yield the traces in a text whose other bytes were lost."""
    starts: Sequence[int] = [match.start() for match in _TRACE.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield _json_object(text[start:end][: text[start:end].rfind("}") + 1])


def _json_object(text: str) -> Fields:
    try:
        return fields_of(parse(text.encode("utf-8", "replace"))[0])
    except BrokenJSONError:
        return {}
