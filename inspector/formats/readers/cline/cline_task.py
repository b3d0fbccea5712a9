"""Conversion of a task of Cline or Roo Code to a session, from its messages and the other files of its folder."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from inspector.core.conversation import MAIN, Session, SizeFacts, Usage
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.readers.cline.cline_edits import ContextEdit, edited_message, edits_by_reply
from inspector.formats.readers.cline.cline_environment import (
    EnvironmentEvents,
    environment_of,
    folder_in,
    window_in,
)
from inspector.formats.readers.cline.cline_events import (
    TaskCompaction,
    add_events,
    compactions_of,
    number_of,
    requests_by_reply,
    stands_for_others,
    task_text,
    usage_of_request,
)
from inspector.formats.readers.cline.cline_state import recorded_compaction
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.problems import Problems
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_TASK_ID = re.compile(r"\d{10,}(_\w+)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The name of a task's folder."""


@dataclass(slots=True)
class ClineTask:
    """The messages of a task, the events displayed to the user, and the models in use, any of which may be missing."""

    header: Fields = field(default_factory=dict)
    """Fields around the messages, if a task is one file."""
    messages: Sequence[Fields] = ()
    events: Sequence[Fields] = ()
    models: Sequence[Fields] = ()
    edits: Sequence[ContextEdit] = ()
    compacted: Fields | None = None
    """The newest compaction of a session of the Cline SDK."""
    _sent: dict[int, Fields] = field(default_factory=dict)
    """Edited messages, by their position."""
    _starts: dict[int, int] = field(default_factory=dict)
    """Position in the log of each message of the newest context, by its position in the task."""
    _calls: set[str] = field(default_factory=set)
    """The calls in the newest context."""

    def session(self, content: Content, format: str, line: int = 0) -> Session:
        """Return the session of the task. Raises UnreadableError if it has no message."""
        log = LogBuilder("anthropic")
        if system := as_text(self.header.get("systemPrompt") or self.header.get("system_prompt")):
            log.add("system", {"role": "system", "content": system})
        folder = next(filter(None, map(folder_in, map(environment_of, self.messages))), "")
        log.work.note("where", [("folder", folder)], MAIN)
        model = self.add_messages(log, content.problems) if self.messages else add_events(log, self.events)
        limit = next(filter(None, map(window_in, map(environment_of, reversed(self.messages)))), 0)
        return log.session(
            content,
            format,
            as_text(self.header.get("sessionId")) or _id_of_folder(content.source.path),
            _title_of_task(self.events, self.messages),
            model=model,
            line=line,
            sizes=SizeFacts(limit=limit) if limit else None,
        )

    def add_messages(self, log: LogBuilder, problems: Problems) -> str:
        """Add all messages, and start a context at each compaction. Return the model that was used last."""
        requests = requests_by_reply(self.messages, self.events)
        waiting = compactions_of(self.messages, self.events)
        if self.compacted:
            try:
                newest, self._sent = recorded_compaction(self.compacted, self.messages)
            except ValueError as error:
                problems.add(f"the compaction in the file next to it is not shown: {error}")
            else:
                waiting = sorted([*waiting, newest], key=lambda compaction: compaction.place)
        end = len(self.messages)
        times = {place: number_of(request.get("ts")) for place, request in requests.items()}
        edits = edits_by_reply(self.edits, times, end)
        model, work = "", EnvironmentEvents(log.work)
        for place, message in enumerate(self.messages):
            self.change_context(log, place, waiting, edits.get(place, ()))
            if stands_for_others(message):
                continue
            request, environment = requests.get(place, {}), environment_of(message)
            work.note(environment)
            model = self.model_of(message, request) or _tagged(environment, "model") or model
            record = {key: value for key, value in message.items() if key not in ("role", "content")}
            facts: Fields = {"time": time_of(message.get("ts"))}
            if message.get("role") == "assistant":
                facts |= {"model": model, "usage": usage_of_request(request) or _usage_of_message(message)}
                record |= {"request": request} if request else {}
            self._add(log, place, _raw_in_task(message), record, facts)
        self.change_context(log, end, waiting, edits.get(end, ()))
        return model

    def change_context(
        self, log: LogBuilder, place: int, waiting: list[TaskCompaction], edits: Sequence[ContextEdit]
    ) -> None:
        """Apply the edits and compactions that precede the message at `place`.

        Args:
            log: Log that gets the changes.
            place: Place of the next message.
            waiting: Compactions that have not been applied; those applied are removed.
            edits: Edits before the next message.
        """
        for edit in edits:
            self._sent[edit.message] = edited_message(self._sent_at(edit.message), edit)
        has_begun = False
        while waiting and (waiting[0].place <= place or place == len(self.messages)):
            self.add_compaction(log, waiting.pop(0))
            has_begun = True
        starts = [self._starts[edit.message] for edit in edits if edit.message in self._starts]
        if starts and not has_begun:
            self._add_again(log, min(starts))

    def add_compaction(self, log: LogBuilder, compaction: TaskCompaction) -> None:
        """Start a context with the summaries, the system prompt, and the messages that the compaction kept.

        Results without their call are left out.
        """
        log.begin_anew()
        self._starts.clear()
        self._calls.clear()
        summary = compaction.summary
        for place in compaction.rest:
            if stands_for_others(self.messages[place]):  # the older summary is kept, followed by the newer one
                self.add_summary(log, self.messages[place], place, {})
        self.add_summary(log, summary, compaction.place, compaction.record)
        log.repeat_prompt()
        for place in compaction.rest:
            if not stands_for_others(self.messages[place]):
                self._add_copy(log, place)

    def _sent_at(self, place: int) -> Fields:
        """Return the message at a place with all edits so far."""
        return self._sent.get(place) or (self.messages[place] if place < len(self.messages) else {})

    def _add(self, log: LogBuilder, place: int, raw: Fields, record: Fields, facts: Fields) -> None:
        self._starts[place] = len(log.messages)
        self._calls.update(as_text(block.get("id")) for block in objects_of(raw["content"]) if "input" in block)
        log.add(_id_at(self.messages[place], place), raw, record, **facts)

    def _add_copy(self, log: LogBuilder, place: int) -> None:
        """Add a message of an earlier context again. A copied reply does not count as a reply."""
        message = self._sent_at(place)
        raw = _raw_in_task(message)
        raw["content"] = _without_blocks(raw["content"], "tool_result", self._calls)
        if raw["content"]:
            kind = "copy" if raw["role"] == "assistant" else "chat"
            self._add(log, place, raw, {}, {"time": time_of(message.get("ts")), "kind": kind})

    def _add_again(self, log: LogBuilder, first: int) -> None:
        """Start a context that branches off before a position, with the edited messages from there on."""
        places = list(takewhile(lambda place: self._starts[place] >= first, reversed(self._starts)))
        if not log.has_all_copies or not log.has_room_for(len(places)):
            return
        log.begin_anew(after=log.messages[first].parent)
        for place in reversed(places):
            del self._starts[place]
            self._add_copy(log, place)

    def add_summary(self, log: LogBuilder, summary: Fields, place: int, record: Fields) -> None:
        """Add a summary. It does not count as a reply, although the model wrote it."""
        raw = _raw_in_task(summary) | {"role": "user"}
        raw["content"] = _without_blocks(raw["content"], "tool_use")
        name = as_text(summary.get("condenseId") or summary.get("truncationId")) or _id_at(summary, place)
        log.add(name, raw, record, kind="summary", time=time_of(summary.get("ts")))

    def model_of(self, message: Fields, request: Fields) -> str:
        """Return the model of a reply: from the reply, from its request, or by its time."""
        if message.get("role") != "assistant":
            return ""
        own, other = fields_of(message.get("modelInfo")), fields_of(request.get("modelInfo"))
        name = own.get("modelId") or own.get("id") or other.get("modelId")
        if not name and self.models:
            times = [number_of(entry.get("ts")) for entry in self.models]
            time = number_of(message.get("ts")) or number_of(request.get("ts"))
            last = max(0, bisect_right(times, time) - 1) if time else len(times) - 1
            name = self.models[last].get("model_id")
        return as_text(name)


