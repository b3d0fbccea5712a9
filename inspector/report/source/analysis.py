"""Findings from the facts of all files: types are resolved, limitations added, and call paths determined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from inspector.core.work_pool import ProgressCallback
from inspector.report.findings import (
    CONFIDENCES,
    TOPICS,
    Component,
    Confidence,
    Detection,
    Evidence,
    SourceFinding,
    Topic,
)
from inspector.report.source.call_graph import CallGraph, CallStep
from inspector.report.source.flow_graph import FlowGraph, Reach
from inspector.report.source.modules import MODULE
from inspector.report.source.scan import FileFacts, SourceFacts, scan_folder
from inspector.report.source.type_table import TypeTable

_TWIN = re.compile(r"^a(?=[a-z])|_async")
_MAX_LINES = 8
_FAR = 100
"""Steps to a model call where they are not known."""
_COUNTING = ("tiktoken", "tokenizer", "estimate", "api")
_RELEVANT_PATH = re.compile(
    r"memor|context|chat|agent|conversation|message|token|history|session|compact|window|llm", re.IGNORECASE
)


@dataclass(frozen=True)
class SourceReport:
    """Report on how a framework or an agent handles memory, from its source code."""

    name: str
    root: str
    files: Annotated[int, "read files"]
    lines: int
    findings: tuple[SourceFinding, ...] = field(repr=False)
    """Findings by topic, in descending order of confidence."""
    paths: Annotated[
        tuple[tuple[CallStep, ...], ...], "from an entry point to the places that assemble, send and trim the context"
    ] = ()
    problems: tuple[tuple[str, str], ...] = ()
    """Paths of files that could not be read, with the reasons."""
    left_out: tuple[tuple[str, int], ...] = ()
    """Number of files or folders that were skipped, by reason."""
    other_languages: tuple[tuple[str, int], ...] = ()
    """Number of files in unsupported languages, by language."""

    def of(self, topic: Topic, *kinds: str, surest: bool = True) -> list[SourceFinding]:
        """Return the findings of a topic.

        Args:
            topic: The topic.
            kinds: Kinds to include. Default: all.
            surest: True to exclude findings of low confidence.
        """
        return [
            finding
            for finding in self.findings
            if finding.topic == topic
            and (not kinds or finding.kind in kinds)
            and not (surest and finding.confidence == "low")
        ]


def analyse_source(root: Path, on_progress: ProgressCallback | None = None, workers: int = 0) -> SourceReport:
    """Analyse the source code in a folder without running it.

    Args:
        root: A folder or a single file.
        on_progress: Called with a label, the number of files read and the total.
        workers: Number of processes; 0 for one per processor, at most 8.

    Raises:
        SourceError: There is no Python source in the folder, or a worker process crashed.
    """
    return _report_of(scan_folder(root, on_progress, workers), root)


def _report_of(facts: SourceFacts, root: Path) -> SourceReport:
    """Return the report of what files show."""
    classes = [row for file in facts.files for row in file.classes]
    aliases: dict[str, frozenset[str]] = {}
    for file in facts.files:
        for name, types in file.aliases:
            aliases[name] = aliases.get(name, frozenset()) | types
    table = TypeTable(classes, aliases)
    graph = CallGraph((function for file in facts.files for function in file.functions), classes)
    findings = _findings(facts.files, table, graph, _flow_graph(facts.files))
    return SourceReport(
        _source_name(root),
        str(root),
        sum(not file.problem for file in facts.files),
        sum(file.lines for file in facts.files),
        tuple(findings),
        tuple(_paths(findings, graph)),
        tuple(facts.problems),
        tuple(facts.listing.left_out.most_common()),
        tuple(facts.listing.other_languages.most_common()),
    )


def _source_name(root: Path) -> str:
    """Return the name of a source: its folder, or the parent folder if it is called "src", "lib" or "python"."""
    resolved = root.resolve()
    return (resolved.parent if resolved.name in ("src", "lib", "python") else resolved).name or str(root)


def _flow_graph(files: Sequence[FileFacts]) -> FlowGraph:
    functions = [function for file in files for function in file.functions]
    names = (function.bare_name for function in functions)
    return FlowGraph(
        (flow for file in files for flow in file.flows), names, (call.name for one in functions for call in one.calls)
    )


def _findings(files: Sequence[FileFacts], table: TypeTable, graph: CallGraph, flows: FlowGraph) -> list[SourceFinding]:
    findings: list[SourceFinding] = []
    for file in files:
        deprecated = {function.name for function in file.functions if function.is_deprecated}
        for detection in _one_each(file.detections):
            reach = flows.reach(detection.places) if detection.places is not None else None
            confidence = _confidence(detection, table, reach)
            if confidence is None:
                continue
            against = [*detection.against, *_limits(detection, graph, deprecated), *_doubts(detection, table)]
            evidence = tuple(Evidence(file.path, line, code) for line, code in detection.lines)
            finding = _finding(detection, evidence, confidence, against)
            findings.append(replace(finding, steps=reach.sent) if reach else finding)
    about = {finding.evidence[0].path for finding in findings if finding.topic in ("assembly", "eviction")}
    related = (_less_sure(finding) if _is_elsewhere(finding, about) else finding for finding in findings)
    return sorted(_join_twins(related), key=_rank)


def _doubts(detection: Detection, table: TypeTable) -> list[str]:
    if not detection.subject or table.strength(detection.subject) != 1:
        return []
    return [f"only the name {detection.subject.name} suggests that these are messages"]


def _confidence(detection: Detection, table: TypeTable, reach: Reach | None) -> Confidence | None:
    """Return the confidence of a detection, lower if its list reaches no model call; None if it is no finding."""
    confidence = table.confidence(detection)
    if reach is None or reach.sent:
        return confidence
    is_tier = detection.topic == "tiers"
    if not reach.is_used and not is_tier:
        return None
    if confidence == "high":
        return "medium"
    return "low" if confidence and is_tier else confidence


def _finding(
    detection: Detection, evidence: tuple[Evidence, ...], confidence: Confidence, against: Sequence[str]
) -> SourceFinding:
    return SourceFinding(
        detection.topic,
        detection.kind,
        detection.words,
        detection.scope,
        evidence,
        confidence,
        tuple(dict.fromkeys(against)),
        detection.trigger,
        detection.parts,
        detection.detail,
        detection.kind == "model call" and detection.subject is not None,
    )


def _is_elsewhere(finding: SourceFinding, about: set[str]) -> bool:
    """Return True if a finding about tokens is in a file that is unrelated to messages."""
    path = finding.evidence[0].path
    near = "/".join(path.split("/")[-2:]) if path.count("/") > 1 else path.rpartition("/")[2]
    return finding.topic == "tokens" and path not in about and not _RELEVANT_PATH.search(near)


def _less_sure(finding: SourceFinding) -> SourceFinding:
    return replace(finding, confidence="low", against=(*finding.against, "no other part of this file handles messages"))


def _join_twins(findings: Iterable[SourceFinding]) -> Iterator[SourceFinding]:
    """Merge equal findings of one class (a function and its asynchronous twin), with the lines of both."""
    groups: dict[tuple[str, ...], list[SourceFinding]] = {}
    for finding in findings:
        owner = finding.scope.partition(".")[0] if "." in finding.scope else _TWIN.sub("", finding.scope)
        what = "" if finding.kind in ("model call", "persistent", "semantic", *_COUNTING) else finding.words
        key = (finding.topic, finding.kind, finding.evidence[0].path, owner, what, *finding.parts)
        groups.setdefault(key, []).append(finding)
    for rows in groups.values():
        first = min(rows, key=_rank)
        lines = [*first.evidence, *(row.evidence[0] for row in rows if row is not first)]
        yield replace(first, evidence=tuple(dict.fromkeys(lines))[:_MAX_LINES])


def _one_each(detections: Sequence[Detection]) -> list[Detection]:
    """Return at most one detection per kind and line, preferring firm ones."""
    rows: dict[tuple[str, int], Detection] = {}
    for detection in detections:
        if detection.lines:
            key = detection.kind, detection.lines[0][0]
            if key not in rows or (detection.is_firm and not rows[key].is_firm):
                rows[key] = detection
    return list(rows.values())


def _limits(detection: Detection, graph: CallGraph, deprecated: set[str]) -> list[str]:
    """Return limitations of a detection that follow from the function that contains it."""
    limits = []
    if detection.scope in deprecated:
        limits.append(f"{detection.scope} is marked as deprecated")
    is_action = detection.topic == "eviction"
    if is_action and detection.scope != MODULE and not graph.is_called(detection.scope):
        limits.append(f"this source never calls {detection.scope}, which may be an API for callers")
    return limits


def _rank(finding: SourceFinding) -> tuple[int, int, int, int, int, str, int]:
    return (
        TOPICS.index(finding.topic),
        CONFIDENCES.index(finding.confidence),
        finding.steps or _FAR,
        len(finding.against),
        -len(set(finding.parts)),
        finding.evidence[0].path,
        finding.evidence[0].line,
    )


_ADAPTERS = re.compile(
    r"(?:^|/)(?:models?|llms?|providers?|adapters?|integrations?|converters?|prompts?|ui|a2a)/|(?:_adapter|_converter|_llm)\.py$",
    re.IGNORECASE,
)


def main_assembly(findings: Sequence[SourceFinding]) -> SourceFinding | None:
    """Return the finding that assembles the largest part of a context, or None.

    Assemblies with both system prompt and history rank first, and those near a model call before others. Code that
    only converts messages for one provider ranks lower.
    """

    def worth(finding: SourceFinding) -> tuple[float, int, int]:
        parts = assembly_order(finding)
        value = 0.9 * len(set(parts)) + 2 * ("System" in parts and "History" in parts) + (parts[:1] == ("System",))
        value += (len(parts) == len(set(parts))) + (finding.kind != "template") + 0.5 * (finding.confidence == "high")
        value -= 3 * bool(_ADAPTERS.search(finding.evidence[0].path)) + ("deprecated" in " ".join(finding.against))
        value -= 0.1 * min(finding.steps, 20) if finding.steps or finding.kind == "model call" else 1
        return value, -CONFIDENCES.index(finding.confidence), -len(finding.parts)

    places = [finding for finding in findings if finding.topic == "assembly" and finding.confidence != "low"]
    return max((finding for finding in places if len(set(assembly_order(finding))) > 1), key=worth, default=None)


def assembly_order(finding: SourceFinding) -> tuple[Component, ...]:
    """Return the parts of an assembly in order. For a model call, separately passed parts precede the history."""
    if finding.kind == "model call":
        return (*finding.parts, "History") if finding.sends_messages else ()
    return finding.parts if finding.kind != "insertion" else ()


def _paths(findings: Sequence[SourceFinding], graph: CallGraph) -> list[tuple[CallStep, ...]]:
    """Return call paths to the main assembly, to a model call and to an eviction, if an entry point leads there."""
    ends: list[SourceFinding] = []
    if (assembly := main_assembly(findings)) is not None:
        ends.append(assembly)
    ends += [finding for finding in findings if finding.kind == "model call" and finding.confidence != "low"][:12]
    ends += [finding for finding in findings if finding.topic == "eviction" and finding.confidence == "high"][:12]
    paths: dict[str, tuple[CallStep, ...]] = {}
    for finding in ends:
        if finding.topic not in paths or (finding.kind == "model call" and "model call" not in paths):
            steps = graph.path_to(finding.evidence[0].path, finding.scope)
            if len(steps) > 1:
                key = finding.kind if finding.kind == "model call" else finding.topic
                paths.setdefault(key, (*steps[:-1], CallStep(finding.scope, finding.evidence[0])))
    return list(paths.values())
