"""Agent files of Letta (`.af`): an agent with memory blocks, tools and messages.

https://github.com/letta-ai/agent-file: `in_context_message_ids` lists the messages in the window. The memory blocks are
part of the system prompt; they become injected memory. Files before version 0.7 contain one agent, with its blocks in
`core_memory` and the positions of the messages in the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Dialect, Part, Session, SizeFacts, ToolResult
from inspector.core.text import plural
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, definition_of, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text, token_count


class Letta(Format):
    """Agents exported by Letta, one session each."""

    name = "letta"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", time="created_at", lists="messages agents.messages")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "times", "models", "thinking", "memory blocks", "context window"}
    )
    page = "https://github.com/letta-ai/agent-file"

    def recognize(self, sample: Sample) -> FormatMatch:
        known = any(_is_agent_file(record) for record in sample.objects)
        return FormatMatch(1.0, "agents, blocks and tools") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for number, record in content.records(progress):
            if not isinstance(record, dict) or not _is_agent_file(record):
                content.reject(number, "is not an agent file")
                continue
            agents = objects_of(record["agents"]) if "agents" in record else [record]
            has_many = len(agents) > 1
            for line, agent in enumerate(agents, 1):
                sessions.append(_agent_session(content, record, agent, line if has_many else 0))
        return unique(session for session in sessions if session.messages) or [LogBuilder().session(content, self.name)]


def _is_agent_file(record: Fields) -> bool:
    if isinstance(record.get("core_memory"), list):
        return isinstance(record.get("messages"), list) and "agent_type" in record
    return isinstance(record.get("agents"), list) and isinstance(record.get("blocks"), list)


def _agent_session(content: Content, record: Fields, agent: Fields, line: int) -> Session:
    config = fields_of(agent.get("llm_config"))
    model = as_text(config.get("model") or agent.get("model"))
    log = LogBuilder(dialect_for(model))
    if agent.get("system"):
        log.add_parts("system", "system", blocks_of(agent["system"]), {})
    _add_blocks(log, content, record, agent)
    _add_letta_messages(log, agent, model)
    limit = token_count(config, "context_window") or token_count(agent, "context_window_limit")
    return log.session(
        content,
        Letta.name,
        as_text(agent.get("id")),
        as_text(agent.get("name")),
        model=model,
        tools=tuple(_tool(tool, log.dialect) for tool in objects_of(record.get("tools"))),
        records_system=True,
        sizes=SizeFacts(limit=limit) if limit else None,
        line=line,
    )


def _add_blocks(log: LogBuilder, content: Content, record: Fields, agent: Fields) -> None:
    """Add the memory blocks in the prompt of an agent."""
    own = agent.get("block_ids")
    blocks = objects_of(record.get("blocks") or record.get("core_memory"))
    ids = [block.get("id") for block in blocks]
    for name in own if isinstance(own, list) else ():
        if (count := ids.count(name)) != 1:
            content.problems.add(f"the block {as_text(name)} of an agent is in the file {plural(count, 'time')}")
    for block in blocks:
        if not isinstance(own, list) or not own or block.get("id") in own:
            label = as_text(block.get("label"))
            text = f"<{label}>\n{as_text(block.get('value'))}\n</{label}>"
            around = {key: value for key, value in block.items() if key != "value"}
            log.add_parts(as_text(block.get("id")) or "block", "user", blocks_of(text), around, kind="injected")


def _add_letta_messages(log: LogBuilder, agent: Fields, model: str) -> None:
    """Add the messages. Those outside the window come first, in a separate context."""
    start = len(log.messages) - 1
    kept, gone = list[tuple[str, Fields]](), list[tuple[str, Fields]]()
    in_context = _in_context(agent)
    for number, message in enumerate(objects_of(agent.get("messages"))):
        name = as_text(message.get("id")) or f"m{number + 1}"
        if message.get("role") != "system" or not agent.get("system"):  # that says the prompt and the blocks once more
            is_kept = in_context is None or name in in_context or number in in_context
            (kept if is_kept else gone).append((name, message))
    for name, message in gone:
        _add_letta_message(log, name, message, model)
    if kept:
        log.ends[MAIN] = start
    for name, message in kept:
        _add_letta_message(log, name, message, model)


def _in_context(agent: Fields) -> frozenset[object] | None:
    """Return the ids of the messages in the window, or their indices, or None if they are not recorded."""
    names = agent.get("in_context_message_ids") or agent.get("in_context_message_indices")
    return frozenset(name for name in names if isinstance(name, str | int)) if isinstance(names, list) else None


def _tool(tool: Fields, dialect: Dialect) -> Fields:
    """Return the definition of a tool as it is sent."""
    schema = fields_of(tool.get("json_schema"))
    return definition_of(schema or {"name": tool.get("name"), "description": tool.get("description")}, dialect)


def _add_letta_message(log: LogBuilder, name: str, message: Fields, model: str) -> None:
    facts: dict[str, Any] = {"time": time_of(message.get("created_at"))}
    record = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
    said = _letta_content(message.get("content"))
    words = [part for part in said if not isinstance(part, ToolResult)]
    for result in (part for part in said if isinstance(part, ToolResult)):
        log.add_parts(name, "tool", [result], record, **facts)
    match message.get("role"):
        case "assistant":
            parts = [*thoughts_of(message.get("reasoning_content")), *words, *_letta_calls(message)]
            log.add_parts(name, "assistant", parts, record, model=as_text(message.get("model")) or model, **facts)
        case "tool" if message.get("tool_call_id"):
            is_error = any(answer.get("status") == "error" for answer in objects_of(message.get("tool_returns")))
            result = result_of(message["tool_call_id"], message.get("content"), is_error=is_error)
            log.add_parts(name, "tool", [result], record, **facts)
        case role if words:
            log.add_parts(name, "system" if role == "system" else "user", words, record, **facts)


def _letta_calls(message: Fields) -> Iterator[Part]:
    for call in objects_of(message.get("tool_calls")):
        function = fields_of(call.get("function"))
        yield call_of(call.get("id"), function.get("name"), function.get("arguments"))


def _letta_content(content: Any) -> list[Part]:
    return [part for block in (content if isinstance(content, list) else [content]) for part in _letta_parts(block)]


def _letta_parts(block: Any) -> list[Part]:
    """Convert a piece of content."""
    match block:
        case {"type": "reasoning" | "redacted_reasoning" | "omitted_reasoning"}:
            return [*thoughts_of(block.get("reasoning"))]
        case {"type": "tool_call"}:
            return [call_of(block.get("id"), block.get("name"), block.get("input"))]
        case {"type": "tool_return"}:
            return [result_of(block.get("tool_call_id"), block.get("content"), is_error=bool(block.get("is_error")))]
    return [*blocks_of(block)]
