"""Files that tools keep next to sessions and that contain no conversation, with the file to open instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from inspector.core.text import clip, dumps, word_set
from inspector.formats.reading.content import Sample
from inspector.llm.providers import as_text

_ASKED = word_set("messages input request kwargs traj")
"""Fields with the messages of a request."""
_FIELDS = word_set(
    "type message error code status statusCode status_code detail details request_id requestId source name data "
    "timestamp param id success title reason object stack retryable"
)
"""Fields of an error."""
_BARE = word_set("message detail error request_id status code")
"""Fields of an error without a type."""
_TELLING = word_set("error detail message data")
_KIND = re.compile(r"(?i)err|fail|exception|not_?found|limit|overload|invalid|denied|unauthori|forbidden|timeout|abort")
"""Types and names of errors: `invalid_request_error`, `APIError`, `not_found`."""
_MAX_RECORDS = 20
_MAX_WORDS = 100


@dataclass(frozen=True, slots=True)
class UnsupportedFile:
    """A known kind of file that is not a session."""

    what: str
    """Description that follows "it is"."""
    instead: str
    """The file to open instead, as it follows "open", or ""."""
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
    only: tuple[tuple[str, str], ...] = ()
    """Values of fields that each record has."""
    without: str = ""
    """Texts that the records do not contain."""
    text: str = ""
    """A text that they contain."""

    def matches(self, sample: Sample) -> bool:
        """Return True if a sample is of this kind."""
        records = [frozenset(sample.tables)] if sample.tables else [frozenset(record) for record in sample.objects]
        if not records or not all(self.fields <= names for names in records) or not self.first <= records[0]:
            return False
        if self.types or self.only:
            return self._has_types(sample, records)
        is_known = self.is_open or all(names <= self.fields | self.others | self.first for names in records)
        return is_known and self._has_texts(sample)

    def _has_texts(self, sample: Sample) -> bool:
        """Return True if the records contain the text that they must, and none that they must not."""
        texts = [dumps(record) for record in sample.objects] if self.without or self.text else []
        has_text = not self.text or any(self.text in text for text in texts)
        return has_text and not any(word in text for text in texts for word in self.without.split())

    def _has_types(self, sample: Sample, records: list[frozenset[str]]) -> bool:
        """Return True if the records have these types, and none contains the messages of a request."""
        if self.only:
            return all(record.get(name) == value for record in sample.objects for name, value in self.only)
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
        "the prompts typed into Gemini CLI, without the replies",
        "a file in the folder chats next to it",
        "sessionId messageId type message timestamp",
    ),
    _unsupported_file(
        "the prompts typed into Claude Code, without the replies",
        "a transcript in the folder projects next to it",
        "display pastedContents timestamp project",
        "sessionId",
    ),
    _unsupported_file(
        "the prompts typed into Codex, without the replies",
        "a rollout in the folder sessions next to it",
        "session_id ts text",
    ),
    _unsupported_file(
        "the output of codex exec, without the prompt",
        "the rollout in the folder sessions of Codex",
        "type",
        types="thread.started turn. item. error",
    ),
    _unsupported_file(
        "OpenTelemetry logs without GenAI messages, such as those of Claude Code",
        "the transcript in the folder projects of Claude Code",
        "resourceLogs",
        without="gen_ai. claude_code.user_prompt claude_code.api_request",
    ),
    _unsupported_file(
        "the result of a Claude Code run, without its messages",
        "the transcript in the folder projects, or run it with --output-format stream-json --verbose",
        "type subtype is_error num_turns session_id",
        types="result",
    ),
    _unsupported_file(
        "a reply of Anthropic's Messages API, without the prompt",
        "the request, or a log that has both",
        "id type role content stop_reason usage",
        is_open=True,
        only=(("type", "message"),),
    ),
    _unsupported_file(
        "a model's response to one request, without the prompt",
        "the request, or a log that has both",
        "id object choices",
        types="chat.completion",
    ),
    _unsupported_file(
        "a model's response to one request, without the prompt",
        "the request, or a log that has both",
        "id object output status",
        types="response",
    ),
    _unsupported_file(
        "a model's response to one request, without the prompt",
        "the request, or a log that has both",
        "candidates",
        "usageMetadata modelVersion responseId promptFeedback createTime",
    ),
    _unsupported_file(
        "the events of a streamed response, without the prompt",
        "the request, or a log that has both",
        "type",
        types="message_ content_block_ ping response.",
    ),
    _unsupported_file(
        "the responses of a batch, without the prompts",
        "the file with the requests of the batch",
        "custom_id result",
    ),
    _unsupported_file(
        "the responses of a batch, without the prompts",
        "the file with the requests of the batch",
        "id custom_id response error",
    ),
    _unsupported_file(
        "a task list of Claude Code",
        "a transcript in the folder projects",
        "content status activeForm",
        "id priority",
    ),
    _unsupported_file(
        "events of an opencode session, without its messages",
        "opencode.db, or the rows of its tables message and part",
        "id session_id type time_created time_updated data",
        "seq",
    ),
    _unsupported_file(
        "a log of hook events of Codex or Claude Code, without the conversation",
        "the transcript named in transcript_path",
        "session_id hook_event_name cwd",
        is_open=True,
    ),
    _unsupported_file(
        "a rollout of Trae's version of Codex, whose messages have a format that is not supported",
        "",
        "timestamp type payload",
        types="session_meta turn_context history_mutation token_usage_record event_msg compacted world_state",
        mark="history_mutation",
    ),
    _unsupported_file(
        "the display events of a Kimi CLI session",
        "context.jsonl next to it",
        "",
        "timestamp message",
        first=word_set("type protocol_version"),
    ),
    _unsupported_file(
        "a conversation of LM Studio, whose messages have a format that is not supported",
        "",
        "messages usePerChatPredictionConfig",
        is_open=True,
    ),
    _unsupported_file(
        "a request logged by Goose, with the streamed reply",
        "sessions.db in the folder of Goose",
        "",
        "input data usage error",
        first=word_set("model_config input"),
    ),
    _unsupported_file(
        "the tree of a Posit Assistant conversation, without the texts of its messages",
        "lm-messages.jsonl in the same folder",
        "schemaVersion root messages files",
    ),
    _unsupported_file(
        "a store of Cursor's agent, whose messages have a format that is not supported",
        "a transcript in the folder agent-transcripts",
        "blobs meta",
    ),
    _unsupported_file(
        "a database of threads, such as Zed's, whose compressed messages cannot be read",
        "a thread exported as JSON",
        "threads",
    ),
    _unsupported_file(
        "the database of Phoenix, whose traces cannot be read from it",
        "traces exported as JSON",
        "projects traces spans span_annotations",
        is_open=True,
    ),
)
"""The fields are those of recorded files, or of the tools' source code."""


