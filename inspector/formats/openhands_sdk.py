"""Conversations of OpenHands' agent SDK: a folder with `base_state.json`, and one file for each event below it.

https://github.com/OpenHands/software-agent-sdk (`openhands-sdk/openhands/sdk/event`): events say their `kind`. Actions
of one response of the model are one reply; what answers them names the call. What was reported stands in the state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from inspector.conversation import Dialect, Part, Session, SizeFacts, Thinking, Usage
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.condensed_log import CondensedLog, Summary
from inspector.formats.event_files import read_events
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample, words
from inspector.formats.source import Progress
from inspector.providers import as_text, token_count, usage_unless_zero

_Fields = dict[str, Any]
_STATE = "base_state.json"
_EVENTS = "events/event-*.json"
_SENT = words(
    "SystemPromptEvent MessageEvent ActionEvent ObservationEvent AgentErrorEvent UserRejectObservation Condensation"
)
"""Events that the model is told of, or that change what it is told."""
_SILENT = words(
    "CondensationRequest CondensationSummaryEvent ConversationStateUpdateEvent ConversationErrorEvent PauseEvent "
    "TokenEvent HookExecutionEvent StreamingDeltaEvent LLMCompletionLogEvent ACPToolCallEvent"
)


class OpenHandsSDK(Format):
    """Conversations that OpenHands keeps, of the versions that are built on its agent SDK."""

    name = "openhands-sdk"
    title = "OpenHands conversations"
    holds: ClassVar[frozenset[Holding]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking", "compactions", "context window"}
    )
    fields = frozenset({"kind", "llm_message", "tool_call_id", "persistence_dir", "max_iterations"})
    page = "https://docs.openhands.dev/sdk"
    place = "~/.openhands/conversations"

    def recognize(self, sample: Sample) -> Recognition:
        if sample.shape == "object" and _is_state(sample.objects[0]):
            return Recognition(1.0, "the state of a conversation: its agent, its workspace and its statistics")
        events = [record for record in sample.objects if _is_sdk_event(record)]
        if events and 2 * len(events) >= len(sample.objects):
            return Recognition(0.95, "events of a kind such as MessageEvent and ActionEvent")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        state: _Fields = {}
        events: list[_Fields] = []
        for number, record in content.records(progress):
            if isinstance(record, dict) and _is_state(record):
                state = record
                events += read_events(self.parts(Path(content.source.path)), _has_kind, content.problems)
            elif isinstance(record, dict) and _is_sdk_event(record):
                events.append(record)
            else:
                content.reject(number, "is no event of an OpenHands conversation")
        return [_ConversationReader(state, events).session(content)]

    def parts(self, path: Path) -> list[Path]:
        """The files of the events."""
        return sorted(path.parent.glob(_EVENTS)) if path.name == _STATE else []

    def whole(self, part: Path) -> Path | None:
        is_event = part.parent.name == "events" and part.name.startswith("event-")
        return part.parent.parent / _STATE if is_event else None


def _is_state(record: _Fields) -> bool:
    return isinstance(record.get("agent"), dict) and "id" in record and ("stats" in record or "workspace" in record)


def _is_sdk_event(record: _Fields) -> bool:
    kind = record.get("kind")
    return isinstance(kind, str) and (kind in _SENT or kind in _SILENT) and "source" in record


def _has_kind(event: Any) -> bool:
    """Whether a file beside a state holds an event, of a kind that is known or of another one."""
    return isinstance(event, dict) and isinstance(event.get("kind"), str)


class _ConversationReader:
    """The events of a conversation on their way into a log."""

    def __init__(self, state: _Fields, events: Iterable[_Fields]) -> None:
        self.state = state
        self.events = events
        self.usages = dict(_usages_in(state))
        """What was reported, by the id of the response."""
        model = as_text(fields_of(fields_of(state.get("agent")).get("llm")).get("model"))
        self.model = (model or next((name for name, _ in self.usages.values()), "")).rpartition("/")[2]
        self.log = LogBuilder(dialect_for(self.model))
        self.condensed = CondensedLog(self.log, has_one_summary=False)
        self.names: set[str] = set()
        """The ids of the events that have come in."""
        self.tools: tuple[_Fields, ...] = ()
        self.actions: list[_Fields] = []
        """Those of one response that have come in."""

    def session(self, content: Content) -> Session:
        for number, event in enumerate(self.events, 1):
            self.add(event, as_text(event.get("id")) or f"event-{number}")
        self.close_reply()
        limit = max((token_count(report, "context_window") for report in _reports_in(self.state)), default=0)
        return self.log.session(
            content,
            OpenHandsSDK.name,
            as_text(self.state.get("id")),
            as_text(self.state.get("title")),
            model=self.model,
            tools=self.tools,
            records_system=any(message.role == "system" for message in self.log.messages[:1]),
            sizes=SizeFacts(limit=limit) if limit else None,
        )

    def add(self, event: _Fields, name: str) -> None:
        kind = event["kind"]
        self.names.add(name)
        if kind not in _SENT:
            return
        if kind == "ActionEvent":
            if self.actions and self.actions[0].get("llm_response_id") != event.get("llm_response_id"):
                self.close_reply()
            self.actions.append(event)
            return
        self.close_reply()
        first = len(self.log.messages)
        if kind == "Condensation":
            self.condense(event, name)
            return
        if kind == "SystemPromptEvent":
            self.add_prompt(event, name)
        elif kind == "MessageEvent":
            self.add_message(event, name)
        else:
            self.add_answer(event, name)
        self.condensed.keep(name, range(first, len(self.log.messages)))

    def condense(self, event: _Fields, name: str) -> None:
        names = event.get("forgotten_event_ids")
        gone: set[Hashable] = {as_text(one) for one in (names if isinstance(names, list) else ())}
        if not gone <= self.names | self.condensed.summaries:
            # A summary had another id each time that the context was made, and went with the next one, until
            # https://github.com/OpenHands/software-agent-sdk/pull/1721
            gone |= self.condensed.summaries
        time = time_of(event.get("timestamp"))
        self.condensed.condense(gone, Summary(name, event.get("summary"), event.get("summary_offset"), event, time))

    def close_reply(self) -> None:
        """Add the reply that the actions of one response make."""
        actions, self.actions = self.actions, []
        if not actions:
            return
        head, first = actions[0], len(self.log.messages)
        calls: list[Part] = []
        for action in actions:
            call = fields_of(action.get("tool_call"))
            own = call.get("id") or action.get("tool_call_id")
            calls.append(call_of(own, call.get("name") or action.get("tool_name"), call.get("arguments")))
        name = as_text(head.get("id")) or f"reply-{first}"
        parts = [*_thoughts_of_event(head), *blocks_of(head.get("thought")), *calls]
        self.add_reply(name, parts, head, "thought", "tool_call", "thinking_blocks", "reasoning_content")
        for action in actions:
            self.condensed.keep(as_text(action.get("id")), range(first, len(self.log.messages)))

    def add_reply(self, name: str, parts: list[Part], event: _Fields, *known: str) -> None:
        model, usage = self.usages.get(as_text(event.get("llm_response_id")), (self.model, None))
        rest = {key: value for key, value in event.items() if key not in known}
        facts: _Fields = {"time": time_of(event.get("timestamp")), "model": model.rpartition("/")[2], "usage": usage}
        self.log.add_parts(name, "assistant", parts, rest, **facts)

    def add_prompt(self, event: _Fields, name: str) -> None:
        tools = [_tool_of(tool, self.log.dialect) for tool in objects_of(event.get("tools"))]
        self.tools = tuple(tools) or self.tools
        text = [*blocks_of(event.get("system_prompt")), *blocks_of(event.get("dynamic_context"))]
        rest = {key: value for key, value in event.items() if key not in ("system_prompt", "dynamic_context", "tools")}
        self.log.add_parts(name, "system", text, rest, time=time_of(event.get("timestamp")))

    def add_message(self, event: _Fields, name: str) -> None:
        message = fields_of(event.get("llm_message"))
        text = [*blocks_of(message.get("content")), *blocks_of(event.get("extended_content"))]
        if message.get("role") == "assistant":
            self.add_reply(name, [*_thoughts_of_event(message), *text], event, "llm_message", "extended_content")
            return
        rest = {key: value for key, value in event.items() if key not in ("llm_message", "extended_content")}
        kind = "chat" if event.get("source") == "user" else "injected"
        self.log.add_parts(name, "user", text, rest, kind=kind, time=time_of(event.get("timestamp")))

    def add_answer(self, event: _Fields, name: str) -> None:
        observation = fields_of(event.get("observation"))
        match event["kind"]:
            case "AgentErrorEvent":
                said, is_error = event.get("error"), True
            case "UserRejectObservation":
                said, is_error = f"Action rejected: {as_text(event.get('rejection_reason'))}", True
            case _:
                said = next((observation[key] for key in ("content", "output") if observation.get(key)), observation)
                is_error = observation.get("is_error") is True
        more = event.get("extended_content")
        answer = [*(said if isinstance(said, list) else [said]), *(more if isinstance(more, list) else [])]
        result = result_of(event.get("tool_call_id"), answer, is_error=is_error)
        rest = {key: value for key, value in event.items() if key not in ("observation", "error", "extended_content")}
        self.log.add_parts(name, "tool", [result], rest, time=time_of(event.get("timestamp")))


def _thoughts_of_event(event: _Fields) -> Iterator[Part]:
    """What a reply thought: blocks with a signature, or else plain words."""
    blocks = [block for block in objects_of(event.get("thinking_blocks")) if block.get("thinking")]
    for block in blocks:
        yield Thinking(as_text(block["thinking"]), as_text(block.get("signature")))
    if not blocks:
        yield from thoughts_of(event.get("reasoning_content"))


def _tool_of(tool: _Fields, dialect: Dialect) -> _Fields:
    """A definition as it is sent: of the program's own classes, the files hold what they are called and say."""
    function = fields_of(tool.get("function")) or tool
    name = as_text(function.get("name") or tool.get("title") or tool.get("kind"))
    schema = fields_of(function.get("parameters")) or {"type": "object", "properties": {}}
    definition = {"name": name, "description": as_text(function.get("description"))}
    if dialect == "anthropic":
        return definition | {"input_schema": schema}
    return {"type": "function", "function": definition | {"parameters": schema}}


def _reports_in(state: _Fields) -> Iterator[_Fields]:
    for metrics in fields_of(fields_of(state.get("stats")).get("usage_to_metrics")).values():
        yield from objects_of(fields_of(metrics).get("token_usages"))


def _usages_in(state: _Fields) -> Iterator[tuple[str, tuple[str, Usage | None]]]:
    """The model and what it reported, by the id of each response. The tokens of the cache are among those sent."""
    for report in _reports_in(state):
        names = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
        sent, reply, read, written = (token_count(report, name) for name in names)
        usage = usage_unless_zero(sent, reply, read, written)
        yield as_text(report.get("response_id")), (as_text(report.get("model")), usage)
