"""Trajectories of mini-swe-agent: chat messages with further data in `extra`.

https://mini-swe-agent.com/latest/usage/output_files: replies contain the whole response of the model. The output of a
command is sent to the model as a tool result or as a message of the user.
"""

from __future__ import annotations

from typing import ClassVar

from inspector.core.conversation import Kind, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import dollars_at, fields_of, objects_of, time_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, chat_messages, is_item, usage_of

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_MESSAGE = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content"})
"""Fields that were sent to the model."""


class MiniSWEAgent(Format):
    """Runs of mini-swe-agent in `.traj.json` files."""

    name = "mini-swe-agent"
    order: ClassVar[RecordOrder] = RecordOrder(time="timestamp extra.timestamp")
    costs: ClassVar[str] = "extra.cost"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "cost", "times", "models"})
    page = "https://mini-swe-agent.com/latest/usage/output_files"

    def recognize(self, sample: Sample) -> FormatMatch:
        match sample.objects[:1]:
            case ({"messages": list(), "trajectory_format": str(name)},) if name.startswith("mini-swe-agent"):
                return FormatMatch(1.0, "a trajectory_format of mini-swe-agent, and messages")
            case ({"messages": list(), "info": {"model_stats": dict(), "exit_status": _}},):
                return FormatMatch(0.95, "messages, and an info with an exit_status and model_stats")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        run = fields_of(content.value)
        info = fields_of(run.get("info"))
        settings = fields_of(info.get("config"))
        model = as_text(fields_of(settings.get("model")).get("model_name"))
        log, has_reply = LogBuilder(), False
        for number, message in enumerate(map(_as_chat, objects_of(run.get("messages"))), 1):
            _add_step(log, f"m{number}", message, model, has_reply)
            has_reply = has_reply or message.get("role") == "assistant"
        name = as_text(run.get("instance_id")) or as_text(info.get("instance_id"))
        cost = dollars_at(info, "model_stats.instance_cost")
        facts: Fields = {"model": model.rpartition("/")[2], "records_system": True, "stated_dollars": cost}
        return [log.session(content, self.name, name, **facts)]


def _as_chat(message: Fields) -> Fields:
    """Return a response or a result of the Responses API as a chat message, and other messages as they are."""
    items = objects_of(message.get("output")) if message.get("object") == "response" else [message]
    raws = chat_messages(items) if message.get("object") == "response" or is_item(message) else []
    return {**raws[0], "extra": message.get("extra"), "response": message} if raws else message


def _add_step(log: LogBuilder, name: str, message: Fields, model: str, has_reply: bool) -> None:
    extra = fields_of(message.get("extra"))
    role = as_text(message.get("role"))
    raw = {key: value for key, value in message.items() if key in _MESSAGE and value is not None}
    raw |= {"role": role if role in _ROLES else "user", "content": message.get("content") or ""}
    facts: Fields = {"time": time_of(extra.get("timestamp")), "kind": _kind_of_step(role, extra, has_reply)}
    if role == "assistant":
        response = fields_of(extra.get("response")) or fields_of(message.get("response"))
        own = as_text(response.get("model")) or model
        facts |= {"model": own.rpartition("/")[2], "usage": usage_of(response.get("usage"))}
    log.add(name, raw, {key: value for key, value in message.items() if key not in _MESSAGE}, **facts)


def _kind_of_step(role: str, extra: Fields, has_reply: bool) -> Kind:
    """Return the kind of a message. User messages after the first reply are from the program."""
    if role not in _ROLES:
        return "notice"
    is_said = as_text(extra.get("interrupt_type")).startswith("User")
    return "injected" if role == "user" and has_reply and not is_said else "chat"
