"""All detectors, and their execution on a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from inspector.report.findings import Detection
from inspector.report.source.detectors.assembly import (
    detect_builders,
    detect_insertions,
    detect_message_lists,
    detect_model_calls,
    detect_templates,
)
from inspector.report.source.detectors.cutting import detect_deques, detect_pops, detect_slices
from inspector.report.source.detectors.loops import detect_budget_loops, detect_scores
from inspector.report.source.detectors.replacing import (
    detect_archiving,
    detect_removals,
    detect_tool_results,
)
from inspector.report.source.detectors.size_limits import detect_budgets, detect_overflow
from inspector.report.source.detectors.storing import detect_fields, detect_search, detect_storage
from inspector.report.source.detectors.summaries import detect_summaries
from inspector.report.source.detectors.token_counting import detect_counting, detect_estimates, detect_usage
from inspector.report.source.modules import ParsedModule, Scope
from inspector.report.source.subjects import MessageLists

Detector = Callable[[Scope, MessageLists], Iterator[Detection]]


def _of_scope(detect: Callable[[Scope], Iterator[Detection]]) -> Detector:
    """Adapt a detector that does not need message lists."""
    return lambda scope, _: detect(scope)


DETECTORS: Mapping[str, Detector] = {
    "archiving": detect_archiving,
    "budget loops": detect_budget_loops,
    "budgets": _of_scope(detect_budgets),
    "builders": _of_scope(detect_builders),
    "counting": _of_scope(detect_counting),
    "deques": detect_deques,
    "estimates": _of_scope(detect_estimates),
    "fields": detect_fields,
    "insertions": detect_insertions,
    "message lists": detect_message_lists,
    "model calls": detect_model_calls,
    "overflow": _of_scope(detect_overflow),
    "pops": detect_pops,
    "removals": detect_removals,
    "scores": detect_scores,
    "search": _of_scope(detect_search),
    "slices": detect_slices,
    "storage": _of_scope(detect_storage),
    "summaries": detect_summaries,
    "templates": _of_scope(detect_templates),
    "tool results": _of_scope(detect_tool_results),
    "usage": _of_scope(detect_usage),
}


def run_detectors(module: ParsedModule) -> Iterator[Detection]:
    """Yield all detections in a module, function by function."""
    for scope in module.scopes:
        lists = MessageLists(scope)
        for detect in DETECTORS.values():
            yield from detect(scope, lists)
