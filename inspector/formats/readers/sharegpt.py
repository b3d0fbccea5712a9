"""ShareGPT chats: `{"id", "conversations": [{"from", "value"}]}`, as in many open training sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Raw, Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import digest, first_words, shorten_title, unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.record_files import records_of_kind
from inspector.formats.reading.source import Progress
from inspector.llm.providers import DEFAULT_DIALECT, as_text

_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "function_call": "call",
    "tool_call": "call",
    "observation": "tool",
    "function_response": "tool",
    "tool": "tool",
}


class ShareGPT(Format):
    """Chats of training sets. See https://github.com/lm-sys/FastChat/blob/main/docs/training.md."""

    name = "sharegpt"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "tools"})
    page = "https://github.com/lm-sys/FastChat/blob/main/docs/training.md"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any(_turns_in(record) is not None for record in sample.objects)
        return FormatMatch(0.9, "conversations of turns with a from and a value") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        records = records_of_kind(content, progress, lambda record: _turns_in(record) is not None, "conversation")
        return unique(_session_of(content, record, number, problems) for record, number, problems in records)


def _turns_in(record: Any) -> list[Any] | None:
    """Return the turns of a chat, which may also have a role and a content, or None."""
    turns = record.get("conversations") if isinstance(record, dict) else None
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, dict) for turn in turns):
        return None
    complete = all(("from" in turn and "value" in turn) or ("role" in turn and "content" in turn) for turn in turns)
    return turns if complete else None


def _session_of(content: Content, record: dict[str, Any], number: int, problems: Problems) -> Session:
    """Read a chat. The first message keeps the other fields of the record."""
    log = LogBuilder(DEFAULT_DIALECT)
    around = {key: value for key, value in record.items() if key not in ("conversations", "tools", "system")}
    if isinstance(record.get("system"), str) and record["system"]:
        log.add("system", {"role": "system", "content": record["system"]}, {})
    turns = _turns_in(record) or []
    if isinstance(record.get("chosen"), dict):
        turns = [*turns, record["chosen"]]
        if record.get("rejected"):
            problems.add("the chosen answer is shown; the rejected one is only in the record")
    for place, (raw, turn) in enumerate(_messages_in(turns), 1):
        log.add(f"m{place}", raw, turn | (around if place == 1 else {}))
    messages = tuple(log.messages)
    title = record.get("title")
    return Session(
        id=_id_of(record),
        title=shorten_title(title) if isinstance(title, str) and title else first_words(messages),
        format=ShareGPT.name,
        messages=messages,
        tools=tuple(_tools_in(record.get("tools"))),
        problems=problems.all(),
        path=content.source.path,
        line=number,
    )


def _id_of(record: dict[str, Any]) -> str:
    """Return the id of a chat. Bare numbers are not used, because each such file counts from 0."""
    own = record.get("id")
    if isinstance(own, str) and own and not own.isdigit():
        return own
    start = digest(*(_turns_in(record) or [])[:2])
    return f"{start}-{own}" if isinstance(own, str | int) and own != "" else start


def _messages_in(turns: list[dict[str, Any]]) -> Iterator[tuple[Raw, dict[str, Any]]]:
    """Yield each turn as a chat message, with the turn. An observation is the result of the call before it."""
    open_ids: deque[str] = deque()
    for number, turn in enumerate(turns, 1):
        role = _ROLES.get(str(turn.get("from", turn.get("role"))).lower(), "user")
        value = turn.get("value", turn.get("content"))
        if role == "call":
            raw = _call_message(value, number)
            open_ids = deque(call["id"] for call in raw.get("tool_calls", ()))
        elif role == "tool" and open_ids:
            raw = {"role": "tool", "tool_call_id": open_ids.popleft(), "content": as_text(value)}
        else:
            raw = {
                "role": "user" if role == "tool" else role,
                "content": value if isinstance(value, list) else as_text(value),
            }
        yield raw, turn


def _call_message(value: Any, number: int) -> dict[str, Any]:
    """Return a turn that calls tools in JSON, or its text if the JSON is invalid."""
    calls = value if isinstance(value, list) else [value]
    if isinstance(value, str):
        try:
            result = parse(value.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return {"role": "assistant", "content": value}
        calls = result if isinstance(result, list) else [result]
    if not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        return {"role": "assistant", "content": as_text(value)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": f"call_{number}" if place == 0 else f"call_{number}_{place + 1}",
                "type": "function",
                "function": {"name": call["name"], "arguments": as_text(call.get("arguments", {}))},
            }
            for place, call in enumerate(calls)
        ],
    }


def _tools_in(tools: Any) -> Iterator[Raw]:
    """Yield tool definitions, which may be encoded as a string, in the chat format."""
    if isinstance(tools, str):
        try:
            tools = parse(tools.encode("utf-8", "replace"))[0]
        except BrokenJSONError:
            return
    for tool in tools if isinstance(tools, list) else ():
        match tool:
            case {"function": dict()}:
                yield tool
            case {"name": str()}:
                yield {"type": "function", "function": tool}
