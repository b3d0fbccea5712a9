"""Contexts of Claude Code that repeat messages of an earlier one. The log repeats these messages.

A compaction may keep the newest messages verbatim: its `compact_boundary` names them, and they follow the summary, or
precede it if they hang from the boundary itself. A `microcompact_boundary` names calls whose results are cleared
without a summary: the next context is the same with a few words in their place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from inspector.core.conversation import LARGEST_SIZE, InMemoryBody, Message
from inspector.formats.building.log_builder import MAX_COPIES
from inspector.formats.readers.claude_code.file_body import WIRE
from inspector.formats.readers.claude_code.message_drafts import MessageDraft, text_in
from inspector.formats.reading.problems import Problems
from inspector.llm.providers import message_from_raw

_CLEARED = "[Old tool result content cleared]"
"""Text that Claude Code sends in the place of a result."""
_COPY = "#again"
"""Behind the id of a message, before a number: the id of a copy, by which `Session.original_of` finds the first."""


class KeptRun(NamedTuple):
    """Messages that a compaction kept verbatim in addition to its summary. All of them are of one thread."""

    first: MessageDraft
    last: MessageDraft
    members: Set[MessageDraft]
    """Those between them that were kept; none for all of them."""
    leads: bool
    """True if they precede the summary, False if they follow it."""

    def features(self, draft: MessageDraft) -> bool:
        """Return True if a draft is in the run, or on an abandoned branch between its first and last message."""
        is_between = self.first.number <= draft.number <= self.last.number and draft.thread == self.last.thread
        return draft in self.members if self.members else is_between


def kept_by(
    record: dict[str, Any], by_uuid: Mapping[str, MessageDraft | None], drafts: Sequence[MessageDraft], thread: str
) -> KeptRun | None:
    """Return the messages of a thread that a compaction kept according to its boundary; None for none.

    `by_uuid` holds the draft that each record became, the last one if it became several.

    Args:
        record: Boundary record of the compaction.
        by_uuid: Draft that each record became, the last one if it became several.
        drafts: Messages so far.
        thread: Conversation that was compacted.
    """
    match record.get("compactMetadata"):
        case {"preservedMessages": {"uuids": [_, *_] as uuids} as run}:
            names = uuids
        case {"preservedSegment": {"headUuid": str(first), "tailUuid": str(last)} as run}:
            names, uuids = [first, last], []
        case _:
            return None
    ends = [by_uuid.get(name) for name in names if isinstance(name, str)]
    places = {place for end in ends if end and end.thread == thread for place in _places_of(end)}
    known = [drafts[place] for place in sorted(places)]
    if not known:
        return None
    leads = bool(text_in(record, "uuid")) and run.get("anchorUuid") == record.get("uuid")
    return KeptRun(known[0], known[-1], frozenset(known if uuids else ()), leads)


def _places_of(draft: MessageDraft) -> range:
    """Return the numbers of the drafts of its record, of which it is the last."""
    return range(draft.number - draft.piece, draft.number + 1)


def replaced_by(record: Mapping[str, Any]) -> tuple[int, int]:
    """Return the tokens that the context of a compaction had, and the number of messages that it kept."""
    facts = record.get("compactMetadata")
    facts = facts if isinstance(facts, dict) else {}
    tokens, kept = facts.get("preTokens"), facts.get("preservedMessages")
    names = kept.get("uuids") if isinstance(kept, dict) else None
    size = tokens if type(tokens) is int and 0 < tokens <= LARGEST_SIZE else 0
    return size, len(names) if isinstance(names, list) else 0


def note_clearing(clearings: dict[str, Set[str]], notice: str, record: Mapping[str, Any]) -> None:
    """Put the calls whose results a record says that the program cleared under the id of its notice; none for none.

    Args:
        clearings: Cleared calls by the id of the notice, which is changed.
        notice: Id of the notice.
        record: Record that names the calls.
    """
    facts = record.get("microcompactMetadata")
    calls = facts.get("compactedToolIds") if isinstance(facts, dict) else None
    names = frozenset(call for call in calls if isinstance(call, str)) if isinstance(calls, list) else frozenset()
    if names:
        clearings[notice] = names


class LogWithCopies:
    """A log with the contexts after its clearings and compactions. Without any, it is the log itself.

    Adding messages at the end takes time that is linear in them; a clearing or a compaction also copies its context.
    """

    def __init__(self, clearings: Mapping[str, Set[str]], kept: Mapping[str, KeptRun], problems: Problems) -> None:
        """Start with an empty log.

        Args:
            clearings: Ids of the calls whose results were cleared, by the id of the notice of the clearing.
            kept: Messages that compactions kept, by the ids of their summaries.
            problems: Receives a problem if there are too many copies.
        """
        self.messages: list[Message] = []
        self._clearings = clearings
        self._kept = kept
        self._problems = problems
        self._has_all_kept = True
        self._places: list[int] = []
        """For each message of the log without copies, its position here."""
        self._copies: dict[int, int] = {}
        """For each message here that is repeated later, the position of its copy."""
        self._results: dict[str, int] = {}
        """The position of the newest answer to each call."""
        self._end = 0
        """Messages of that log up to the last clearing or compaction that kept something."""
        self._originals: dict[int, int] = {}
        """For each copy here, the position of the first message that says it."""
        self._newest_copies: dict[int, int] = {}
        """The other way round, for the newest copy."""
        self._steps = 0
        """Messages that were looked at for what was kept."""
        self._times: Counter[str] = Counter()
        """Number of copies of each message, by its id."""
        self._ids: set[str] = set()

    def update(self, log: list[Message], same: int) -> int:
        """Take in a log, the first `same` messages of which are as they were. Gives as many as are the same here."""
        if not self._clearings and not self._kept:
            self.messages = log
            return same
        if same < self._end or len(self._places) < same:
            self._begin()
            same = 0
        stable = self._places[same] if same < len(self._places) else len(self.messages)
        del self._places[same:]
        del self.messages[stable:]
        for message in log[same:]:
            self._feed(message)
        return stable

    def _feed(self, message: Message) -> None:
        """Add the next message of the log without copies, and the copies that it causes."""
        before = self._newest(self._places[message.parent]) if message.parent >= 0 else -1
        kept = self._kept.get(message.id)
        if kept and kept.leads:
            before = self._keep(kept, before)
        self._places.append(len(self.messages))
        self._add(replace(message, parent=before) if before != message.parent else message)
        if kept and not kept.leads:
            end = self._keep(kept, self._places[-1])
            if end != self._places[-1]:
                self._copies[self._places[-1]] = end
        if message.id in self._clearings:
            self._clear(self._clearings[message.id])
        if kept or message.id in self._clearings:
            self._end = len(self._places)

    def _begin(self) -> None:
        self.messages, self._places, self._end = [], [], 0
        self._copies, self._results, self._ids = {}, {}, set()
        self._originals, self._newest_copies, self._steps, self._times = {}, {}, 0, Counter()

    def _add(self, message: Message) -> None:
        if message.answers is not None:
            self._results[message.answers] = len(self.messages)
        self._ids.add(message.id)
        self.messages.append(message)

    def _newest(self, position: int) -> int:
        """Return the position of the newest copy of a message, which its successors continue from."""
        while position in self._copies:
            position = self._copies[position]
        return position

    def _keep(self, kept: KeptRun, before: int) -> int:
        """Add copies of the kept messages after the message at a position. Return the position of the last."""
        first, last = self._places[kept.first.position], self._places[kept.last.position]
        members = {self._places[draft.position] for draft in kept.members}
        chain: list[int] = []
        at = self._newest_copies.get(last, last)
        while at >= 0 and self._steps < MAX_COPIES:
            self._steps += 1
            original = self._originals.get(at, at)
            if self.messages[at].kind != "notice" and (original in members if members else original >= first):
                chain.append(at)
            at = self.messages[at].parent if original != first else -1
        if at >= 0:
            chain = []
            self._tell_of_missing()
        for place in reversed(chain):
            self._add_copy(place, self._repeat(self.messages[place], before))
            before = len(self.messages) - 1
        return before

    def _tell_of_missing(self) -> None:
        if self._has_all_kept:
            self._problems.add(f"its compactions keep more than {MAX_COPIES:,} messages: some contexts lack them")
        self._has_all_kept = False

    def _add_copy(self, position: int, copy: Message) -> None:
        original = self._originals.get(position, position)
        self._originals[len(self.messages)] = original
        self._newest_copies[original] = len(self.messages)
        self._add(copy)

    def _repeat(self, message: Message, parent: int) -> Message:
        """Return a copy of a message with another parent."""
        kind = message.kind_of_copy
        return replace(message, id=self._name_of_copy(message), parent=parent, kind=kind, usage=None)

    def _name_of_copy(self, message: Message) -> str:
        original = message.id.rpartition(_COPY)[0] or message.id
        name = ""
        while not name or name in self._ids:
            self._times[original] += 1
            name = f"{original}{_COPY}{self._times[original]}"
        return name

    def _clear(self, calls: Set[str]) -> None:
        """Let what follows the newest message go on from a context without the results of some calls."""
        first = min((self._results[call] for call in calls if call in self._results), default=len(self.messages))
        notice = len(self.messages) - 1
        chain: list[int] = []
        at = self.messages[notice].parent
        while at >= first and len(chain) + len(self._copies) < MAX_COPIES:
            chain.append(at)
            at = self.messages[at].parent
        while chain and self.messages[chain[-1]].answers not in calls:
            at = chain.pop()
        for position in reversed(chain):
            self._copies[position] = len(self.messages)
            self._add_copy(position, self._copy(self.messages[position], at, calls))
            at = len(self.messages) - 1
        if chain:
            self._copies[notice] = at

    def _copy(self, message: Message, parent: int, calls: Set[str]) -> Message:
        """Return a copy of a message with another parent; its result may be cleared."""
        if message.answers not in calls:
            return self._repeat(message, parent)
        raw = {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": message.answers, "content": _CLEARED}],
        }
        body = InMemoryBody(raw, {})
        facts = {"agent": message.agent, "parent": parent, "time": message.time, "name": message.name}
        return message_from_raw(self._name_of_copy(message), raw, WIRE.name, body=body, **facts)
