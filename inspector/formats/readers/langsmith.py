"""Runs of LangSmith as sent and exported by its SDK: single, in a list, on lines, or in a batch.

https://docs.langchain.com/langsmith/run-data-format
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inspector.core.conversation import Session
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import fields_of, objects_of, time_of
from inspector.formats.building.traces import ModelCall, counted, trace_sessions, usage_fields
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.source import Progress
from inspector.llm.providers import as_text

_NOTES = ("id", "name", "trace_id", "session_name", "tags", "error")


class LangSmith(Format):
    """Runs of LangSmith."""

    name = "langsmith"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "times", "models", "thinking"}
    )
    page = "https://docs.langchain.com/langsmith/run-data-format"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_runs_in(record) for record in sample.objects):
            return FormatMatch(1.0, "runs with a run_type, inputs and outputs")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        runs: dict[str, Fields] = {}
        for number, record in content.records(progress):
            own = list(_runs_in(record)) if isinstance(record, dict) else []
            if not own:
                content.reject(number, "is not a run")
            for run in own:
                runs[_run_id(run)] = _merged(runs.get(_run_id(run), {}), run)
        ordered = sorted(runs.values(), key=lambda run: as_text(run.get("dotted_order") or run.get("start_time")))
        models = [run for run in ordered if run.get("run_type") == "llm"]
        others = [run for run in ordered if run.get("run_type") != "tool"][:1]
        return trace_sessions(content, self.name, [_call_of(run) for run in models or others])


def _runs_in(record: Fields) -> list[Fields]:
    """Return the runs of a record, each followed by its child runs."""
    if "post" in record or "patch" in record:
        return [run for name in ("post", "patch") for inner in objects_of(record.get(name)) for run in _tree(inner)]
    if isinstance(record.get("run_type"), str) and ("inputs" in record or "outputs" in record):
        return list(_tree(record))
    return []


def _run_id(run: Fields) -> str:
    """Return the id of a run. An update that was sent to the address of its run has only its place in the trace."""
    return as_text(run.get("id")) or as_text(run.get("dotted_order")).rpartition(".")[2].partition("Z")[2]


def _tree(run: Fields) -> Iterator[Fields]:
    waiting = [run]
    while waiting:
        newest = waiting.pop()
        yield newest
        waiting.extend(reversed(objects_of(newest.get("child_runs"))))


def _merged(earlier: Fields, later: Fields) -> Fields:
    """Return a run with its start and its end merged."""
    return earlier | {name: value for name, value in later.items() if value or name not in earlier}


def _call_of(run: Fields) -> ModelCall:
    inputs, outputs = fields_of(run.get("inputs")), fields_of(run.get("outputs"))
    extra = fields_of(run.get("extra"))
    metadata, settings = fields_of(extra.get("metadata")), fields_of(extra.get("invocation_params"))
    names = (metadata.get("ls_model_name"), outputs.get("model"), settings.get("model"), inputs.get("model"))
    return ModelCall(
        inputs,
        outputs,
        next((as_text(name) for name in names if name), ""),
        _usage(run, outputs),
        time_of(run.get("end_time") or run.get("start_time")),
        objects_of(settings.get("tools")) or objects_of(inputs.get("tools")),
        group=as_text(run.get("trace_id") or run.get("id")),
        error=as_text(run.get("error")),
        record={
            name: run[name] for name in ("id", "name", "trace_id", "session_name", "tags", "error") if run.get(name)
        },
    )


def _usage(run: Fields, outputs: Fields) -> Fields:
    """Return the usage in the run, in its reply, or in the provider's response."""
    inner = fields_of(fields_of(outputs.get("llm_output")).get("token_usage"))
    own = (fields_of(outputs.get("usage_metadata")), fields_of(outputs.get("usage")))
    for counts in (*own, inner, *_reports_of(outputs), run):
        sent = counted(counts, "input_tokens", "prompt_tokens")
        reply = counted(counts, "output_tokens", "completion_tokens")
        if sent or reply:
            details = fields_of(counts.get("input_token_details") or counts.get("prompt_tokens_details"))
            return usage_fields(sent, reply, counted(details, "cache_read", "cached_tokens"))
    return {}


def _reports_of(outputs: Fields) -> Iterator[Fields]:
    """Yield the usage in the first generation of LangChain."""
    match outputs.get("generations"):
        case [[{"message": dict(message)}, *_], *_] | [{"message": dict(message)}, *_]:
            fields = fields_of(message.get("kwargs") or message.get("data")) or message
            yield fields_of(fields.get("usage_metadata"))
            yield fields_of(fields_of(fields.get("response_metadata")).get("token_usage"))
