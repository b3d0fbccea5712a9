"""Choose sliding_window, selective or deletion by the content of the older part of the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from inspector.engine.strategies.deletion import DeletionSettings, deletion
from inspector.engine.strategies.fitting import describe_excess
from inspector.engine.strategies.knobs import knob, recent_knob, state_knob, target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder, unchanged_plan
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.selective import SelectiveSettings, important, selective
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.signals import signals
from inspector.engine.strategies.sliding_window import SlidingWindowSettings, sliding_window
from inspector.engine.window import Plan, Window, apply, merge_plans

_TOOLS = 0.5
"""Fraction of tool calls and results from which the older part counts as work rather than conversation."""


@dataclass(frozen=True)
class AutoSettings:
    keep_recent: int = recent_knob(20, "Number of newest messages to keep verbatim.")
    ratio: float = knob(0.3, "Size of a summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    target: int = target_knob("Maximum tokens of the window.")
    state_tokens: int = state_knob()


def auto(window: Window, settings: AutoSettings, services: Services) -> Plan:
    """Return the plan of the chosen strategy, with a note that names it and the reason.

    The choice is made for the repaired window, without content that every strategy removes, so that a second pass makes
    the same choice.
    """
    repair = PlanBuilder(window).finish("auto", {})
    clean = apply(window, repair) if repair.alters else window
    name, why = _pick(clean, settings)
    if name == "selective":
        plan = selective(clean, SelectiveSettings(settings.keep_recent, settings.ratio, settings.target), services)
    elif name == "deletion":
        plan = deletion(clean, DeletionSettings(settings.keep_recent), services)
    else:
        fit = replace(services, fit=settings.target)
        plan = sliding_window(clean, SlidingWindowSettings(settings.keep_recent, settings.ratio), fit)
    values: Mapping[str, Any] = asdict(settings)
    after = apply(clean, plan)
    excess = describe_excess(clean, plan, after.total) if after.total > settings.target else ""
    note = "; ".join(filter(None, (f"picked {name}: {why}", plan.note or excess)))
    if plan.has_failed:
        return unchanged_plan(window, "auto", values, note)
    return merge_plans(window, [repair, plan], "auto", values, note)


def _pick(window: Window, settings: AutoSettings) -> tuple[str, str]:
    """Return the name of a strategy and the reason it suits this window."""
    newest = recent(window, settings.keep_recent)
    groups = [members for members in PlanBuilder(window).candidates(summaries=True) if members[0] not in newest]
    older = [index for members in groups for index in members if window.messages[index].kind != "summary"]
    if not older:
        return "sliding_window", "nothing else is old enough"
    if _is_condensed(window, groups, settings):
        return "selective", "a summary already covers everything unimportant"
    works = sum(1 for index in older if window.messages[index].role == "tool" or window.messages[index].calls)
    if works >= _TOOLS * len(older):
        return "selective", f"{works:,} of {len(older):,} older messages are tool calls and results"
    if _says_nothing(window, older):
        return "deletion", "the older part contains no request, decision, marked message or failure"
    return "sliding_window", "the older part is mostly talk"


def _is_condensed(window: Window, groups: Sequence[Sequence[int]], settings: AutoSettings) -> bool:
    """Return True if the older part only consists of a summary and messages that `selective` keeps."""
    others = [members for members in groups if window.messages[members[0]].kind != "summary"]
    chosen = SelectiveSettings(settings.keep_recent, settings.ratio, settings.target)
    return len(others) < len(groups) and len(important(window, others, chosen)) == len(others)


def _says_nothing(window: Window, places: Sequence[int]) -> bool:
    """Return True if these messages contain no user message, decision, marking word or failure."""
    marks = signals(window)
    return not any(
        marks[index].marked or marks[index].error or marks[index].decision or window.messages[index].role == "user"
        for index in places
    )
