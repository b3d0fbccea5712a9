"""Logs of the Inspect evaluation framework: `.eval` archives, and one JSON object as older versions wrote it.

https://inspect.aisi.org.uk/eval-logs.html: a file for each sample, with its messages; long texts stand once, in its
attachments, and are named where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from inspector.conversation import Part, Session
from inspector.formats.archives import DamagedArchiveError, ZipReader, open_archive
from inspector.formats.base import UNLIKE, Format, Holding, Recognition
from inspector.formats.blocks import blocks_of, call_of, fields_of, objects_of, result_of, thoughts_of
from inspector.formats.ids import unique
from inspector.formats.lenient_json import BrokenJSONError, parse
from inspector.formats.log_builder import LogBuilder, dialect_for
from inspector.formats.sample import Content, Sample, Shape
from inspector.formats.source import Progress, UnreadableError
from inspector.providers import as_text

_Fields = dict[str, Any]
_ATTACHMENT = "attachment://"


class InspectEval(Format):
    """Samples of an evaluation, each a session."""

    name = "inspect-eval"
    title = "Inspect evaluation logs"
    shapes: ClassVar[frozenset[Shape]] = frozenset({"object", "archive"})
    holds: ClassVar[frozenset[Holding]] = frozenset({"system prompt", "models", "thinking", "times"})
    fields = frozenset({"eval", "samples", "plan", "reductions", "status"})
    page = "https://inspect.aisi.org.uk/eval-logs.html"

    def recognize(self, sample: Sample) -> Recognition:
        if sample.shape == "archive":
            known = any(name.startswith("samples/") for name in sample.members)
            return Recognition(1.0, "samples in an archive") if known else UNLIKE
        known = any(isinstance(record.get("eval"), dict) and "samples" in record for record in sample.objects)
        return Recognition(1.0, "an eval and its samples") if known else UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if content.sample.shape == "archive":
            header, samples = {}, list[_Fields]()
            try:
                with open_archive(content.source.path) as archive:
                    header = _member(archive, "header.json", content) or _member(
                        archive, "_journal/start.json", content
                    )
                    samples = list(_samples_in(archive, content, progress))
            except DamagedArchiveError as error:
                path = content.source.path
                raise UnreadableError(path, f"{path} cannot be read, for {error}: choose another file.") from error
        else:
            header, samples = content.value, objects_of(content.value.get("samples"))
            content.coverage.records += len(samples)
        model = as_text(fields_of(header.get("eval")).get("model"))
        task = as_text(fields_of(header.get("eval")).get("task"))
        sessions = unique(
            _sample_session(content, sample, model, task, number if len(samples) > 1 else 0)
            for number, sample in enumerate(samples, 1)
            if isinstance(sample.get("messages"), list) and sample["messages"]
        )
        return sessions or [LogBuilder().session(content, self.name)]


def _member(archive: ZipReader, name: str, content: Content) -> _Fields:
    """The JSON object in a member; empty where there is none. What is wrong with it becomes a problem."""
    if name not in archive.names:
        return {}
    try:
        return fields_of(parse(archive.read(name))[0])
    except (DamagedArchiveError, BrokenJSONError) as error:
        content.problems.add(f"{name} was left out: {error}")
        return {}


def _samples_in(archive: ZipReader, content: Content, progress: Progress | None) -> Iterator[_Fields]:
    names = sorted(name for name in archive.names if name.startswith("samples/") and name.endswith(".json"))
    for number, name in enumerate(names, 1):
        content.coverage.records += 1
        if sample := _member(archive, name, content):
            yield sample
        if progress:
            progress(content.source.size * number // len(names), content.source.size)


def _sample_session(content: Content, sample: _Fields, model: str, task: str, line: int) -> Session:
    own_model = next(iter(fields_of(sample.get("model_usage"))), "") or model
    log = LogBuilder(dialect_for(own_model))
    attachments = fields_of(sample.get("attachments"))
    for number, message in enumerate(objects_of(sample["messages"]), 1):
        _add_eval_message(log, as_text(message.get("id")) or f"m{number}", message, attachments, own_model)
    name = f"{as_text(sample.get('uuid')) or task}-{as_text(sample.get('id'))}-{as_text(sample.get('epoch'))}"
    title = f"{task.rpartition('/')[2]} {as_text(sample.get('id'))}, epoch {as_text(sample.get('epoch'))}"
    words = next((as_text(message.preview) for message in log.messages if message.role == "user"), "")
    return log.session(content, InspectEval.name, name, f"{title}: {words}", model=own_model, line=line)


def _add_eval_message(log: LogBuilder, name: str, message: _Fields, attachments: _Fields, model: str) -> None:
    content = _with_attachments(message.get("content"), attachments)
    record = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
    match message.get("role"):
        case "assistant":
            blocks = content if isinstance(content, list) else [content]
            parts: list[Part] = []
            for block in blocks:
                is_reasoning = isinstance(block, dict) and block.get("type") == "reasoning"
                parts += thoughts_of(block.get("reasoning")) if is_reasoning else blocks_of(block)
            calls = objects_of(message.get("tool_calls"))
            parts += [call_of(call.get("id"), call.get("function"), call.get("arguments")) for call in calls]
            log.add_parts(name, "assistant", parts, record, model=as_text(message.get("model")) or model)
        case "tool":
            result = result_of(message.get("tool_call_id"), content, is_error=bool(message.get("error")))
            log.add_parts(name, "tool", [result], record)
        case role:
            log.add_parts(name, "system" if role == "system" else "user", blocks_of(content), record)


def _with_attachments(content: Any, attachments: _Fields) -> Any:
    """Content with the texts that stand elsewhere in the sample."""
    if isinstance(content, list):
        return [_with_attachments(block, attachments) for block in content]
    if isinstance(content, dict):
        return {key: _with_attachments(value, attachments) for key, value in content.items()}
    if isinstance(content, str) and content.startswith(_ATTACHMENT):
        return attachments.get(content.removeprefix(_ATTACHMENT), content)
    return content
