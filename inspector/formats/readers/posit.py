"""Conversations of Posit Assistant: messages in the notation of the AI SDK, with their tree next to them.

https://posit.co: `conversation.json` says which messages are in the current branch, and sub-agents have folders of
their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN
from inspector.formats.base import Feature
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.chat_trees import tree_order
from inspector.formats.building.library_log import LibraryLog, library_usage
from inspector.formats.building.list_heuristics import role_of
from inspector.formats.reading.content import Content, Fields
from inspector.formats.reading.history_format import Entries, History, HistoryFormat, json_beside
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import UnreadableError
from inspector.llm.providers import as_text

_MESSAGES, _TREE, _AGENTS = "lm-messages.jsonl", "conversation.json", "subagents"


class Posit(HistoryFormat):
    """Conversations of Posit Assistant."""

    name = "posit-assistant"
    order: ClassVar[RecordOrder] = RecordOrder(number="id")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"usage", "times", "models", "thinking", "branches", "sub-agents"}
    )
    page = "https://posit.co"
    mark = "messages with an id and the metadata of Posit"
    kind = "message of Posit Assistant"

    def is_entry(self, record: Fields) -> bool:
        message = record.get("message")
        return isinstance(record.get("id"), int) and isinstance(message, dict) and "role" in message

    def is_like(self, records: list[Fields]) -> bool:
        messages = [record["message"] for record in records if self.is_entry(record)]
        return super().is_like(records) and any("providerOptions" in message for message in messages)

    def history_of(self, entries: Entries, content: Content) -> Iterable[History]:
        path = Path(content.source.path)
        log = LibraryLog()
        root = _add_messages(log, entries, json_beside(path.with_name(_TREE), content), MAIN)
        for file in self._agents_of(path):
            head = json_beside(file.with_name(_TREE), content)
            _add_messages(log, _posit_entries_of(file, content), head, file.parent.name)
        models = (message.model for message in reversed(log.messages) if message.model and message.agent == MAIN)
        model = as_text(fields_of(fields_of(root.get("metadata")).get("model")).get("id"))
        return [History(log, as_text(root.get("id")), as_text(root.get("title")), {"model": model or next(models, "")})]

    def _agents_of(self, path: Path) -> list[Path]:
        return sorted(path.parent.glob(f"{_AGENTS}/*/{_MESSAGES}")) if path.name == _MESSAGES else []

    def parts(self, path: Path) -> list[Path]:
        if path.name != _MESSAGES:
            return []
        files = [file for own in self._agents_of(path) for file in (own, own.with_name(_TREE))]
        return [file for file in (path.with_name(_TREE), *files) if file.is_file()]

    def whole(self, part: Path) -> Path | None:
        if part.parent.parent.name == _AGENTS and part.name in (_MESSAGES, _TREE):
            return part.parent.parent.with_name(_MESSAGES)
        return part.with_name(_MESSAGES) if part.name == _TREE else None


def _posit_entries_of(path: Path, content: Content) -> Entries:
    """Return the messages of a sub-agent. A file that cannot be read becomes a problem."""
    try:
        rows = [*open_content(path).records()]
    except (OSError, UnreadableError) as error:
        content.problems.add(f"a sub-agent was left out: {error}")
        return []
    return [(number, row) for number, row in rows if isinstance(row, dict) and isinstance(row.get("message"), dict)]


def _add_messages(log: LibraryLog, entries: Entries, tree: Mapping[str, Any], agent: str) -> Fields:
    """Add the messages of an agent by its tree, the current branch last, and return the root of the tree."""
    records = {record["id"]: record for _, record in entries}
    ends: dict[str, int] = {}
    waiting = dict(records)
    for node, own in _nodes_in_order(tree):
        end = ends.get(as_text(node.get("parentId")), -1)
        for place in own:
            if record := waiting.pop(place, None):
                end = _add_posit(log, record, agent, end)
        ends[as_text(node.get("id"))] = end
    for record in waiting.values():
        _add_posit(log, record, agent, log.ends.get(agent, -1))
    return fields_of(tree.get("root"))


def _nodes_in_order(tree: Mapping[str, Any]) -> Iterator[tuple[Fields, list[int]]]:
    """Yield the nodes of a tree, the current branch last, each with the ids of its messages."""
    nodes = {as_text(node.get("id")): node for node in objects_of(tree.get("messages"))}
    parents = {key: as_text(node.get("parentId")) for key, node in nodes.items()}
    active = [key for key, node in nodes.items() if node.get("isActive") is not False]
    for key in tree_order(parents, active[-1] if active else ""):
        listed = nodes[key].get("lmMessageIds")
        yield nodes[key], [place for place in listed if isinstance(place, int)] if isinstance(listed, list) else []


def _add_posit(log: LibraryLog, record: Fields, agent: str, after: int) -> int:
    """Add a message and return the position of its end."""
    message = record["message"]
    metadata = fields_of(fields_of(message.get("providerOptions")).get("providerMetadata"))
    own = fields_of(next(iter(metadata.values()), {}))
    facts = {"model": as_text(own.get("modelId")), "usage": library_usage(fields_of(own.get("usage")))}
    name, role = f"{agent}-{record['id']}", role_of(as_text(message.get("role"))) or "user"
    fields = {"content": message.get("content")}
    log.add_message(name, role, fields, own, time=time_of(own.get("timestamp")), agent=agent, after=after, **facts)
    return log.ends.get(agent, after)
