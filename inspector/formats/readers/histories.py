"""Message histories as libraries serialize them: Pydantic AI, LangChain, LlamaIndex and AutoGen.

https://ai.pydantic.dev/message-history, https://python.langchain.com/api_reference/core/messages.html,
https://docs.llamaindex.ai (`SimpleChatStore`), https://microsoft.github.io/autogen (state of agents and teams). A
history that was cut may have messages of one kind only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from inspector.core.conversation import Role
from inspector.core.text import word_set
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of
from inspector.formats.building.library_log import LibraryLog
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat
from inspector.llm.providers import as_text

_LISTS = ("messages", "all_messages", "message_history", "history")
"""Fields of a record with its history."""


class PydanticAI(HistoryFormat):
    """Message histories of Pydantic AI."""

    name = "pydantic-ai"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "times", "models", "thinking"})
    page = "https://ai.pydantic.dev/message-history"
    mark = "requests and responses with parts"
    kind = "message of Pydantic AI"
    lists = _LISTS

    def is_entry(self, record: Fields) -> bool:
        parts = record.get("parts")
        has_kind = record.get("kind") in ("request", "response") and isinstance(parts, list)
        return has_kind and all("part_kind" in part for part in objects_of(parts))

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        instructions = ""
        for number, record in entries:
            said = as_text(record.get("instructions"))
            if said and said != instructions and not log.messages:
                instructions = said
                log.add_message("instructions", "system", {"content": said}, {})
            role: Role = "assistant" if record["kind"] == "response" else "user"
            parts = objects_of(record["parts"])
            times = (part["timestamp"] for part in parts if isinstance(part.get("timestamp"), str))
            notes = {name: value for name, value in record.items() if name != "parts"}
            time = "" if record.get("timestamp") else next(times, "")
            log.add_message(f"m{number}", role, {"parts": parts}, notes, time=time)
        return [History(log, facts={"model": _last_model(log)})]


class LangChain(HistoryFormat):
    """Messages of LangChain, as `messages_to_dict`, `dumps` or `model_dump` write them."""

    name = "langchain"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "models", "thinking"})
    page = "https://python.langchain.com/api_reference/core/messages.html"
    mark = "messages with a type and data"
    kind = "message of LangChain"
    lists = _LISTS

    def is_entry(self, record: Fields) -> bool:
        return _langchain_role(record) is not None

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        log = LibraryLog()
        for number, record in entries:
            fields = next((inner for name in ("kwargs", "data") if isinstance(inner := record.get(name), dict)), record)
            name = as_text(fields.get("id")) or f"m{number}"
            log.add_message(name, _langchain_role(record) or "user", fields, _notes(fields))
        return [History(log, facts={"model": _last_model(log)})]


_LANGCHAIN = word_set("human ai system tool function chat AIMessageChunk HumanMessageChunk ToolMessageChunk")
_LANGCHAIN_MARKS = word_set("additional_kwargs response_metadata usage_metadata")


def _langchain_role(record: Fields) -> Role | None:
    """Return the role of a message of LangChain, or None for any other record."""
    kind, data, kwargs = as_text(record.get("type")), record.get("data"), record.get("kwargs")
    if isinstance(record.get("lc"), int) and isinstance(kwargs, dict):
        path = record.get("id")
        return _class_role(path[-1:] if isinstance(path, list) else "") or _class_role(kwargs.get("type"))
    has_content = isinstance(data, dict) and "content" in data
    if kind in _LANGCHAIN and (has_content or ("content" in record and not _LANGCHAIN_MARKS.isdisjoint(record))):
        return _class_role(fields_of(data).get("role") if kind == "chat" else kind) or "user"
    return None


def _class_role(name: Any) -> Role | None:
    """Return the role in the name of a class, which may be in a list."""
    name = name[0] if isinstance(name, list) and name else name
    return role_of(as_text(name).removesuffix("Chunk"))


def _notes(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name not in ("content", "tool_calls")}


class LlamaIndex(HistoryFormat):
    """Chat stores and chat histories of LlamaIndex."""

    name = "llama-index"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "thinking"})
    page = "https://docs.llamaindex.ai"
    mark = "a store of chat messages by key"
    kind = "chat store"

    def is_history(self, record: Fields) -> bool:
        store = fields_of(record.get("store"))
        return record.get("class_name") == "SimpleChatStore" and any(map(objects_of, store.values()))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        for key, messages in fields_of(record["store"]).items():
            log = LibraryLog()
            for number, message in enumerate(objects_of(messages), 1):
                notes = fields_of(message.get("additional_kwargs"))
                role = role_of(as_text(message.get("role"))) or "user"
                log.add_message(f"m{number}", role, {**message, **notes}, notes)
            yield History(log, key)


class AutoGen(HistoryFormat):
    """States of AutoGen's agents and teams, and its recorded calls of a client."""

    name = "autogen"
    features: ClassVar[frozenset[Feature]] = frozenset({"system prompt", "usage", "agents", "thinking"})
    page = "https://microsoft.github.io/autogen"
    mark = "messages with a source and a type"
    kind = "state of an agent"

    def is_history(self, record: Fields) -> bool:
        return bool(_contexts_in(record))

    def histories(self, record: Fields, content: Content) -> Iterator[History]:
        for name, messages in _contexts_in(record):
            yield History(_autogen_log(messages), name)

    def is_entry(self, record: Fields) -> bool:
        return record.get("mode") in ("create", "create_stream") and _is_autogen(record.get("messages"))

    def history_of(self, entries: Entries, content: Content) -> Iterator[History]:
        for number, record in entries:
            log = _autogen_log(objects_of(record["messages"]))
            response = fields_of(record.get("response"))
            log.add_message("reply", "assistant", {**response, "reasoning": response.get("thought")}, response)
            yield History(log, f"call-{number}", facts={"line": number})


def _contexts_in(record: Fields) -> list[tuple[str, list[Fields]]]:
    """Return the name and the model context of each agent in a state."""
    states = fields_of(record.get("agent_states")) if "agent_states" in record else {"": record}
    contexts = []
    for name, state in states.items():
        inner = fields_of(state)
        inner = fields_of(inner.get("agent_state")) or inner
        messages = fields_of(inner.get("llm_context")).get("messages")
        if _is_autogen(messages):
            contexts.append((name, objects_of(messages)))
    return contexts


_AUTOGEN: dict[str, Role] = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
    "FunctionExecutionResultMessage": "tool",
}


def _is_autogen(messages: Any) -> bool:
    rows = objects_of(messages)
    return bool(rows) and all(as_text(row.get("type")) in _AUTOGEN and "content" in row for row in rows)


def _autogen_log(messages: list[Fields]) -> LibraryLog:
    log = LibraryLog()
    for number, message in enumerate(messages, 1):
        role = _AUTOGEN[as_text(message.get("type"))]
        fields = {**message, "reasoning": message.get("thought")}
        log.add_message(f"m{number}", "user" if role == "tool" else role, fields, {"source": message.get("source")})
    return log


def _last_model(log: LibraryLog) -> str:
    return next((message.model for message in reversed(log.messages) if message.model), "")
