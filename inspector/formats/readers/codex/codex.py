"""Rollouts of Codex: JSON lines of Responses API items and of events that the program shows.

The protocol is that of https://github.com/openai/codex (`codex-rs/protocol`). There are three kinds: records of
`{"timestamp", "type", "payload"}`, an older one with bare items after a first line of metadata, and the oldest, which
is one object with a session and its items. Only items form the conversation: events repeat them, and add the reported
usage, the context window and names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate, takewhile
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Message, Session, Usage, WorkEvents, named_values
from inspector.core.text import dumps, word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import objects_of
from inspector.formats.building.log_builder import LogBuilder, LogMark
from inspector.formats.readers.codex.codex_items import (
    agent_message,
    around_summary,
    as_message,
    codex_usage,
    failed_call,
    has_failed,
    history_messages,
    is_setting,
    message_kind,
    tools_of,
)
from inspector.formats.readers.codex.codex_replies import RepeatedReplies
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import (
    DEFAULT_DIALECT,
    as_text,
    chat_messages,
    is_sealed_summary,
    token_count,
)

_ENVELOPES = word_set("session_meta turn_context response_item event_msg compacted")
_SILENT = word_set("world_state inter_agent_communication_metadata realtime_item retained_context security_risk_score")
"""Types of records that contain nothing that a model receives."""
_REPLIES = word_set("reasoning function_call custom_tool_call local_shell_call web_search_call tool_search_call")
_MODE = (("approval", "approval_policy"), ("model", "model"), ("effort", "effort"), ("sandbox", "sandbox_policy"))
"""Fields of a turn's settings, by the name of the item of state."""
_KEPT = 20_000
"""Number of tokens of user messages that a compaction keeps, by the program's estimate."""


class Codex(Format):
    """Rollouts of Codex CLI."""

    name = "codex"
    order: ClassVar[RecordOrder] = RecordOrder(time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "compactions", "context window"}
    )
    page = "https://github.com/openai/codex"
    place = "~/.codex/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_is_envelope(record) for record in sample.objects):
            return FormatMatch(1.0, "records with a payload, of types such as session_meta and response_item")
        if sample.shape == "lines" and sample.objects and _is_first_line(sample.objects[0]):
            return FormatMatch(0.95, "a first line with instructions, and items of the Responses interface after it")
        if sample.shape == "object" and _is_whole(sample.objects[0]):
            return FormatMatch(0.95, "a session with its items")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_Rollout(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_Rollout(), content)


def _is_envelope(record: Fields) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in _ENVELOPES and isinstance(record.get("payload"), dict)


def _is_first_line(record: Fields) -> bool:
    """Return True if a record is the first of an older rollout."""
    return "instructions" in record and "timestamp" in record and "id" in record and "type" not in record


def _is_whole(record: Fields) -> bool:
    """Return True if a record is a whole rollout of the first versions."""
    match record:
        case {"session": {"id": str(), "timestamp": str()}, "items": list()}:
            return True
    return False


