"""Recorded requests to a chat model, with their replies, in the wrappers of many loggers.

A bare list of messages is a request. Other data that a logger added is kept as the record of the first message, and
other data of the response as the record of the reply.

A program that sends its whole history with every call logs the same messages repeatedly. A request that begins with all
messages of an earlier one, followed by a reply, continues that conversation, and the reply keeps the data reported for
it in the earlier response.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from inspector.core.conversation import Dialect, Thinking, ToolResult
from inspector.core.text import clip, dumps, word_set
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.message_heuristics import is_foreign
from inspector.formats.readers.requests.provider_compactions import (
    MAX_REASON,
    around_compaction,
    remarks_of_api,
    with_earlier,
)
from inspector.formats.reading.content import Content, Sample, name_of
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.source import Progress
from inspector.llm.providers import (
    RecordedCall,
    chat_form,
    chat_messages,
    is_item,
    is_request,
    provider_of_call,
    wire_of,
)

_Fields = dict[str, Any]

PARTS = word_set("messages traj tools system model request body params response choices kwargs")
"""Fields of a wrapping that are read for what they hold; the others are kept as its record."""

_REQUESTS = ("request", "body", "params")
"""Fields in which loggers keep a request."""


@dataclass(slots=True)
class Exchange(RecordedCall):
    """A recorded request, with its reply if that was recorded, and the other data that a logger added."""

    number: int = 0
    """Line or element, from 1; 0 if it is the whole file."""
    record: _Fields = field(default_factory=dict)
    time: str = ""
    """When the reply came."""
    is_compaction: bool = False
    """True if the messages are those that a call which only compacts returned."""
    is_compacted: bool = False
    """True if the response began with the compaction that is the last of the messages, before the reply."""

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


def _api_of(entries: list[Any]) -> _Fields:
    """Return settings that name the API that a list is in, if only one has such entries."""
    return {"openai-responses": {}} if any(map(is_item, entries)) else {}


def _as_fields(value: Any) -> _Fields:
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


def _page_entries(value: _Fields) -> list[Any]:
    """Return the items of a page of the Responses API, which lists the newest first by default."""
    rows = objects_of(value.get("data")) if value.get("object") == "list" else []
    kinds = [str(row.get("type")) for row in rows if "call_id" in row]
    return rows[::-1] if kinds and kinds[0].endswith("_output") else rows


def _compacted_items(value: _Fields, number: int) -> Exchange | None:
    """Return the items that a call of `/responses/compact` returned, as a request without a reply; None otherwise."""
    for answer in (value, _as_fields(value.get("response"))):
        if answer.get("object") == "response.compaction" and isinstance(items := answer.get("output"), list):
            record = {key: item for key, item in answer.items() if key != "output"}
            return Exchange(chat_messages(items), number=number, record=record, is_compaction=True)
    return None


def _wrapped_exchange(value: _Fields, number: int) -> Exchange | None:
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


def _own_fields(value: _Fields) -> _Fields:
    """Return the fields of a logged request as it was sent."""
    return next((inner for name in _REQUESTS if (inner := _as_fields(value.get(name)))), value)


def _request_in(value: _Fields) -> _Fields:
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


def _is_empty_request(request: _Fields, messages: Any) -> bool:
    """Return True if a request has a model and no messages. Without a model, an empty list may be anything."""
    return messages == [] and isinstance(request.get("model"), str)


def _reply_in(response: _Fields) -> tuple[_Fields | None, _Fields]:
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
    for name in ("created", "timestamp", "created_at", "time"):
        match record.get(name):
            case str(text):
                return text
            case bool():
                continue
            case int() | float() as seconds if 0 < seconds < 1e14:
                seconds = seconds / 1000 if seconds > 1e11 else seconds
                return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return ""


def exchanges(content: Content, progress: Progress | None = None) -> Iterator[Exchange]:
    """Yield the recorded requests of a file, in order. Messages on separate lines form one request."""
    loose: list[Any] = []
    first = 0
    ended: dict[str, Exchange] = {}
    compacted: dict[str, list[Any]] = {}
    for number, value in content.records(progress):
        if _is_message(value) or is_item(value):
            loose.append(value)
            first = first or number
        elif exchange := exchange_of(value, number):
            for remark in _remarks_on(value):
                content.problems.add(remark, number if content.sample.shape == "lines" else None)
            exchange = _continued(exchange, value, ended)
            exchange.messages = with_earlier(exchange.messages, exchange.reply, compacted)
            yield exchange
        else:
            kind = "a JSON object without a conversation" if isinstance(value, dict) else f"a JSON {name_of(value)}"
            content.reject(number, f"is {kind}")
    if loose:
        yield Exchange(_messages_of(loose), fields=_api_of(loose), number=first)


def _remarks_on(value: Any) -> Iterator[str]:
    """Yield problems that no message shows: further answers, and errors."""
    outer = _as_fields(value)
    response = _as_fields(outer.get("response")) or outer
    if isinstance(choices := response.get("choices"), list) and len(choices) > 1:
        yield f"of its {len(choices):,} answers the first is shown"
    yield from remarks_of_api(response)
    if error := response.get("error") or outer.get("error"):
        reason = error.get("message") if isinstance(error, dict) else error
        yield f"the request failed: {clip(str(reason or error), MAX_REASON)}"


def _continued(exchange: Exchange, value: Any, ended: dict[str, Exchange]) -> Exchange:
    """Complete an exchange that refers to an earlier response by id with the messages before it.

    `ended` maps ids of responses to their exchanges; this one is added.
    """
    if not isinstance(value, dict) or exchange.reply is None or "output" not in _as_fields(value.get("response")):
        return exchange
    before = ended.get(str(_own_fields(value).get("previous_response_id") or ""))
    if before is not None and before.reply is not None:
        own = [raw for raw in exchange.messages if not isinstance(raw, dict) or raw.get("role") != "system"]
        exchange.messages = [*before.messages, before.reply, *own]
    if name := exchange.reply_record.get("id"):
        ended[str(name)] = exchange
    return exchange


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


_Point = tuple[int, int]
"""Number of messages, and their combined fingerprint."""


@dataclass(slots=True)
class Chain:
    """The newest request of a conversation, and the exchanges in which its replies were logged."""

    exchange: Exchange
    dialect: Dialect
    replies: dict[int, Exchange] = field(default_factory=dict)
    """Exchange of each reply, by its position among the messages."""

    def feed(self, exchange: Exchange) -> None:
        """Continue with a later request.

        The conversation keeps the position and the record of its first request, and the newest tools.
        """
        if self.exchange.reply:
            self.replies[len(self.exchange.messages)] = self.exchange
        exchange.number = self.exchange.number
        exchange.tools = exchange.tools or self.exchange.tools
        exchange.record = exchange.record | self.exchange.record
        self.exchange = exchange

    def think_again(self) -> None:
        """Replace replies that were sent back without their reasoning by the logged replies."""
        messages = self.exchange.messages
        answers = {place: known.reply for place, known in self.replies.items() if place < len(messages)}
        again = {
            place: reply
            for place, reply in answers.items()
            if isinstance(messages[place], dict)
            and _thinks(reply, self.dialect)
            and not _thinks(messages[place], self.dialect)
            and _fingerprint(reply, self.dialect) == _fingerprint(messages[place], self.dialect)
        }
        if again:
            self.exchange.messages = [again.get(place, raw) for place, raw in enumerate(messages)]


def _thinks(raw: Any, dialect: Dialect) -> bool:
    """Return True if a message contains reasoning."""
    return any(isinstance(part, Thinking) for part in wire_of(dialect).parse(raw))


def chains_of(exchanges: Iterable[tuple[Exchange, Dialect]]) -> list[Chain]:
    """Return the conversations in a log, in the order in which they began.

    Args:
        exchanges: Recorded requests in the order of the file, each with its wire format.
    """
    chains: list[Chain] = []
    ends: dict[_Point, Chain] = {}
    for exchange, dialect in exchanges:
        points = [] if exchange.is_run else list(_points_of(exchange, dialect))
        chain = _chain_before(exchange, dialect, points, ends)
        if chain:
            chain.feed(exchange)
        else:
            chain = Chain(exchange, dialect)
            chains.append(chain)
        for point in points[len(exchange.messages) :]:  # as it was asked, and as it was answered
            ends[point] = chain
    for chain in chains:
        chain.think_again()
    return chains


def _chain_before(
    exchange: Exchange, dialect: Dialect, points: list[_Point], ends: dict[_Point, Chain]
) -> Chain | None:
    """Return the conversation that a request continues, by the longest shared prefix."""
    messages = exchange.messages
    for length, so_far in reversed(points[1:]):
        chain = ends.get((length, so_far))
        if not chain or chain.dialect != dialect or length >= len(points) - 1:
            continue
        size = len(chain.exchange.messages)
        goes_on = chain.exchange.reply is None or _has_reply(messages, length)
        if length > size or (length == size and goes_on):
            return chain
    return None


def _has_reply(messages: list[Any], length: int) -> bool:
    """Return True if the next message is a reply, which may differ from the logged one."""
    reply = messages[length] if length < len(messages) else None
    return isinstance(reply, dict) and reply.get("role") == "assistant"


def _points_of(exchange: Exchange, dialect: Dialect) -> Iterator[_Point]:
    """Yield every prefix of a request, from the empty one to all of it with its reply."""
    so_far = hash(dumps(exchange.system))
    reply = [exchange.reply] if exchange.reply else []
    yield 0, so_far
    for length, raw in enumerate((*exchange.messages, *reply), 1):
        so_far = hash((so_far, _fingerprint(raw, dialect)))
        yield length, so_far


def _fingerprint(raw: Any, dialect: Dialect) -> int:
    """Return a hash of a message without its reasoning, which is usually not sent again, in any notation."""
    if not isinstance(raw, dict):
        return 0
    wire = wire_of(dialect)
    parts = [part for part in wire.parse(raw) if not isinstance(part, Thinking) and _tells(part)]
    return hash((wire.role(raw), tuple(parts)))


def _tells(part: Any) -> bool:
    """Return True if a part is more than an empty text."""
    return isinstance(part, ToolResult) or getattr(part, "text", "text") != ""
