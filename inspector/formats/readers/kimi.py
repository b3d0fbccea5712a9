"""Sessions of Kimi Code: JSON lines of context messages and of the steps of the loop.

https://moonshotai.github.io/kimi-cli: the parts and calls of a reply are between the beginning and the end of its step.
A compaction keeps messages of the user, followed by a summary; the log has the summary first, as for all formats.
Earlier versions kept the messages of the context (`context.jsonl`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from inspector.core.conversation import Message, Part, Role, Session, Usage
from inspector.core.text import word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.incremental_lines import GrowingLines, read_records
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_TYPES = word_set(
    "metadata config.update tools.set_active_tools turn.prompt turn.cancel context.append_message "
    "context.append_loop_event context.apply_compaction context.clear llm.request llm.tools_snapshot usage.record "
    "permission.record_approval_result plan_mode.enter plan_mode.exit full_compaction.begin full_compaction.complete"
)
_ROLES = word_set("user assistant tool")
_NOTES = word_set("_system_prompt _checkpoint _usage")
"""Roles of records of earlier versions that are no messages."""
_CERTAIN_KINDS = frozenset({"context.append_message", "context.append_loop_event", "tools.set_active_tools"})


class Kimi(Format):
    """Sessions of Kimi Code, one file per agent."""

    name = "kimi"
    order: ClassVar[RecordOrder] = RecordOrder(time="time")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "compactions"}
    )
    page = "https://moonshotai.github.io/kimi-cli"
    place = "~/.kimi-code/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        types = {as_text(record.get("type")) for record in sample.objects}
        if sample.shape == "lines" and any(map(_is_note, sample.objects)):
            return FormatMatch(0.95, "messages of a context, with checkpoints between them")
        if sample.shape != "lines" or not types & _CERTAIN_KINDS:
            return UNLIKE
        return FormatMatch(0.95, "records of a context and of the steps of a loop")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return read_records(_KimiSession(), content, progress)

    def incremental(self, content: Content) -> IncrementalReader:
        return GrowingLines(_KimiSession(), content)


def _is_note(record: Fields) -> bool:
    return as_text(record.get("role")) in _NOTES


class _KimiSession:
    """Builder of a log from the records of a session."""

    refusal = "is not a record of a Kimi session"

    def __init__(self) -> None:
        self.log = LogBuilder()
        self.model = ""
        self.system = ""
        self.tools: tuple[Fields, ...] = ()
        self.parts: list[Part] = []
        """Parts of the current step's reply."""
        self.results: list[tuple[str, Part, str]] = []
        """Tool results that arrived before the end of their step: name, result and time."""
        self.counted = 0
        """Last recorded size of the context that belongs to no reply yet."""
        self.replied = -1
        """Position of the newest reply, in logs of earlier versions."""
        self.words: list[Message] = []
        """Texts of the user."""

    def feed(self, record: Fields, number: int) -> bool:
        if str(record.get("type")) in _TYPES:
            self.add(record, number)
        elif _is_note(record) or as_text(record.get("role")) in _ROLES:
            self.add_kept(record, number)
        else:
            return False
        return True

    def session(self, content: Content) -> Session:
        """Return the session so far, including the current step."""
        mark, parts, results = self.log.mark(), self.parts, self.results
        self.end_step({}, "")
        try:
            return self.log.session(content, Kimi.name, model=self.model, tools=self.tools)
        finally:
            self.log.undo(mark)
            self.parts, self.results = parts, results

    def add(self, record: Fields, number: int) -> None:
        time = time_of(record.get("time"))
        match record:
            case {"type": "config.update"}:
                self.model = as_text(record.get("modelAlias")).rpartition("/")[2] or self.model
                self.set_system(as_text(record.get("systemPrompt")), number)
            case {"type": "llm.tools_snapshot", "tools": list(tools)}:
                self.tools = tuple({"type": "function", "function": tool} for tool in objects_of(tools))
            case {"type": "context.append_message", "message": dict(message)}:
                self.end_step({}, "")
                self.add_message(message, number, time)
            case {"type": "context.append_loop_event", "event": dict(event)}:
                self.add_event(event, f"e{number}", time)
            case {"type": "context.apply_compaction"}:
                self.end_step({}, "")
                self.compact(record, number, time)
            case {"type": "context.clear"}:
                self.end_step({}, "")
                self.begin(number)

    def set_system(self, text: str, number: int) -> None:
        """Add a system prompt. A later one starts a new context, unless it is the same."""
        if text and text != self.system:
            self.system = text
            if not self.log.messages:
                self.begin(number)

    def begin(self, number: int) -> None:
        self.log.begin_anew()
        self.add_prompt(number)

    def add_prompt(self, number: int) -> None:
        if self.system:
            self.log.add_parts(f"s{number}", "system", blocks_of(self.system))

    def add_message(self, message: Fields, number: int, time: str) -> None:
        origin = fields_of(message.get("origin")).get("kind")
        kind = "chat" if origin in (None, "user") else "injected"
        role: Role = "assistant" if message.get("role") == "assistant" else "user"
        parts: list[Part] = [*blocks_of(message.get("content"))]
        place = self.log.add_parts(f"m{number}", role, parts, {"origin": message.get("origin")}, kind=kind, time=time)
        if role == "user" and kind == "chat":
            self.words.append(self.log.messages[place])

    def add_kept(self, record: Fields, number: int) -> None:
        """Add a message or a note of earlier versions."""
        match record:
            case {"role": "_system_prompt", "content": str(text)}:
                self.set_system(text, number)
            case {"role": "assistant", "content": content}:
                parts: list[Part] = []
                for part in content if isinstance(content, list) else [content]:
                    parts += thoughts_of(part["think"]) if fields_of(part).get("think") else blocks_of(part)
                for call in objects_of(record.get("tool_calls")):
                    function = fields_of(call.get("function"))
                    parts.append(call_of(call.get("id"), function.get("name"), function.get("arguments")))
                usage = Usage(self.counted, 0) if self.counted else None
                self.replied = self.log.add_parts(f"m{number}", "assistant", parts, usage=usage)
                self.counted = 0
            case {"role": "_usage"}:
                self.count(token_count(record, "token_count"))
            case {"role": "tool"}:
                self.log.add_parts(f"m{number}", "tool", [result_of(record.get("tool_call_id"), record.get("content"))])
                self.counted = 0
            case {"role": "user"}:
                self.add_message(record, number, "")
                self.counted = 0

    def count(self, tokens: int) -> None:
        """Record the size of the context, which is reported before a reply without it, and again after it.

        https://github.com/MoonshotAI/kimi-cli (KimiSoul._step)
        """
        self.counted = tokens
        is_last = 0 <= self.replied == len(self.log.messages) - 1
        usage = self.log.messages[self.replied].usage if is_last else None
        if usage is not None and not usage.output:
            self.log.change(self.replied, usage=replace(usage, output=max(0, tokens - usage.input)))
            self.counted = 0

    def add_event(self, event: Fields, name: str, time: str) -> None:
        match event:
            case {"type": "step.begin"}:
                self.end_step({}, "")
            case {"type": "content.part", "part": dict(part)}:
                self.parts += thoughts_of(part.get("think")) if part.get("type") == "think" else blocks_of(part)
            case {"type": "tool.call"}:
                self.parts.append(call_of(event.get("toolCallId"), event.get("name"), event.get("args")))
            case {"type": "tool.result", "result": dict(result)}:
                failed = result.get("isError") is True
                answer = result_of(event.get("toolCallId"), result.get("output"), is_error=failed)
                self.results.append((name, answer, time))
            case {"type": "step.end"}:
                self.end_step(event, time)

    def end_step(self, event: Fields, time: str) -> None:
        """Add the reply of a step, followed by its tool results."""
        if self.parts:
            name = as_text(event.get("uuid")) or f"step-{len(self.log.messages)}"
            facts: dict[str, Any] = {"usage": _kimi_usage(event.get("usage")), "model": self.model, "time": time}
            self.log.add_parts(name, "assistant", self.parts, **facts)
        for name, answer, moment in self.results:
            self.log.add_parts(name, "tool", [answer], time=moment)
        self.parts, self.results = [], []

    def compact(self, record: Fields, number: int, time: str) -> None:
        """Start a context of the summary and the newest user messages that were kept."""
        count = token_count(record, "keptUserMessageCount")
        first = max(0, len(self.words) - count)
        summary = blocks_of(record.get("contextSummary") or record.get("summary"))
        rest = {key: value for key, value in record.items() if key not in ("summary", "contextSummary")}
        self.log.begin_anew()
        self.log.add_parts(f"c{number}", "user", summary, rest, kind="summary", time=time)
        self.add_prompt(number)
        kept = self.words[first:] if self.log.has_room_for(len(self.words) - first) else []
        for place, message in enumerate(kept, 1):
            self.log.add(f"kept-{number}-{place}", message.raw, {}, kind="injected", time=message.time)


def _kimi_usage(report: Any) -> Usage | None:
    """Return the usage of a reply. `inputOther` excludes cached tokens and cache writes."""
    fresh, read, written = (
        token_count(report, name) for name in ("inputOther", "inputCacheRead", "inputCacheCreation")
    )
    return usage_unless_zero(fresh + read + written, token_count(report, "output"), read, written)
