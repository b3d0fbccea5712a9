"""Trajectories of SWE-agent: `{"environment", "trajectory", "history", "info"}`.

https://swe-agent.com/latest/usage/trajectories: `history` is what was sent, with a demonstration that is not of the
run; older files say in words what newer ones call as tools.
"""

from __future__ import annotations

from typing import Any, ClassVar

from inspector.conversation import Session
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import fields_of, objects_of
from inspector.formats.ids import unique
from inspector.formats.log_builder import LogBuilder
from inspector.formats.sample import Content, Sample
from inspector.formats.source import Progress
from inspector.providers import as_text

_Fields = dict[str, Any]
_ROLES = frozenset({"system", "user", "assistant", "tool"})


class SWEAgent(Format):
    """Runs of SWE-agent, as its `.traj` files have them."""

    name = "swe-agent"
    title = "SWE-agent trajectories"
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "cost", "agents"})
    fields = frozenset({"trajectory", "history", "info", "environment", "replay_config"})
    page = "https://swe-agent.com/latest/usage/trajectories"

    def recognize(self, sample: Sample) -> Recognition:
        known = any(map(_is_run, sample.objects))
        return Recognition(1.0, "a trajectory, its history and info") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for number, record in content.records(progress):
            if not _is_run(record):
                content.reject(number, "is no run of SWE-agent")
                continue
            log = LogBuilder()
            for place, message in enumerate(objects_of(record["history"]), 1):
                _add_row(log, f"m{place}", message)
            line = 0 if content.sample.shape == "object" else number
            model = _model_in(record.get("replay_config"))
            name = as_text(fields_of(record.get("info")).get("instance_id"))
            sessions.append(log.session(content, self.name, name, model=model, records_system=True, line=line))
        return unique(sessions)


def _is_run(record: Any) -> bool:
    match record:
        case {"trajectory": list(), "history": list(), "info": dict()}:
            return True
    return False


def _model_in(config: Any) -> str:
    agent = fields_of(fields_of(config).get("agent"))
    return as_text(fields_of(agent.get("model")).get("name") or fields_of(agent.get("model")).get("model_name"))


def _add_row(log: LogBuilder, name: str, row: _Fields) -> None:
    """A message of the history. A demonstration is what the program put in; a result answers the call that it names."""
    role = row["role"] if str(row.get("role")) in _ROLES else "user"
    raw: _Fields = {"role": role, "content": row.get("content") if row.get("content") is not None else ""}
    calls = objects_of(row.get("tool_calls"))
    answers = row.get("tool_call_ids")
    if role == "assistant" and calls:
        raw["tool_calls"] = calls
    if role == "tool":
        known = [call for call in (answers if isinstance(answers, list) else []) if as_text(call) in log.tools]
        raw = raw | {"tool_call_id": as_text(known[0])} if known else raw | {"role": "user"}
    record = {key: value for key, value in row.items() if key not in ("content", "tool_calls", "role")}
    log.add(name, raw, record, kind="injected" if row.get("is_demo") or "demonstration" in row else "chat")
