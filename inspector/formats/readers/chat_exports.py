"""Exports of ChatGPT, DeepSeek and claude.ai, as a JSON file or in a zip archive.

A ChatGPT conversation is a tree (`mapping`) with a `current_node`: each edit or second answer is a branch. The log
contains all branches, the current one last. claude.ai writes a list of messages, in newer exports with their parents.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Document, Image, Part, Session, ToolCall
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import (
    Block,
    blocks_of,
    call_of,
    fields_of,
    objects_of,
    result_of,
    thoughts_of,
    time_of,
)
from inspector.formats.building.chat_trees import nodes_of, parents_of, tree_order
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.readers.deepseek import deepseek_log, is_deepseek
from inspector.formats.reading.archives import ArchiveReader, DamagedArchiveError, open_archive
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import as_text, token_count

_MEMBER = re.compile(r"conversations[-_]?([0-9]{0,9})\.json")
"""Names of the files in an archive that contain conversations. They may be numbered."""


class _ChatExport(Format):
    """A list of conversations, one conversation, or a zip archive with a list."""

    mark: str
    """Field that all conversations have."""

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape == "archive":
            known = bool(_members_of(sample))
            return FormatMatch(self.zip_confidence(sample), "a conversations.json in it") if known else UNLIKE
        known = any(map(self.is_one, sample.objects))
        return FormatMatch(0.95, f"conversations with a {self.mark}") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for number, record in _conversations_in(content, progress):
            site = next((site for site in self.sites() if isinstance(record, dict) and site.is_one(record)), None)
            if not site:
                content.reject(number, f"has no {self.mark}")
                continue
            log = site.log_of(record)
            if log.messages:
                line = 0 if content.sample.shape == "object" else number
                name, title = as_text(record.get("conversation_id") or record.get("id") or record.get("uuid")), ""
                title = as_text(record.get("title") or record.get("name"))
                facts = {"line": line, "model": site.model_of(record, log)}
                sessions.append(log.session(content, site.name, name, title, **facts))
        return unique(sessions) or [LogBuilder().session(content, self.name)]

    def is_one(self, record: Fields) -> bool:
        """Return True if a record is a conversation of this site."""
        return self.mark in record

    def sites(self) -> tuple[_ChatExport, ...]:
        """Return the sites that a conversation may be from, this one first. The names in an archive are ambiguous."""
        return self, ChatGPT(), DeepSeek(), ClaudeAI()

    def zip_confidence(self, sample: Sample) -> float:
        """Return the confidence that a zip archive with conversations is from this site."""
        return 0.9

    @abstractmethod
    def log_of(self, record: Fields) -> LogBuilder:
        """Add the messages of a conversation."""

    def model_of(self, record: Fields, log: LogBuilder) -> str:
        return next((message.model for message in reversed(log.messages) if message.model), "")


def _conversations_in(content: Content, progress: Progress | None) -> Iterator[tuple[int, Any]]:
    if content.sample.shape != "archive":
        yield from content.records(progress)
        return
    path, members = content.source.path, _members_of(content.sample)
    try:
        with open_archive(path) as archive:
            records = (record for member in members for record in _records_in(archive, member, content))
            yield from enumerate(records, 1)
    except DamagedArchiveError as error:
        raise UnreadableError(path, f"{path} is an archive that cannot be read: {error}.") from error


def _records_in(archive: ArchiveReader, member: str, content: Content) -> list[Any]:
    """Return the conversations of a file in an archive. One of several files that cannot be read becomes a problem."""
    try:
        value, note = parse(archive.read(member))
    except (DamagedArchiveError, BrokenJSONError) as error:
        path, why = content.source.path, f"a {member} that cannot be read: {error}"
        if len(_members_of(content.sample)) == 1:
            raise UnreadableError(path, f"{path} holds {why}.") from error
        content.problems.add(f"the archive holds {why}")
        return []
    if note:
        content.problems.add(note)
    records = value if isinstance(value, list) else [value]
    content.coverage.records += len(records)
    return records


def _members_of(sample: Sample) -> list[str]:
    """Return the files in an archive that contain conversations, by number."""
    names = [(name, match) for name in sample.members if (match := _MEMBER.fullmatch(name.rpartition("/")[2]))]
    return [name for name, match in sorted(names, key=lambda pair: (int(pair[1][1] or 0), pair[0]))]


class ChatGPT(_ChatExport):
    """Conversations exported by ChatGPT."""

    name = "chatgpt"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "branches"})
    page = "https://help.openai.com/articles/7260999"
    mark = "mapping"

    def is_one(self, record: Fields) -> bool:
        return super().is_one(record) and not is_deepseek(record)

    def model_of(self, record: Fields, log: LogBuilder) -> str:
        return super().model_of(record, log) or as_text(record.get("default_model_slug"))

    def log_of(self, record: Fields) -> LogBuilder:
        return _Tree(record).log


class DeepSeek(_ChatExport):
    """Conversations exported by DeepSeek."""

    name = "deepseek"
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "branches"})
    page = "https://chat.deepseek.com"
    mark = "mapping"

    def is_one(self, record: Fields) -> bool:
        return super().is_one(record) and is_deepseek(record)

    def zip_confidence(self, sample: Sample) -> float:
        """Return 0: such archives have the same names as those of ChatGPT, and are distinguished when they are read."""
        return 0.0

    def log_of(self, record: Fields) -> LogBuilder:
        return deepseek_log(record)


class _Tree:
    """Builder of a log from the tree of a ChatGPT conversation."""

    def __init__(self, record: Fields) -> None:
        self.nodes = nodes_of(record)
        self.log = LogBuilder()
        self.positions: dict[str, int] = {}
        """Position of the last message in the context after each node."""
        self.thoughts: dict[str, list[str]] = {}
        """Reasoning of the reply that follows a node."""
        self.parents = parents_of(self.nodes)
        leaf = as_text(record.get("current_node"))
        for key in tree_order(self.parents, leaf if leaf in self.nodes else next(reversed(self.nodes), "")):
            self.add(key)

    def add(self, key: str) -> None:
        node, before = self.nodes[key], self.parents[key]
        after = self.positions.get(before, -1)
        self.positions[key] = after
        message = fields_of(node.get("message"))
        content = fields_of(message.get("content"))
        thoughts = self.thoughts.get(before, [])
        if content.get("content_type") in ("thoughts", "reasoning_recap"):
            self.thoughts[key] = [*thoughts, *map(_thought, objects_of(content.get("thoughts")))]
            return
        role, parts = self.parts_of(message, content, after)
        if not parts:
            return
        metadata = fields_of(message.get("metadata"))
        facts: dict[str, Any] = {"time": time_of(message.get("create_time")), "after": after}
        if role == "assistant":
            parts = [*thoughts_of(*thoughts), *parts]
            facts["model"] = as_text(metadata.get("model_slug"))
        elif role == "user" and (_is_memory(content) or fields_of(message.get("author")).get("role") != "user"):
            facts |= {"kind": "injected", "is_error": _has_failed(metadata, content)}
        record = {key: value for key, value in message.items() if key != "content"}
        self.positions[key] = self.log.add_parts(key, role, parts, record, **facts)

    def parts_of(self, message: Fields, content: Fields, after: int) -> tuple[Any, list[Part]]:
        """Return the role and the parts of a message. Tool results without a call were added by the program."""
        author = fields_of(message.get("author"))
        role, recipient = as_text(author.get("role")), as_text(message.get("recipient") or "all")
        words = _content_blocks(content)
        if _is_memory(content):
            return "user", [*words]
        if role == "assistant" and recipient != "all":
            text = "\n".join(block.text for block in words if hasattr(block, "text"))
            return "assistant", [call_of(message.get("id"), recipient, text)]
        if role == "tool":
            before = self.log.messages[after] if after >= 0 else None
            if before is not None and before.calls:
                is_error = _has_failed(fields_of(message.get("metadata")), content)
                return "tool", [replace(result_of(before.calls[0].id, "", is_error=is_error), parts=(*words,))]
            return "user", [*words]
        return role if role in ("user", "assistant", "system") else "user", [*words]


def _is_memory(content: Fields) -> bool:
    """Return True if content is the site's information about the user, which it adds to each conversation."""
    return content.get("content_type") in ("user_editable_context", "model_editable_context")


