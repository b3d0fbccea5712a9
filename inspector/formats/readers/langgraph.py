"""Checkpoints of LangGraph's `SqliteSaver`, one per step, each with the whole state.

https://reference.langchain.com/python/langgraph/checkpoints. States are MessagePack, with objects as extensions that
name a class and its fields. They are read as fields; classes are never imported. Pickled states are not read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, FormatMatch
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.building.message_heuristics import request_messages, without_failure
from inspector.formats.building.traces import counted, usage_fields
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.database_format import DatabaseFormat
from inspector.llm.providers import as_text, usage_of

_OBJECTS = frozenset({0, 1, 2, 3, 4, 5})
"""Extension types that encode a module, a class and its arguments."""
_DEEPEST = 20
"""Maximum nesting of extensions."""
_QUERY = """
    SELECT rowid AS place, thread_id, checkpoint_id, type, checkpoint FROM checkpoints
    WHERE checkpoint_ns = ? ORDER BY thread_id, checkpoint_id"""


class LangGraph(DatabaseFormat):
    """Threads of LangGraph. A state without the first messages starts a new context."""

    name = "langgraph"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "times", "models", "compactions"})
    page = "https://reference.langchain.com/python/langgraph/checkpoints"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = {"thread_id", "checkpoint_id", "checkpoint"} <= sample.tables.get("checkpoints", frozenset())
        return FormatMatch(1.0, "a table of checkpoints by thread_id") if known else UNLIKE

    def sessions_in(self, connection: sqlite3.Connection, content: Content) -> Iterator[Session]:
        names = [row[0] for row in connection.execute("SELECT DISTINCT checkpoint_ns FROM checkpoints ORDER BY 1")]
        threads: dict[str, _Thread] = {}
        for row in connection.execute(_QUERY, ("" if "" in names else next(iter(names), ""),)):
            content.coverage.records += 1
            state, time = _state(row["type"], row["checkpoint"])
            if state is None:
                content.reject(row["place"], _why_not(row["type"]))
            else:
                threads.setdefault(as_text(row["thread_id"]), _Thread()).feed(state, time)
        if others := len(names) - 1:
            content.problems.add(f"states of {others:,} subgraphs were left out: their messages are the main graph's")
        for line, (name, thread) in enumerate(threads.items(), 1):
            if thread.log.messages:
                place = line if len(threads) > 1 else 0
                yield thread.log.session(content, self.name, name, model=thread.model, line=place)


def _why_not(kind: Any) -> str:
    return (
        "is pickled, which is never read" if kind == "pickle" else f"is not a state ({as_text(kind)[:20] or 'no type'})"
    )


def _state(kind: Any, data: Any) -> tuple[list[Fields] | None, str]:
    """Return the messages and the time of a checkpoint, or None if it cannot be read."""
    match kind:
        case "msgpack" if isinstance(data, bytes):
            checkpoint = fields_of(_unpacked(data))
        case "json":
            checkpoint = fields_of(data.decode("utf-8", "replace") if isinstance(data, bytes) else data)
        case _:
            checkpoint = {}
    values = checkpoint.get("channel_values")
    if not isinstance(values, dict):
        return None, ""
    lists = [value for name, value in values.items() if name == "messages" or name.endswith("_messages")]
    return objects_of(next((value for value in lists if isinstance(value, list)), [])), as_text(checkpoint.get("ts"))


def _unpacked(data: bytes, depth: int = 0) -> Any:
    """Return a MessagePack value with objects as `{"class": …, "fields": …}`, and messages as their fields."""
    import ormsgpack  # for these files alone

    def decode_extension(code: int, inner: bytes) -> Any:
        value = _unpacked(inner, depth + 1) if depth < _DEEPEST and code in _OBJECTS else None
        if isinstance(value, list) and len(value) > 2 and isinstance(value[2], dict) and "content" in value[2]:
            return {"type": as_text(value[1]).removesuffix("Message").removesuffix("MessageChunk").lower()} | value[2]
        return value[2] if isinstance(value, list) and len(value) > 2 else value

    try:
        return ormsgpack.unpackb(data, ext_hook=decode_extension, option=ormsgpack.OPT_NON_STR_KEYS)
    except ValueError:
        return None


class _Thread:
    """A thread, built checkpoint by checkpoint."""

    def __init__(self) -> None:
        self.log = LogBuilder()
        self.model = ""
        self.context: list[str] = []
        """Keys of the messages in the newest state, in order."""

    def feed(self, state: list[Fields], time: str) -> None:
        keys = [as_text(message.get("id")) or repr(message) for message in state]
        fresh = len(self.context)
        if keys[:fresh] != self.context:
            fresh = 0
            self.log.begin_anew()
        for key, message in zip(keys[fresh:], state[fresh:], strict=True):
            self.add(key, message, time)
        self.context = keys

    def add(self, key: str, message: Fields, time: str) -> None:
        facts: Fields = {"time": time}
        if message.get("type") == "ai":
            counts, about = fields_of(message.get("usage_metadata")), fields_of(message.get("response_metadata"))
            self.model = as_text(about.get("model_name") or about.get("model")) or self.model
            cached = counted(fields_of(counts.get("input_token_details")), "cache_read")
            usage = usage_fields(counted(counts, "input_tokens"), counted(counts, "output_tokens"), cached)
            facts |= {"model": self.model, "usage": usage_of(usage)}
        for raw, failure in map(without_failure, request_messages(message)):
            self.log.add(key[:64], raw, {}, **facts, **failure)
