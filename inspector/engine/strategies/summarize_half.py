"""Summarise the older half of the messages, and half of the rest again, until the window fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from inspector.engine.strategies.fitting import condense_in_steps, note_excess, size_left
from inspector.engine.strategies.knobs import knob, state_knob, target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window


@dataclass(frozen=True)
class SummarizeHalfSettings:
    max_tokens: int = target_knob("Maximum tokens of the window; below it, nothing is summarised.")
    ratio: float = knob(0.2, "Size of the summary as a share of its source.", low=0.01, high=0.9, step=0.05)
    state_tokens: int = state_knob()


def summarize_half(window: Window, settings: SummarizeHalfSettings, services: Services) -> Plan:
    """Summarise halves, counted in messages and split between groups. All halves go into one summary.

    If no summary of these messages is worth its tokens, what remains of them without the content that the provider
    would reject is tried, so that a second pass over the result finds nothing more to summarise.
    """
    builder = PlanBuilder(window)
    candidates = builder.candidates(summaries=True)
    done = _summarise_halves(builder, candidates, settings, services)
    if not done.summaries and not done.failure:
        builder.mend()
        left = [tuple(index for index in group if not builder.fates[index].leaves) for group in candidates]
        left = [group for group in left if group]
        if builder.rewrites or left != candidates:
            again = _summarise_halves(builder, left, settings, services)
            done = again if again.summaries else done
    done.keep_rest("in the newer half")
    note_excess(done, settings.max_tokens)
    return done.finish("summarize_half", settings)


def _summarise_halves(
    builder: PlanBuilder, candidates: Sequence[tuple[int, ...]], settings: SummarizeHalfSettings, services: Services
) -> PlanBuilder:
    if size_left(builder) <= settings.max_tokens or not candidates:
        return builder
    steps: list[list[int]] = []
    count = 0
    while count < len(candidates):
        count += half(candidates[count:])
        steps.append(sorted(chain.from_iterable(candidates[:count])))
    return condense_in_steps(builder, steps, settings.ratio, services, settings.max_tokens)


def half(groups: Sequence[tuple[int, ...]]) -> int:
    """Return the number of leading groups that contain half of all messages, at least one."""
    enough = sum(map(len, groups)) / 2
    count = 0
    for number, members in enumerate(groups, 1):
        count += len(members)
        if count >= enough:
            return number
    return len(groups)
