"""Claude Code transcripts: one JSON record per line, in chronological order.

The system prompt and the tools are not in these files. Conversations of sub-agents are: in old files between the lines
of the main one, since 2.0 in separate files, first in the same folder and later in a subfolder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatch
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, Message, Problem, Raw, Session, SizeFacts
from inspector.core.text import plural, word_set
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch, IncrementalReader
from inspector.formats.building.call_order import CallOrder
from inspector.formats.building.ids import digest, first_words, shorten_title
from inspector.formats.readers.claude_code.earlier_records import earlier_ids
from inspector.formats.readers.claude_code.file_body import WIRE
from inspector.formats.readers.claude_code.kept_runs import LogWithCopies
from inspector.formats.readers.claude_code.message_drafts import Span
from inspector.formats.readers.claude_code.record_kinds import MARKS
from inspector.formats.readers.claude_code.recorded_prompts import LogWithPrompts
from inspector.formats.readers.claude_code.subagent_files import owner_of
from inspector.formats.readers.claude_code.transcript import Transcript
from inspector.formats.readers.claude_code.transcript_log import TranscriptLog
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.opening import open_content
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, Source, UnreadableError

_TYPES = word_set(
    "user assistant system progress summary attachment file-history-snapshot queue-operation custom-title ai-title "
    "agent-name last-prompt pr-link"
)
_SUBAGENT_GLOB = "agent-*.jsonl"
_PARTS = f"subagents/{_SUBAGENT_GLOB}"
_MAX_KINDS = 5
"""Kinds of unknown records that are named."""
_TAIL = 4 << 20
"""Bytes at the end of a file that are searched for the last compaction."""
_COMMANDS = ("<command-name>", "<command-message>")
_PRINTED = ("<local-command-stdout>", "<local-command-stderr>")
_CLEARS = "<command-name>/clear</command-name>"
_BOUNDARY = b'"compact_boundary"'
_KEPT = b'"preserved'
"""Marks the line of a compaction that kept messages, which precede it."""


class ClaudeCode(Format):
    """Transcripts that Claude Code keeps in its projects folder: https://docs.anthropic.com/en/docs/claude-code."""

    name = "claude-code"
    order: ClassVar[RecordOrder] = RecordOrder(id="uuid", parent="parentUuid", skips_repeats=True)
    features: ClassVar[frozenset[Feature]] = frozenset(
        {
            *("system prompt", "tools", "usage", "times", "models", "thinking"),
            *("compactions", "sub-agents", "branches"),
        }
    )
    page = "https://docs.anthropic.com/en/docs/claude-code"
    place = "~/.claude/projects"
    leaves_texts = True

    def recognize(self, sample: Sample) -> FormatMatch:
        """Full where some record is of a known type, with one of the fields that only transcripts have."""
        known = any(map(_is_record, sample.objects)) and not any(map(_is_foreign, sample.objects))
        if known:
            return FormatMatch(1.0, "records of known types with a uuid or a sessionId")
        is_excerpt = bool(sample.objects) and all(map(_is_bare, sample.objects))
        return FormatMatch(0.9, "records of known types with a timestamp and a message") if is_excerpt else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        """Return the one session of a transcript, with the conversations of its sub-agents."""
        files = (content, *self._sub_agents(content))
        offsets = list(accumulate((file.source.size for file in files), initial=0))
        transcript = Transcript(content.problems)
        for number, file in enumerate(files):
            _read_records(transcript, file, _shift_progress(progress, offsets[number], offsets[-1]))
            if number:
                name = Path(file.source.path).name
                for problem in file.problems.all():
                    content.problems.add(f"{name}: {problem}")
        log = _WholeLog(transcript)
        log.update()
        return [_session_of(content, transcript, log)]

    def tail(self, content: Content) -> Session | None:
        """Return the messages after the last compaction, if that is near the end of the file.

        The title is the name of the file, because the recorded title is likely in the part that was not read.
        """
        start = _last_boundary(content.source)
        if not start or content.sample.shape != "lines":
            return None
        end = Content(replace(content.source, start=start), content.sample)
        (session,) = self.read(end)
        return replace(session, title=Path(session.path).name) if session.messages else None

    def parts(self, path: Path) -> list[Path]:
        """Return the files of the session's sub-agents: in its subfolder, or in its folder, as 2.0 wrote them."""
        beside = path.parent.glob(_SUBAGENT_GLOB) if path.suffix == ".jsonl" else ()
        own = (file for file in beside if owner_of(file) == path.stem)
        return [*sorted(own), *sorted((path.parent / path.stem).glob(_PARTS))]

    def whole(self, part: Path) -> Path | None:
        if not fnmatch(part.name, _SUBAGENT_GLOB):
            return None
        if part.parent.name != "subagents":
            owner = owner_of(part)
            return part.with_name(f"{owner}.jsonl") if owner else None
        folder = part.parent.parent
        return folder.with_name(f"{folder.name}.jsonl") if folder.name else None

    def earlier_ids(self, path: Path) -> tuple[str, ...]:
        return earlier_ids(path)

    def incremental(self, content: Content) -> IncrementalReader:
        return _GrowingTranscript(content)

    def _sub_agents(self, content: Content) -> list[Content]:
        """Return the contents of the files with the session's sub-agents."""
        contents = []
        for path in self.parts(Path(content.source.path)):
            try:
                part = open_content(path)
            except UnreadableError as error:
                content.problems.add(f"a sub-agent's conversation is missing: {error}")
                continue
            if self.recognize(part.sample).confidence:
                contents.append(part)
        return contents


