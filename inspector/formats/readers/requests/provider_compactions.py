"""Compactions that a provider's API does itself, in logs of its requests.

The reply contains the compaction, and the next request repeats it. That request may leave out everything before the
compaction, because the API ignores it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.core.conversation import REMOVED, Raw, WorkEvent
from inspector.core.text import clip
from inspector.formats.building.blocks import objects_of
from inspector.formats.reading.content import Fields
from inspector.llm.providers import (
    RecordedCall,
    at_compactions,
    chat_messages,
    is_compaction,
    is_sealed_summary,
    usage_of,
)

MAX_REASON = 200
"""Maximum number of characters of a reason that an API states."""


def around_compaction(response: Fields, reply: Fields | None) -> tuple[list[Fields], Fields | None, bool]:
    """Return the messages of a response of the Responses API up to its compaction, and the reply after it.

    Args:
        response: A response of any API.
        reply: Its last reply, which is returned with no messages if the response contains no compaction.

    Returns:
        The messages, the reply or None, and True if the reply follows the compaction directly.
    """
    items = response.get("output")
    if not isinstance(items, list) or not any(map(is_sealed_summary, items)):
        return [], reply, False
    *messages, last = chat_messages(items)
    if last != reply:
        return [*messages, last], None, False
    return messages, last, is_sealed_summary(messages[-1])


def with_earlier(messages: list[Any], reply: Any, known: dict[str, list[Any]]) -> list[Any]:
    """Return the messages of a request, with those that an earlier call had before the compaction that it begins with.

    Args:
        messages: Messages of the request.
        reply: Message of the reply, or None.
        known: Messages before each compaction so far. Those of the request are added.
    """
    prompt = prompt_length(messages)
    if messages and (before := known.get(_key_of(messages[prompt]))):
        messages = [*messages[:prompt], *before[prompt_length(before) :], *messages[prompt:]]
    for place, raw in enumerate((*messages, reply)):
        if key := _key_of(raw):
            known.setdefault(key, messages[:place])
    return messages


def compaction_report(raw: Raw, source: RecordedCall | None) -> Fields:
    """Return the usage of the call that wrote the compaction in a reply, if the API reported it, as facts of a message.

    Args:
        raw: The reply.
        source: Its call. The usage excludes a compaction that is listed among its iterations.
    """
    report: Any = source.reply_record.get("usage") if source else None
    steps = report.get("iterations") if isinstance(report, dict) else None
    entries = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    own = [step for step in entries if step.get("type") == "compaction"] or [report] * is_compaction(raw)
    return {"usage": usage_of(own[-1])} if own else {}


def applied_edits(response: Fields) -> Iterator[WorkEvent]:
    """Yield an event for each edit by which the API removed content from the window of a call, with its tokens."""
    management = response.get("context_management")
    edits = management.get("applied_edits") if isinstance(management, dict) else None
    for edit in objects_of(edits):
        if type(tokens := edit.get("cleared_input_tokens")) is int and tokens > 0:
            yield WorkEvent(REMOVED, str(edit.get("type")), str(tokens))


def remarks_of_api(response: Fields) -> Iterator[str]:
    """Yield the reason why a call missed the prompt cache, if the API states it."""
    match response.get("diagnostics"):
        case {"cache_miss_reason": {"type": str(reason)}}:
            yield f"the API reports that the prompt cache was missed: {clip(reason, MAX_REASON)}"


def prompt_length(messages: list[Any]) -> int:
    """Return the number of system messages that a request begins with; 0 if it has no others."""
    places = (place for place, raw in enumerate(messages) if not isinstance(raw, dict) or raw.get("role") != "system")
    return next(places, 0)


def _key_of(raw: Any) -> str:
    """Return what identifies the compaction in a message; "" if it contains none."""
    if not isinstance(raw, dict):
        return ""
    if is_sealed_summary(raw):
        item = raw["content"][0]["item"]
        return str(item.get("encrypted_content") or item.get("id") or "")
    blocks = [part["content"][0] for part in at_compactions(raw) if is_compaction(part)]
    return str(blocks[0].get("encrypted_content") or blocks[0].get("content")) if blocks else ""
