"""Logs of the Inspect evaluation framework: `.eval` archives, and JSON objects of older versions.

https://inspect.aisi.org.uk/eval-logs.html: a file for each sample, with its messages. Long texts are stored once, in
the attachments of the sample, and referenced in the messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from inspector.core.conversation import Part, Session, ToolResult, Usage
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of, time_of
from inspector.formats.building.ids import digest, unique
from inspector.formats.building.log_builder import LogBuilder, definition_of, dialect_for
from inspector.formats.readers.inspect_calls import has_calls, has_compaction, sessions_of_events
from inspector.formats.reading.archives import ArchiveReader, DamagedArchiveError, open_archive
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.lenient_json import BrokenJSONError, parse
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_ATTACHMENT = "attachment://"


class InspectEval(Format):
    """Samples of an evaluation, one session each."""

    name = "inspect-eval"
    order: ClassVar[RecordOrder] = RecordOrder(id="id", lists="samples.messages")
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "models", "thinking", "times", "compactions"}
    )
    request_features: ClassVar[frozenset[Feature]] = frozenset({"compactions"})
    page = "https://inspect.aisi.org.uk/eval-logs.html"

    def recognize(self, sample: Sample) -> FormatMatch:
        if sample.shape == "archive":
            known = any(name.startswith("samples/") for name in sample.members)
            return FormatMatch(1.0, "samples in an archive") if known else UNLIKE
        if any(isinstance(record.get("eval"), dict) and "samples" in record for record in sample.objects):
            return FormatMatch(1.0, "an eval and its samples")
        events = _events_in(sample.records)
        return FormatMatch(0.9, "events of calls of a model") if has_calls(events) else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "archive":
            header, samples = {}, list[Fields]()
            try:
                with open_archive(content.source.path) as archive:
                    header = _member(archive, "header.json", content) or _member(
                        archive, "_journal/start.json", content
                    )
                    samples = list(_samples_in(archive, content, progress))
            except DamagedArchiveError as error:
                path = content.source.path
                raise UnreadableError(path, f"{path} cannot be read, for {error}: choose another file.") from error
        elif isinstance(content.value, dict) and "samples" in content.value:
            header, samples = content.value, objects_of(content.value.get("samples"))
            content.coverage.records += len(samples)
        else:
            return _sessions_of_calls(
                content, {"events": _events_in(record for _, record in content.records(progress))}
            )
        model = as_text(fields_of(header.get("eval")).get("model"))
        task = as_text(fields_of(header.get("eval")).get("task"))
        sessions = unique(
            session
            for number, sample in enumerate(samples, 1)
            if isinstance(sample.get("messages"), list) and sample["messages"]
            for session in _sessions_of_sample(content, sample, model, task, number if len(samples) > 1 else 0)
        )
        return sessions or [LogBuilder().session(content, self.name)]


def _sessions_of_sample(content: Content, sample: Fields, model: str, task: str, line: int) -> list[Session]:
    """Return the session of a sample or, if it was compacted, those that its calls form."""
    own = _sample_session(content, sample, model, task, line)
    events = objects_of(sample.get("events"))
    if not has_compaction(events) or not has_calls(events):
        return [own]
    return [replace(one, id=own.id, title=own.title, line=line) for one in _sessions_of_calls(content, sample)]


def _events_in(records: Iterable[Any]) -> list[Fields]:
    """Return the events of a sample: each is a record, or they are a list in one."""
    events: list[Fields] = []
    for record in records:
        fields = fields_of(record)
        events += objects_of(fields["events"]) if isinstance(fields.get("events"), list) else [fields]
    return events


def _sessions_of_calls(content: Content, sample: Fields) -> list[Session]:
    """Return the sessions that the calls of a sample form, which show what compactions dropped."""
    attachments = fields_of(sample.get("attachments"))
    events = objects_of(sample.get("events"))
    sessions = sessions_of_events(content, events, lambda value: _with_attachments(value, attachments), _usage_of)
    return unique(replace(one, format=InspectEval.name) for one in sessions)


def _member(archive: ArchiveReader, name: str, content: Content) -> Fields:
    """Return the JSON object in a file of the archive, or {}. Errors become problems."""
    if name not in archive.names:
        return {}
    try:
        return fields_of(parse(archive.read(name))[0])
    except (DamagedArchiveError, BrokenJSONError) as error:
        content.problems.add(f"{name} was left out: {error}")
        return {}


def _samples_in(archive: ArchiveReader, content: Content, progress: Progress | None) -> Iterator[Fields]:
    names = sorted(name for name in archive.names if name.startswith("samples/") and name.endswith(".json"))
    for number, name in enumerate(names, 1):
        content.coverage.records += 1
        if sample := _member(archive, name, content):
            yield sample
        if progress:
            progress(content.source.size * number // len(names), content.source.size)


def _sample_session(content: Content, sample: Fields, model: str, task: str, line: int) -> Session:
    own_model = next(iter(fields_of(sample.get("model_usage"))), "") or model
    reader = _SampleReader(LogBuilder(dialect_for(own_model)), sample, own_model)
    for number, message in enumerate(objects_of(sample["messages"]), 1):
        reader.add(as_text(message.get("id")) or f"m{number}", message)
    log = reader.log
    name = f"{as_text(sample.get('uuid')) or task}-{as_text(sample.get('id'))}-{as_text(sample.get('epoch'))}"
    title = f"{task.rpartition('/')[2]} {as_text(sample.get('id'))}, epoch {as_text(sample.get('epoch'))}"
    words = next((as_text(message.preview) for message in log.messages if message.role == "user"), "")
    facts = {"model": own_model, "tools": reader.tools, "records_system": bool(reader.calls), "line": line}
    return log.session(content, InspectEval.name, name, f"{title}: {words}", **facts)


class _SampleReader:
    """Adds the messages of a sample, with data from the events of the calls."""

    def __init__(self, log: LogBuilder, sample: Fields, model: str) -> None:
        self.log = log
        self.model = model
        self.attachments = fields_of(sample.get("attachments"))
        self.calls: dict[str, Fields] = {}
        """Event of the call of each reply."""
        for event in objects_of(sample.get("events")):
            if event.get("event") == "model":
                outputs = objects_of(fields_of(event.get("output")).get("choices"))
                self.calls |= {_key_of(fields_of(choice.get("message"))): event for choice in outputs}
        self.tools: tuple[Fields, ...] = ()
        """Tools of the newest call."""

    def add(self, name: str, message: Fields) -> None:
        content = _with_attachments(message.get("content"), self.attachments)
        record = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
        match message.get("role"):
            case "assistant":
                self._add_reply(name, message, content if isinstance(content, list) else [content], record)
            case "tool":
                result = result_of(message.get("tool_call_id"), content, is_error=bool(message.get("error")))
                self.log.add_parts(name, "tool", [result], record)
            case role:
                self.log.add_parts(name, "system" if role == "system" else "user", blocks_of(content), record)

    def _add_reply(self, name: str, message: Fields, blocks: list[Any], record: Fields) -> None:
        parts: list[Part] = []
        results: list[ToolResult] = []
        for block in blocks:
            match block:
                case {"type": "reasoning"}:
                    parts += thoughts_of(block.get("reasoning") or block.get("summary"))
                case {"type": "tool_use"}:  # the provider has run it
                    parts.append(call_of(block.get("id"), block.get("name"), block.get("arguments")))
                    failure = block.get("error")
                    answer = failure or block.get("result")
                    results.append(result_of(block.get("id"), answer, is_error=bool(failure)))
                case _:
                    parts += blocks_of(block)
        calls = objects_of(message.get("tool_calls"))
        parts += [call_of(call.get("id"), call.get("function"), call.get("arguments")) for call in calls]
        self.log.add_parts(name, "assistant", parts, record, **self._call_facts(message))
        for result in results:
            self.log.add_parts(f"{name} {result.call_id}", "tool", [result])

    def _call_facts(self, message: Fields) -> dict[str, Any]:
        """Return the data of a reply's call. Its tools are those of the session until a call has others."""
        event = self.calls.get(_key_of(message), {})
        if tools := objects_of(_with_attachments(event.get("tools"), self.attachments)):
            self.tools = tuple(definition_of(tool, self.log.dialect) for tool in tools)
        return {
            "model": as_text(message.get("model") or event.get("model")) or self.model,
            "usage": _usage_of(fields_of(fields_of(event.get("output")).get("usage"))),
            "time": time_of(event.get("completed") or event.get("timestamp")),
        }


def _key_of(message: Fields) -> str:
    """Return the key of a reply: its id or, in older logs, its text and calls."""
    return as_text(message.get("id")) or digest([message.get("content"), message.get("tool_calls")])


def _usage_of(report: Fields) -> Usage | None:
    """Return the usage of a call. Depending on the provider, input tokens include cached tokens.

    The total tells: https://github.com/UKGovernmentBEIS/inspect_ai (ModelUsage)
    """
    names = ("input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write", "total_tokens")
    sent, reply, read, written, total = (token_count(report, name) for name in names)
    return usage_unless_zero(max(sent, min(total - reply, sent + read + written)), reply, read, written)


def _with_attachments(content: Any, attachments: Fields) -> Any:
    """Return content with the texts that are stored elsewhere in the sample."""
    if isinstance(content, list):
        return [_with_attachments(block, attachments) for block in content]
    if isinstance(content, dict):
        return {key: _with_attachments(value, attachments) for key, value in content.items()}
    if isinstance(content, str) and content.startswith(_ATTACHMENT):
        return attachments.get(content.removeprefix(_ATTACHMENT), content)
    return content