def _has_failed(metadata: Fields, content: Fields) -> bool:
    status = as_text(fields_of(metadata.get("aggregate_result")).get("status"))
    return status.startswith("failed") or content.get("content_type") == "system_error"


def _thought(thought: Fields) -> str:
    return as_text(thought.get("content") or thought.get("summary"))


def _content_blocks(content: Fields) -> list[Any]:
    """Return the parts of the content of a ChatGPT message."""
    if "parts" in content:
        parts = content["parts"] if isinstance(content["parts"], list) else [content["parts"]]
        return [block for part in parts for block in _asset(part) or blocks_of(part)]
    texts = (content.get(name) for name in _TEXTS)
    return [*_asset(content.get("screenshot")), *(block for text in texts if text for block in blocks_of(text))]


_TEXTS = ("text", "result", "user_profile", "user_instructions", "model_set_context")
"""Fields with the text of content without parts."""


def _asset(part: Any) -> list[Block]:
    """Return an image or a recording that is stored with the export, by its name."""
    match part:
        case {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": dict(audio)}:
            return _asset(audio)
        case {"content_type": "audio_asset_pointer", "asset_pointer": str(place)}:
            return [Document(f"audio/{as_text(part.get('format')) or 'wav'}", "recording", source=place)]
        case {"asset_pointer": str(place)}:
            return [Image("", token_count(part, "width"), token_count(part, "height"), place)]
    return []


class ClaudeAI(_ChatExport):
    """Conversations exported by claude.ai."""

    name = "claude-ai"
    order: ClassVar[RecordOrder] = RecordOrder(
        id="uuid", parent="parent_message_uuid", time="created_at", lists="chat_messages"
    )
    features: ClassVar[frozenset[Feature]] = frozenset({"times", "models", "thinking", "branches"})
    page = "https://support.anthropic.com/articles/9450526"
    mark = "chat_messages"

    def zip_confidence(self, sample: Sample) -> float:
        """Return a high confidence for archives that also contain users and projects."""
        names = {name.rpartition("/")[2] for name in sample.members}
        return 0.95 if "projects.json" in names or "users.json" in names else 0.0

    def log_of(self, record: Fields) -> LogBuilder:
        log = LogBuilder("anthropic")
        positions: dict[str, int] = {}
        messages = {
            as_text(message.get("uuid")) or f"m{number}": message
            for number, message in enumerate(objects_of(record["chat_messages"]), 1)
        }
        model = as_text(record.get("model"))
        for name in _claude_order(messages, as_text(record.get("current_leaf_message_uuid"))):
            parent = as_text(messages[name].get("parent_message_uuid"))
            after = positions.get(parent, -1) if parent else None
            _add_claude_message(log, name, messages[name], after, model)
            positions[name] = log.ends.get(MAIN, -1)
        return log


def _claude_order(messages: Mapping[str, Fields], leaf: str) -> Sequence[str]:
    """Return the messages with the current branch last, or in the recorded order if there is no current leaf."""
    if leaf not in messages:
        return list(messages)
    return tree_order({name: as_text(one.get("parent_message_uuid")) for name, one in messages.items()}, leaf)


def _add_claude_message(log: LogBuilder, name: str, message: Fields, after: int | None, model: str) -> None:
    """Add a message. A reply that used tools becomes several messages, with the results between them."""
    is_person = message.get("sender") == "human"
    blocks = objects_of(message.get("content")) or [{"type": "text", "text": as_text(message.get("text"))}]
    attached = [{"text": as_text(file.get("extracted_content"))} for file in objects_of(message.get("attachments"))]
    record = {key: value for key, value in message.items() if key not in ("content", "text")}
    facts: dict[str, Any] = {"time": time_of(message.get("created_at")), "after": after}
    facts |= {} if is_person else {"model": model}
    own: list[Part] = []
    for block in [*_with_ids(blocks, name), *(file for file in attached if file["text"])]:
        if block.get("type") == "tool_result":
            own, facts, record = _with_reply(log, name, own, facts, record)
            is_error = block.get("is_error") is True
            answered = block.get("tool_use_id") or _last_call(log)
            result = result_of(answered, block.get("content"), is_error=is_error)
            log.add_parts(f"{name}-result", "tool", [result], {}, time=facts["time"])
        else:
            own += _claude_parts(block)
    if own:
        log.add_parts(name, "user" if is_person else "assistant", own, record, **facts)


def _with_ids(blocks: list[Fields], name: str) -> Iterator[Fields]:
    """Yield the blocks, with ids for calls without one and for their results."""
    waiting: deque[str] = deque()
    for place, block in enumerate(blocks):
        match block:
            case {"type": "tool_use"} if not block.get("id"):
                waiting.append(f"{name}-{place}")
                yield block | {"id": waiting[-1]}
            case {"type": "tool_result"} if waiting and not block.get("tool_use_id"):
                yield block | {"tool_use_id": waiting.popleft()}
            case _:
                yield block


def _with_reply(
    log: LogBuilder, name: str, own: list[Part], facts: Fields, record: Fields
) -> tuple[list[Part], Fields, Fields]:
    """Add the part of a reply that is complete, and start the next one."""
    if own:
        log.add_parts(name, "assistant", own, record, **facts)
        return [], {**facts, "after": None}, {}
    return own, facts, record


def _last_call(log: LogBuilder) -> str:
    """Return the id of a result, or that of the last call."""
    return next((message.calls[-1].id for message in reversed(log.messages) if message.calls), "")


def _claude_parts(block: Fields) -> list[Part]:
    match block.get("type"):
        case "tool_use":
            return [call_of(block.get("id"), block.get("name"), block.get("input"))]
        case "thinking":
            return [*thoughts_of(block.get("thinking"))]
        case "token_budget" | "flag":
            return []
    return [part for part in blocks_of(block) if not isinstance(part, ToolCall)]
