"""Several plans, one made on top of the other, as one for the window that the first was made for."""

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
    """One plan that leaves `window` as all the plans leave it, one after the other.

    A message has the last fate that changed anything for it. What went into a summary that went into another one went
    into that other one.
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
    """The fate of each message of a window: that of the plan where it changes anything, else the one in `fates`."""
    news: Iterable[Fate]
    if plan.ids == window.ids:  # as those of a pipeline mostly are: twenty thousand of them, several times
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
    """Where a plan takes summaries of earlier plans into its own, what they stood for is in its own too."""
    earlier = {name: plan.by_id[name] for name in summaries if name in plan.by_id and plan.by_id[name].leaves}
    for name in earlier:
        del summaries[name]
    if earlier:
        fates[:] = [replace(earlier[fate.into]) if fate.into in earlier else fate for fate in fates]
