"""Sessions of the Copilot command line: JSON lines of events, linked by their parents.

A reply (`assistant.message`) asks for tools, `tool.execution_complete` has what they answered. Hooks and permissions
stand between and are not sent. Sessions before those events are one object each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from inspector.conversation import Part, Session
from inspector.formats.base import UNLIKE, Format, Growing, Holding, Recognition
from inspector.formats.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.copilot_legacy import is_legacy_session, legacy_session
from inspector.formats.line_readings import GrowingLines, read_records
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample, words
from inspector.formats.source import Progress
from inspector.providers import as_text

_Fields = dict[str, Any]
_AREAS = words(
    "session system user assistant tool hook permission subagent skill command external abort pending_messages"
)
"""What stands before the dot in the type of an event."""


class CopilotCLI(Format):
    """Events that the Copilot command line keeps for each session."""

    name = "copilot-cli"
    title = "Copilot CLI sessions"
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "times", "models", "thinking", "compactions"})
    fields = frozenset({"parentId", "data", "chatMessages"})
    page = "https://docs.github.com/copilot/concepts/agents/about-copilot-cli"
    place = "~/.copilot/session-state"

    def recognize(self, sample: Sample) -> Recognition:
        if any(map(is_legacy_session, sample.objects)):
            return Recognition(0.95, "a session with its chat messages")
        known = any(_is_event(record) for record in sample.objects)
        return Recognition(0.95, "events of types such as session.start and assistant.message") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "object" and is_legacy_session(content.value):
            return [legacy_session(content, self.name, content.value)]
        return read_records(_Events(), content, progress)

    def growing(self, content: Content) -> Growing:
        return GrowingLines(_Events(), content)


def _area(record: _Fields) -> str:
    kind = record.get("type")
    return kind.partition(".")[0] if (isinstance(kind, str) and "." in kind) or kind == "abort" else ""


def _is_event(record: _Fields) -> bool:
    return record.get("type") in ("session.start", "assistant.message", "user.message") and isinstance(
        record.get("data"), dict
    )


class _Events:
    """The events of a session on their way into a log."""

    refusal = "is no event of a Copilot CLI session"

    def __init__(self) -> None:
        self.events: list[_Fields] = []
        self.model = ""
        self.title = ""
        """What the person said first, without what the program put around it."""
        self.begin()

    def begin(self) -> None:
        """Begin the log, in the dialect of the model as it is known."""
        self.log = LogBuilder(dialect_for(self.model))
        self.done = 0
        """Events that are in it."""

    def take(self, record: _Fields, _number: int) -> bool:
        data = record.get("data")
        if _area(record) not in _AREAS or not isinstance(data, dict):
            return False
        self.events.append(record)
        self.model = as_text(data.get("newModel") or data.get("model")) or self.model
        self.title = self.title or (as_text(data.get("content")) if record["type"] == "user.message" else "")
        return True

    def session(self, content: Content) -> Session:
        if dialect_for(self.model) != self.log.dialect:
            self.begin()
        for event in self.events[self.done :]:
            if add := _ADDERS.get(event["type"]):
                add(self.log, as_text(event.get("id")), event["data"], {"time": time_of(event.get("timestamp"))})
        self.done = len(self.events)
        start = self.events[0]["data"] if self.events else {}
        return self.log.session(content, CopilotCLI.name, as_text(start.get("sessionId")), self.title, model=self.model)


def _add_system(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    log.add_parts(name, "system", blocks_of(data.get("content")), _around(data), **facts)


def _add_user(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    """What was sent is what the program made of the person's words; those stay in the record."""
    sent = data.get("transformedContent") or data.get("content")
    log.add_parts(name, "user", blocks_of(sent), data if data.get("transformedContent") else _around(data), **facts)


def _add_reply(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    parts: list[Part] = [
        *thoughts_of(data.get("reasoningText") or data.get("reasoning")),
        *blocks_of(data.get("content")),
        *(
            call_of(call.get("toolCallId"), call.get("name") or call.get("toolName"), call.get("arguments"))
            for call in objects_of(data.get("toolRequests"))
        ),
    ]
    if parts:
        log.add_parts(name, "assistant", parts, _around(data), model=as_text(data.get("model")), **facts)


def _add_result(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    result, error = fields_of(data.get("result")), data.get("error")
    text = result.get("content") if result else fields_of(error).get("message") or as_text(error)
    is_error = data.get("success") is False
    part = result_of(data.get("toolCallId"), text, is_error=is_error)
    log.add_parts(name, "tool", [part], _around(data), **facts)


def _add_notice(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    log.add_parts(name, "user", blocks_of(data.get("content")), _around(data), kind="injected", **facts)


def _add_compaction(log: LogBuilder, name: str, data: _Fields, facts: _Fields) -> None:
    """A compaction that came to its end, where its summary was written down."""
    text = data.get("summaryContent") or data.get("summary")
    if text:
        log.begin_anew()
        log.add_parts(name, "user", blocks_of(text), _around(data), kind="summary", **facts)
        log.repeat_prompt()


def _around(data: _Fields) -> _Fields:
    return {key: value for key, value in data.items() if key not in ("content", "toolRequests", "arguments")}


_ADDERS: Mapping[str, Callable[[LogBuilder, str, _Fields, _Fields], None]] = {
    "system.message": _add_system,
    "user.message": _add_user,
    "assistant.message": _add_reply,
    "tool.execution_complete": _add_result,
    "system.notification": _add_notice,
    "session.compaction_complete": _add_compaction,
}
