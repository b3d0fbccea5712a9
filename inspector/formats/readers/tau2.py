"""Simulations of tau2-bench: an agent and a simulated user, both with tools.

https://github.com/sierra-research/tau2-bench: a file of results contains many simulations; a file may also be one.
"""

from __future__ import annotations

from typing import ClassVar

from inspector.core.conversation import Part, Session, Text
from inspector.core.text import dumps
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.building.traces import counted, usage_fields
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import as_text, usage_of


class Tau2(Format):
    """Results of tau2-bench."""

    name = "tau2"
    order: ClassVar[RecordOrder] = RecordOrder(
        number="turn_idx", time="timestamp", lists="messages simulations.messages"
    )
    features: ClassVar[frozenset[Feature]] = frozenset({"usage", "times", "models"})
    page = "https://github.com/sierra-research/tau2-bench"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_simulations_in(record) for record in sample.objects):
            return FormatMatch(1.0, "simulations with messages and a termination_reason")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions: list[Session] = []
        for number, record in content.records(progress):
            own = _simulations_in(record) if isinstance(record, dict) else []
            if not own:
                content.reject(number, "is not a simulation with messages")
            model = as_text(fields_of(fields_of(fields_of(record).get("info")).get("agent_info")).get("llm"))
            for simulation in own:
                if simulation["messages"]:
                    sessions.append(_simulation_session(content, simulation, model, len(sessions) + 1))
        if not sessions:
            path = content.source.path
            raise UnreadableError(path, f"{path} has no message in it: choose another file.")
        return unique(sessions)


def _simulations_in(record: Fields) -> list[Fields]:
    rows = objects_of(record.get("simulations")) or [record]
    return [row for row in rows if isinstance(row.get("messages"), list) and "termination_reason" in row]


def _simulation_session(content: Content, simulation: Fields, model: str, line: int) -> Session:
    log = LogBuilder(dialect_for(model))
    for number, message in enumerate(objects_of(simulation["messages"]), 1):
        rows = objects_of(message.get("tool_messages")) or [message]
        for row in rows:
            _add_message(log, f"m{as_text(message.get('turn_idx')) or number}", row, model)
    task, trial = as_text(simulation.get("task_id")), as_text(simulation.get("trial"))
    title = f"task {task}, trial {trial}: {as_text(simulation.get('termination_reason'))}"
    return log.session(content, Tau2.name, as_text(simulation.get("id")), title, model=model, line=line)


def _add_message(log: LogBuilder, name: str, message: Fields, model: str) -> None:
    record = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
    facts: Fields = {"time": time_of(message.get("timestamp"))}
    calls = objects_of(message.get("tool_calls"))
    words: list[Part] = [*blocks_of(message.get("content"))]
    role, is_own = message.get("role"), message.get("requestor") == "user"
    match role:
        case "tool" if not is_own:
            answer = result_of(message.get("id"), message.get("content"), is_error=message.get("error") is True)
            log.add_parts(name, "tool", [answer], record, **facts)
        case "assistant":
            counts = fields_of(message.get("usage"))
            usage = usage_fields(counted(counts, "prompt_tokens"), counted(counts, "completion_tokens"))
            own = [call_of(call.get("id"), call.get("name"), call.get("arguments")) for call in calls]
            log.add_parts(name, "assistant", [*words, *own], record, model=model, usage=usage_of(usage), **facts)
        case "system":
            log.add_parts(name, "system", words, record, **facts)
        case _ if words or calls or role == "tool":
            # the user's own calls, and what came of them, are words that the agent is never sent
            words += map(_call_in_words, calls)
            kind = "notice" if calls or role == "tool" else "chat"
            log.add_parts(name, "user", words or [Text("")], record, kind=kind, **facts)


def _call_in_words(call: Fields) -> Text:
    return Text(f"{as_text(call.get('name'))} {dumps(call.get('arguments'))}")
