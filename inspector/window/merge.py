"""Several plans, one made on top of the other, as one plan for the window that the first was made for."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from inspector.conversation import Message
from inspector.window.plan import KEPT, Fate, Plan, Score
from inspector.window.window import Window


def merge_plans(
    window: Window, plans: Sequence[Plan], strategy: str, settings: Mapping[str, Any], note: str = ""
) -> Plan:
    """One plan that leaves `window` as all the plans leave it, one after the other.

    A message has the last fate that changed anything for it. What went into a summary that went into another one went
    into that other one.
    """
    fates: dict[str, Fate] = dict.fromkeys(window.ids, KEPT)
    changed: dict[str, Message] = {}
    summaries: dict[str, Message] = {}
    for plan in plans:
        _redirect(fates, plan, summaries)
        for name, fate in plan.by_id.items():
            if name in fates and (fate.leaves or name in plan.changed or fates[name] is KEPT):
                fates[name] = fate
        changed |= plan.changed
        summaries |= {summary.id: summary for summary in plan.summaries}
    present = {name: message for name, message in changed.items() if name in fates and not fates[name].leaves}
    return Plan(
        strategy,
        settings,
        window.ids,
        tuple(fates.values()),
        present,
        tuple(summaries.values()),
        window.turn,
        note,
        scores=ChainMap(*cast("list[dict[str, Score]]", [plan.scores for plan in reversed(plans)])),
    )


def _redirect(fates: dict[str, Fate], plan: Plan, summaries: dict[str, Message]) -> None:
    """Where a plan takes summaries of earlier plans into its own, what they stood for is in its own too."""
    earlier = {name: fate for name, fate in plan.by_id.items() if name in summaries and fate.leaves}
    for name in earlier:
        del summaries[name]
    if earlier:
        for name, fate in fates.items():
            if fate.into in earlier:
                fates[name] = replace(earlier[fate.into])
