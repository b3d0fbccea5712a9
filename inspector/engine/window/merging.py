"""Merge plans that were applied one after another into a single plan for the first plan's window."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from operator import is_
from typing import Any, cast

from inspector.core.conversation import Message
from inspector.engine.window.plan import KEPT, LEAVE_KINDS, Fate, Plan, Score
from inspector.engine.window.window import Window


def merge_plans(
    window: Window, plans: Sequence[Plan], strategy: str, settings: Mapping[str, Any], note: str = ""
) -> Plan:
    """Return one plan that has the same effect on `window` as applying all `plans` in order.

    Each message gets the last fate that changed it. If a summary was itself summarised by a later plan, its source
    messages are attributed to the later summary.

    Args:
        window: Window that the first plan was made for.
        plans: Plans in the order they were applied. Each was made for the window that the previous one produced.
        strategy: Strategy name of the merged plan.
        settings: Settings of the merged plan.
        note: Why a target was not reached, as a sentence; empty if it was.
    """
    fates: list[Fate] = [KEPT] * len(window.ids)
    rewrites: dict[str, Message] = {}
    summaries: dict[str, Message] = {}
    for plan in plans:
        _redirect(fates, plan, summaries)
        fates = _last_fates(window, fates, plan)
        rewrites |= plan.rewrites
        summaries |= {summary.id: summary for summary in plan.summaries}
    if rewrites:
        stays = {name for name, fate in zip(window.ids, fates, strict=True) if not fate.leaves}
        rewrites = {name: message for name, message in rewrites.items() if name in stays}
    return Plan(
        strategy,
        settings,
        window.ids,
        tuple(fates),
        rewrites,
        tuple(summaries.values()),
        window.turn,
        note,
        scores=ChainMap(*cast("list[dict[str, Score]]", [plan.scores for plan in reversed(plans)])),
    )


def _last_fates(window: Window, fates: Sequence[Fate], plan: Plan) -> list[Fate]:
    """Return the fate of each message: the plan's if the plan changes the message, otherwise the one in `fates`."""
    news: Iterable[Fate]
    if plan.ids == window.ids:  # the usual case in a pipeline, where up to 20,000 ids are compared per stage
        if all(map(is_, fates, repeat(KEPT))):
            return list(plan.fates)
        news = plan.fates
    else:
        news = map(plan.by_id.get, window.ids, fates)
    rewrites = plan.rewrites
    return [
        new if old is KEPT or new.kind in LEAVE_KINDS or name in rewrites else old
        for name, old, new in zip(window.ids, fates, news, strict=True)
    ]


def _redirect(fates: list[Fate], plan: Plan, summaries: dict[str, Message]) -> None:
    """Redirect fates to the plan's own summaries if it summarised, archived or dropped summaries of earlier plans."""
    earlier = {name: plan.by_id[name] for name in summaries if name in plan.by_id and plan.by_id[name].leaves}
    for name in earlier:
        del summaries[name]
    if earlier:
        fates[:] = [replace(earlier[fate.into]) if fate.into in earlier else fate for fate in fates]