class _Rollout:
    """A rollout, built record by record."""

    refusal = "is not a known record of a rollout"

    def __init__(self) -> None:
        self.log = LogBuilder(DEFAULT_DIALECT)
        self.id = self.title = self.model = self.time = self.forked_from = ""
        self.instructions: Fields = {}
        self.tools: dict[str, Fields] = {}
        """Tools defined by items, by name."""
        self.base = ""
        """Id of the rollout that this one continues without repeating it."""
        self.items: list[Fields] = []
        """Items of the current reply."""
        self.number = 0
        """Line of the first of these items."""
        self.reply = -1
        """Position of the newest reply."""
        self.unreported: list[int] = []
        """Positions of the replies since the last usage, which are parts of one call if the totals prove it."""
        self.results: dict[str, int] = {}
        """Position of the newest result of each call."""
        self.failures: set[str] = set()
        """Calls that failed according to an event."""
        self.work = WorkEvents()
        self.letters: set[str] = set()
        """Ids of messages from other agents."""
        self.sealed: tuple[LogMark, int] | None = None
        """State before the newest compaction that is an item, and the number of messages after it."""
        self.spent = 0
        """Tokens of all calls so far, as reported."""
        self.gaps: list[tuple[int, str]] = []
        """Problems with these totals and with replies, each with its line."""
        self.replies = RepeatedReplies()

    def feed(self, record: Fields, number: int) -> bool:
        """Read a record. Return False if it is not part of a rollout."""
        kind, payload = record.get("type"), record.get("payload")
        self.time = str(record.get("timestamp") or self.time)
        if isinstance(payload, dict) and isinstance(kind, str):
            if feed := _TAKERS.get(kind):
                feed(self, payload, number)
            return kind in _TAKERS or kind in _SILENT
        if _is_first_line(record):
            self.id = str(record["id"])
            return True
        if _is_whole(record):
            self.id = str(record["session"]["id"])
        for item in [record] if isinstance(kind, str) else objects_of(record.get("items")):
            self.add_item(item, number)
        return isinstance(kind, str) or _is_whole(record) or "record_type" in record

    def add_header(self, facts: Fields, number: int) -> None:
        """Read the id, the title and the instructions of the session."""
        first = not self.id
        self.work.note("where", named_values(facts, (("folder", "cwd"),)))
        self.work.note(
            "where", named_values(facts.get("git"), (("branch", "branch"), ("repository", "repository_url")))
        )
        self.id = self.id or str(facts.get("id") or facts.get("session_id") or "")
        self.forked_from = as_text(facts.get("forked_from_id")) if first else self.forked_from
        match facts.get("history_base"):
            case {"thread_id": str(base)} if first:
                self.base = base
        match facts.get("base_instructions"):
            case {"text": str(text)} if first and text:
                self.instructions = {"role": "system", "content": text}
                self.log.add("instructions", self.instructions, facts, time=self.time)

    def add_turn(self, turn: Fields, _number: int) -> None:
        if isinstance(turn.get("model"), str):
            self.model = turn["model"]
        self.close_reply()
        self.work.note("where", named_values(turn, (("folder", "cwd"),)))
        self.work.note("mode", named_values(turn, _MODE))
        self.work.note("mode", named_values(turn.get("sandbox_policy"), (("sandbox", "type"), ("sandbox", "mode"))))
        self.work.note("mode", named_values(turn.get("collaboration_mode"), (("collaboration", "mode"),)))

    def add_event_record(self, event: Fields, number: int) -> None:
        match event:
            case {"type": "token_count", "info": {"last_token_usage": dict(counts), **info}}:
                self.close_reply()
                self.compare_total(info.get("total_token_usage"), counts, number)
                self.log.note_limit(token_count(info, "model_context_window"), max(0, self.reply))
                self.report(codex_usage(counts))
            case {"type": "item_completed", "item": dict(step)} if call := failed_call(step):
                self.note_failure(call)
            case {"type": "agent_message", "message": str(text)}:
                self.replies.add_event(text, self.time, number)
            case {"type": "task_complete" | "turn_aborted"}:
                self.note_missing()
            case {"type": "task_started"}:
                self.replies.begin()
                self.close_reply()
                self.unreported.clear()
                self.log.note_limit(token_count(event, "model_context_window"))
            case {"type": "thread_name_updated", **names}:
                self.title = str(names.get("thread_name") or names.get("name") or self.title)
            case {"type": "thread_rolled_back", "num_turns": int(turns)} if turns > 0:
                self.close_reply()
                self.roll_back(turns)

    def note_missing(self) -> None:
        """Note the replies of the turn that only events record."""
        what = "the reply that this line repeats is not in the file: records may be missing"
        self.gaps += [(number, what) for number in self.replies.end_turn()]

    def compare_total(self, total: Any, counts: Fields, number: int) -> None:
        """Note that calls are missing if the total of used tokens rose by more than the call used."""
        before, self.spent = self.spent, token_count(total, "total_tokens")
        own = token_count(counts, "total_tokens")
        if self.spent != before + own:
            del self.unreported[:-1]
        if before and own and self.spent > before + own:
            missing = self.spent - before - own
            self.gaps.append((number, f"records may be missing before this line: calls that used {missing:,} tokens"))

    def note_failure(self, call: str) -> None:
        """Mark a call as failed. Its result may already be in the log."""
        self.failures.add(call)
        if call in self.results:
            self.log.change(self.results[call], is_error=True)

    def add_usage_record(self, record: Fields, _number: int) -> None:
        """Read the usage of a response. Some versions repeat it in an event."""
        if isinstance(counts := record.get("usage"), dict):
            self.close_reply()
            self.report(codex_usage(counts))

    def add_agent_message(self, communication: Fields, number: int) -> None:
        """Add a message from another agent. It may also be recorded as an item."""
        own = as_text(communication.get("id"))
        if not own or own not in self.letters:
            self.add_item(agent_message(communication), number)

    def roll_back(self, turns: int) -> None:
        """Roll back to before the newest user messages, which leave the context with their replies."""
        places = [at for at in self.context() if _is_request(self.log.messages[at])]
        if places:
            self.log.begin_anew(after=self.log.messages[places[-turns:][0]].parent)
            self.reply = -1

    def context(self) -> list[int]:
        """Return the positions of the messages in the current context, oldest first."""
        places, at = list[int](), self.log.ends.get(MAIN, -1)
        while at >= 0:
            places.append(at)
            at = self.log.messages[at].parent
        return places[::-1]

    def add_item(self, item: Fields, number: int) -> None:
        """Read an item: part of a reply, or another one, which ends the reply."""
        kind = str(item.get("type"))
        if is_setting(item) or kind == "compaction_trigger":
            self.tools |= tools_of(item)
            return
        if kind in _REPLIES or item.get("role") == "assistant":
            self.number = self.number if self.items else number
            self.items.append(item)
            if item.get("role") == "assistant":
                self.replies.add_item("".join(as_text(block.get("text")) for block in objects_of(item.get("content"))))
            return
        self.close_reply()
        if is_sealed_summary(item):
            self.add_sealed(item, number)
            return
        if kind == "agent_message":
            self.letters.add(as_text(item.get("id")))
        self.add_message(item, number)

    def add_sealed(self, item: Fields, number: int) -> None:
        """Start a new context with a compaction that the API made. A record of the program may repeat it."""
        mark = self.log.mark()
        self.begin_after_instructions()
        for raw in chat_messages([item]):
            self.log.add(str(item.get("id") or f"line-{number}"), raw, _rest_of(item), time=self.time, kind="summary")
        self.sealed = mark, len(self.log.messages)

    def begin_after_instructions(self) -> None:
        """Start a new context with the instructions, which go with every request."""
        self.log.begin_anew()
        if self.instructions:
            self.log.add("instructions", self.instructions, time=self.time)

    def forget_sealed(self) -> None:
        """Remove the newest compaction that is an item if nothing follows it, because a record repeats it."""
        if self.sealed and self.sealed[1] == len(self.log.messages):
            self.log.undo(self.sealed[0])

    def add_message(self, item: Fields, number: int) -> None:
        """Add an item that is not part of a reply: a message, or the result of a tool."""
        for raw in chat_messages([as_message(item)]):
            call = as_text(raw.get("tool_call_id"))
            is_failure = raw["role"] == "tool" and (call in self.failures or has_failed(item.get("output")))
            facts: dict[str, Any] = {"is_error": True} if is_failure else {}
            name = str(item.get("id") or f"line-{number}")
            facts |= {"time": self.time, "kind": message_kind(item), "events": self.work.take()}
            place = self.log.add(name, raw, _rest_of(item), **facts)
            if call:
                self.results[call] = place

    def close_reply(self) -> None:
        """Add the reply of the items read so far."""
        items, self.items = self.items, []
        own = next((str(item["id"]) for item in items if item.get("id")), f"line-{self.number}")
        for raw in chat_messages(items):
            self.reply = self.log.add(own, raw, {}, time=self.time, model=self.model, events=self.work.take())
            self.unreported.append(self.reply)

    def report(self, usage: Usage | None) -> None:
        """Set the usage of the replies since the last one, which may precede the results of their calls."""
        for place in self.unreported:
            self.log.change(place, usage=usage)
        self.unreported.clear()

    def add_compaction_record(self, compaction: Fields, number: int) -> None:
        """Start a new context with the messages that a compaction kept, and its summary.

        Earlier versions did not record the kept messages: these are the beginning and the user's newest words.
        """
        self.close_reply()
        self.forget_sealed()
        history, places = compaction.get("replacement_history"), self.context()
        items, kept = objects_of(history), [] if isinstance(history, list) else self.kept_places(places)
        names = {dumps(message.raw): message.id for message in (self.log.messages[at] for at in places)}
        before, summary, behind = around_summary(items, compaction)
        self.begin_after_instructions()
        for message in [self.log.messages[at] for at in kept]:
            self.log.add(message.id, message.raw, {}, time=message.time, kind=message.kind)
        for item in filter(is_setting, items):
            self.tools |= tools_of(item)
        for raw, kind in (*history_messages(before), (summary, "summary"), *history_messages(behind)):
            if raw is summary:
                self.log.add(f"compaction-{number}", raw, compaction, time=self.time, kind=kind)
            else:
                kind = "copy" if raw["role"] == "assistant" and kind == "chat" else kind  # it was answered before
                self.log.add(names.get(dumps(raw), f"kept-{number}"), raw, {}, time=self.time, kind=kind)

    def kept_places(self, places: list[int]) -> list[int]:
        """Return the positions that a compaction keeps if it does not list them.

        https://github.com/openai/codex (`codex-rs/core/src/compact.rs`): the messages before the first request, and the
        newest requests, up to 20,000 tokens at four bytes each.
        """
        messages = self.log.messages
        requests = [at for at in places if _is_request(messages[at])]
        sizes = accumulate(len(messages[at].text.encode("utf-8", "replace")) // 4 for at in reversed(requests))
        newest = sum(size <= _KEPT for size in sizes)
        head = takewhile(lambda at: at not in requests[:1], places)
        return [*(at for at in head if messages[at].kind == "injected"), *requests[len(requests) - newest :]]

    def session(self, content: Content) -> Session:
        """Return the session so far, including the current reply."""
        mark, items, reply, work, unreported = self.log.mark(), self.items, self.reply, self.work, [*self.unreported]
        self.work = work.copy()
        self.close_reply()
        if self.base:
            content.problems.add(f"it continues the rollout {self.base}, whose messages are not in this file")
            self.base = ""
        for number, problem in self.gaps:
            content.problems.add(problem, number)
        self.gaps = []
        facts = {
            "model": self.model,
            "tools": tuple(self.tools.values()),
            "sizes": self.log.size_facts,
            "forked_from": self.forked_from,
        }
        try:
            return self.log.session(content, Codex.name, self.id, self.title, **facts)
        finally:
            self.log.undo(mark)
            self.items, self.reply, self.work, self.unreported = items, reply, work, unreported


def _is_request(message: Message) -> bool:
    """Return True if a message was written by the user."""
    return message.role == "user" and message.kind == "chat"


_TAKERS: Mapping[str, Callable[[_Rollout, Fields, int], None]] = {
    "session_meta": _Rollout.add_header,
    "turn_context": _Rollout.add_turn,
    "event_msg": _Rollout.add_event_record,
    "response_item": _Rollout.add_item,
    "compacted": _Rollout.add_compaction_record,
    "token_usage_record": _Rollout.add_usage_record,
    "inter_agent_communication": _Rollout.add_agent_message,
}


def _rest_of(item: Fields) -> Fields:
    """Return the fields of an item other than the text of its message."""
    return {key: value for key, value in item.items() if key not in ("content", "output", "role", "call_id")}
