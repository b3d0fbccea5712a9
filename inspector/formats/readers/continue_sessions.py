"""Sessions of Continue: a history of messages with attachments and the states of tool calls.

https://github.com/continuedev/continue (constructMessages.ts): thinking is a separate message before the reply,
attachments are sent before their message, answers of tools are sent from the state of their calls, and after a summary
only the later messages are sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Part, Session, Text, Thinking, Usage
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import blocks_of, fields_of, objects_of, result_of
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.building.message_heuristics import said_parts
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_files import records_of_kind
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_States = dict[str, Fields]
"""State of each call, by the id of the call."""
_ROLES = word_set("user assistant thinking tool system")
_FAILURES = word_set("errored canceled")


class Continue(Format):
    """Sessions of Continue, one per file."""

    name = "continue"
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "models", "thinking", "compactions"})
    page = "https://github.com/continuedev/continue"
    place = "~/.continue/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any(map(_is_session, sample.objects))
        return FormatMatch(0.95, "a sessionId and a history of messages") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        kind = "session of Continue"
        records = records_of_kind(content, progress, _is_session, kind)
        return [_continue_session(content, record, line) for record, line, _ in records]


def _is_session(record: Any) -> bool:
    if not isinstance(record, dict) or "sessionId" not in record:
        return False
    items = objects_of(record.get("history"))
    return bool(items) and all(isinstance(item.get("message"), dict) and _who(item) in _ROLES for item in items)


def _who(item: Fields) -> str:
    return as_text(fields_of(item.get("message")).get("role"))


def _continue_session(content: Content, record: Fields, line: int) -> Session:
    model = as_text(record.get("chatModelTitle"))
    log = LogBuilder(dialect_for(model))
    items = objects_of(record["history"])
    states, answered = dict(_states_by_call(items)), {*_answered(items)}
    thoughts: list[Part] = []
    for number, item in enumerate(items, 1):
        if _who(item) == "thinking":
            thoughts += _thoughts_in(fields_of(item["message"]))
        else:
            _add_item(log, item, f"m{number}", thoughts, states)
            thoughts = [] if _who(item) == "assistant" else thoughts
            _add_answers(log, item, f"m{number}-result", states, answered)
        if summary := item.get("conversationSummary"):
            log.begin_anew()
            log.add_parts(f"m{number}-summary", "user", blocks_of(summary), {}, kind="summary")
    if thoughts:
        log.add_parts("thinking", "assistant", thoughts, {})
    name, title = as_text(record["sessionId"]), as_text(record.get("title"))
    return log.session(content, Continue.name, name, title, model=model, line=line)


def _add_item(log: LogBuilder, item: Fields, name: str, thoughts: list[Part], states: _States) -> None:
    message = fields_of(item.get("message"))
    attached = [Text(text) for entry in objects_of(item.get("contextItems")) if (text := as_text(entry.get("content")))]
    if attached and _who(item) == "user":
        log.add_parts(f"{name}-context", "user", attached, {}, kind="injected")
    around = {key: value for key, value in item.items() if key != "message"}
    name = as_text(message.get("id")) or name
    for role, parts in said_parts(message, role_of(_who(item)) or "user"):
        facts: Fields = {"usage": _continue_usage(message.get("usage"))} if role == "assistant" else {}
        own = [*thoughts, *parts] if role == "assistant" else parts
        position = log.add_parts(name, role, own, around, **facts)
        if _has_failed(states.get(log.messages[position].answers or "", {})):
            log.change(position, is_error=True)
        around = {}


def _thoughts_in(message: Fields) -> Iterator[Part]:
    """Yield the thinking of a message, with its signature."""
    text = "".join(block.text for block in blocks_of(message.get("content")) if isinstance(block, Text))
    if text or message.get("signature"):
        yield Thinking(text, as_text(message.get("signature")))


def _add_answers(log: LogBuilder, item: Fields, name: str, states: _States, answered: set[str]) -> None:
    """Add the results of a reply's calls, unless a message contains them."""
    for call in objects_of(fields_of(item.get("message")).get("toolCalls")):
        call_id = as_text(call.get("id"))
        state = states.get(call_id, {})
        if call_id not in answered and ("output" in state or _has_failed(state)):
            content = "\n\n".join(as_text(entry.get("content")) for entry in objects_of(state.get("output")))
            result = result_of(call_id, content or as_text(state.get("status")), is_error=_has_failed(state))
            log.add_parts(name, "tool", [result], {})


def _states_by_call(items: list[Fields]) -> Iterator[tuple[str, Fields]]:
    for item in items:
        for state in objects_of(item.get("toolCallStates")):
            yield as_text(state.get("toolCallId")), state


def _answered(items: list[Fields]) -> Iterator[str]:
    """Yield the ids of calls that are answered by a message."""
    for item in items:
        if _who(item) == "tool":
            yield as_text(fields_of(item["message"]).get("toolCallId"))


def _has_failed(state: Fields) -> bool:
    return as_text(state.get("status")) in _FAILURES


def _continue_usage(report: Any) -> Usage | None:
    details = fields_of(fields_of(report).get("promptTokensDetails"))
    sent, reply = token_count(report, "promptTokens"), token_count(report, "completionTokens")
    return usage_unless_zero(
        sent, reply, token_count(details, "cachedTokens"), token_count(details, "cacheWriteTokens")
    )
