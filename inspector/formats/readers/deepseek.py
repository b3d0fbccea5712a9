"""Conversations of DeepSeek's chat site: a tree, as in ChatGPT's exports, of messages in one of two notations.

Newer exports write a message as fragments, each of which says what it is: REQUEST, THINK, RESPONSE, or a step of a
search. Older ones write `content` and `reasoning_content`, and leave out who speaks: people and the model take turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.conversation import Document, Part, Role, ToolResult
from inspector.core.text import dumps
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.chat_trees import nodes_of, parents_of, tree_order
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.reading.content import Fields
from inspector.llm.providers import as_text

_NOTE = "TIP"
"""Type of fragments that the site shows next to a reply, and that are not part of it."""
_ASKED = ("queries", "query", "url", "link", "links")
"""Fields of a search step with the query."""
_FOUND = ("results", "result", "content")
"""Fields of a search step with the results."""


def is_deepseek(record: Fields) -> bool:
    """Return True if a conversation with a tree is from DeepSeek."""
    if "inserted_at" in record:
        return "create_time" not in record
    messages = (fields_of(node.get("message")) for node in nodes_of(record).values())
    return any("fragments" in message for message in messages)


def deepseek_log(record: Fields) -> LogBuilder:
    """Return the messages of a conversation, those of the newest branch last."""
    nodes, log = nodes_of(record), LogBuilder()
    parents = parents_of(nodes)
    ends: dict[str, tuple[int, str]] = {}
    for key in tree_order(parents, next(reversed(nodes), "")):
        position, speaker = ends.get(parents[key], (-1, ""))
        message = fields_of(nodes[key].get("message"))
        role = _role_of(message, speaker)
        if message and (end := _add(log, key, role, message, position)) != position:
            position, speaker = end, role
        ends[key] = position, speaker
    return log


def _role_of(message: Fields, before: str) -> Role:
    """Return the role of a message, as recorded or else alternating."""
    kinds = {as_text(fragment.get("type")) for fragment in objects_of(message.get("fragments"))}
    if kinds - {_NOTE}:
        return "user" if "REQUEST" in kinds else "assistant"
    return "assistant" if before == "user" else "user"


def _add(log: LogBuilder, key: str, role: Role, message: Fields, after: int) -> int:
    """Add a message, with search steps as calls. Return the position of the last message, or `after`."""
    record = {name: value for name, value in message.items() if name not in ("fragments", "content")}
    facts: Fields = {"time": time_of(message.get("inserted_at"))}
    model = {"model": as_text(message.get("model"))} if role == "assistant" else {}
    own: list[Part] = []
    for part in _parts_of(key, message):
        if not isinstance(part, ToolResult):
            own.append(part)
            continue
        log.add_parts(key, "assistant", own, record, after=after, **facts, **model)
        after = log.add_parts(f"{key}-result", "tool", [part], {}, **facts)
        own, record = [], {}
    return log.add_parts(key, role, own, record, after=after, **facts, **model) if own else after


def _parts_of(key: str, message: Fields) -> Iterator[Part]:
    """Yield the content of a message, in order. A call directly precedes its result."""
    for file in objects_of(message.get("files")):
        yield Document(title=as_text(file.get("file_name") or file.get("name")) or "file")
    yield from thoughts_of(message.get("reasoning_content"))
    yield from blocks_of(message.get("content"))
    for number, fragment in enumerate(objects_of(message.get("fragments")), 1):
        match fragment.get("type"):
            case "THINK":
                yield from thoughts_of(fragment.get("content"))
            case "REQUEST" | "RESPONSE":
                yield from blocks_of(fragment.get("content"))
            case str(kind) if kind != _NOTE:
                yield from _step(f"{key}-{number}", kind, fragment)


def _step(name: str, kind: str, fragment: Fields) -> Iterator[Part]:
    """Yield a search step as a call and its result."""
    finding = next((fragment[field] for field in _FOUND if fragment.get(field)), None)
    if finding is not None:
        yield call_of(name, kind.lower(), {field: fragment[field] for field in _ASKED if fragment.get(field)})
        yield result_of(name, finding if isinstance(finding, str) else dumps(finding))
