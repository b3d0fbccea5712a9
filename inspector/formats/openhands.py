"""Events of OpenHands: a list of actions and observations, or the lines of an evaluation, each with its `history`.

https://github.com/All-Hands-AI/OpenHands: an observation names the action that caused it. A reply of the model is kept
whole with each of the actions that it asked for; a condensation takes events out and puts a summary in.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable
from pathlib import Path
from typing import Any, ClassVar

from inspector.conversation import Part, Session, Usage
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.condensed_log import CondensedLog, Summary
from inspector.formats.event_files import read_events
from inspector.formats.ids import unique
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.providers import as_text, token_count, usage_unless_zero

_Fields = dict[str, Any]
_ASIDE = frozenset({"change_agent_state", "agent_state_changed", "null", "condensation_request"})
"""Events that are no part of the context."""
_SILENT = frozenset({"recall", "system_stats"})
"""Events of the context whose words are not recorded."""
_FIRST = "0.json"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""How the file of an event is called in the folder of a session."""


class OpenHands(Format):
    """Runs of OpenHands."""

    name = "openhands"
    title = "OpenHands events"
    holds: ClassVar[frozenset[Holding]] = frozenset({"usage", "times", "models", "compactions"})
    fields = frozenset({"source", "action", "observation", "history", "git_patch", "cause"})
    page = "https://github.com/All-Hands-AI/OpenHands"
    place = "~/.openhands/sessions"

    def recognize(self, sample: Sample) -> Recognition:
        records = sample.objects[:20]
        if any(_events_of(record) for record in records):
            return Recognition(0.95, "runs with a history of actions and observations")
        events = [record for record in records if _is_event(record)]
        if sample.shape == "object" and events and {"id", "source", "timestamp"} <= events[0].keys():
            return Recognition(0.8, "an event with an id, a source, and an action or an observation")
        if sample.shape != "object" and events and 2 * len(events) >= len(records) and "source" in events[0]:
            return Recognition(0.9, "events with a source, and an action or an observation")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        runs: list[tuple[_Fields, list[_Fields], int]] = []
        loose: list[_Fields] = []
        for number, record in content.records(progress):
            if isinstance(record, dict) and (events := _events_of(record)):
                runs.append((record, events, number))
            elif isinstance(record, dict) and _is_event(record):
                loose.append(record)
                if content.sample.shape == "object":
                    loose += read_events(self.parts(Path(content.source.path)), _is_event, content.problems)
            else:
                content.reject(number, "is no event of OpenHands")
        if loose:
            runs.append(({}, loose, 0))
        alone = len(runs) == 1
        return unique(_run_session(content, run, events, 0 if alone else line) for run, events, line in runs)

    def parts(self, path: Path) -> list[Path]:
        """The files of the other events of a session, behind that of the first."""
        if (path.parent.name, path.name) != ("events", _FIRST):
            return []
        numbers = sorted(int(file.stem) for file in path.parent.glob("*.json") if _NUMBER.fullmatch(file.stem))
        return [path.with_name(f"{number}.json") for number in numbers if number]

    def whole(self, part: Path) -> Path | None:
        is_later = part.parent.name == "events" and part.name != _FIRST and part.suffix == ".json"
        return part.with_name(_FIRST) if is_later and _NUMBER.fullmatch(part.stem) else None


def _is_event(record: Any) -> bool:
    return isinstance(record, dict) and ("action" in record or "observation" in record)


def _events_of(record: _Fields) -> list[_Fields]:
    """The events of a run; older histories hold pairs of an action and its observation."""
    history = record.get("history")
    if not isinstance(history, list):
        return []
    flat = [event for entry in history for event in (entry if isinstance(entry, list) else [entry])]
    events = [event for event in flat if isinstance(event, dict)]
    return events if any(map(_is_event, events)) else []


def _run_session(content: Content, run: _Fields, events: list[_Fields], line: int) -> Session:
    responses = [_response_of(event) for event in events]
    model = next((as_text(response["model"]) for response in responses if response.get("model")), "")
    log = LogBuilder(dialect_for(model))
    reader = _EventReader(log, model)
    for number, event in enumerate(events, 1):
        reader.add(event, f"e{as_text(event.get('id')) or number}")
    issue = fields_of(run.get("issue"))
    name = as_text(run.get("instance_id")) or as_text(issue.get("number"))
    return log.session(content, OpenHands.name, name, as_text(issue.get("title")), model=model, line=line)


def _response_of(event: _Fields) -> _Fields:
    return fields_of(fields_of(event.get("tool_call_metadata")).get("model_response"))


