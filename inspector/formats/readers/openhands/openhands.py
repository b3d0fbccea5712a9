"""Events of OpenHands: a list of actions and observations, or the lines of an evaluation, each with its `history`.

https://github.com/All-Hands-AI/OpenHands: an observation names the action that caused it. A reply of the model is kept
whole with each of the actions that it asked for; a condensation takes events out and puts a summary in.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Part, Session, SizeFacts, Usage, named_values
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalFilesReader
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, definition_of, dialect_for
from inspector.formats.readers.openhands.condensed_log import FOLDER, CondensedLog, Summary
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.event_files import IncrementalEvents, event_files, read_events
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_ASIDE = frozenset({"change_agent_state", "agent_state_changed", "null", "condensation_request"})
"""Events that are no part of the context."""
_SILENT = frozenset({"recall", "system_stats"})
"""Events of the context whose words are not recorded."""
_FOLDER, _FIRST = "events", "0.json"
_NAME = re.compile(r"(0|[1-9][0-9]{0,8})\.json")
"""Pattern of the file names of events in the folder of a session."""


class OpenHands(Format):
    """Runs of OpenHands."""

    name = "openhands"
    order: ClassVar[RecordOrder] = RecordOrder(number="id", time="timestamp")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "compactions", "context window"}
    )
    page = "https://github.com/All-Hands-AI/OpenHands"
    place = "~/.openhands/sessions"

    def recognize(self, sample: Sample) -> FormatMatch:
        records = sample.objects[:20]
        if any(_events_of(record) for record in records):
            return FormatMatch(0.95, "runs with a history of actions and observations")
        events = [record for record in records if _is_event(record)]
        if sample.shape == "object" and events and {"id", "source", "timestamp"} <= events[0].keys():
            return FormatMatch(0.8, "an event with an id, a source, and an action or an observation")
        if sample.shape != "object" and events and 2 * len(events) >= len(records) and "source" in events[0]:
            return FormatMatch(0.9, "events with a source, and an action or an observation")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        path = Path(content.source.path)
        files = _files_beside(path) if content.sample.shape == "object" else []
        runs: list[_Run] = []
        loose = _Run()
        loose.name = _folder_name(path) if files else ""
        for number, record in content.records(progress):
            if events := _events_of(record):
                runs.append(_Run(record, number))
                runs[-1].feed_all(events)
            elif _is_event(record):
                loose.feed_all(read_events(files, _is_event, content.problems) if files else [record])
            else:
                content.reject(number, "is not an event of OpenHands")
        runs += [loose] if loose.number or not runs else []
        if len(runs) == 1:
            runs[0].line = 0
        return unique(run.session(content) for run in runs)

    def incremental_files(self, path: Path) -> IncrementalFilesReader | None:
        if not _files_beside(path) or not self.recognize((content := open_content(path)).sample).confidence:
            return None
        run = _Run()
        run.name = _folder_name(path)
        return IncrementalEvents(path.parent, _NAME, _is_event, run, content)

    def parts(self, path: Path) -> list[Path]:
        """Return the files of the other events of a session."""
        return [file for file in _files_beside(path) if file.name != path.name]

    def whole(self, part: Path) -> Path | None:
        is_later = part.parent.name == _FOLDER and part.name != _FIRST and _NAME.fullmatch(part.name)
        return part.with_name(_FIRST) if is_later else None


def _files_beside(path: Path) -> list[Path]:
    """Return the files of a session's events, the first event first, if a file is one of them."""
    is_event = path.parent.name == _FOLDER and _NAME.fullmatch(path.name) and path.with_name(_FIRST).is_file()
    return event_files(path.parent, _NAME) if is_event else []


def _folder_name(path: Path) -> str:
    """Return the name of an event's session, which is that of its folder."""
    return path.absolute().parent.parent.name


def _is_event(record: Any) -> bool:
    """Return True if a record is an action or an observation. A record with a role is a message of SWE-agent."""
    return isinstance(record, dict) and ("action" in record or "observation" in record) and "role" not in record


def _events_of(record: Any) -> list[Fields]:
    """Return the events of a run; older histories hold pairs of an action and its observation."""
    history = record.get("history") if isinstance(record, dict) else None
    if not isinstance(history, list):
        return []
    flat = [event for entry in history for event in (entry if isinstance(entry, list) else [entry])]
    events = [event for event in flat if isinstance(event, dict)]
    return events if 2 * sum(map(_is_event, events)) > len(events) else []


def _response_of(event: Fields) -> Fields:
    return fields_of(fields_of(event.get("tool_call_metadata")).get("model_response"))


