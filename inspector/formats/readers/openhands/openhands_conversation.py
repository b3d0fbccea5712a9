"""The conversations of OpenHands' agent SDK, event by event.

https://github.com/OpenHands/software-agent-sdk (`openhands-sdk/openhands/sdk/event`): events have a `kind`. Actions of
one response of the model are one reply; their answers name the call. The usage is in the state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from inspector.core.conversation import MAIN, Part, Session, SizeFacts, Thinking, Usage, named_values
from inspector.core.text import word_set
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.log_builder import LogBuilder, LogMark, definition_of, dialect_for
from inspector.formats.readers.openhands.condensed_log import FOLDER, CondensedLog, Summary
from inspector.formats.reading.content import Content, Fields
from inspector.llm.providers import as_text, token_count, usage_unless_zero

OPENHANDS_SDK = "openhands-sdk"
SENT = word_set(
    "SystemPromptEvent MessageEvent ActionEvent ObservationEvent AgentErrorEvent UserRejectObservation Condensation"
)
"""Events that are sent to the model, or that change its context."""


class OpenHandsConversation:
    """From the events of a conversation to a log, and its reported usage."""

    def __init__(self) -> None:
        self.state: Fields = {}
        self.model = ""
        self.limit = 0
        """Tokens of the largest window that was reported."""
        self.reports: dict[str, tuple[str, Usage | None]] = {}
        """The model and what it reported, by the id of the response."""
        self.unreported: dict[str, list[int]] = {}
        """The positions of the replies of which nothing is reported yet, by the id of the response."""
        self.log = LogBuilder()
        self.condensed = CondensedLog(self.log, has_one_summary=False)
        self.names: set[str] = set()
        """Ids of the events read so far."""
        self.count = 0
        self.tools: tuple[Fields, ...] = ()
        self.actions: list[Fields] = []
        """Events of the current response read so far."""
        self.open: tuple[LogMark, int] | None = None
        """Position of their reply in the log and in the context, while more may follow."""

    def set_state(self, state: Fields) -> bool:
        """Take the state as it is now. Whether that changes anything."""
        facts = self.facts
        self.state, self.reports = state, dict(_usages_in(state))
        self.limit = max((token_count(report, "context_window") for report in _reports_in(state)), default=0)
        if not self.log.messages:
            self.model = self.model_in(state)
            self.log = LogBuilder(dialect_for(self.model))
            self.condensed = CondensedLog(self.log, has_one_summary=False)
            self.log.work.note("where", named_values(state.get("workspace"), FOLDER), MAIN)
            self.log.work.note("mode", named_values(state.get("confirmation_policy"), (("permission", "kind"),)), MAIN)
        known = self.unreported.keys() & self.reports.keys()
        for name in known:
            model, usage = self.reports[name]
            for place in self.unreported.pop(name):
                self.log.change(place, model=model.rpartition("/")[2], usage=usage)
        return bool(known) or facts != self.facts

    @property
    def facts(self) -> tuple[str, str, int]:
        return as_text(self.state.get("id")), as_text(self.state.get("title")), self.limit

    def model_in(self, state: Fields) -> str:
        name = as_text(fields_of(fields_of(state.get("agent")).get("llm")).get("model"))
        return (name or next((model for _, (model, _) in _usages_in(state)), "")).rpartition("/")[2]

    def session(self, content: Content) -> Session:
        if self.actions and self.open is None:
            self.open = self.log.mark(), len(self.condensed.events)
            self.add_actions()
        name, title, limit = self.facts
        return self.log.session(
            content,
            OPENHANDS_SDK,
            name,
            title,
            model=self.model,
            tools=self.tools,
            records_system=any(message.role == "system" for message in self.log.messages[:1]),
            sizes=SizeFacts(limit=limit) if limit else None,
        )

    def feed(self, event: Fields) -> None:
        """Take in the next event."""
        kind = event["kind"]
        self.count += 1
        name = as_text(event.get("id")) or f"event-{self.count}"
        self.names.add(name)
        if kind not in SENT:
            return
        self.reopen()
        if self.actions and (kind != "ActionEvent" or event.get("llm_response_id") != self.response):
            self.add_actions()
            self.actions = []
        first = len(self.log.messages)
        match kind:
            case "ActionEvent":
                self.actions.append(event)
                return
            case "Condensation":
                self.condense(event, name)
                return
            case "SystemPromptEvent":
                self.add_prompt(event, name)
            case "MessageEvent":
                self.add_message(event, name)
            case _:
                self.add_answer(event, name)
        self.condensed.keep(name, range(first, len(self.log.messages)))

    @property
    def response(self) -> Any:
        """Id of the response whose actions are being read."""
        return self.actions[0].get("llm_response_id")

    def reopen(self) -> None:
        """Take the reply out again that was shown before all of its actions had come."""
        if self.open is not None:
            mark, count = self.open
            self.open = None
            self.log.undo(mark)
            self.condensed.drop(count)
            response = as_text(self.response)
            if response in self.unreported:
                self.unreported[response] = [at for at in self.unreported[response] if at < mark.length]

    def condense(self, event: Fields, name: str) -> None:
        names = event.get("forgotten_event_ids")
        gone: set[Hashable] = {as_text(one) for one in (names if isinstance(names, list) else ())}
        if any(one not in self.names and one not in self.condensed.summaries for one in gone):
            # A summary had another id each time that the context was made, and went with the next one, until
            # https://github.com/OpenHands/software-agent-sdk/pull/1721
            gone.update(one.id for one in self.condensed.events if one.id in self.condensed.summaries)
        time = time_of(event.get("timestamp"))
        self.condensed.condense(gone, Summary(name, event.get("summary"), event.get("summary_offset"), event, time))

    def add_actions(self) -> None:
        """Add the reply that the actions of one response make."""
        head, first = self.actions[0], len(self.log.messages)
        calls: list[Part] = []
        for action in self.actions:
            call = fields_of(action.get("tool_call"))
            own = call.get("id") or action.get("tool_call_id")
            calls.append(call_of(own, call.get("name") or action.get("tool_name"), call.get("arguments")))
        name = as_text(head.get("id")) or f"reply-{first}"
        parts = [*_thoughts_of_event(head), *blocks_of(head.get("thought")), *calls]
        self.add_reply(name, parts, head, "thought", "tool_call", "thinking_blocks", "reasoning_content")
        for action in self.actions:
            self.condensed.keep(as_text(action.get("id")), range(first, len(self.log.messages)))

    def add_reply(self, name: str, parts: list[Part], event: Fields, *known: str) -> None:
        response = as_text(event.get("llm_response_id"))
        model, usage = self.reports.get(response, (self.model, None))
        rest = {key: value for key, value in event.items() if key not in known}
        facts: Fields = {"time": time_of(event.get("timestamp")), "model": model.rpartition("/")[2], "usage": usage}
        place = self.log.add_parts(name, "assistant", parts, rest, **facts)
        if response and response not in self.reports:
            self.unreported.setdefault(response, []).append(place)

    def add_prompt(self, event: Fields, name: str) -> None:
        tools = [definition_of(tool, self.log.dialect) for tool in objects_of(event.get("tools"))]
        self.tools = tuple(tools) or self.tools
        text = [*blocks_of(event.get("system_prompt")), *blocks_of(event.get("dynamic_context"))]
        rest = {key: value for key, value in event.items() if key not in ("system_prompt", "dynamic_context", "tools")}
        self.log.add_parts(name, "system", text, rest, time=time_of(event.get("timestamp")))

    def add_message(self, event: Fields, name: str) -> None:
        message = fields_of(event.get("llm_message"))
        text = [*blocks_of(message.get("content")), *blocks_of(event.get("extended_content"))]
        if message.get("role") == "assistant":
            self.add_reply(name, [*_thoughts_of_event(message), *text], event, "llm_message", "extended_content")
            return
        rest = {key: value for key, value in event.items() if key not in ("llm_message", "extended_content")}
        kind = "chat" if event.get("source") == "user" else "injected"
        self.log.add_parts(name, "user", text, rest, kind=kind, time=time_of(event.get("timestamp")))

    def add_answer(self, event: Fields, name: str) -> None:
        observation = fields_of(event.get("observation"))
        match event["kind"]:
            case "AgentErrorEvent":
                said, is_error = event.get("error"), True
            case "UserRejectObservation":
                said, is_error = f"Action rejected: {as_text(event.get('rejection_reason'))}", True
            case _:
                said = next((observation[key] for key in ("content", "output") if observation.get(key)), observation)
                is_error = observation.get("is_error") is True
        self.log.work.note("where", named_values(observation.get("metadata"), FOLDER), MAIN)
        more = event.get("extended_content")
        answer = [*(said if isinstance(said, list) else [said]), *(more if isinstance(more, list) else [])]
        result = result_of(event.get("tool_call_id"), answer, is_error=is_error)
        rest = {key: value for key, value in event.items() if key not in ("observation", "error", "extended_content")}
        self.log.add_parts(name, "tool", [result], rest, time=time_of(event.get("timestamp")))


def _thoughts_of_event(event: Fields) -> Iterator[Part]:
    """Yield the thinking of a reply: blocks with a signature, or else plain words."""
    blocks = [block for block in objects_of(event.get("thinking_blocks")) if block.get("thinking")]
    for block in blocks:
        yield Thinking(as_text(block["thinking"]), as_text(block.get("signature")))
    if not blocks:
        yield from thoughts_of(event.get("reasoning_content"))


def _reports_in(state: Fields) -> Iterator[Fields]:
    for metrics in fields_of(fields_of(state.get("stats")).get("usage_to_metrics")).values():
        yield from objects_of(fields_of(metrics).get("token_usages"))


def _usages_in(state: Fields) -> Iterator[tuple[str, tuple[str, Usage | None]]]:
    """Yield the model and its reported usage for each response id. The input includes cached tokens."""
    for report in _reports_in(state):
        names = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")
        sent, reply, read, written = (token_count(report, name) for name in names)
        usage = usage_unless_zero(sent, reply, read, written)
        yield as_text(report.get("response_id")), (as_text(report.get("model")), usage)
