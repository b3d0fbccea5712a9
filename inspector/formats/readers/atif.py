"""Trajectories in the Agent Trajectory Interchange Format (ATIF), versions 1.0 to 1.8.

https://github.com/laude-institute/harbor, `rfcs/0001-trajectory-format.md`: numbered steps of a system, a user or an
agent. The results of tools are in the step that called them. Trajectories of sub-agents may be included.

When Terminus summarizes its context, it continues in another file, `trajectory.cont-1.json`, which begins with copies
of the first message and the summary. The sub-agents that wrote the summary are in files such as
`trajectory.summarization-1-summary.json`. All these files are read together as one session.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import MAIN, SENT_KINDS, Kind, Part, Session, Usage
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.blocks import (
    UNRECORDED_SUMMARY,
    blocks_of,
    call_of,
    fields_of,
    objects_of,
    result_of,
    thoughts_of,
    time_of,
)
from inspector.formats.building.ids import unique
from inspector.formats.building.log_builder import LogBuilder, dialect_for
from inspector.formats.reading.content import Content, Fields, Sample
from inspector.formats.reading.history_format import json_beside
from inspector.formats.reading.record_order import RecordOrder
from inspector.formats.reading.source import Progress
from inspector.formats.sidecar import sizes_in
from inspector.llm.providers import as_text, token_count, usage_unless_zero

_PART = re.compile(r"(.*trajectory)\.(?:cont-\d+|summarization-\d+-\w+)\.json")
"""Name of a file that Terminus writes next to a trajectory when it summarizes its context."""
_MAX_CONTINUATIONS = 1_000
_NEVER = sys.maxsize
"""Number that no step reaches."""


class ATIF(Format):
    """Trajectories that agents of several vendors export."""

    name = "atif"
    order: ClassVar[RecordOrder] = RecordOrder(number="step_id", time="timestamp", lists="steps")
    costs: ClassVar[str] = "metrics.cost_usd"
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "cost", "times", "models", "thinking", "sub-agents"}
    )
    page = "https://github.com/laude-institute/harbor"

    def recognize(self, sample: Sample) -> FormatMatch:
        if any(_is_trajectory(record) for record in sample.objects):
            return FormatMatch(1.0, "a schema_version of ATIF, and steps")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        sessions = []
        for number, record in content.records(progress):
            if not isinstance(record, dict) or not _is_trajectory(record):
                content.reject(number, "is not an ATIF trajectory")
                continue
            line = 0 if content.sample.shape == "object" else number
            sessions.append(_trajectory_session(content, record, line))
        return unique(sessions)

    def parts(self, path: Path) -> list[Path]:
        """Return the continuations of a trajectory, in order, and then those of the sub-agents that summarized it."""
        stem = path.name.removesuffix(".json")
        if not stem.endswith("trajectory"):
            return []
        numbered = (path.with_name(f"{stem}.cont-{number}.json") for number in range(1, _MAX_CONTINUATIONS))
        return [*takewhile(Path.is_file, numbered), *sorted(path.parent.glob(f"{escape(stem)}.summarization-*.json"))]

    def whole(self, part: Path) -> Path | None:
        match = _PART.fullmatch(part.name)
        whole = part.with_name(f"{match[1]}.json") if match else None
        return whole if whole and whole.is_file() else None


def _is_trajectory(record: Fields) -> bool:
    return as_text(record.get("schema_version")).startswith("ATIF") and isinstance(record.get("steps"), list)


def _trajectory_session(content: Content, record: Fields, line: int) -> Session:
    agent = fields_of(record.get("agent"))
    steps = objects_of(record["steps"])
    model = as_text(agent.get("model_name")) or next(
        (as_text(step["model_name"]) for step in steps if step.get("model_name")), ""
    )
    log = LogBuilder(dialect_for(model))
    tools = tuple(objects_of(agent.get("tool_definitions")))
    names: set[str] = set()
    continuations, helpers = _files_beside(content)
    _note_missing(content, [record, *continuations])
    summary = 2 if token_count(agent.get("extra"), "continuation_index") else _NEVER
    _add_steps(log, [*steps, *_continued_steps(steps, continuations)], MAIN, content, summary)
    for inner in objects_of(record.get("subagent_trajectories")):
        name = _own_name(inner, names)
        _add_steps(log, objects_of(inner.get("steps")), name, content)
    for name, helper in helpers.items():
        _add_steps(log, objects_of(helper.get("steps")), name, content)
    extra = fields_of(record.get("extra"))
    sizes = sizes_in(extra.get("sizes"))
    has_system = bool(tools) or any(step.get("source") == "system" for step in steps)
    return log.session(
        content,
        ATIF.name,
        as_text(record.get("trajectory_id") or record.get("session_id")),
        as_text(extra.get("title")),
        model=model,
        tools=tools,
        sizes=sizes,
        records_system=has_system and not (sizes and sizes.unrecorded),
        line=line,
    )


def _own_name(trajectory: Fields, names: set[str]) -> str:
    """Return a unique name for a sub-agent of the session."""
    agent = fields_of(trajectory.get("agent"))
    base = as_text(agent.get("name") or trajectory.get("trajectory_id") or "agent")
    name = next(
        name for name in (base, *(f"{base} {number}" for number in range(2, len(names) + 3))) if name not in names
    )
    names.add(name)
    return name


def _files_beside(content: Content) -> tuple[list[Mapping[str, Any]], dict[str, Mapping[str, Any]]]:
    """Return the continuations of a file in order, and the trajectories of summarizing sub-agents by their names."""
    files = ATIF().parts(Path(content.source.path))
    values = {file.name: json_beside(file, content) for file in files}
    helpers = {name.split(".")[-2]: value for name, value in values.items() if ".cont-" not in name}
    return [value for name, value in values.items() if ".cont-" in name], helpers


def _note_missing(content: Content, trajectories: Sequence[Mapping[str, Any]]) -> None:
    """Add a problem if the last of the trajectories names a continuation."""
    if name := as_text(trajectories[-1].get("continued_trajectory_ref")):
        content.problems.add(f"the session continues in {name}, which is not in this folder")


def _continued_steps(steps: Sequence[Fields], continuations: Iterable[Mapping[str, Any]]) -> Iterator[Fields]:
    """Yield the steps of the continuations of a trajectory, without those that it already contains."""
    seen = {as_text(step.get("message")) for step in steps}
    for number, value in enumerate(continuations, 1):
        for step in objects_of(value.get("steps")):
            if not (step.get("is_copied_context") and as_text(step.get("message")) in seen):
                yield {**step, "step_id": f"{number}.{as_text(step.get('step_id'))}"}


def _add_steps(log: LogBuilder, steps: list[Fields], agent: str, content: Content, awaited: int = _NEVER) -> None:
    """Add the steps of an agent. The next message of the user from step `awaited` on is a summary."""
    for number, step in enumerate(steps, 1):
        name = f"step-{as_text(step.get('step_id')) or number}"
        record = {key: value for key, value in step.items() if key not in ("message", "tool_calls", "observation")}
        facts: dict[str, Any] = {"agent": agent, "time": time_of(step.get("timestamp"))}
        extra = fields_of(step.get("extra"))
        kind = _kind_in(extra)
        words = blocks_of(step.get("message"))
        match step.get("source"):
            case "agent":
                _add_agent_step(log, name, step, record, facts)
            case "system" if _is_summarization(step):
                log.add_parts(name, "system", words, record, kind="notice", **facts)
                _begin_after_first(log, agent)
                awaited = _NEVER if _add_observed_summary(log, name, step, facts) else number + 1
            case "user" if words and number >= awaited:
                log.add_parts(name, "user", words, record, kind="summary", **facts)
                awaited = _NEVER
            case "system" | "user" as role:
                if words:
                    log.add_parts(name, role, words, record, kind=kind, name=as_text(extra.get("name")), **facts)
                _add_observation(log, name, step, facts)
            case other:
                content.problems.add(f"step {number} was left out: its source is {as_text(other)[:40]!r}")
    _add_missing_summary(log, agent, len(steps), awaited)


def _begin_after_first(log: LogBuilder, agent: str) -> None:
    """Start a context of an agent with its first message."""
    first = next((place for place, one in enumerate(log.messages) if one.agent == agent), -1)
    log.begin_anew(agent, after=first)


def _add_missing_summary(log: LogBuilder, agent: str, count: int, awaited: int) -> None:
    """Add a note in place of the summary that is awaited after the last of `count` steps."""
    if count < awaited < _NEVER:
        log.add_parts(f"step-{awaited}", "user", blocks_of(UNRECORDED_SUMMARY), {}, kind="summary", agent=agent)


def _add_observed_summary(log: LogBuilder, name: str, step: Fields, facts: Fields) -> bool:
    """Add the summary that a step observed. Return False if it did not, so that the user's next step contains it."""
    results = objects_of(fields_of(step.get("observation")).get("results"))
    texts = [result["content"] for result in results if result.get("content")]
    if not texts or any(result.get("subagent_trajectory_ref") for result in results):
        return False
    words = [block for text in texts for block in blocks_of(text)]
    log.add_parts(f"{name}-summary", "user", words, {}, kind="summary", **facts)
    return True


