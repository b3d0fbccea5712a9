"""Recorded requests to a chat model, with their replies, in the wrappers of many loggers.

A bare list of messages is a request. Other data that a logger added is kept as the record of the first message, and
other data of the response as the record of the reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from inspector.core.conversation import Dialect
from inspector.core.text import clip, word_set
from inspector.formats.building.blocks import objects_of, time_of
from inspector.formats.building.message_heuristics import is_foreign
from inspector.formats.readers.requests.provider_compactions import (
    MAX_REASON,
    around_compaction,
    prompt_length,
    remarks_of_api,
    with_earlier,
)
from inspector.formats.reading.content import Content, Fields, Sample, name_of
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.source import Progress
from inspector.llm.providers import (
    RecordedCall,
    chat_form,
    chat_messages,
    is_item,
    is_request,
    provider_of_call,
)

PARTS = word_set("messages traj tools system model request body params response choices kwargs")
"""Fields of a wrapping that are read for what they hold; the others are kept as its record."""

_REQUESTS = ("request", "body", "params")
"""Fields in which loggers keep a request."""


@dataclass(slots=True)
class Exchange(RecordedCall):
    """A recorded request, with its reply if that was recorded, and the other data that a logger added."""

    number: int = 0
    """Line or element, from 1; 0 if it is the whole file."""
    record: Fields = field(default_factory=dict)
    time: str = ""
    """When the reply came."""
    is_compaction: bool = False
    """True if the messages are those that a call which only compacts returned."""
    has_new_tools: bool = False
    """True if other tools were defined in the request before it, of the same conversation."""
    prints: Sequence[int] = ()
    """Fingerprints of the messages, if they are known already."""
    is_compacted: bool = False
    """True if the response began with the compaction that is the last of the messages, before the reply."""
    compacted: Exchange | None = None
    """The request of a call that only compacts, without a reply, if it was recorded."""
    begins_anew: bool = False
    """True if the program recorded that it compacted the history before the request."""

    @property
    def continues(self) -> bool:
        """True if it begins another context of the conversation of the call before it."""
        return self.compacted is not None or self.begins_anew

    @property
    def is_run(self) -> bool:
        """True if it is an independent run of a benchmark rather than one call of several."""
        return "traj" in self.fields

    @property
    def usage(self) -> Any:
        return self.reply_record.get("usage") or self.record.get("usage")


def _is_message(value: Any) -> bool:
    """Return True if a JSON value looks like a chat message."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return "content" in value or "tool_calls" in value or "function_call" in value


def _is_conversation(value: Any) -> bool:
    """Return True if a JSON value is a list of chat messages or items, or begins like one."""
    return isinstance(value, list) and any(_is_message(entry) or is_item(entry) for entry in value[:5])


def _messages_of(entries: list[Any]) -> list[Any]:
    """Return chat messages, converted from items of the Responses API if there are any."""
    return chat_messages(entries) if any(map(is_item, entries)) else entries


def _api_of(entries: list[Any]) -> Fields:
    """Return settings that name the API that a list is in, if only one has such entries."""
    return {"openai-responses": {}} if any(map(is_item, entries)) else {}