def _is_record(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind in _TYPES and not MARKS.isdisjoint(record)


def _is_bare(record: dict[str, Any]) -> bool:
    """Return True if a record has a message and the time of a transcript, but no id, as in excerpts."""
    message, kind = record.get("message"), record.get("type")
    has_message = isinstance(message, dict) and "content" in message
    is_known = has_message if kind in ("user", "assistant") else kind == "attachment" and "attachment" in record
    return is_known and isinstance(record.get("timestamp"), str)


def _is_foreign(record: dict[str, Any]) -> bool:
    """Return True if it is a record of a program that took over the fields, but not the messages, as Qwen Code did."""
    message = record.get("message")
    return isinstance(message, dict) and isinstance(message.get("parts"), list) and "content" not in message


def _last_boundary(source: Source) -> int:
    """Return the offset of the last compaction near the end; 0 if there is no such line or it kept messages."""
    if source.data is not None:
        return 0
    first = max(0, source.size - _TAIL)
    with Path(source.path).open("rb") as file:
        file.seek(first)
        end = file.read()
    place = end.rfind(_BOUNDARY)
    line = end.rfind(b"\n", 0, place) + 1 if place >= 0 else 0
    boundary = end[line:].partition(b"\n")[0] if line else b""
    return first + line if line and _KEPT not in boundary else 0


def _shift_progress(progress: Progress | None, offset: int, total: int) -> Progress | None:
    """Progress through one of several files, as progress through them all."""
    return (lambda part, _: progress(offset + part, total)) if progress else None


def _read_records(transcript: Transcript, content: Content, progress: Progress | None) -> None:
    """Read the records of one file. Messages on separate lines are not held in memory."""
    for number, record, span in _records_in(content, progress):
        if not transcript.feed_record(record, number, content.source, span):
            content.disown(number, "is not a known record of a transcript")


def _records_in(content: Content, progress: Progress | None) -> Iterator[tuple[int, Any, Span | None]]:
    """Yield the records of a file with their line numbers, and their spans if each is on one line."""
    if content.sample.shape != "lines":
        yield from ((number, record, None) for number, record in content.records(progress))
        return
    for number, offset, line in content.source.lines(progress):
        for record, start, length in content.on_line(number, line):
            content.coverage.records += 1
            yield number, record, (offset + start, length)


class _WholeLog:
    """The log of a transcript with the contexts that repeat earlier messages, and its system prompts."""

    def __init__(self, transcript: Transcript) -> None:
        self._log = TranscriptLog(transcript)
        self._contexts = LogWithCopies(transcript.clearings, transcript.kept, transcript.problems)
        self._whole = LogWithPrompts()

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._whole.messages)

    @property
    def tools(self) -> tuple[Raw, ...]:
        return self._log.tools()

    def update(self) -> int:
        """Take in what the transcript has got. Returns how many messages, from the first, are the same as before."""
        same = self._log.update()
        same = self._contexts.update(self._log.messages, same)
        return self._whole.update(self._contexts.messages, same, self._log.prompts())