_REPLY = "the request, or a log that has both"


def _fallback(what: str, instead: str, fields: str, others: str = "", **facts: Any) -> UnsupportedFile:
    return _unsupported_file(what, instead, fields, others, is_open=not others, **facts)


FALLBACKS = (
    _fallback(
        "a trace of GitHub Copilot in Visual Studio, without the messages of a model call",
        "a trace that was recorded with message content",
        "resourceSpans",
        text="vs-copilot",
    ),
    _fallback(
        "a span or a trace of OpenTelemetry without the messages of a model call",
        "a trace that was recorded with message content",
        "resourceSpans",
    ),
    _fallback(
        "spans of Microsoft's Agents SDK for channels, which records no messages of a model call",
        "",
        "name attributes status",
        text='"agents.app.',
    ),
    _fallback(
        "a list of spans without the messages of a model call",
        "a trace that was recorded with message content",
        "name attributes status",
    ),
    _fallback("a reply of Amazon Bedrock's Converse API, without the prompt", _REPLY, "output stopReason usage"),
    _fallback("a reply of Google's Interactions API, without the prompt", _REPLY, "id status usage steps"),
    _fallback("the events of a reply of Google's Interactions API, without the prompt", _REPLY, "event_type"),
    _fallback(
        "recorded replies of an HTTP server for tests (nock), without the prompts", _REPLY, "scope method path response"
    ),
    _fallback("recorded replies for tests of Gemini CLI, without the prompts", "a chat below chats", "method response"),
    _fallback(
        "the signals of a Grok Build session, without its messages",
        "chat_history.jsonl in the same folder",
        "turnCount userMessageCount contextTokensUsed",
    ),
    _fallback(
        "the summary of a Grok Build session, without its messages",
        "chat_history.jsonl in the same folder",
        "info session_summary current_model_id",
    ),
    _fallback(
        "the metadata of a Mistral Vibe session, without its messages",
        "messages.jsonl in the same folder",
        "session_id start_time stats",
    ),
    _fallback("an agent of a Strands session, without its messages", "session.json two folders up", "agent_id state"),
    _fallback(
        "a single message of a Strands session",
        "session.json in the folder of the session",
        "message message_id redact_message",
    ),
    _fallback(
        "the list of Posit Assistant conversations, without their messages",
        "lm-messages.jsonl in a folder of a conversation",
        "conversations schemaVersion",
    ),
    _fallback("a workspace of Posit Assistant, without conversations", "", "path", "createdAt"),
    _fallback("usage and status of a run of Open Design, without its messages", "", "id event timestamp data"),
    _fallback(
        "the metadata of generations of Antigravity, without its messages",
        "transcript.jsonl below brain",
        "conversationId layout rows",
    ),
    _fallback("a page of Cursor's usage, without conversations", "", "totalUsageEventsCount usageEventsDisplay"),
    _fallback("the limits of a Claude subscription, without conversations", "", "five_hour seven_day"),
    _fallback(
        "the input of Claude Code's status line, without the conversation",
        "the transcript that it names (transcript_path)",
        "session_id transcript_path workspace",
    ),
    _fallback("a change of Kimi Code's settings, without messages", "a session with messages", "type modelAlias"),
    _fallback("the events of a CrewAI run, without the messages of a model call", "", "type event_id crew_name"),
    _fallback(
        "the events of a CrewAI run, without the messages of a model call",
        "",
        "type timestamp",
        first=word_set("crew_name"),
    ),
    _fallback("the events of a LangGraph run, without the prompts", "a trace, or the checkpoints", "event run_id"),
    _fallback("rows of a Datasette query, without conversations", "the database itself", "rows columns query_ms"),
    _fallback("a segment of Polylogue's archive", "the recording that it was made of", "record_id session_id seq kind"),
    _fallback("a single record of an Omnigent session", "", "call_id", "output agent name arguments"),
    _fallback(
        "a single record of an Omnigent session",
        "",
        "model",
        "summary applied rationale kind name arguments last_item_id token_count",
    ),
    _fallback("a single record of an Omnigent session", "", "kind input", "model"),
    _fallback("a single record of an Omnigent session", "", "source code message", "model"),
)
"""Kinds that have fields of other files, too. They are tried if no format recognizes a file."""