class _Run:
    """Events on their way into a log: one reply for each response of the model, one result for each observation."""

    def __init__(self, record: Fields | None = None, line: int = 0) -> None:
        """`record` is what was recorded around the events."""
        run = record or {}
        issue = fields_of(run.get("issue"))
        self.name = as_text(run.get("instance_id")) or as_text(issue.get("number"))
        self.title = as_text(issue.get("title"))
        self.line = line
        self.early: list[Fields] = []
        """The events so far, while it is not known which model they are for."""
        self.begin("")

    def begin(self, model: str) -> None:
        self.model = model
        self.limit = 0
        """Tokens of the largest window that was reported."""
        self.tools: tuple[Fields, ...] = ()
        self.log = LogBuilder(dialect_for(model))
        self.condensed = CondensedLog(self.log, has_one_summary=True)
        self.number = 0
        """Number of events read so far."""
        self.responses: dict[str, int] = {}
        """The positions of the replies, by the ids of their responses."""
        self.open_call = ""
        """Return the call that an observation without a cause answers."""
        self.count = 0

    def session(self, content: Content) -> Session:
        """See `LineReader.session`."""
        facts = {"model": self.model, "line": self.line, "tools": self.tools, "records_system": bool(self.tools)}
        facts["sizes"] = SizeFacts(limit=self.limit) if self.limit else None
        return self.log.session(content, OpenHands.name, self.name, self.title, **facts)

    def feed_all(self, events: Iterable[Fields]) -> None:
        for event in events:
            self.feed(event)

    def feed(self, event: Fields) -> None:
        """Take in the next event."""
        if not self.model:
            self.early.append(event)
            if model := as_text(_response_of(event).get("model")):
                self.begin(model)
                early, self.early = self.early, []
                self.feed_all(early)
                return
        self.number += 1
        report = fields_of(fields_of(event.get("llm_metrics")).get("accumulated_token_usage"))
        self.limit = max(self.limit, token_count(report, "context_window"))
        self.add(event, f"e{as_text(event.get('id')) or self.number}")

    def add(self, event: Fields, name: str) -> None:
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

    def reply_of(self, event: Fields) -> list[int]:
        """Return the position of the reply that came with an earlier action, if there is one."""
        key = as_text(_response_of(event).get("id")) if "action" in event else ""
        return [self.responses[key]] if key in self.responses else []

    def add_event(self, event: Fields, kind: str, name: str, facts: Fields) -> None:
        if "observation" in event:
            self.add_observation(event, name, facts)
        elif self.is_agents(event) and kind != "system":
            self.add_action(event, name, facts)
        else:
            args = fields_of(event.get("args"))
            if kind == "system":
                self.tools = tuple(definition_of(tool, self.log.dialect) for tool in objects_of(args.get("tools")))
            text = args.get("content") or event.get("content") or event.get("message")
            if words := blocks_of(text):
                self.log.add_parts(name, "system" if kind == "system" else "user", words, event, **facts)

    def is_agents(self, event: Fields) -> bool:
        """Return True if the agent acts; histories that do not tell begin with the task."""
        return (event.get("source") or ("agent" if self.log.messages else "user")) == "agent"

    def add_action(self, event: Fields, name: str, facts: Fields) -> None:
        if response := _response_of(event):
            self.add_response(event, response, name, facts)
            return
        args = {**fields_of(event.get("args"))} or {key: event[key] for key in _ARGUMENTS if key in event}
        texts = [args.pop("thought", ""), args.pop("content", ""), event.get("thought"), event.get("content")]
        parts: list[Part] = [*blocks_of(next(filter(None, texts), ""))]
        if event.get("action") not in ("message", "finish"):
            self.count += 1
            self.open_call = f"call-{self.count}"
            arguments = {key: value for key, value in args.items() if value not in (None, "", False)}
            parts.append(call_of(self.open_call, event.get("action"), arguments))
        if parts:
            around = {**event, "args": args} if event.get("args") else event
            self.log.add_parts(name, "assistant", parts, around, model=self.model, **facts)

    def add_response(self, event: Fields, response: Fields, name: str, facts: Fields) -> None:
        """Add a reply of the model when the first of its actions comes."""
        key = as_text(response.get("id")) or name
        if key not in self.responses:
            usage = _openhands_usage(response.get("usage"))
            around = {key: value for key, value in event.items() if key != "tool_call_metadata"}
            parts = _response_parts(response)
            place = self.log.add_parts(name, "assistant", parts, around, model=self.model, usage=usage, **facts)
            self.responses[key] = place

    def add_observation(self, event: Fields, name: str, facts: Fields) -> None:
        metadata = fields_of(event.get("tool_call_metadata"))
        call_id = as_text(metadata.get("tool_call_id")) or self.open_call
        text = event.get("content") if event.get("content") is not None else event.get("message")
        has_failed = False in (event.get("success"), fields_of(event.get("extras")).get("success"))
        is_error = event.get("observation") == "error" or has_failed
        around = {key: value for key, value in event.items() if key not in ("tool_call_metadata", "content")}
        self.log.work.note("where", named_values(fields_of(event.get("extras")).get("metadata"), FOLDER), MAIN)
        result = result_of(call_id, text, is_error=is_error)
        if call_id and result.call_id in self.log.tools:
            self.log.add_parts(name, "tool", [result], around, **facts)
            self.open_call = ""
        elif words := blocks_of(text):
            self.log.add_parts(name, "user", words, around, kind="injected", **facts)


def _forgotten_in(args: Fields) -> Container[Hashable]:
    """Return the ids of the events that a condensation removes. It names all, or the first and the last."""
    match args:
        case {"forgotten_event_ids": list(numbers)}:
            return frozenset(number for number in numbers if type(number) is int)
        case {"forgotten_events_start_id": int(first), "forgotten_events_end_id": int(last)}:
            return range(first, last + 1)
    return ()


_ARGUMENTS = ("command", "code", "path", "thought", "content", "url", "browser_actions", "outputs", "task")
"""Fields of an action in older histories, which have no `args`."""


def _response_parts(response: Fields) -> list[Part]:
    """Return the words and calls of a response of the model."""
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