def _session_of(content: Content, transcript: Transcript, log: _WholeLog) -> Session:
    return Session(
        format=ClaudeCode.name,
        dialect=WIRE.name,
        records_system=False,
        path=content.source.path,
        **_session_fields(content, transcript, log),
    )


def _session_fields(content: Content, transcript: Transcript, log: _WholeLog) -> dict[str, Any]:
    """Return the fields of a session that may change while its transcript grows."""
    messages = log.messages
    return {
        "id": _id_of(content, transcript),
        "messages": messages,
        "title": _session_title(transcript, messages),
        "model": next((m.model for m in reversed(messages) if m.model and m.agent == MAIN), ""),
        "tools": log.tools,
        "sizes": SizeFacts(compacted=transcript.compacted) if transcript.compacted else None,
        "forked_from": transcript.forked_from,
        "problems": (*content.all_problems(), *_unknown_records(transcript), *_earlier_sessions(transcript)),
    }


def _unknown_records(transcript: Transcript) -> list[Problem]:
    """Return a problem that names the unknown kinds of records, if there are any."""
    if not transcript.unknown:
        return []
    names = ", ".join([*islice(transcript.unknown, _MAX_KINDS), *["…"][: len(transcript.unknown) > _MAX_KINDS]])
    count = plural(transcript.unknown.total(), "record")
    return [Problem(f"{count} left out, of unknown kinds: {names}")]


def _earlier_sessions(transcript: Transcript) -> list[Problem]:
    """Return a problem if one file holds several unrelated sessions."""
    if transcript.begun < 2:
        return []
    return [Problem(f"it contains {transcript.begun} sessions: each begins a context, and the last one is current")]


class _GrowingTranscript(IncrementalReader):
    """A growing transcript, with the files of its sub-agents."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._transcript = Transcript(content.problems)
        self._log = _WholeLog(self._transcript)
        self._session: Session | None = None
        self._calls = CallOrder()

    def feed(self, content: Content, number: int, offset: int, line: bytes) -> None:
        for record, start, length in content.on_line(number, line):
            self._transcript.feed_record(record, number, content.source, (offset + start, length))

    def session(self) -> tuple[Session, int]:
        same = self._log.update()
        before = self._session or _session_of(self._content, self._transcript, self._log)
        fields = _session_fields(self._content, self._transcript, self._log)
        fields["problems"] += (*self._calls.problems(fields["messages"], same),)
        self._session = before.grown(fields.pop("messages"), same, **fields)
        return self._session, same


def _id_of(content: Content, transcript: Transcript) -> str:
    """Return the session's own id: of several in a resumed file, the one in the file's name, or else the first."""
    path = Path(content.source.path)
    own = path.stem if path.stem in transcript.sessions else next(iter(transcript.sessions), "")
    if not own:
        return digest(content.sample.records[:1])
    alone = bool(transcript.drafts) and all(draft.thread for draft in transcript.drafts)
    agent = next(iter(transcript.agents), "") or path.stem.removeprefix("agent-")
    return f"{own}/{agent}" if alone else own


def _session_title(transcript: Transcript, messages: tuple[Message, ...]) -> str:
    """Return the given title, else the program's summary of this conversation, else its first words."""
    own = [text for leaf, text in transcript.summaries.items() if leaf in transcript.drafts_by_uuid]
    choices: list[Callable[[], Any]] = [
        *(lambda kind=kind: transcript.titles.get(kind) for kind in ("custom-title", "agent-name", "ai-title")),
        lambda: own[-1] if own else "",
        lambda: first_words(_asked_of_the_model(messages)),
        lambda: first_words(messages),
        lambda: next(reversed(transcript.summaries.values()), ""),
        lambda: next((m.preview for m in messages if m.agent == MAIN and m.preview and not _is_prompt(m)), ""),
    ]
    return next((shorten_title(" ".join(text.split())) for choose in choices if (text := choose())), "")


def _asked_of_the_model(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages except slash commands that the program ran itself, whose output is the next message."""
    for message, following in pairwise(chain(messages, (None,))):
        is_command = message is not None and message.preview.startswith(_COMMANDS)
        is_local = following is not None and following.preview.startswith(_PRINTED)
        if message is not None and not (is_command and (is_local or _CLEARS in message.preview)):
            yield message


def _is_prompt(message: Message) -> bool:
    return message.role == "system" and message.kind == "chat"
