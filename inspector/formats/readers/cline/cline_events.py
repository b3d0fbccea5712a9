"""Events of a task of Cline or Roo Code: its requests with their usage, and its compactions.

Both keep every message, and record the messages that a request omits: Cline as a range of places that changes with the
events, Roo Code on the messages themselves, which name the summary or the mark that hides them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from inspector.core.conversation import Role, Text, Thinking, Usage
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.log_builder import MAX_COPIES, LogBuilder
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_MAX_PLACES = 100 * MAX_COPIES
"""Places of messages that are looked at for what compactions leave."""
_REQUEST = "api_req_started"
_CONDENSINGS = frozenset({"condense_context", "sliding_window_truncation"})
"""Kinds of events that report a compaction."""
_PERSONS = frozenset({"task", "user_feedback", "user_feedback_diff"})
"""Kinds of what the person said."""
_OUTPUTS = frozenset({"command_output", "mcp_server_response", "browser_action_result"})
"""Kinds of what a tool gave."""
_SILENT = frozenset(
    {
        *("api_req_finished", "api_req_retried", "api_req_retry_delayed", "api_req_failed", "api_req_deleted"),
        *("deleted_api_reqs", "checkpoint_created", "checkpoint_saved", "resume_task", "resume_completed_task"),
        *("shell_integration_warning", "task_progress", "hook_status", "hook_output_stream", "subagent_usage"),
    }
)
"""Kinds that are never sent to the model."""


@dataclass(frozen=True, slots=True)
class TaskCompaction:
    """Messages that were removed from the context before a message was sent or received."""

    place: int
    """Place of the first message after the removal."""
    summary: Fields
    """Replacement of the removed messages: a message of the history, or a mark made of a range."""
    record: Fields
    rest: tuple[int, ...]
    """Places of the messages that are kept after the summary."""


def stands_for_others(message: Fields) -> bool:
    """Return True if a message is a summary, or Roo Code's mark where messages were hidden."""
    has_mark = message.get("isSummary") is True or message.get("isTruncationMarker") is True
    return has_mark or is_sdk_summary(message)


def is_sdk_summary(message: Fields) -> bool:
    """Return True if a message is a summary that the Cline SDK made."""
    return fields_of(message.get("metadata")).get("kind") == "compaction_summary"


def task_text(message: Fields) -> str:
    """Return the text of a message, without its calls and results."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in objects_of(content) if isinstance(block.get("text"), str))


def number_of(value: Any) -> float:
    """Return a number; 0 for anything else."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def requests_by_reply(messages: Sequence[Fields], events: Sequence[Fields]) -> dict[int, Fields]:
    """Return the facts that were recorded for the request before each reply, by the place of the reply.

    A fact has the place of the newest message at that time, or only its time.
    """
    replies = [
        place
        for place, message in enumerate(messages)
        if message.get("role") == "assistant" and not stands_for_others(message)
    ]
    times = [number_of(messages[place].get("ts")) for place in replies]
    requests = list(_requests_in(events))
    result: dict[int, Fields] = {}
    for number, request in enumerate(requests):
        index = request["conversationHistoryIndex"]
        if isinstance(index, int):
            at = bisect_right(replies, index)
        elif all(times):
            at = bisect_left(times, number_of(request["ts"]))
        else:
            at = number if len(requests) == len(replies) else len(replies)
        if at < len(replies):
            result[replies[at]] = request
    return result


def _requests_in(events: Sequence[Fields]) -> Iterator[Fields]:
    """Yield the answered requests. Failed ones have no numbers."""
    for event in events:
        info = fields_of(event.get("text")) if event.get("say") == _REQUEST else {}
        if token_count(info, "tokensIn") or token_count(info, "tokensOut"):
            around = {key: event.get(key) for key in ("ts", "modelInfo", "conversationHistoryIndex")}
            yield {key: value for key, value in info.items() if key != "request"} | around


def usage_of_request(request: Fields) -> Usage | None:
    """Return the usage that was reported for a request: Cline excludes the cache from the input, Roo Code does not.

    https://github.com/cline/cline (getApiMetrics)
    """
    sent, read, written = (token_count(request, name) for name in ("tokensIn", "cacheReads", "cacheWrites"))
    is_whole = "apiProtocol" in request and sent >= read + written
    total = sent if is_whole else sent + read + written
    return usage_unless_zero(total, token_count(request, "tokensOut"), read, written)