def _as_fields(value: Any) -> Fields:
    """Return an object, which may be logged as JSON text; empty for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse(value.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return {}
    return value if isinstance(value, dict) else {}


def exchange_of(value: Any, number: int = 0) -> Exchange | None:
    """Return the request in a JSON value, or None if it is not a request.

    Args:
        value: A request, a message list, a logger's wrapper of one, or a page of items.
        number: Line or position of the value in the file, from 1.
    """
    entries = _page_entries(value) if isinstance(value, dict) else value
    if _is_conversation(entries):
        return Exchange(_messages_of(entries), fields=_api_of(entries), number=number)
    return _wrapped_exchange(value, number) if isinstance(value, dict) else None


def _page_entries(value: Fields) -> list[Any]:
    """Return the items of a page of the Responses API, which lists the newest first by default."""
    rows = objects_of(value.get("data")) if value.get("object") == "list" else []
    kinds = [str(row.get("type")) for row in rows if "call_id" in row]
    return rows[::-1] if kinds and kinds[0].endswith("_output") else rows


def _compacted_items(value: Fields, number: int) -> Exchange | None:
    """Return the items that a call of `/responses/compact` returned, as a request without a reply; None otherwise."""
    for answer in (value, _as_fields(value.get("response"))):
        if answer.get("object") == "response.compaction" and isinstance(items := answer.get("output"), list):
            record = {key: item for key, item in answer.items() if key != "output"}
            messages = chat_messages(items)
            before = _wrapped_exchange({"request": request}, number) if (request := _own_request(value)) else None
            if before:
                messages = [*before.messages[: prompt_length(before.messages)], *messages]
            facts: Fields = {"number": number, "record": record, "is_compaction": True, "compacted": before}
            return Exchange(messages, model=before.model if before else "", fields=_api_of(items), **facts)
    return None


def _own_request(value: Fields) -> Fields:
    """Return the request in a logger's wrapper, or {}."""
    own = _own_fields(value)
    return {} if own is value else own


def _wrapped_exchange(value: Fields, number: int) -> Exchange | None:
    if compacted := _compacted_items(value, number):
        return compacted
    if is_request(value):
        value = chat_form(value)
    request = _request_in(value)
    messages: Any = request.get("traj") or request.get("messages")
    if not (_is_conversation(messages) or _is_empty_request(request, messages)):
        return None
    response = _as_fields(value.get("response")) or value
    reply, reply_record = _reply_in(response)
    own, reply, is_compacted = around_compaction(response, reply)
    return Exchange(
        [*messages, *own],
        request.get("system"),
        objects_of(request.get("tools")),
        str(reply_record.get("model") or request.get("model") or ""),
        request,
        reply,
        reply_record,
        number,
        {key: item for key, item in value.items() if key not in PARTS},
        _time_of(reply_record) or _time_of(value),
        is_compacted=is_compacted,
    )


def _own_fields(value: Fields) -> Fields:
    """Return the fields of a logged request as it was sent."""
    return next((inner for name in _REQUESTS if (inner := _as_fields(value.get(name)))), value)


def _request_in(value: Fields) -> Fields:
    """Return the request inside any wrapper of a logger."""
    for name in _REQUESTS:
        inner = _as_fields(value.get(name))
        if isinstance(inner.get("messages"), list):
            return inner
        if is_request(inner):
            return chat_form(inner)
    if kwargs := _as_fields(value.get("kwargs")):
        return kwargs | {key: item for key, item in value.items() if key in ("messages", "tools", "model")}
    return value


def _is_empty_request(request: Fields, messages: Any) -> bool:
    """Return True if a request has a model and no messages. Without a model, an empty list may be anything."""
    return messages == [] and isinstance(request.get("model"), str)


def _reply_in(response: Fields) -> tuple[Fields | None, Fields]:
    """Return the message in a response of any provider, and the rest of the response."""
    match response:
        case {"choices": [{"message": dict(message), **choice}, *_], **rest}:
            rest.pop("messages", None)
            return {"role": "assistant", **message}, rest | {"choice": choice}
        case {"output": [*items], **rest} if any(isinstance(item, dict) and "type" in item for item in items):
            replies = [raw for raw in chat_messages(items) if raw["role"] == "assistant"]
            return (replies[-1], rest) if replies else (None, rest)
        case {"role": "assistant", "content": list() | str() as content, **rest}:
            return {"role": "assistant", "content": content}, rest
    return None, {}


def _time_of(record: Mapping[str, Any]) -> str:
    """Return the time in a record as ISO text, or ""."""
    times = (time_of(record.get(name)) for name in ("created", "timestamp", "created_at", "time"))
    return next(filter(None, times), "")


