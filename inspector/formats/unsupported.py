"""Files that tools keep next to sessions and that contain no conversation, with the file to open instead."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

from inspector.core.text import word_set
from inspector.formats.reading.content import Sample
from inspector.llm.providers import as_text

_ASKED = word_set("messages input request kwargs traj")
"""Fields with the messages of a request."""


@dataclass(frozen=True, slots=True)
class UnsupportedFile:
    """A known kind of file that is not a session."""

    what: str
    """Description that follows "it is"."""
    instead: str
    """The file to open instead, as it follows "open"; "" if there is none."""
    fields: frozenset[str]
    """Fields of each record, or tables of a database."""
    others: frozenset[str] = frozenset()
    """Fields that a record may also have."""
    types: tuple[str, ...] = ()
    """Prefixes of the field `type` or `object` of each record."""
    first: frozenset[str] = frozenset()
    """Fields of the first record only."""
    mark: str = ""
    """A type that one of the records has."""
    is_open: bool = False
    """True if records may have any other field."""

    def matches(self, sample: Sample) -> bool:
        """Return True if a sample is of this kind."""
        records = [frozenset(sample.tables)] if sample.tables else [frozenset(record) for record in sample.objects]
        if not records or not all(self.fields <= names for names in records) or not self.first <= records[0]:
            return False
        if self.types:
            return self._has_types(sample, records)
        return self.is_open or all(names <= self.fields | self.others | self.first for names in records)

    def _has_types(self, sample: Sample, records: list[frozenset[str]]) -> bool:
        """Return True if the records have these types, and none contains the messages of a request."""
        kinds = [as_text(record.get("type") or record.get("object")) for record in sample.objects]
        is_asked = not _ASKED.isdisjoint(chain.from_iterable(records))
        is_marked = not self.mark or self.mark in kinds
        return is_marked and not is_asked and all(kind.startswith(self.types) for kind in kinds)


def _unsupported_file(
    what: str, instead: str, fields: str, others: str = "", *, types: str = "", **facts: Any
) -> UnsupportedFile:
    return UnsupportedFile(what, instead, word_set(fields), word_set(others), tuple(types.split()), **facts)


STRANGERS = (
    _unsupported_file(
        "the prompts that were typed into Gemini CLI, without the replies",
        "a file of the folder chats beside it",
        "sessionId messageId type message timestamp",
    ),
    _unsupported_file(
        "the prompts that were typed into Claude Code, without the replies",
        "a transcript below projects beside it",
        "display pastedContents timestamp project",
        "sessionId",
    ),
    _unsupported_file(
        "the prompts that were typed into Codex, without the replies",
        "a rollout below sessions beside it",
        "session_id ts text",
    ),
    _unsupported_file(
        "what codex exec printed of a run, without what it was asked",
        "the rollout below sessions in Codex's own folder",
        "type",
        types="thread.started turn. item. error",
    ),
    _unsupported_file(
        "the result of a run of Claude Code, without its messages",
        "the transcript below projects, or run it with --output-format stream-json --verbose",
        "type subtype is_error num_turns session_id",
        types="result",
    ),
    _unsupported_file(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "id object choices",
        types="chat.completion",
    ),
    _unsupported_file(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "id object output status",
        types="response",
    ),
    _unsupported_file(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "candidates",
        "usageMetadata modelVersion responseId promptFeedback createTime",
    ),
    _unsupported_file(
        "the events of an answer as it was streamed, without what was asked",
        "the request, or a log that has both",
        "type",
        types="message_ content_block_ ping response.",
    ),
    _unsupported_file(
        "the answers of a batch, without what was asked",
        "the file of requests that the batch was made of",
        "custom_id result",
    ),
    _unsupported_file(
        "the answers of a batch, without what was asked",
        "the file of requests that the batch was made of",
        "id custom_id response error",
    ),
    _unsupported_file(
        "a list of tasks that Claude Code kept",
        "a transcript below projects",
        "content status activeForm",
        "id priority",
    ),
    _unsupported_file(
        "events of a session of opencode, without its messages",
        "opencode.db, or the rows of its table message or part",
        "id session_id type time_created time_updated data",
        "seq",
    ),
    _unsupported_file(
        "a log of what hooks of Codex or Claude Code were told, without the conversation",
        "the transcript that it names (transcript_path)",
        "session_id hook_event_name cwd",
        is_open=True,
    ),
    _unsupported_file(
        "a rollout of Trae's own Codex, which keeps its messages in a form that is not read here",
        "",
        "timestamp type payload",
        types="session_meta turn_context history_mutation token_usage_record event_msg compacted world_state",
        mark="history_mutation",
    ),
    _unsupported_file(
        "what Kimi CLI told its screen of a session, in pieces",
        "context.jsonl beside it",
        "",
        "timestamp message",
        first=word_set("type protocol_version"),
    ),
    _unsupported_file(
        "a conversation of LM Studio, which keeps its messages in a form that is not read here",
        "",
        "messages usePerChatPredictionConfig",
        is_open=True,
    ),
    _unsupported_file(
        "a request that Goose logged, with the reply as it came in pieces",
        "sessions.db in Goose's own folder",
        "",
        "input data usage error",
        first=word_set("model_config input"),
    ),
    _unsupported_file(
        "the tree of a conversation with Posit Assistant, without the words of its messages",
        "",
        "schemaVersion root messages files",
    ),
    _unsupported_file(
        "a store of Cursor's agent, which keeps messages in a form of its own",
        "a transcript below agent-transcripts",
        "blobs meta",
    ),
    _unsupported_file(
        "the state of an editor, with chats in forms of its own",
        "a chat that was exported",
        "ItemTable",
        "cursorDiskKV",
    ),
)
"""The fields are those of recorded files, or of the tools' source code."""


def find_unsupported(sample: Sample) -> UnsupportedFile | None:
    """Return the kind of unsupported file that a sample has, or None."""
    return next((unsupported_file for unsupported_file in STRANGERS if unsupported_file.matches(sample)), None)