def _is_summarization(step: Fields) -> bool:
    """Return True if a step replaced the context by a summary, which the next step of the user often contains.

    Terminus names the trajectories of the sub-agents that wrote it, and keeps the first message. ATIF 1.7 names the
    management of the context.
    """
    if fields_of(fields_of(step.get("extra")).get("context_management")).get("type") == "compaction":
        return True
    results = objects_of(fields_of(step.get("observation")).get("results"))
    is_handed_off = any(result.get("subagent_trajectory_ref") for result in results)
    return is_handed_off and "summar" in as_text(step.get("message")).lower()


def _add_agent_step(log: LogBuilder, name: str, step: Fields, record: Fields, facts: Fields) -> None:
    """Add a reply. A reply that was copied from before a summary was not generated again."""
    extra = fields_of(step.get("extra"))
    plain = _names_in(extra, "text_arguments")
    parts: list[Part] = [
        *thoughts_of(step.get("reasoning_content")),
        *blocks_of(step.get("message")),
        *(
            call_of(call.get("tool_call_id"), call.get("function_name"), _arguments_in(call, plain))
            for call in objects_of(step.get("tool_calls"))
        ),
    ]
    own: dict[str, Any] = {"kind": "injected"}
    if not step.get("is_copied_context"):
        own = {
            "kind": _kind_in(extra),
            "model": as_text(step.get("model_name")),
            "usage": _atif_usage(step.get("metrics")),
        }
    log.add_parts(name, "assistant", parts, record, **facts, **own)
    _add_observation(log, name, step, facts)