def exchanges(content: Content, progress: Progress | None = None) -> Iterator[Exchange]:
    """Yield the recorded requests of a file, in order. Messages on separate lines form one request."""
    loose: list[Any] = []
    first = 0
    earlier = EarlierCalls()
    for number, value in content.records(progress):
        if _is_message(value) or is_item(value):
            loose.append(value)
            first = first or number
        elif exchange := exchange_of(value, number):
            for remark in remarks_on(value):
                content.problems.add(remark, number if content.sample.shape == "lines" else None)
            yield earlier.complete(exchange, value)
        else:
            kind = "a JSON object without a conversation" if isinstance(value, dict) else f"a JSON {name_of(value)}"
            content.reject(number, f"is {kind}")
    if loose:
        yield Exchange(_messages_of(loose), fields=_api_of(loose), number=first)


def remarks_on(value: Any) -> Iterator[str]:
    """Yield problems that no message shows: further answers, and errors."""
    outer = _as_fields(value)
    response = _as_fields(outer.get("response")) or outer
    if isinstance(choices := response.get("choices"), list) and len(choices) > 1:
        yield f"of its {len(choices):,} answers the first is shown"
    yield from remarks_of_api(response)
    if error := response.get("error") or outer.get("error"):
        reason = error.get("message") if isinstance(error, dict) else error
        yield f"the request failed: {clip(str(reason or error), MAX_REASON)}"


class EarlierCalls:
    """The calls of a log so far, which complete later requests that refer to them instead of repeating them."""

    def __init__(self) -> None:
        self._ended: dict[str, Exchange] = {}
        """Exchanges by the ids of their responses."""
        self._compacted: dict[str, list[Any]] = {}
        """Messages before each compaction."""

    def complete(self, exchange: Exchange, value: Any) -> Exchange:
        """Return the next call of the log with the messages before it that it refers to.

        Args:
            exchange: The call.
            value: The JSON value that it was read from.
        """
        self._continue(exchange, value)
        if exchange.compacted:
            self.complete(exchange.compacted, {})
        exchange.messages = with_earlier(exchange.messages, exchange.reply, self._compacted)
        return exchange

    def _continue(self, exchange: Exchange, value: Any) -> None:
        """Add the messages before an exchange that refers to an earlier response by id."""
        if not isinstance(value, dict) or exchange.reply is None or "output" not in _as_fields(value.get("response")):
            return
        before = self._ended.get(str(_own_fields(value).get("previous_response_id") or ""))
        if before is not None and before.reply is not None:
            own = [raw for raw in exchange.messages if not isinstance(raw, dict) or raw.get("role") != "system"]
            exchange.messages = [*before.messages, before.reply, *own]
        if name := exchange.reply_record.get("id"):
            self._ended[str(name)] = exchange


def dialect_of(exchange: Exchange) -> Dialect | None:
    """Return the wire format of a request, or None if it could be any provider's."""
    provider = provider_of_call(exchange)
    return provider.wire.name if provider else None


def dialect_in(sample: Sample) -> Dialect | None:
    """Return the wire format of a file's requests, by the first that has a distinctive one.

    Returns:
        "" if no request has a distinctive format, None if there is no request.
    """
    loose = [record for record in sample.records if _is_message(record) or is_item(record)]
    requests = [exchange for record in sample.records if (exchange := exchange_of(record))]
    if loose:
        requests.append(Exchange(_messages_of(loose)))
    return next((dialect for request in requests if (dialect := dialect_of(request))), "") if requests else None


def has_foreign_words(sample: Sample) -> bool:
    """Return True if calls or results in a file are in a library's notation, which no provider's API accepts."""
    requests = (exchange.messages for record in sample.records if (exchange := exchange_of(record)))
    return any(map(is_foreign, chain(sample.records, chain.from_iterable(requests))))