def _id_of_folder(path: str) -> str:
    folder = Path(path).parent.name
    return folder if _TASK_ID.fullmatch(folder) else ""


def _title_of_task(events: Sequence[Fields], messages: Sequence[Fields]) -> str:
    """Return the first request of the user, without its tags and the description of the environment after it."""
    first = events[0] if events else {}
    if first.get("say") in ("task", "text") and first.get("text"):
        return as_text(first["text"])
    text = next((task_text(message) for message in messages if message.get("role") == "user"), "")
    return _tagged(text, "task") or _tagged(text, "user_message")


def _id_at(message: Fields, place: int) -> str:
    return as_text(message.get("id")) or f"m{place + 1}"


def _tagged(text: str, tag: str) -> str:
    """Return the text in the first element with a tag; empty if there is no such element."""
    _, opening, rest = text.partition(f"<{tag}>")
    inner, closing, _ = rest.partition(f"</{tag}>")
    return inner.strip() if opening and closing else ""


def _raw_in_task(message: Fields) -> Fields:
    """Return a message in Anthropic's form. Newer versions of Roo Code have other blocks, and a role for results."""
    role = message.get("role")
    content = message.get("content")
    if isinstance(content, list):
        content = [_block_of_task(block) for block in content if block]
    elif not isinstance(content, str):
        content = ""
    return {"role": role if role in ("assistant", "system") else "user", "content": content}


def _block_of_task(block: Any) -> Fields:
    match block:
        case str(text):
            return {"type": "text", "text": text}
        case {"type": "reasoning", "text": str(text)}:
            return {"type": "thinking", "thinking": text, "signature": ""}
        case {"type": "tool-call", "toolName": name}:
            call, values = as_text(block.get("toolCallId")), block.get("input", block.get("args"))
            return {"type": "tool_use", "id": call, "name": as_text(name), "input": fields_of(values)}
        case {"type": "tool-result"}:
            output = block.get("output", block.get("result"))
            answer = as_text(output.get("value") if isinstance(output, dict) else output)
            return {"type": "tool_result", "tool_use_id": as_text(block.get("toolCallId")), "content": answer}
        case dict():
            return block
    return {"type": "text", "text": as_text(block)}


def _without_blocks(content: Any, kind: str, calls: Collection[str] = ()) -> Any:
    """Return content without its blocks of a kind, except those that answer one of some calls."""
    if not isinstance(content, list):
        return content
    return [block for block in content if block.get("type") != kind or as_text(block.get("tool_use_id")) in calls]


def _usage_of_message(message: Fields) -> Usage | None:
    """Return the usage in a message; only Anthropic's numbers exclude the cache from the input."""
    metrics = fields_of(message.get("metrics"))
    if tokens := fields_of(metrics.get("tokens")):
        sent, reply, read = (token_count(tokens, name) for name in ("prompt", "completion", "cached"))
        return usage_unless_zero(max(sent, read), reply, read, 0)
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    sent, reply, read, written = (token_count(metrics, name) for name in names)
    is_part = fields_of(message.get("modelInfo")).get("provider") == "anthropic" or sent < read + written
    return usage_unless_zero(sent + read + written if is_part else sent, reply, read, written)
