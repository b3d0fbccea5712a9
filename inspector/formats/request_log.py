"""Recorded requests to a chat model, in the many wrappings they are logged in, and what was answered.

A message list is a request without a wrapping. What a logger noted around it is kept as the record of the first
message, and what came with the answer as the record of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from inspector.conversation import Dialect
from inspector.formats.lenient_json import BrokenJSONError, parse
from inspector.formats.sample import Content, Sample, name_of, words
from inspector.formats.source import Progress
from inspector.providers import RecordedCall, provider_of_call

_Fields = dict[str, Any]

PARTS = words("messages traj tools system model request body response choices kwargs")
"""Fields of a wrapping that are read for what they hold; the others are kept as its record."""


@dataclass(slots=True)
class Exchange(RecordedCall):
    """A recorded request, its reply where that was recorded too, and what a logger noted around them."""

    number: int = 0
    """The line or element it stands on, from 1; 0 where it is all that the file holds."""
    record: _Fields = field(default_factory=dict)
    time: str = ""
    """When the reply came."""

    @property
    def is_run(self) -> bool:
        """Whether it is a run of a benchmark, which stands for itself, rather than one call of several."""
        return "traj" in self.fields

    @property
    def usage(self) -> Any:
        return self.reply_record.get("usage") or self.record.get("usage")


def _is_message(value: Any) -> bool:
    """Whether a JSON value looks like a chat message."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    return "content" in value or "tool_calls" in value or "function_call" in value


def _is_conversation(value: Any) -> bool:
    """Whether a JSON value is a list of chat messages, or begins like one."""
    return isinstance(value, list) and any(map(_is_message, value[:5]))


def _as_fields(value: Any) -> _Fields:
    """An object, also where it was logged as JSON text; empty for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse(value.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return {}
    return value if isinstance(value, dict) else {}


def _exchange_of(value: Any, number: int = 0) -> Exchange | None:
    """A recorded request; None for what is none."""
    if _is_conversation(value):
        return Exchange(value, number=number)
    if not isinstance(value, dict):
        return None
    request = _request_in(value)
    messages: Any = request.get("traj") or request.get("messages")
    if not (_is_conversation(messages) or _is_empty_request(request, messages)):
        return None
    reply, reply_record = _reply_in(_as_fields(value.get("response")) or value)
    return Exchange(
        messages,
        request.get("system"),
        _objects_in(request.get("tools")),
        str(reply_record.get("model") or request.get("model") or ""),
        request,
        reply,
        reply_record,
        number,
        {key: item for key, item in value.items() if key not in PARTS},
        _time_of(reply_record) or _time_of(value),
    )


def _objects_in(value: Any) -> list[_Fields]:
    """The objects of a list; none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _request_in(value: _Fields) -> _Fields:
    """The request itself, inside whatever a logger put around it."""
    for name in ("request", "body"):
        inner = _as_fields(value.get(name))
        if isinstance(inner.get("messages"), list):
            return inner
    if kwargs := _as_fields(value.get("kwargs")):
        return kwargs | {key: item for key, item in value.items() if key in ("messages", "tools", "model")}
    return value


def _is_empty_request(request: _Fields, messages: Any) -> bool:
    """A request that asks nothing is still one when it has a model; any other list may be empty for other reasons."""
    return messages == [] and isinstance(request.get("model"), str)


def _reply_in(response: _Fields) -> tuple[_Fields | None, _Fields]:
    """The message in a response of either provider, and the rest of the response."""
    match response:
        case {"choices": [{"message": dict(message), **choice}, *_], **rest}:
            rest.pop("messages", None)
            return {"role": "assistant", **message}, rest | {"choice": choice}
        case {"role": "assistant", "content": list() | str() as content, **rest}:
            return {"role": "assistant", "content": content}, rest
    return None, {}


def _time_of(record: Mapping[str, Any]) -> str:
    """The time in a record as ISO text; "" where there is none."""
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
    """The recorded requests of a file, in order. Messages that stand on lines of their own are one request together."""
    loose: list[Any] = []
    first = 0
    for number, value in content.records(progress):
        if _is_message(value):
            loose.append(value)
            first = first or number
        elif exchange := _exchange_of(value, number):
            yield exchange
        else:
            what = "a JSON object without a conversation" if isinstance(value, dict) else f"a JSON {name_of(value)}"
            place = "line" if content.sample.shape == "lines" else "element"
            content.problems.add(f"this {place} was left out: it is {what}", number if place == "line" else None)
    if loose:
        yield Exchange(loose, number=first)


def dialect_of(exchange: Exchange) -> Dialect | None:
    """The form that a request is in; None where it could be any provider's."""
    provider = provider_of_call(exchange)
    return provider.wire.name if provider else None


def dialect_in(sample: Sample) -> Dialect | None:
    """The form of a file's requests, by the first that tells; "" where none does, None where there is no request."""
    loose = [record for record in sample.records if _is_message(record)]
    requests = [exchange for record in sample.records if (exchange := _exchange_of(record))]
    if loose:
        requests.append(Exchange(loose))
    return next((dialect for request in requests if (dialect := dialect_of(request))), "") if requests else None
