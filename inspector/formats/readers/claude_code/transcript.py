"""From the records of a Claude Code transcript to drafts of its messages, line by line, in the order of the file.

One API message is written over several lines, one block each; results of tools are recorded as the user's; records of
the program are between them. Records are dropped as soon as they are read, so a file of any size takes little memory.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.core.conversation import Kind, Raw, Role, WorkEvents
from inspector.core.text import plural
from inspector.formats.building.ids import MessageIds
from inspector.formats.readers.claude_code.attachments import is_queued_command
from inspector.formats.readers.claude_code.file_body import WIRE, pieces_of, raw_of, unwrap_progress
from inspector.formats.readers.claude_code.kept_runs import KeptRun, kept_by, note_clearing, replaced_by
from inspector.formats.readers.claude_code.message_drafts import MessageDraft, RecordLine, Span, text_in
from inspector.formats.readers.claude_code.printed_records import PrintedRecords
from inspector.formats.readers.claude_code.queued_words import QueuedWords, is_next_message
from inspector.formats.readers.claude_code.record_kinds import (
    MARKS,
    RECORDS_WITHOUT_MESSAGES,
    TITLES,
    content_text,
    is_first_record,
    is_hook_of_tool,
    reply_kind,
    title_in,
    user_kind,
)
from inspector.formats.readers.claude_code.recorded_prompts import SNAPSHOT, RecordedPrompt
from inspector.formats.readers.claude_code.subagent_files import TASK_TOOLS, has_own_file, started_tasks
from inspector.formats.readers.claude_code.work_records import note_work
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import Source
from inspector.llm.providers import MessageMetadata, later_usage, metadata_of, usage_of

_Record = dict[str, Any]

_MAX_NAME_LENGTH = 100
_NOTICES = ("api_error", "microcompact_boundary")


@dataclass(slots=True, eq=False)
class Transcript:
    """Content of the records. `feed_record` adds them one by one."""

    problems: Problems
    drafts: list[MessageDraft] = field(default_factory=list)
    ids: MessageIds = field(default_factory=MessageIds)
    drafts_by_uuid: dict[str, MessageDraft | None] = field(default_factory=dict)
    """For every record by uuid: the draft it became, or else the one it hangs from."""
    threads: dict[str, str] = field(default_factory=dict)
    """The thread of every record of a sub-agent, by uuid."""
    roots: set[str] = field(default_factory=set)
    """The uuids of records without a message that hang from nothing: a cleared context begins with one of a hook."""
    clearings: dict[str, Set[str]] = field(default_factory=dict)
    """The calls whose results were cleared, by the id of the notice of the clearing."""
    replacements: dict[str, str] = field(default_factory=dict)
    """The text that was sent in the place of results that were too long, by the ids of their calls."""
    snapshots: dict[str, RecordedPrompt] = field(default_factory=dict)
    """The system prompt and the tools of each thread, where they are recorded."""
    open: dict[str, tuple[str, MessageDraft]] = field(default_factory=dict)
    """The newest API message of each thread, by its id: further lines of it may come."""
    tasks: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Kinds of sub-agents that were started, by the prompt that each was given."""
    kinds_by_call: dict[str, str] = field(default_factory=dict)
    """The same by the ids of the calls that started them, which name the threads of printed records."""
    prompts: dict[str, str] = field(default_factory=dict)
    """The first words of each thread."""
    kept: dict[str, KeptRun] = field(default_factory=dict)
    """Messages that compactions kept verbatim, by the ids of their summaries."""
    newest_kept: dict[str, tuple[KeptRun, MessageDraft | None]] = field(default_factory=dict)
    """Messages that the last compaction of each thread kept, and its summary, which follows the boundary."""
    boundaries: dict[str, RecordLine] = field(default_factory=dict)
    """Boundary of the last compaction of each thread until its summary follows."""
    sessions: dict[str, None] = field(default_factory=dict)
    """Session ids, in the order in which they appear."""
    forked_from: str = ""
    """Id of the session from which records were copied."""
    begun: int = 0
    """Number of sessions that begin in it with their first record."""
    agents: dict[str, None] = field(default_factory=dict)
    """Agent ids, likewise."""
    own_files: dict[str, bool] = field(default_factory=dict)
    """For each agent in records of progress, True if it has a separate file."""
    titles: dict[str, str] = field(default_factory=dict)
    """Titles that the file gives, by the kind of record that gives it."""
    summaries: dict[str, str] = field(default_factory=dict)
    """Summary records, by the uuid that each speaks of."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Records of kinds that are not known, without a message, by their kind."""
    compacted: int = 0
    """Tokens of the context that a compaction before the first message replaced; 0 if there was none."""
    work: WorkEvents = field(default_factory=WorkEvents)
    """Recorded changes of the state of the work, for the next message of each thread."""
    queue: QueuedWords = field(default_factory=QueuedWords)
    printed: PrintedRecords = field(init=False)

    def __post_init__(self) -> None:
        self.printed = PrintedRecords(self.problems)

    def feed_record(self, record: Any, number: int, source: Source, span: Span | None) -> bool:
        """Add the record of a line. Return False if it is of an unknown kind and has no field of a transcript.

        `span` is the place of the line in the file; None if the record must be held in memory.
        """
        if not isinstance(record, dict):
            self.problems.add("this line is not a record of a transcript", number)
            return False
        record = self.printed.translate(record)
        kind = record.get("type")
        if self.queue.sent and is_next_message(record, self.open.get("", ("", None))[0]):
            self.send_queued(record)
        note_work(self.work, record, self.thread_of(record))
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader:
            message = record.get("message")
            uuid = text_in(record, "uuid")
            reader(self, RecordLine(record, number, source, span, message if isinstance(message, dict) else {}, uuid))
            return True
        self.without_reader(record, kind, number)
        return (isinstance(kind, str) and kind in RECORDS_WITHOUT_MESSAGES) or not MARKS.isdisjoint(record)

    def without_reader(self, record: _Record, kind: Any, number: int) -> None:
        """Note a record that says nothing of the conversation, or is of an unknown kind."""
        if not isinstance(kind, str):
            self.problems.add("this record does not say what it is (it has no type)", number)
            return
        if isinstance(message := record.get("message"), dict) and "role" in message:
            self.problems.add(f"this message was left out: records of the kind {kind[:40]} are not supported", number)
        elif kind not in RECORDS_WITHOUT_MESSAGES:
            self.unknown[kind[:_MAX_NAME_LENGTH]] += 1
        self.register(record, text_in(record, "uuid"), None, self.thread_of(record))

    def thread_of(self, record: _Record) -> str:
        """Return the thread of a record. In old files the records of a sub-agent are recognized by their parents."""
        if not record.get("isSidechain"):
            return ""
        if agent := text_in(record, "agentId"):
            self.agents.setdefault(agent)
            return agent
        return self.threads.get(text_in(record, "parentUuid")) or text_in(record, "uuid") or "?"

    def anchor_of(self, record: _Record) -> MessageDraft | None:
        """Return the draft that a record follows. Records after kept messages continue the context of the summary."""
        draft = self.drafts_by_uuid.get(text_in(record, "parentUuid") or text_in(record, "logicalParentUuid"))
        if draft is not None and draft.thread in self.newest_kept:
            kept, summary = self.newest_kept[draft.thread]
            return summary if summary and kept.features(draft) else draft
        return draft

    def is_root(self, record: _Record) -> bool:
        """Return True if a record says that nothing comes before it, itself or by what it hangs from."""
        parent = record.get("parentUuid", "")
        return parent is None or (isinstance(parent, str) and parent in self.roots)

    def register(self, record: _Record, uuid: str, draft: MessageDraft | None, thread: str) -> None:
        """Record the parent of a record. A record without a message is replaced by its parent."""
        if not self.forked_from and isinstance(origin := record.get("forkedFrom"), dict):
            self.forked_from = text_in(origin, "sessionId")
        if session := text_in(record, "sessionId"):
            self.begun += session not in self.sessions and not thread and is_first_record(record)
            self.sessions.setdefault(session)
        if uuid:
            self.drafts_by_uuid[uuid] = draft or self.anchor_of(record)
            if draft is None and self.is_root(record):
                self.roots.add(uuid)
            if thread:
                self.threads[uuid] = thread

    def is_copy(self, line: RecordLine) -> bool:
        """Return True if this very message was read before: resumed files repeat what came before."""
        draft = self.drafts_by_uuid.get(line.uuid)
        return draft is not None and draft.has(line.uuid, line.record)

    def user(self, line: RecordLine) -> None:
        if not line.message or self.is_copy(line):
            self.without_message(line)
            return
        thread = self.thread_of(line.record)
        self.add_missing_summary(line.record, thread)
        anchor = self.anchor_of(line.record)
        draft: MessageDraft | None = None
        pieces = pieces_of(raw_of(line.record))
        for piece, raw in enumerate(pieces):
            metadata = metadata_of(WIRE.parse(raw))
            if metadata.calls:  # only assistants call tools
                metadata = metadata._replace(calls=())
            kind = user_kind(line.record, raw["content"], metadata)
            role: Role = "tool" if metadata.answers is not None else "user"
            draft = self.add(line, role, kind, metadata, thread, draft or anchor, piece, pieces)
            draft.is_attached = line.record.get("type") == "attachment"
            if thread not in self.prompts and role == "user" and not draft.is_attached:
                self.prompts[thread] = content_text(raw["content"])
        self.register(line.record, line.uuid, draft, thread)

    def attachment(self, line: RecordLine) -> None:
        """Add content of the program: words typed while it worked, files, reminders, its prompt."""
        attachment = line.record.get("attachment")
        if isinstance(attachment, dict) and attachment.get("type") == SNAPSHOT:
            self.note_prompt(line, attachment)
        if content := raw_of(line.record)["content"]:
            if is_queued_command(line.record):
                self.queue.note_attached(content_text(content))
            self.user(replace(line, message={"role": "user", "content": content}))
        else:
            self.register(line.record, line.uuid, None, self.thread_of(line.record))

    def queued(self, line: RecordLine) -> None:
        """Follow the queue of words that were typed while the agent worked."""
        self.queue.note(line)
        self.register(line.record, line.uuid, None, self.thread_of(line.record))

    def send_queued(self, record: _Record) -> None:
        """Add the queued words that were sent before a record: no record of the user has them."""
        for line, time in self.queue.take_sent(record):
            raw = raw_of(line.record)
            metadata = metadata_of(WIRE.parse(raw))
            kind = user_kind(line.record, raw["content"], metadata)
            before = self.drafts[-1] if self.drafts else None
            draft = self.add(line, "user", kind, metadata, "", before, pieces=[raw])
            draft.time = max(time or draft.time, before.time if before else "")
            draft.is_attached = True

    def note_prompt(self, line: RecordLine, snapshot: _Record) -> None:
        """Note a system prompt as it was sent. No message follows it: it is part of every request."""
        thread = self.thread_of(line.record)
        if thread not in self.snapshots:
            self.snapshots[thread] = RecordedPrompt(self.ids.claim(line.uuid or f"line-{line.number}"))
        self.snapshots[thread].feed(snapshot, text_in(line.record, "timestamp"))

    def progress(self, line: RecordLine) -> None:
        """Add a record of progress; in some versions, only these have the messages of sub-agents."""
        thread = self.thread_of(line.record)
        anchor, (_, newest) = self.anchor_of(line.record), self.open.get(thread, ("", None))
        is_late = is_hook_of_tool(line.record) and newest and anchor and newest.number > anchor.number
        self.register(line.record, line.uuid, newest if is_late else None, thread)
        inner = unwrap_progress(line.record)
        feed = _SPEAKERS.get(text_in(inner, "type"))
        if feed and not has_own_file(inner["agentId"], line.source.path, self.own_files):
            message, uuid = inner.get("message"), text_in(inner, "uuid")
            fields = message if isinstance(message, dict) else {}
            feed(self, RecordLine(inner, line.number, line.source, line.span, fields, uuid))

    def without_message(self, line: RecordLine) -> None:
        """Note a record of a message that adds none to the log."""
        if not line.message:
            self.problems.add("this record has no message in it", line.number)
        if line.uuid not in self.drafts_by_uuid:
            self.register(line.record, line.uuid, None, self.thread_of(line.record))

    def assistant(self, line: RecordLine) -> None:
        if not line.message or self.is_copy(line):
            self.without_message(line)
            return
        thread = self.thread_of(line.record)
        self.add_missing_summary(line.record, thread)
        metadata = metadata_of(WIRE.parse(raw_of(line.record)))
        if metadata.answers is not None:  # only users bring results
            metadata = metadata._replace(answers=None, is_error=False)
        open_id, draft = self.open.get(thread, ("", None))
        if draft and open_id and line.message.get("id") == open_id:
            draft.feed(line, metadata)
            draft.usage = later_usage(draft.usage, usage_of(line.message.get("usage")))
        else:
            draft = self.reply(line, metadata, thread)
        if any(call.name in TASK_TOOLS for call in metadata.calls):
            for prompt, kind, call_id in started_tasks(line.message):
                self.tasks[prompt].append(kind)
                self.kinds_by_call[call_id] = kind
        self.register(line.record, line.uuid, draft, thread)

    def reply(self, line: RecordLine, metadata: MessageMetadata, thread: str) -> MessageDraft:
        """Begin a reply with the first line of an API message."""
        kind = reply_kind(line.record, line.message)
        draft = self.add(line, "assistant", kind, metadata, thread, self.anchor_of(line.record))
        if kind == "chat":
            draft.model = sys.intern(text_in(line.message, "model"))
        draft.usage = usage_of(line.message.get("usage"))
        self.open[thread] = (text_in(line.message, "id"), draft)
        return draft

    def system(self, line: RecordLine) -> None:
        thread = self.thread_of(line.record)
        draft, is_new = None, line.uuid not in self.drafts_by_uuid
        if line.record.get("subtype") in _NOTICES and is_new:
            metadata = metadata_of(WIRE.parse(raw_of(line.record)))
            draft = self.add(line, "system", "notice", metadata, thread, self.anchor_of(line.record))
            note_clearing(self.clearings, draft.id, line.record)
        self.register(line.record, line.uuid, draft, thread)
        if line.record.get("subtype") == "compact_boundary":
            if not self.drafts and not thread:
                self.note_earlier(line)
            self.newest_kept.pop(thread, None)
            if kept := kept_by(line.record, self.drafts_by_uuid, self.drafts, thread):
                self.newest_kept[thread] = kept, None
            if line.uuid and is_new:  # what hangs from it begins anew
                self.drafts_by_uuid[line.uuid] = None
                self.roots.add(line.uuid)
                self.boundaries[thread] = line

    def add_missing_summary(self, record: _Record, thread: str) -> None:
        """Add a summary for a compaction without one, before the first record that goes on from it."""
        if thread not in self.boundaries or not (record.get("isCompactSummary") or self.anchor_of(record) is None):
            return
        line = self.boundaries.pop(thread)
        if not record.get("isCompactSummary"):
            raw = raw_of(line.record)
            metadata = metadata_of(WIRE.parse(raw))
            self.drafts_by_uuid[line.uuid] = self.add(line, "user", "summary", metadata, thread, None, pieces=[raw])

    def note_earlier(self, line: RecordLine) -> None:
        """Note a compaction that replaced messages of another file."""
        self.compacted, kept = replaced_by(line.record)
        if kept:
            words = "that the first compaction kept cannot be shown: another file has them"
            self.problems.add(f"{plural(kept, 'message')} {words}", line.number)

    def has_lost_parent(self, record: _Record, thread: str) -> bool:
        """Return True if a message of the main conversation, not the first, hangs from a record that is not here."""
        parent = text_in(record, "parentUuid")
        has_begun = not thread and bool(self.drafts) and self.anchor_of(record) is None
        return has_begun and bool(parent) and parent not in self.drafts_by_uuid

    def replacement(self, line: RecordLine) -> None:
        """Results that were too long: the model never saw them, and saw these words from the beginning."""
        for entry in entries if isinstance(entries := line.record.get("replacements"), list) else ():
            match entry:
                case {"toolUseId": str(call), "replacement": str(text)}:
                    self.replacements.setdefault(call, text)
        self.register(line.record, line.uuid, None, self.thread_of(line.record))

    def set_title(self, line: RecordLine) -> None:
        if (title := title_in(line.record)) and line.record["type"] == "summary":
            self.summaries[text_in(line.record, "leafUuid")] = title
        elif title:
            self.titles[line.record["type"]] = title

    def add(
        self,
        line: RecordLine,
        role: Role,
        kind: Kind,
        metadata: MessageMetadata,
        thread: str,
        anchor: MessageDraft | None,
        piece: int = 0,
        pieces: Sequence[Raw | None] = (None,),
    ) -> MessageDraft:
        record = line.record
        key = (text_in(line.message, "id") if role == "assistant" else "") or line.uuid
        draft = MessageDraft(
            number=len(self.drafts),
            id=self.ids.claim(key or f"line-{line.number}"),
            role=role,
            kind=kind,
            metadata=metadata,
            thread=thread,
            anchor=anchor,
            is_root=self.is_root(record),
            source=line.source,
            key=key,
            piece=piece,
            of=len(pieces),
            spans=[line.span] if line.span else [],
            records=None if line.span else [record],
            raw=None if line.span else pieces[piece],
            time=text_in(record, "timestamp"),
            events=self.work.take(thread),
        )
        if not piece and self.has_lost_parent(record, thread):
            draft.is_root = True
            words = "its parent is not in the file, so the chain of messages breaks here"
            self.problems.add(words, line.number, draft.id)
        self.drafts.append(draft)
        if kind == "summary" and thread in self.newest_kept and self.newest_kept[thread][1] is None:
            kept, _ = self.newest_kept[thread]
            self.newest_kept[thread] = kept, draft
            self.kept[draft.id] = kept
        return draft


_SPEAKERS: dict[str, Callable[[Transcript, RecordLine], None]] = {
    "user": Transcript.user,
    "assistant": Transcript.assistant,
}
_READERS: dict[str, Callable[[Transcript, RecordLine], None]] = {
    **_SPEAKERS,
    "system": Transcript.system,
    "attachment": Transcript.attachment,
    "queue-operation": Transcript.queued,
    "progress": Transcript.progress,
    "content-replacement": Transcript.replacement,
    **dict.fromkeys(TITLES, Transcript.set_title),
}
