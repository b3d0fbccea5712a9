"""Reports as Markdown, under the headings of the report template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from inspector.analysis.cache_loss import describe_cache_losses
from inspector.core.text import one_line, plural
from inspector.report import (
    TOPICS,
    CallStep,
    Outline,
    SessionReport,
    SourceFinding,
    SourceReport,
    describe_eviction,
    outline_of_source,
)

_TOPIC_TITLES = {
    "assembly": "Context Assembly",
    "eviction": "Eviction Policy",
    "tiers": "Memory Tiers",
    "tokens": "Token Management",
}
_MAX_FINDINGS = 8
"""Maximum findings per kind without `--all`."""
_MAX_EVICTIONS = 20
_MAX_UNREAD = 10


def session_markdown(report: SessionReport, unfolded: bool = False) -> Iterator[str]:
    """Yield a report on a session, line by line."""
    yield from _template(report.outline)
    events = report.evictions if unfolded else report.evictions[:_MAX_EVICTIONS]
    if events or report.observations.notes:
        yield from ("", "### Evictions", "")
    for event in events:
        yield f"- turn {event.turn:,}: {event.kind}, {describe_eviction(event, report.limit)}"
    if len(events) < len(report.evictions):
        yield f"- and {len(report.evictions) - len(events)} more; --all lists them"
    if notes := report.observations.notes:
        yield f"- {plural(len(notes), 'tool result')} with a note in place of content, first at turn {notes[0][0]:,}"
    if report.cache_losses:
        yield from ("", "### Prompt Cache", "")
        most = len(report.cache_losses) if unfolded else _MAX_EVICTIONS
        yield from (f"- {one_line(sentence)}" for sentence in describe_cache_losses(report.cache_losses, most))
    yield from ("", "### Certainty", "")
    yield from (f"- {one_line(sentence)}" for sentence in report.certainty)


def source_markdown(report: SourceReport, unfolded: bool = False) -> Iterator[str]:
    """Yield a report on source code, line by line."""
    yield from _template(outline_of_source(report))
    yield from ("", "### Findings")
    for topic in TOPICS:
        yield from _topic_lines(report, topic, unfolded)
    if report.paths:
        yield from ("", "### Call Path")
        for path in report.paths:
            yield ""
            yield from (f"{number}. {_step(step)}" for number, step in enumerate(path, 1))
    yield from ("", "### Certainty", "")
    yield from (f"- {sentence}" for sentence in _certainty(report, unfolded))


def matrix_markdown(reports: Sequence[SourceReport]) -> Iterator[str]:
    """Yield several sources as a table with a row per field."""
    outlines = [outline_of_source(report) for report in reports]
    yield from ("## Comparative Matrix", "")
    yield _row(["", *(outline.name for outline in outlines)])
    yield "|---" * (len(outlines) + 1) + "|"
    for cells in zip(*(outline.rows for outline in outlines), strict=True):
        yield _row([f"**{cells[0][0]}**", *(words for _, words in cells)])


def _template(outline: Outline) -> Iterator[str]:
    """Yield the headings of the template with their fields."""
    yield f"## Memory Orchestration Analysis: {one_line(outline.name)}"
    yield from ("", "### Context Assembly")
    yield from _fields(("Order", outline.order), ("Method", outline.method), ("Location", outline.assembly_location))
    yield from ("", "### Eviction Policy")
    yield from _fields(
        ("Strategy", outline.strategy), ("Trigger", outline.trigger), ("Location", outline.eviction_location)
    )
    yield from (
        "",
        "### Memory Tiers",
        "",
        "| Tier | Storage | Capacity | Retrieval |",
        "|------|---------|----------|-----------|",
    )
    yield from (_row([row.tier, row.storage, row.capacity, row.retrieval]) for row in outline.tiers)
    yield from ("", "### Token Management")
    yield from _fields(
        ("Counting", outline.counting), ("Budget Allocation", outline.budget), ("Overflow Handling", outline.overflow)
    )


def _fields(*rows: tuple[str, str]) -> Iterator[str]:
    yield from (f"- **{name}**: {one_line(words)}" for name, words in rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _topic_lines(report: SourceReport, topic: str, unfolded: bool) -> Iterator[str]:
    findings = [
        finding for finding in report.findings if finding.topic == topic and (unfolded or finding.confidence != "low")
    ]
    if not findings:
        return
    yield from ("", f"#### {_TOPIC_TITLES[topic]}", "")
    kinds = Counter[str]()
    for finding in findings:
        kinds[finding.kind] += 1
        if unfolded or kinds[finding.kind] <= _MAX_FINDINGS:
            yield from _finding_lines(finding)
    for kind, count in kinds.items():
        if not unfolded and count > _MAX_FINDINGS:
            yield f"- and {count - _MAX_FINDINGS} more of the kind {kind}; --all lists them"


def _finding_lines(finding: SourceFinding) -> Iterator[str]:
    more = finding.evidence[1:]
    place = f"`{one_line(finding.place)}` in `{one_line(finding.scope)}`"
    yield f"- **{finding.kind}** ({finding.confidence}): {one_line(finding.words)} — {place}"
    yield f"  - {_code(finding.evidence[0].code)}"
    if more:
        yield f"  - also at {', '.join(f'`{one_line(line.place)}`' for line in more)}"
    facts = [f"trigger: {finding.trigger}" if finding.trigger else "", finding.detail]
    if words := "; ".join(filter(None, facts)):
        yield f"  - {one_line(words)}"
    yield from (f"  - against: {one_line(sentence)}" for sentence in finding.against)


def _code(code: str) -> str:
    """Return a line of code between as many backticks as needed."""
    text = one_line(code) or " "
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _runs(text: str) -> list[str]:
    """Return the runs of backticks in a text."""
    return "".join(sign if sign == "`" else " " for sign in text).split()


def _step(step: CallStep) -> str:
    guess = " (by the name alone)" if step.is_by_name else ""
    return f"`{one_line(step.function)}` — `{one_line(step.evidence.place)}`: {_code(step.evidence.code)}{guess}"


def _certainty(report: SourceReport, unfolded: bool) -> Iterator[str]:
    """Yield the section on which files were read and skipped."""
    yield f"{plural(report.files, 'file')} of Python read, {plural(report.lines, 'line')}; nothing of it was run."
    counts = Counter(finding.confidence for finding in report.findings)
    listed = ", ".join(f"{counts[name]:,} of {name}" for name in ("high", "medium", "low") if counts[name])
    if listed:
        hidden = " Those of low confidence are listed with --all." if counts["low"] and not unfolded else ""
        yield f"Findings by confidence: {listed}.{hidden}"
    else:
        yield "Nothing that handles messages or memory was seen."
    yield from (f"{count:,} left out: {one_line(reason)}." for reason, count in report.left_out)
    for language, count in report.other_languages:
        yield f"{plural(count, 'file')} of {language} not read: only Python is."
    problems = report.problems if unfolded else report.problems[:_MAX_UNREAD]
    yield from (f"Not read: `{one_line(path)}`: {one_line(reason)}." for path, reason in problems)
    if len(problems) < len(report.problems):
        yield f"{len(report.problems) - len(problems):,} more files could not be read."
    yield "Calls are followed by names and classes: targets chosen at run time (plugins, settings) are not seen."
