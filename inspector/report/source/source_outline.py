"""Fields of the report template for source code, each from the findings about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from inspector.core.text import listed, plural
from inspector.report.findings import SourceFinding
from inspector.report.outline import NOT_SEEN, Outline, TierRow, join_words
from inspector.report.source.analysis import SourceReport, assembly_order, main_assembly

_METHODS: Mapping[str, str] = {"message list": "Message List", "template": "Template", "builder": "Programmatic"}
STRATEGIES: Mapping[str, str] = {
    "fifo": "FIFO",
    "window": "Window",
    "token window": "Window (by tokens)",
    "summarization": "Summarization",
    "vector": "Vector",
    "importance": "Importance",
    "tool results": "Tool results cut",
    "removal": "Explicit removal",
}
_TRIGGERS: Mapping[str, str] = {
    "tokens": "Token count",
    "messages": "Message count",
    "overflow error": "Overflow error",
    "explicit": "Explicit",
}
_COUNTING: Mapping[str, str] = {
    "tiktoken": "tiktoken",
    "tokenizer": "tokenizer model",
    "estimate": "estimate",
    "api": "API",
}
_MAX_LOCATIONS = 3
"""Maximum number of locations and numbers in a field."""


def outline_of_source(report: SourceReport) -> Outline:
    """Return the fields of a report on source code."""
    assembly = main_assembly(report.findings)
    evictions = report.of("eviction")
    return Outline(
        report.name,
        " → ".join(assembly_order(assembly)) if assembly else NOT_SEEN,
        _method(report),
        _locations([assembly] if assembly else []),
        join_words([STRATEGIES[kind] for kind in _by_weight(evictions)]),
        join_words([_TRIGGERS.get(trigger, "") for trigger in _triggers(evictions)]),
        _locations(_first_of_each(evictions)),
        _tiers(report, evictions),
        _counting(report),
        _budget(report),
        _overflow(report, evictions),
    )


def _method(report: SourceReport) -> str:
    counts = Counter(finding.kind for finding in report.of("assembly", *_METHODS))
    words = [f"{_METHODS[kind]} ({plural(count, 'place')})" for kind, count in counts.most_common()]
    if not words and (calls := report.of("assembly", "model call")):
        return f"Message List (assembled elsewhere; sent in {plural(len(calls), 'place')})"
    return join_words(words)


def _by_weight(findings: Sequence[SourceFinding]) -> list[str]:
    """Return the distinct kinds of findings, in descending order of confidence."""
    return list(dict.fromkeys(finding.kind for finding in findings))


def _first_of_each(findings: Sequence[SourceFinding]) -> list[SourceFinding]:
    first: dict[str, SourceFinding] = {}
    for finding in findings:
        first.setdefault(finding.kind, finding)
    return list(first.values())


def _triggers(findings: Sequence[SourceFinding]) -> list[str]:
    return [trigger for trigger, _ in Counter(finding.trigger for finding in findings if finding.trigger).most_common()]


def _locations(findings: Sequence[SourceFinding]) -> str:
    places = [f"`{finding.evidence[0].path}:L{finding.evidence[0].line}`" for finding in findings]
    return listed(places, _MAX_LOCATIONS) or NOT_SEEN


def _tiers(report: SourceReport, evictions: Sequence[SourceFinding]) -> tuple[TierRow, ...]:
    limits = [finding.detail for finding in evictions if finding.detail and finding.kind in ("window", "token window")]
    working = join_words(limits[:_MAX_LOCATIONS]) if limits else "limited, by settings" if evictions else "Unlimited"
    fields = list(dict.fromkeys(finding.detail.lstrip("_") for finding in report.of("tiers", "session")))[
        :_MAX_LOCATIONS
    ]
    is_bounded = any("deque" in finding.words for finding in evictions)
    session = _NO_TIER
    if fields:
        session = (f"List ({', '.join(fields)})", "Bounded" if is_bounded else "Unlimited", "Direct")
    return (
        TierRow("Working", "In-prompt", working, "Immediate"),
        TierRow("Session", *session),
        TierRow("Persistent", *_persistent(report)),
    )


_NO_TIER = (NOT_SEEN, NOT_SEEN, NOT_SEEN)


def _persistent(report: SourceReport) -> tuple[str, str, str]:
    """Return where memories are stored, their capacity, and how they are retrieved."""
    stores, semantic = report.of("tiers", "persistent"), report.of("tiers", "semantic")
    if not stores and not semantic:
        return _NO_TIER
    names = [finding.detail for finding in (*stores, *semantic) if finding.detail] or ["vector store"]
    retrieval = join_words((["Semantic"] if semantic else []) + (["Direct"] if stores else []))
    return join_words(names[:8]), "Unlimited", retrieval


def _counting(report: SourceReport) -> str:
    words = []
    for kind, name in _COUNTING.items():
        findings = report.of("tokens", kind)
        if findings:
            detail = next((finding.detail for finding in findings if finding.detail and kind == "estimate"), "")
            words.append(f"{name} ({detail})" if detail else name)
    return join_words(words)


def _budget(report: SourceReport) -> str:
    rows = sorted(report.of("tokens", "budget"), key=lambda finding: "by default" in finding.words)
    words = [finding.detail or finding.words for finding in rows]
    more = f" and {len(set(words)) - _MAX_LOCATIONS} more" if len(set(words)) > _MAX_LOCATIONS else ""
    return join_words(list(dict.fromkeys(words))[:_MAX_LOCATIONS]) + more


def _overflow(report: SourceReport, evictions: Sequence[SourceFinding]) -> str:
    handlers = report.of("tokens", "overflow handler")
    reactive = {finding.kind for finding in evictions if finding.trigger in ("tokens", "overflow error")}
    words = ["Summarize"] if "summarization" in reactive else []
    words += ["Truncate"] if reactive - {"summarization"} else []
    words += ["Error"] if report.of("tokens", "overflow error") else []
    words += [f"on the provider's error: {finding.detail}" for finding in handlers if finding.detail][:1]
    words += ["the provider's error is handled"] if handlers and not any(finding.detail for finding in handlers) else []
    return join_words(words)