def compactions_of(messages: Sequence[Fields], events: Sequence[Fields]) -> list[TaskCompaction]:
    """Return all compactions of a task in their order, as long as there is room for what they leave."""
    result: list[TaskCompaction] = []
    copies = places = 0
    for compaction in chain(_ranges_taken_out(messages, events), _hidden_messages(messages, events)):
        copies += len(compaction.rest)
        places += compaction.place
        if copies > MAX_COPIES or places > _MAX_PLACES:
            break
        result.append(compaction)
    return sorted(result, key=lambda compaction: compaction.place)


def _ranges_taken_out(messages: Sequence[Fields], events: Sequence[Fields]) -> Iterator[TaskCompaction]:
    """Yield the ranges of messages that Cline removed, each where it was first recorded."""
    now: list[int] = []
    for event in events:
        match event:
            case {
                "conversationHistoryDeletedRange": [int(first), int(last)],
                "conversationHistoryIndex": int(index),
            } if 0 <= first <= last <= index and [first, last] != now:
                now = [first, last]
                place = min(index + 1, len(messages))
                text = f"(messages {first + 1:,} to {last + 1:,} of the conversation were removed here)"
                mark = {"role": "user", "content": text, "id": f"taken-out-{first}-{last}", "ts": event.get("ts")}
                rest = tuple(other for other in range(place) if not first <= other <= last)
                yield TaskCompaction(place, mark, {"conversationHistoryDeletedRange": now}, rest)


def _hidden_messages(messages: Sequence[Fields], events: Sequence[Fields]) -> Iterator[TaskCompaction]:
    """Yield the summaries and marks of Roo Code, each with the messages that were visible at that time.

    A summary may precede the newest messages, which were kept: the event has the time of the compaction.
    """
    places = [place for place, message in enumerate(messages) if stands_for_others(message)]
    condensings = [event for event in events if as_text(event.get("say")) in _CONDENSINGS]
    own: Sequence[Fields] = condensings if len(condensings) == len(places) else [{}] * len(places)
    hiders: set[str] = set()
    for number, place in enumerate(places):
        summary = messages[place]
        hiders.update(as_text(summary.get(name)) for name in ("condenseId", "truncationId") if summary.get(name))
        end = place + 1
        while end < len(messages) and 0 < number_of(messages[end].get("ts")) < number_of(own[number].get("ts")):
            end += 1
        rest = tuple(
            other
            for other in range(end)
            if (other < place or not stands_for_others(messages[other])) and not _is_hidden_by(hiders, messages[other])
        )
        record = {key: value for key, value in summary.items() if key not in ("role", "content")}
        yield TaskCompaction(end, summary, record | _condensation(own[number]), rest)


def _condensation(event: Fields) -> Fields:
    """Return the numbers of a compaction's event, without its summary, as a field of a record."""
    facts = fields_of(event.get("contextCondense")) or fields_of(event.get("contextTruncation"))
    numbers = {key: value for key, value in facts.items() if key != "summary"}
    return {"condensation": numbers} if numbers else {}


def _is_hidden_by(hiders: set[str], message: Fields) -> bool:
    return any(as_text(message.get(name)) in hiders for name in ("condenseParent", "truncationParent"))


def add_events(log: LogBuilder, events: Sequence[Fields]) -> str:
    """Add the displayed events if the messages are missing: words, and tools as displayed.

    Returns the model that was used last.
    """
    request: Fields = {}
    model = ""
    for number, event in enumerate(events, 1):
        kind = as_text(event.get("say") or event.get("ask"))
        if kind == _REQUEST:
            request = fields_of(event.get("text"))
            model = as_text(fields_of(event.get("modelInfo")).get("modelId")) or model
            continue
        words = _words_in(event, kind)
        if not words:
            continue
        role: Role = "user" if kind in _PERSONS | _OUTPUTS or not log.messages else "assistant"
        facts: Fields = {"time": time_of(event.get("ts")), "kind": "injected" if kind in _OUTPUTS else "chat"}
        if role == "assistant":
            facts |= {"usage": usage_of_request(request), "model": model}
            request = {}
        part = Thinking(words) if kind == "reasoning" else Text(words)
        log.add_parts(f"m{number}", role, [part], {key: event[key] for key in event if key != "text"}, **facts)
    return model


def _words_in(event: Fields, kind: str) -> str:
    """Return the words of an event or of the question in it; empty if it is not part of the conversation."""
    if kind in _SILENT | _CONDENSINGS or event.get("partial") is True:
        return ""
    inner = fields_of(event.get("text"))
    return as_text(inner.get("question") or inner.get("response") or event.get("text"))
