"""Files that tools keep beside sessions, and that hold no conversation: what each is, and what to open instead."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.formats.sample import Sample


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

    def matches(self, sample: Sample) -> bool:
        """Whether a file with this sample is one."""
        records = [frozenset(sample.tables)] if sample.tables else [frozenset(record) for record in sample.objects]
        return bool(records) and all(self.fields <= names <= self.fields | self.others for names in records)


def _stranger(what: str, instead: str, fields: str, others: str = "") -> Stranger:
    return Stranger(what, instead, frozenset(fields.split()), frozenset(others.split()))


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
        "a list of tasks that Claude Code kept",
        "a transcript below projects",
        "content status activeForm",
        "id priority",
    ),
    _stranger(
        "what opencode records of a session beside its messages",
        "opencode.db, or what opencode export writes",
        "id title time directory version",
        "projectID parentID slug summary share revert permission",
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
