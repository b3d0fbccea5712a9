"""Words that users typed, and notices of the program, while the agent worked: `queue-operation` records.

An `enqueue` record has the words. They leave the queue in one of three ways:

- `remove`: the next call of the same turn sends them. No record of the user follows; newer versions also write an
  attachment (`queued_command`) with the words, before or after the `remove`.
- `dequeue`: they begin the next turn, as an ordinary record of the user.
- `popAll`: they return to the input box, and nothing is sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspector.formats.readers.claude_code.file_body import WIRE, raw_of
from inspector.formats.readers.claude_code.message_drafts import RecordLine, text_in
from inspector.formats.readers.claude_code.record_kinds import content_text
from inspector.llm.providers import metadata_of

_SENT_REASONS = ("", "absorbed_mid_turn")
"""Reasons of a `remove` that sent the words. Versions before 2.1.246 state none."""
_NOT_SENT = re.compile(r'\s*(?:/[\w:-]+(?:\s|$)|\{"task_id":)')
"""Slash commands, which wait for the next turn, and notes of a started task, which never leave the queue."""
_MAX_WAITING = 1_000


@dataclass(slots=True)
class QueuedWords:
    """Queue of the main conversation of a transcript. Each list begins with the oldest words."""

    waiting: list[RecordLine] = field(default_factory=list)
    """The `enqueue` records of the words in the queue."""
    sent: list[tuple[RecordLine, str]] = field(default_factory=list)
    """The same of words that the next call sends, with the time of their `remove`."""
    attached: list[str] = field(default_factory=list)
    """Words of attachments whose `remove` has not been read yet."""

    def note(self, line: RecordLine) -> None:
        """Follow a `queue-operation` record. Operations on an empty queue are ignored."""
        match line.record.get("operation"):
            case "enqueue":
                if not _NOT_SENT.match(_queued_text(line)):
                    self.waiting = [*self.waiting[1 - _MAX_WAITING :], line]
            case "remove" if self.waiting:
                self._remove(line)
            case "dequeue" if self.waiting:
                self._leave(line)
            case "popAll":
                self.waiting = []
        if not self.waiting:
            self.attached = []

    def note_attached(self, words: str) -> None:
        """Note that an attachment holds words that were sent, so that they are not read twice."""
        if self.sent:
            del self.sent[_index_in_queue(words, [_queued_text(line) for line, _ in self.sent])]
        elif self.waiting:
            self.attached = [*self.attached[1 - _MAX_WAITING :], words]

    def take_sent(self, record: Mapping[str, Any]) -> list[tuple[RecordLine, str]]:
        """Take the words that were sent before a record, except those that it repeats."""
        message = record.get("message")
        repeated = content_text(message.get("content")) if isinstance(message, dict) else ""
        sent, self.sent = self.sent, []
        return [(line, time) for line, time in sent if _queued_text(line) != repeated]

    def _remove(self, line: RecordLine) -> None:
        removed = self._leave(line)
        words = _queued_text(removed)
        if self.attached:
            del self.attached[_index_in_queue(words, self.attached)]
        elif words.strip() and text_in(line.record, "reason") in _SENT_REASONS:
            self.sent.append((removed, text_in(line.record, "timestamp")))

    def _leave(self, line: RecordLine) -> RecordLine:
        """Remove the words that a record states from the queue, or the oldest ones."""
        return self.waiting.pop(_index_in_queue(_queued_text(line), [_queued_text(one) for one in self.waiting]))


def is_next_message(record: Mapping[str, Any], open_id: str) -> bool:
    """Return True if a record begins a reply, or words or a compaction that follow what the user queued.

    Args:
        record: A record of any kind.
        open_id: Id of the newest API message of the main conversation, of which more lines may follow.
    """
    message = record.get("message")
    fields = message if isinstance(message, dict) else {}
    match record.get("type"):
        case _ if record.get("isSidechain"):
            return False
        case "assistant":
            return not open_id or fields.get("id") != open_id
        case "user":
            return not record.get("isMeta") and metadata_of(WIRE.parse(raw_of(record))).answers is None
    return record.get("subtype") == "compact_boundary"


def _index_in_queue(words: str, queue: Sequence[str]) -> int:
    """Return the place of words in a queue; 0 if they are not there: the oldest words leave it first."""
    return queue.index(words) if words in queue else 0


def _queued_text(line: RecordLine) -> str:
    return content_text(raw_of(line.record)["content"])
