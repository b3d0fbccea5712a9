"""Sessions of the Copilot command line: JSON lines of events, linked by their parents.

A reply (`assistant.message`) asks for tools, `tool.execution_complete` has what they answered. Hooks and permissions
stand between and are not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from inspector.conversation import Part, Session
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
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
    fields = frozenset({"parentId", "data"})
    page = "https://docs.github.com/copilot/concepts/agents/about-copilot-cli"
    place = "~/.copilot/session-state"

    def recognize(self, sample: Sample) -> Recognition:
        known = any(_is_event(record) for record in sample.objects)
        return Recognition(0.95, "events of types such as session.start and assistant.message") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        events: list[_Fields] = []
        for number, record in content.records(progress):
            if isinstance(record, dict) and _area(record) in _AREAS and isinstance(record.get("data"), dict):
                events.append(record)
            else:
                content.reject(number, "is no event of a Copilot CLI session")
        return [_copilot_session(events, content)]


def _area(record: _Fields) -> str:
    kind = record.get("type")
    return kind.partition(".")[0] if (isinstance(kind, str) and "." in kind) or kind == "abort" else ""


def _is_event(record: _Fields) -> bool:
    return record.get("type") in ("session.start", "assistant.message", "user.message") and isinstance(
        record.get("data"), dict
    )


def _copilot_session(events: list[_Fields], content: Content) -> Session:
    models = [as_text(event["data"].get("newModel") or event["data"].get("model")) for event in events]
    model = next(filter(None, reversed(models)), "")
    log, start = LogBuilder(dialect_for(model)), fields_of(events[0].get("data")) if events else {}
    for event in events:
        if add := _ADDERS.get(event["type"]):
            add(log, as_text(event.get("id")), event["data"], {"time": time_of(event.get("timestamp"))})
    name = as_text(start.get("sessionId"))
    return log.session(content, CopilotCLI.name, name, _copilot_title(events), model=model)


def _copilot_title(events: list[_Fields]) -> str:
    """What the person said first, without what the program put around it."""
    said = (as_text(event["data"].get("content")) for event in events if event["type"] == "user.message")
    return next(filter(None, said), "")


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
