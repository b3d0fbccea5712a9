"""A conversation as a transcript that Claude Code resumes, always in a new file.

The transcript has the properties of those that Claude Code writes: one block per line in replies, one id for the lines
of a message, one result per line after its call, a complete chain of parents, increasing times, and a compaction that
begins a chain and is followed by its summary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from inspector.core.conversation import Message
from inspector.core.text import plain_dumps, plural
from inspector.formats.writers.base import Conversation, FileForm, hidden_notes, new_session_id, stray_notes, utc_times
from inspector.llm.providers import (
    NO_RESULT,
    ToolNames,
    Turn,
    argument_notes,
    blocks_of,
    empty_reply_notes,
    is_fit_name,
    order_notes,
    turn_items,
)

_Record = dict[str, Any]

_SHAPE = "2.1.37"
"""The version of Claude Code whose records these are, where none was recorded."""
_NO_MODEL = "unknown"
_MAX_NAMES = 3
"""Number of tool names that are listed."""
_AROUND = ("userType", "cwd", "version", "gitBranch", "slug")
"""Fields that all records of a session share."""


class ClaudeCodeWriter(FileForm):
    """Return a transcript. Its session has a new id, made from its content."""

    name = "claude-code"
    title = "Claude Code transcript"
    suffix = ".jsonl"

    def write(self, conversation: Conversation) -> str:
        return "".join(plain_dumps(record) + "\n" for record in _Transcript(conversation).records())

    def notes(self, conversation: Conversation) -> Iterator[str]:
        yield (
            f"Claude Code resumes it from ~/.claude/projects/FOLDER/{self.file_name(conversation)}, with claude"
            f" --resume {new_session_id(conversation)} in the project's folder."
        )
        yield from _omission_notes(conversation)
        yield from _summary_notes(conversation)
        yield from _call_notes(conversation)
        yield from order_notes(conversation.messages)
        yield from empty_reply_notes(conversation.messages)
        yield from stray_notes(conversation)
        yield from _size_notes(conversation)
        yield from _thinking_notes(conversation)
        yield from hidden_notes(conversation, "A transcript")

    def file_name(self, conversation: Conversation) -> str:
        return f"{new_session_id(conversation)}{self.suffix}"


def _omission_notes(conversation: Conversation) -> Iterator[str]:
    prompts = sum(message.role == "system" for message in conversation.messages)
    tools = len(conversation.context.tools)
    names = [
        plural(number, noun) for number, noun in ((prompts, "system message"), (tools, "tool definition")) if number
    ]
    if names:
        yield f"Left out, because Claude Code adds its own: {' and '.join(names)}."


def _summary_notes(conversation: Conversation) -> Iterator[str]:
    places = [place for place, message in enumerate(conversation.messages) if message.kind == "summary"]
    if len(places) > 1:
        yield f"{len(places):,} summaries were merged into one, which follows a compaction at the start."
    elif places and places != [0]:
        yield "The summary was moved to the start, after a compaction, as Claude Code writes it."


def _call_notes(conversation: Conversation) -> Iterator[str]:
    calls = [call for turn in conversation.turns for call in turn.calls]
    if missing := sum(result is None for turn in conversation.turns for result in turn.results):
        yield f"No result of {plural(missing, 'call')} was recorded: {NO_RESULT} replaces it."
    yield from argument_notes(conversation.messages)
    if names := list(dict.fromkeys(call.name for call in calls if not is_fit_name(call.name))):
        yield f"Renamed, because Claude's API rejects such tool names: {', '.join(names[:_MAX_NAMES])}."


def _size_notes(conversation: Conversation) -> Iterator[str]:
    """Yield a note on sizes that nothing in a transcript reports."""
    if conversation.is_whole and any(message.usage for message in conversation.messages):
        return
    sizes = conversation.sizes
    if sizes.unrecorded:
        yield (
            f"Inspector shows the transcript {sizes.unrecorded:,} tokens smaller: the system prompt and the tools"
            " were not recorded, and a transcript has no field for their size."
        )
    if abs(sizes.factor - 1) >= 0.005:
        yield f"Inspector counts the transcript without this session's calibration (×{sizes.factor:.2f})."


def _thinking_notes(conversation: Conversation) -> Iterator[str]:
    replies = [turn for turn in conversation.turns if turn.message.thinks]
    names = ToolNames(conversation.context)
    items = (item for turn in replies for item in turn_items(turn, names) if item["role"] == "assistant")
    kinds = [str(block.get("type")) for item in items for block in blocks_of(item)]
    if lost := len(replies) - sum("thinking" in kind for kind in kinds):
        yield f"Thinking without a signature was removed {plural(lost, 'time')}: Claude's API rejects it."


@dataclass
class _Transcript:
    """The records of a transcript in the making."""

    conversation: Conversation
    session: UUID = field(init=False)
    count: int = 0
    parent: str | None = None
    around: _Record = field(default_factory=dict)
    message_ids: set[str] = field(default_factory=set)
    callers: dict[str, str] = field(default_factory=dict)
    """The record of each call, by the call's id."""

    def __post_init__(self) -> None:
        self.session = new_session_id(self.conversation)
        self.around = _fields_around(self.conversation.messages)

    def records(self) -> Iterator[_Record]:
        """Yield the title, the compaction with its summary if there is one, and the messages."""
        conversation = self.conversation
        summaries = [turn for turn in conversation.turns if turn.message.kind == "summary"]
        others = [
            turn for turn in conversation.turns if turn.message.kind != "summary" and turn.message.role != "system"
        ]
        times = utc_times(turn.message.time for turn in (*summaries, *others))
        body = [*self._compaction(summaries, times), *self._messages(others, times)]
        if conversation.title and body:
            yield {"type": "summary", "summary": conversation.title, "leafUuid": body[-1]["uuid"]}
        yield from body

    def _record(self, kind: str, time: str, **fields: Any) -> _Record:
        """Return the next record of the chain."""
        self.count += 1
        record = {
            "parentUuid": self.parent,
            "isSidechain": False,
            **self.around,
            "sessionId": str(self.session),
            "type": kind,
            **fields,
            "uuid": str(uuid5(self.session, str(self.count))),
            "timestamp": time,
        }
        self.parent = record["uuid"]
        return record

    def _compaction(self, summaries: list[Turn], times: Iterator[str]) -> Iterator[_Record]:
        if not summaries:
            return
        time = [next(times) for _ in summaries][-1]
        yield self._record(
            "system",
            time,
            logicalParentUuid=None,
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            level="info",
            compactMetadata={"trigger": "manual", "preTokens": self.conversation.tokens_before},
        )
        text = "\n\n".join(turn.message.text for turn in summaries)
        message = {"role": "user", "content": text}
        yield self._record("user", time, message=message, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def _messages(self, turns: Iterable[Turn], times: Iterator[str]) -> Iterator[_Record]:
        names = ToolNames(self.conversation.context)
        for turn, time in zip(turns, times, strict=False):
            for item in turn_items(turn, names):
                if item["role"] == "assistant":
                    yield from self._reply(turn, item, time)
                elif turn.calls:
                    yield from self._results(turn, item, time)
                else:
                    meta = {"isMeta": True} if turn.message.kind == "injected" else {}
                    yield self._record("user", time, message=item, **meta)

    def _reply(self, turn: Turn, item: _Record, time: str) -> Iterator[_Record]:
        """Yield a line for each block of a reply, as Claude Code writes them."""
        message, blocks = turn.message, blocks_of(item)
        around = message.record.get("message")
        recorded = around.get("id") if isinstance(around, Mapping) else None
        own_id = recorded if isinstance(recorded, str) and recorded not in self.message_ids else ""
        own_id = own_id or f"msg_{uuid5(self.session, f'message {self.count}').hex[:24]}"
        self.message_ids.add(own_id)
        reason = "tool_use" if turn.calls else "end_turn"
        for place, block in enumerate(blocks):
            fields = {
                "model": message.model or self.conversation.context.model or _NO_MODEL,
                "id": own_id,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": reason if place == len(blocks) - 1 else None,
                "stop_sequence": None,
                "usage": self._usage_of(message),
            }
            record = self._record("assistant", time, message=fields)
            if block.get("type") == "tool_use":
                self.callers[block["id"]] = record["uuid"]
            yield record

    def _usage_of(self, message: Message) -> _Record:
        """Return the usage of a reply; nothing if it had another context.

        Claude Code uses the newest figure as the size of its context, and would compact at once.
        """
        usage = message.usage if self.conversation.is_whole else None
        return {
            "input_tokens": usage.input - usage.cache_read - usage.cache_write if usage else 0,
            "cache_creation_input_tokens": usage.cache_write if usage else 0,
            "cache_read_input_tokens": usage.cache_read if usage else 0,
            "output_tokens": usage.output if usage else 0,
        }

    def _results(self, turn: Turn, item: _Record, time: str) -> Iterator[_Record]:
        """Yield a line for each result, after the reply with its call."""
        last = self.parent
        for block, result in zip(item["content"], turn.results, strict=True):
            record = result.message.record if result and result.message.placeholder is None else {}
            structured = {"toolUseResult": record["toolUseResult"]} if "toolUseResult" in record else {}
            message = {"role": "user", "content": [block]}
            caller = self.callers.get(block.get("tool_use_id"), last)
            yield self._record("user", time, message=message, **structured, sourceToolAssistantUUID=caller)


def _fields_around(messages: Iterable[Message]) -> _Record:
    """Return the newest recorded fields around messages, and default values for the others."""
    fields: _Record = {"userType": "external", "cwd": "/", "version": _SHAPE, "gitBranch": ""}
    for message in messages:
        record = message.record
        fields |= {name: record[name] for name in _AROUND if isinstance(record.get(name), str)}
    return fields
