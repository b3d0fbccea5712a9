"""Files that tools keep beside sessions, and that hold no conversation: what each is, and what to open instead."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inspector.formats.sample import Sample, words
from inspector.providers import as_text

_ASKED = words("messages input request kwargs traj")
"""Fields that say what was asked."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """A file that is known and cannot be read as a session."""

    what: str
    """What it is, to go behind "it is"."""
    instead: str
    """What to open instead, to go behind "open"."""
    fields: frozenset[str]
    """The fields of each of its records; of a database, its tables."""
    others: frozenset[str] = frozenset()
    """Fields that a record may have beside these."""
    types: tuple[str, ...] = ()
    """How begins what the field `type` or `object` of each record says, where that tells more than the fields do."""

    def matches(self, sample: Sample) -> bool:
        """Whether a file with this sample is one."""
        records = [frozenset(sample.tables)] if sample.tables else [frozenset(record) for record in sample.objects]
        if not records or not all(self.fields <= names for names in records):
            return False
        if self.types:
            kinds = (as_text(record.get("type") or record.get("object")) for record in sample.objects)
            is_asked = not _ASKED.isdisjoint(chain.from_iterable(records))
            return not is_asked and all(kind.startswith(self.types) for kind in kinds)
        return all(names <= self.fields | self.others for names in records)


def _stranger(what: str, instead: str, fields: str, others: str = "", *, types: str = "") -> Stranger:
    return Stranger(what, instead, frozenset(fields.split()), frozenset(others.split()), tuple(types.split()))


STRANGERS = (
    _stranger(
        "the prompts that were typed into Gemini CLI, without the replies",
        "a file of the folder chats beside it",
        "sessionId messageId type message timestamp",
    ),
    _stranger(
        "the prompts that were typed into Claude Code, without the replies",
        "a transcript below projects beside it",
        "display pastedContents timestamp project",
        "sessionId",
    ),
    _stranger(
        "the prompts that were typed into Codex, without the replies",
        "a rollout below sessions beside it",
        "session_id ts text",
    ),
    _stranger(
        "what codex exec printed of a run, without what it was asked",
        "the rollout below sessions in Codex's own folder",
        "type",
        types="thread.started turn. item. error",
    ),
    _stranger(
        "the result of a run of Claude Code, without its messages",
        "the transcript below projects, or run it with --output-format stream-json --verbose",
        "type subtype is_error num_turns session_id",
        types="result",
    ),
    _stranger(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "id object choices",
        types="chat.completion",
    ),
    _stranger(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "id object output status",
        types="response",
    ),
    _stranger(
        "what a model answered to one request, without what was asked",
        "the request, or a log that has both",
        "candidates",
        "usageMetadata modelVersion responseId promptFeedback createTime",
    ),
    _stranger(
        "the events of an answer as it was streamed, without what was asked",
        "the request, or a log that has both",
        "type",
        types="message_ content_block_ ping response.",
    ),
    _stranger(
        "the answers of a batch, without what was asked",
        "the file of requests that the batch was made of",
        "custom_id result",
    ),
    _stranger(
        "the answers of a batch, without what was asked",
        "the file of requests that the batch was made of",
        "id custom_id response error",
    ),
    _stranger(
        "a list of tasks that Claude Code kept",
        "a transcript below projects",
        "content status activeForm",
        "id priority",
    ),
    _stranger(
        "events of a session of opencode, without its messages",
        "opencode.db, or the rows of its table message or part",
        "id session_id type time_created time_updated data",
        "seq",
    ),
    _stranger(
        "a store of Cursor's agent, which keeps messages in a form of its own",
        "a transcript below agent-transcripts",
        "blobs meta",
    ),
    _stranger(
        "the state of an editor, with chats in forms of its own",
        "a chat that was exported",
        "ItemTable",
        "cursorDiskKV",
    ),
)
"""Recorded files of each kind, or the sources of the tools, show their fields."""


def find_stranger(sample: Sample) -> Stranger | None:
    """The known file without a conversation that a sample is of; None for any other."""
    return next((stranger for stranger in STRANGERS if stranger.matches(sample)), None)