class _EventReader:
    """Events on their way into a log: one reply for each response of the model, one result for each observation."""

    def __init__(self, log: LogBuilder, model: str) -> None:
        self.log = log
        self.model = model
        self.responses: dict[str, int] = {}
        """The positions of the replies, by the ids of their responses."""
        self.open_call = ""
        """The call that an observation without a cause of its own answers."""
        self.count = 0
        self.condensed = CondensedLog(log, has_one_summary=True)

    def add(self, event: _Fields, name: str) -> None:
        kind = as_text(event.get("action") or event.get("observation"))
        args = fields_of(event.get("args"))
        if kind in _ASIDE or True in (args.get("hidden"), fields_of(event.get("extras")).get("hidden")):
            return
        facts = {"time": time_of(event.get("timestamp"))}
        if kind == "condensation":
            args = args or event
            summary = Summary(name, args.get("summary"), args.get("summary_offset"), event, facts["time"])
            self.condensed.condense(_forgotten_in(args), summary)
            return
        first = len(self.log.messages)
        if kind not in _SILENT:
            self.add_event(event, kind, name, facts)
        if type(number := event.get("id")) is int:
            places = range(first, len(self.log.messages))
            self.condensed.keep(number, places or self.reply_of(event))

    def reply_of(self, event: _Fields) -> list[int]:
        """The position of the reply that has come with an earlier action, where there is one."""
        key = as_text(_response_of(event).get("id")) if "action" in event else ""
        return [self.responses[key]] if key in self.responses else []

    def add_event(self, event: _Fields, kind: str, name: str, facts: _Fields) -> None:
        if "observation" in event:
            self.add_observation(event, name, facts)
        elif self.is_agents(event) and kind != "system":
            self.add_action(event, name, facts)
        else:
            text = fields_of(event.get("args")).get("content") or event.get("content") or event.get("message")
            if words := blocks_of(text):
                self.log.add_parts(name, "system" if kind == "system" else "user", words, event, **facts)

    def is_agents(self, event: _Fields) -> bool:
        """Whether the agent acts; histories that do not tell begin with the task."""
        return (event.get("source") or ("agent" if self.log.messages else "user")) == "agent"

    def add_action(self, event: _Fields, name: str, facts: _Fields) -> None:
        if response := _response_of(event):
            self.add_response(event, response, name, facts)
            return
        args = fields_of(event.get("args")) or {key: event[key] for key in _ARGUMENTS if key in event}
        texts = [args.pop("thought", ""), args.pop("content", ""), event.get("thought"), event.get("content")]
        parts: list[Part] = [*blocks_of(next(filter(None, texts), ""))]
        if event.get("action") not in ("message", "finish"):
            self.count += 1
            self.open_call = f"call-{self.count}"
            arguments = {key: value for key, value in args.items() if value not in (None, "", False)}
            parts.append(call_of(self.open_call, event.get("action"), arguments))
        if parts:
            self.log.add_parts(name, "assistant", parts, event, model=self.model, **facts)

    def add_response(self, event: _Fields, response: _Fields, name: str, facts: _Fields) -> None:
        """A reply of the model, the first time that one of its actions comes."""
        key = as_text(response.get("id")) or name
        if key not in self.responses:
            usage = _openhands_usage(response.get("usage"))
            around = {key: value for key, value in event.items() if key != "tool_call_metadata"}
            parts = _response_parts(response)
            place = self.log.add_parts(name, "assistant", parts, around, model=self.model, usage=usage, **facts)
            self.responses[key] = place

    def add_observation(self, event: _Fields, name: str, facts: _Fields) -> None:
        metadata = fields_of(event.get("tool_call_metadata"))
        call_id = as_text(metadata.get("tool_call_id")) or self.open_call
        text = event.get("content") if event.get("content") is not None else event.get("message")
        is_error = event.get("observation") == "error" or fields_of(event.get("extras")).get("success") is False
        around = {key: value for key, value in event.items() if key not in ("tool_call_metadata", "content")}
        result = result_of(call_id, text, is_error=is_error)
        if call_id and result.call_id in self.log.tools:
            self.log.add_parts(name, "tool", [result], around, **facts)
            self.open_call = ""
        elif words := blocks_of(text):
            self.log.add_parts(name, "user", words, around, kind="injected", **facts)


def _forgotten_in(args: _Fields) -> Container[Hashable]:
    """The ids of the events that a condensation takes out: it names them, or the first and the last."""
    match args:
        case {"forgotten_event_ids": list(numbers)}:
            return frozenset(number for number in numbers if type(number) is int)
        case {"forgotten_events_start_id": int(first), "forgotten_events_end_id": int(last)}:
            return range(first, last + 1)
    return ()


_ARGUMENTS = ("command", "code", "path", "thought", "content", "url", "browser_actions", "outputs", "task")
"""Fields of an action in older histories, which have no `args`."""


def _response_parts(response: _Fields) -> list[Part]:
    """What a response of the model says and calls."""
    choices = objects_of(response.get("choices"))
    message = fields_of(choices[0].get("message")) if choices else {}
    calls = [(call.get("id"), fields_of(call.get("function"))) for call in objects_of(message.get("tool_calls"))]
    return [
        *blocks_of(message.get("content")),
        *(call_of(call_id, function.get("name"), function.get("arguments")) for call_id, function in calls),
    ]


def _openhands_usage(usage: Any) -> Usage | None:
    details = fields_of(fields_of(usage).get("prompt_tokens_details"))
    cached = token_count(details, "cached_tokens") or token_count(usage, "cache_read_input_tokens")
    written = token_count(usage, "cache_creation_input_tokens")
    return usage_unless_zero(
        token_count(usage, "prompt_tokens"), token_count(usage, "completion_tokens"), cached, written
    )
