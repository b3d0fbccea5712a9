"""Trajectories of SWE-agent: `{"environment", "trajectory", "history", "info"}`.

https://swe-agent.com/latest/usage/trajectories: `history` contains the sent messages, including a demonstration that is
not part of the run. Calls of tools are text in older files. A demonstration in YAML has the history alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import dollars_at, fields_of, objects_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.formats.reading.yaml_text import yaml_object
from inspector.llm.providers import as_text

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_STEP = frozenset({"action", "observation", "response"})
"""Fields of each step of a trajectory."""


class SWEAgent(Format):
    """Runs of SWE-agent in `.traj` files."""

    name = "swe-agent"
    order: ClassVar[RecordOrder] = RecordOrder(lists="history trajectory")
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "cost", "agents"})
    page = "https://swe-agent.com/latest/usage/trajectories"

    def recognize(self, sample: Sample) -> FormatMatch:
        runs = [record for record in sample.objects if _is_run(record)]
        if any("info" in run for run in runs):
            return FormatMatch(1.0, "a trajectory, its history and info")
        if any(map(_is_history, sample.objects)) or _is_demo(sample):
            return FormatMatch(0.95, "a history of SWE-agent")
        return FormatMatch(0.95, "a truncated trajectory of SWE-agent") if runs else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        is_yaml = content.sample.shape == "text"
        for number, record in (
            [(1, yaml_object(content, "a demonstration", progress))] if is_yaml else content.records(progress)
        ):
            if not _is_run(record) and not _is_history(record):
                content.reject(number, "is not a run of SWE-agent")
                continue
            log = LogBuilder()
            rows, count = _rows_of(record)
            if count:
                what = "its history is cut off" if record.get("history") else "it has no history"
                content.problems.add(f"{what}: the rest is from {plural(count, 'step')} of its trajectory")
            for place, message in enumerate(rows, 1):
                _add_row(log, f"m{place}", message)
            _check_steps(content, record)
            line = 0 if content.sample.shape in ("object", "text") else number
            model = _model_in(record.get("replay_config"))
            name = as_text(fields_of(record.get("info")).get("instance_id"))
            cost = dollars_at(record, "info.model_stats.instance_cost")
            facts: Fields = {"line": line, "stated_dollars": cost}
            sessions.append(log.session(content, self.name, name, model=model, records_system=True, **facts))
        return unique(sessions)


def _is_run(record: Any) -> bool:
    """Return True if a record is a run. A truncated run may lack its history and info."""
    match record:
        case {"trajectory": list(), "history": list(), "info": dict()}:
            return True
        case {"info": _}:
            return False
        case {"trajectory": [dict(step), *_]}:
            return step.keys() >= _STEP
    return False


def _is_history(record: Any) -> bool:
    """Return True if a record has the history of a run without its trajectory."""
    match record:
        case {"history": [dict(first), *rest]} if "trajectory" not in record:
            rows = [first, *objects_of(rest)]
            return all("role" in row for row in rows) and any(
                "message_type" in row or {"agent", "action"} <= row.keys() for row in rows
            )
    return False


def _is_demo(sample: Sample) -> bool:
    """Return True if a text is a demonstration in YAML: `history:` with messages, each with its type or agent."""
    lines = sample.head.splitlines() if sample.shape == "text" else []
    if "history:" not in lines:
        return False
    fields = {line.lstrip(" -").partition(":")[0] for line in lines[lines.index("history:") :]}
    return "role" in fields and bool(fields & {"message_type", "agent", "action"})


def _rows_of(record: Fields) -> tuple[list[Fields], int]:
    """Return the messages of a run, and the number of steps that replace those missing in its history."""
    rows = objects_of(record.get("history"))
    if "info" in record or "trajectory" not in record:
        return rows, 0
    steps = objects_of(record["trajectory"])
    done = sum(row.get("role") == "assistant" and not row.get("is_demo") for row in rows)
    if not rows:
        done, rows = _asked_last(steps)
    is_open = 0 < done <= len(steps) and rows[-1].get("role") == "assistant"
    more = _observed(steps[done - 1]) if is_open else []
    count = len(steps[done:]) + len(more)
    for step in steps[done:]:
        reply = as_text(step.get("response") or step.get("thought") or step.get("action"))
        more += [{"role": "assistant", "content": reply}, *_observed(step)]
    return [*rows, *more], count


def _check_steps(content: Content, record: Fields) -> None:
    """Report the first reply of the history whose action is not that of its step in the trajectory."""
    rows = [row for row in objects_of(record.get("history")) if row.get("role") == "assistant"]
    replies = [row.get("action") for row in rows if not _is_demonstration(row) and "action" in row]
    steps = [step.get("action") for step in objects_of(record.get("trajectory"))]
    pairs = zip_longest(replies, steps)
    place = next((place for place, (reply, step) in enumerate(pairs, 1) if reply != step), None)
    if place is not None and replies and "info" in record:
        what = f"reply {place} of the history is not that of step {place} of the trajectory"
        content.problems.add(f"{what}: messages or steps may be missing or out of order")


def _asked_last(steps: Sequence[Fields]) -> tuple[int, list[Fields]]:
    """Return the position and the messages of the longest query, which is empty in older versions."""
    asked = [objects_of(step.get("messages") or step.get("query")) for step in steps]
    place = max(range(len(asked)), key=lambda at: len(asked[at]))
    return place, asked[place]


def _observed(step: Fields) -> list[Fields]:
    """Return the observation of a step, which may be empty."""
    observation = as_text(step.get("observation"))
    return [{"role": "user", "content": observation}] if observation else []


def _model_in(config: Any) -> str:
    agent = fields_of(fields_of(config).get("agent"))
    return as_text(fields_of(agent.get("model")).get("name") or fields_of(agent.get("model")).get("model_name"))


def _add_row(log: LogBuilder, name: str, row: Fields) -> None:
    """Add a message of the history. Demonstrations, and observations sent as text, are injected."""
    role = row["role"] if str(row.get("role")) in _ROLES else "user"
    raw: Fields = {"role": role, "content": "" if row.get("content") is None else row["content"]}
    if role == "assistant" and (calls := objects_of(row.get("tool_calls"))):
        raw["tool_calls"] = calls
    if role == "tool":
        call = _call_answered(log, row)
        raw |= {"tool_call_id": call} if call else {"role": "user"}
    record = {key: value for key, value in row.items() if key not in ("content", "tool_calls", "role")}
    is_observation = raw["role"] == "user" and any(message.is_reply for message in log.messages[-1:])
    log.add(name, raw, record, kind="injected" if _is_demonstration(row) or is_observation else "chat")


def _call_answered(log: LogBuilder, row: Fields) -> str:
    """Return the call that a result answers, or "" if it names no call in the log."""
    answers = row.get("tool_call_ids")
    return next((name for name in map(as_text, answers if isinstance(answers, list) else ()) if name in log.tools), "")


def _is_demonstration(row: Fields) -> bool:
    return bool(row.get("is_demo")) or "demonstration" in row