def _add_observation(log: LogBuilder, name: str, step: Fields, facts: Fields) -> None:
    """Add the observations of a step: tool results, or text from the environment as a user message."""
    calls = [as_text(call.get("tool_call_id")) for call in objects_of(step.get("tool_calls"))]
    failed = _names_in(fields_of(step.get("extra")), "failed_calls")
    for result in objects_of(fields_of(step.get("observation")).get("results")):
        source = as_text(result.get("source_call_id")) or (calls[0] if len(calls) == 1 else "")
        if source in calls:
            answer = result_of(source, result.get("content"), is_error=source in failed)
            log.add_parts(f"{name}-result", "tool", [answer], result, **facts)
        elif words := blocks_of(result.get("content")):
            log.add_parts(f"{name}-observation", "user", words, result, kind="injected", **facts)


def _kind_in(extra: Fields) -> Kind:
    """Return the kind of an exported step."""
    kind = extra.get("kind")
    return kind if kind in SENT_KINDS else "chat"


def _names_in(extra: Fields, name: str) -> list[str]:
    """Return the ids of calls that were marked by the export."""
    ids = extra.get(name)
    return list(map(as_text, ids)) if isinstance(ids, list) else []


def _arguments_in(call: Fields, plain: list[str]) -> Any:
    """Return the arguments of a call: an object, or its text if the export marked it."""
    arguments = call.get("arguments")
    return fields_of(arguments).get("input", "") if as_text(call.get("tool_call_id")) in plain else arguments


def _atif_usage(metrics: Any) -> Usage | None:
    """Return the usage of a step. Cached tokens are part of the prompt."""
    sent, reply, cached = (
        token_count(metrics, name) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
    )
    return usage_unless_zero(sent, reply, cached, 0)
