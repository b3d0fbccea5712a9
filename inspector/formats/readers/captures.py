"""Logs of `inspector record`: the requests of a program and the replies, without secrets.

Each line is a call. The messages and settings that a request shares with an earlier one are on the line of that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from inspector.core.conversation import LARGEST_SIZE, Dialect, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import fields_of
from inspector.formats.readers.requests.request_chains import chains_of
from inspector.formats.readers.requests.request_log import EarlierCalls, Exchange, exchange_of, remarks_on
from inspector.formats.readers.requests.requests import sessions_of_chains
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_DIALECTS: dict[str, Dialect] = {"anthropic-messages": "anthropic"}
_CUTS = {
    "client": "the program ended the reply before its end",
    "upstream": "the API ended the reply before its end",
    "size": "the reply is too long to be recorded",
}
_SUMMARY_LENGTH = 200
"""Minimum length of a reply that counts as a summary if a later conversation begins with it."""
_RECENT = 200
"""Lines before a call that it can refer to."""
_FIRST = 3
"""Messages of a conversation that may contain a summary of the one before."""


class Captures(Format):
    """Calls that a proxy recorded."""

    name = "capture"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "models", "times", "thinking", "compactions"}
    )

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any("capture" in record and "api" in record for record in sample.objects)
        return FormatMatch(1.0, "calls that inspector record captured") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        chains = chains_of(_captured_calls(content, progress), is_one_program=True)
        return [replace(one, format=self.name) for one in sessions_of_chains(chains, content)]


def _captured_calls(content: Content, progress: Progress | None) -> Iterator[tuple[Exchange, Dialect]]:
    """Yield the calls of a log with whole requests. Failed calls, which are sent again, are left out."""
    requests: dict[int, Fields] = {}
    changed: dict[int, list[Any]] = {}
    earlier = EarlierCalls()
    newest: str = ""
    for number, record in content.records(progress):
        request = _whole_request(fields_of(record), requests)
        if request is None:
            content.reject(number, "is no captured call, or refers to a line that is missing")
            continue
        requests[number] = request
        requests.pop(number - _RECENT, None)
        changed.pop(number - _RECENT, None)
        preset = fields_of(record.get("preset"))
        sent = _changed_by_preset(request, preset, number, changed) or request
        value = {"request": sent, "response": fields_of(record.get("response")), "time": as_text(record.get("time"))}
        for remark in (*remarks_on(value), *_remarks_on_cut(record)):
            content.problems.add(remark, number)
        call = exchange_of(value, number) if record.get("status") in (200, None) else None
        if call is None:
            continue
        call = earlier.complete(call, value)
        if sent is not request and preset.get("plans"):
            call.begins_anew = True
        if newest and _begins_with_summary(call, newest):
            call.begins_anew = True
        newest = _message_text(call.reply)
        yield call, _DIALECTS.get(as_text(record.get("api")), "openai")


def _remarks_on_cut(record: Fields) -> Iterator[str]:
    if reason := _CUTS.get(as_text(record.get("cut"))) or as_text(record.get("problem")):
        yield reason


def _whole_request(record: Fields, requests: dict[int, Fields]) -> Fields | None:
    """Return the request of a line with the parts that it shares with an earlier line, or None if that is missing."""
    request = record.get("request")
    if not isinstance(request, dict):
        return None
    repeats = record.get("repeats")
    if not isinstance(repeats, dict):
        return request
    before = requests.get(repeats.get("line", 0))
    count = repeats.get("messages")
    name = "input" if isinstance(request.get("input"), list) else "messages"
    if before is None or not isinstance(count, int) or not isinstance(before.get(name), list):
        return None
    fields = {key: before[key] for key in repeats.get("fields") or () if key in before}
    return {**fields, **request, name: [*before[name][:count], *request.get(name, ())]}


def _sent_entries(preset: Fields, earlier: Mapping[int, list[Any]]) -> list[Any] | None:
    """Return what was sent in place of the messages of a request: their positions and new ones. None if unknown."""
    repeats, sent = fields_of(preset.get("sent_repeats")), preset.get("sent")
    count = repeats.get("messages", 0)
    before = earlier.get(repeats["line"]) if isinstance(repeats.get("line"), int) else []
    if not isinstance(sent, list) or before is None or not isinstance(count, int):
        return None
    entries = before[: max(0, count)]
    for entry in sent:
        match entry:
            case [int(first), int(last)] if 0 <= first <= last < LARGEST_SIZE:
                entries += range(first, last + 1)
            case dict():
                entries.append(entry)
    return entries


def _changed_by_preset(request: Fields, preset: Fields, number: int, earlier: dict[int, list[Any]]) -> Fields | None:
    """Return the request that was sent in place of that of the program, or None if there was none.

    Args:
        request: The request of the program.
        preset: Facts about the preset.
        number: Line of the call.
        earlier: Sent messages of the lines before, by line. Those of this line are added.
    """
    name = "input" if isinstance(request.get("input"), list) else "messages"
    messages = request.get(name)
    entries = _sent_entries(preset, earlier)
    if entries is None or not isinstance(messages, list):
        return None
    earlier[number] = entries
    if preset.get("state") != "applied":
        return None
    places = range(len(messages))
    sent = [messages[one] if isinstance(one, int) else one for one in entries if isinstance(one, dict) or one in places]
    return {**request, name: sent}


def _begins_with_summary(call: Exchange, newest: str) -> bool:
    """Return True if a conversation begins with the text that the model wrote in the call before it."""
    summary = newest.strip()
    if len(summary) < _SUMMARY_LENGTH or any(_message_text(raw) == newest for raw in call.messages if _is_reply(raw)):
        return False
    return any(summary[:_SUMMARY_LENGTH] in _message_text(raw) for raw in call.messages[:_FIRST] if not _is_reply(raw))


def _is_reply(raw: Any) -> bool:
    return isinstance(raw, dict) and raw.get("role") == "assistant"


def _message_text(raw: Any) -> str:
    content = raw.get("content") if isinstance(raw, dict) else None
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    return "\n".join(as_text(block.get("text")) for block in blocks if isinstance(block, dict))