def find_unsupported(sample: Sample) -> UnsupportedFile | None:
    """Return the kind of unsupported file that a sample has, or None."""
    if words := _error_words(sample.records):
        count = "an error" if len(sample.records) == 1 else "errors"
        return UnsupportedFile(f"{count} without a conversation ({words})", "", frozenset())
    return next((unsupported_file for unsupported_file in STRANGERS if unsupported_file.matches(sample)), None)


def find_fallback(sample: Sample) -> UnsupportedFile | None:
    """Return the kind of a file that no format recognizes, or None."""
    names = [record[0] if isinstance(record, list) and record else None for record in sample.records]
    if names and all(isinstance(name, str) and name.startswith("client.") for name in names):
        return UnsupportedFile("the recorded calls of an API client, without a request to a model", "", frozenset())
    return next((unsupported_file for unsupported_file in FALLBACKS if unsupported_file.matches(sample)), None)


def _error_words(records: tuple[Any, ...]) -> str:
    """Return the message of the first record if all are errors, or ""."""
    some = records[:_MAX_RECORDS]
    words = [_message_in(record) if isinstance(record, dict) else "" for record in some]
    return clip(words[0], _MAX_WORDS) if words and all(words) else ""


def _message_in(record: dict[str, Any]) -> str:
    """Return the message of an error, or "" for other objects."""
    if not record.keys() <= _FIELDS or _TELLING.isdisjoint(record):
        return ""
    kinds = " ".join(str(record.get(name)) for name in ("type", "name", "source", "code", "status", "object"))
    is_bare = record.keys() <= _BARE
    inner = next((record[name] for name in ("error", "detail", "data") if record.get(name)), None)
    words = [record.get("message"), inner.get("message") if isinstance(inner, dict) else inner]
    text = next((word for word in words if isinstance(word, str) and word.strip()), "")
    return text if is_bare or "error" in record or _KIND.search(kinds) else ""
