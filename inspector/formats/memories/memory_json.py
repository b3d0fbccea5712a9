"""Memories in JSON: the graph of the MCP memory server, Letta's agent files, and exports of chat apps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.formats.memories.memory_cells import scope_text, text_of_value
from inspector.formats.memories.memory_items import MemoryItem, time_text
from inspector.formats.memories.memory_readers import MemoryReader
from inspector.formats.reading.content import Content, Sample


def _item_texts(value: Any) -> list[str]:
    return [text_of_value(entry) for entry in value] if isinstance(value, list) else []


_GRAPH_TYPES = ("entity", "relation")


def _is_graph(sample: Sample) -> bool:
    """Return True if a file is a knowledge graph: lines of entities and relations, or an object with both."""
    if any({"entities", "relations"} <= record.keys() for record in sample.objects[:1]):
        return True
    records = sample.objects
    return any(map(_is_of_graph, records)) and all(record.get("type") in _GRAPH_TYPES for record in records)


def _is_of_graph(record: Mapping[str, Any]) -> bool:
    """Return True if a record is an entity or a relation of a knowledge graph, with all its fields."""
    return {"type", "name", "observations"} <= record.keys() or {"type", "from", "to", "relationType"} <= record.keys()


def _graph_items(content: Content) -> Iterator[MemoryItem]:
    """Yield the observations, entities without one, and relations of a knowledge graph."""
    relations: list[tuple[int, Mapping[str, Any]]] = []
    names: set[str] = set()
    for number, record in _graph_records(content):
        if "relationType" in record or "from" in record:
            relations.append((number, record))
            continue
        name = text_of_value(record.get("name"))
        names.add(name)
        kind = text_of_value(record.get("entityType"))
        observations = _item_texts(record.get("observations"))
        for place, text in enumerate(observations, 1):
            yield MemoryItem(f"{name}#{place}", text, name=name, line=number, end=number, about=(kind,) if kind else ())
        if not observations:
            yield MemoryItem(name, name, kind="entity", name=name, line=number, about=(kind,) if kind else ())
    for number, record in relations:
        one, other = (text_of_value(record.get(side)) for side in ("from", "to"))
        verb = text_of_value(record.get("relationType"))
        missing = tuple(f"no entity: {name}" for name in (one, other) if name not in names)
        key = f"{one} {verb} {other}"
        yield MemoryItem(key, key, kind="relation", name=one, line=number, end=number, about=missing)


def _graph_records(content: Content) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, record in content.records():
        if not isinstance(record, Mapping):
            content.problems.add("this line was left out: it is not an object", number)
        elif record.get("type") in _GRAPH_TYPES and not ("name" in record or {"from", "to"} <= record.keys()):
            content.problems.add("this line was left out: it has no name, or only one end", number)
        elif {"entities", "relations"} <= record.keys():
            for name in ("entities", "relations"):
                values = record[name] if isinstance(record[name], list) else []
                yield from ((number, entry) for entry in values if isinstance(entry, Mapping))
        else:
            yield number, record


def _is_letta_file(sample: Sample) -> bool:
    """Return True if a file is an exported agent of Letta."""
    records = sample.objects[:1]
    return any(
        {"blocks", "agents"} <= record.keys() or ("core_memory" in record and "messages" in record)
        for record in records
    )


def _letta_items(content: Content) -> Iterator[MemoryItem]:
    """Yield the blocks and passages of an exported agent."""
    for _, record in content.records():
        if not isinstance(record, Mapping):
            continue
        agents = _objects(record.get("agents"))
        owners = {key: _agent_name(agent) for agent in agents for key in _item_texts(agent.get("block_ids"))}
        own = [block for agent in agents for block in _objects(agent.get("memory_blocks"))]
        blocks = [*_objects(record.get("blocks")), *_objects(record.get("core_memory")), *own]
        for number, block in enumerate(blocks, 1):
            key = text_of_value(block.get("id")) or f"block-{number}"
            yield _letta_block(block, number, key, owners.get(key, ""))
        for number, passage in enumerate(_objects(record.get("passages") or record.get("archival_passages")), 1):
            key = text_of_value(passage.get("id")) or f"passage-{number}"
            yield MemoryItem(key, text_of_value(passage.get("text")), created=time_text(passage.get("created_at")))


def _agent_name(agent: Mapping[str, Any]) -> str:
    return text_of_value(agent.get("name")) or text_of_value(agent.get("id"))


def _letta_block(block: Mapping[str, Any], number: int, key: str, owner: str) -> MemoryItem:
    description = text_of_value(block.get("description"))
    return MemoryItem(
        key,
        text_of_value(block.get("value")),
        f"agent:{owner}" if owner else "",
        kind="note",
        load="always",
        created=time_text(block.get("created_at")),
        updated=time_text(block.get("updated_at")),
        name=text_of_value(block.get("label")) or str(number),
        about=(description,) if description else (),
    )


def _is_record_list(sample: Sample) -> bool:
    """Return True if each record is a memory of a user: an export of mem0, LibreChat or Open WebUI."""
    records = _memory_records(sample.objects)
    return bool(records) and all(_is_memory(record) for record in records)


def _record_items(content: Content) -> Iterator[MemoryItem]:
    """Yield the memories of an export."""
    for number, value in content.records():
        for place, record in enumerate(_memory_records([value]) if isinstance(value, Mapping) else [], 1):
            if not _is_memory(record):
                content.problems.add("this record was left out: it is not a memory", number)
                continue
            key = record.get("id") or record.get("_id") or record.get("memory_id") or record.get("key")
            yield MemoryItem(
                text_of_value(key) or f"{number}.{place}",
                text_of_value({name: record[name] for name in ("memory", "content", "value") if record.get(name)}),
                scope_text(record),
                created=time_text(record.get("created_at")),
                updated=time_text(record.get("updated_at")),
                expires=time_text(record.get("expiration_date") or record.get("expires_at")),
                name=text_of_value(record.get("key") or ""),
                about=tuple(_item_texts(record.get("categories"))),
            )


def _is_memory(record: Mapping[str, Any]) -> bool:
    has_owner = any(name in record for name in ("user_id", "userId", "agent_id"))
    has_text = "memory" in record or ("value" in record and "key" in record) or "content" in record
    return has_owner and has_text and not {"role", "messages"} & record.keys()


def _memory_records(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the records themselves, or those in the list of results of a search."""
    every = [*records]
    inner = [entry for record in every for name in ("results", "memories") for entry in _objects(record.get(name))]
    return inner or every


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


class GraphReader(MemoryReader):
    """Knowledge graphs of the MCP memory server."""

    name = "knowledge-graph"
    title = "a knowledge graph of the MCP memory server"

    def recognize(self, sample: Sample) -> bool:
        return _is_graph(sample)

    def read(self, content: Content) -> Iterator[MemoryItem]:
        return _graph_items(content)


class LettaReader(MemoryReader):
    """Agent files of Letta."""

    name = "letta"
    title = "an exported agent of Letta"

    def recognize(self, sample: Sample) -> bool:
        return _is_letta_file(sample)

    def read(self, content: Content) -> Iterator[MemoryItem]:
        return _letta_items(content)


class ExportReader(MemoryReader):
    """Exports of memories by mem0, LibreChat and Open WebUI."""

    name = "memory-export"
    title = "an export of memories"

    def recognize(self, sample: Sample) -> bool:
        return _is_record_list(sample)

    def read(self, content: Content) -> Iterator[MemoryItem]:
        return _record_items(content)
