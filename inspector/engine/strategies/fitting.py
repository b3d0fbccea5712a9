"""Meeting a target: more and more goes into one summary until the window fits, and what is left says what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf

from inspector.core.conversation import Message
from inspector.engine.strategies.plan_builder import PlanBuilder, least_summary
from inspector.engine.strategies.protection import NEWEST, OPEN_CALL, OPENER, PIN, REQUEST, SUMMARY, SYSTEM, TASK
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.window import Fate, Plan, Window

ERROR, WORK, MARK = "it tells of an error", "tool calls and their results", "a marking word stands in it"
"""Why `selective` keeps a message."""
_NAMES = {
    WORK: "tool calls and their results",
    ERROR: "what tells of errors",
    MARK: "marked messages",
    SYSTEM.reason: "system messages",
    TASK.reason: "the first task",
    REQUEST.reason: "the current request",
    PIN.reason: "pinned messages",
    NEWEST.reason: "the newest step",
    OPENER.reason: "the first message",
    OPEN_CALL.reason: "calls that wait for a result",
    SUMMARY.reason: "earlier summaries",
}
_SHORTEST = 0.5
"""The part of its usual size that a summary has at least, unless all goes into it."""
_LONG_SUMMARY_TOKENS = 4_000
"""Tokens of a summary that is not written to see whether it fits."""
_MAX_NAMES = 4
"""How many kinds of what stays are named."""


def size_that_stays(window: Window, keep: int) -> int:
    """Tokens of a window that stay whatever the target: what may not leave, and the newest `keep` messages."""
    builder, newest = PlanBuilder(window), recent(window, keep)
    older = [members for members in builder.candidates(summaries=True) if members[0] not in newest]
    return window.total - sum(builder.weights(older))


def condense_in_steps(
    base: PlanBuilder, steps: Sequence[Sequence[int]], ratio: float, services: Services, target: int
) -> PlanBuilder:
    """The plan of `base` with the first of some lists of messages as a summary with which the window meets a target.

    Each list holds the one before and more. A summary has `ratio` of their size, or half of that where there is no room
    for it; that of the last list is as small as it has to be. A list is passed over where there is no room for half a
    summary that takes long to write, for what a longer list takes out is more than its summary grows. Where none meets
    the target, the smallest window is it. So a tighter target never leaves more: it asks for no longer summaries, of no
    shorter lists. Windows are compared as they are sent: what a provider would refuse leaves them whatever the plan.
    """
    mended = base.fork()
    mended.mend()
    whole = mended.total
    rests = [whole - mended.size_left(indices) for indices in steps]
    tries: list[PlanBuilder] = []
    skips: list[int] = []
    for number, indices in enumerate(steps):
        is_last = number == len(steps) - 1
        least = least_summary(int(ratio * base.size(indices)), _SHORTEST)
        if not is_last and rests[number] + (least if least > _LONG_SUMMARY_TOKENS else 0) >= target:
            skips.append(number)
            continue
        builder = base.fork()
        builder.condense(indices, ratio, services, target, 0.0 if is_last else _SHORTEST)
        if builder.failed_to_ask or size_left(builder) <= target:
            return builder
        tries.append(builder)
    best = min(tries, key=size_left, default=base)
    for number in reversed(skips):
        if rests[number] >= min(size_left(best), whole):
            break
        builder = base.fork()
        builder.condense(steps[number], ratio, services, target)
        best = min(best, builder, key=size_left)
    return base if whole < size_left(best) < inf else best


def size_left(builder: PlanBuilder) -> float:
    """Tokens of the window that is sent by a plan as it stands; no number where it failed."""
    if builder.failure:
        return inf
    end = builder.fork()
    end.mend()
    return end.total


def note_excess(builder: PlanBuilder, target: int) -> None:
    """Say of a plan that leaves more than its target what it is that stays, where it says nothing else."""
    if builder.note or builder.failure or builder.total <= target:
        return
    end = builder.fork()
    end.mend()
    if (total := end.total) > target:
        builder.note = _describe(total, end.window, end.fates, end.rewrites, end.summaries)


def describe_excess(window: Window, plan: Plan, total: int) -> str:
    """What stays of a window where a plan leaves `total` tokens of it, in one clause, the largest first."""
    return _describe(total, window, plan.fates, plan.rewrites, plan.summaries)


def _describe(
    total: int,
    window: Window,
    fates: Sequence[Fate],
    rewrites: Mapping[str, Message],
    summaries: Sequence[Message],
) -> str:
    tokens: Counter[str] = Counter({"tools and what is not recorded": window.total - sum(window.tokens)})
    for index, fate in enumerate(fates):
        if fate.leaves or index in window.groups.orphans:
            continue
        if message := rewrites.get(window.ids[index]):
            tokens["shortened messages"] += window.sizes.measure(message)
        else:
            tokens[_name_of(fate.reason)] += window.tokens[index]
    tokens["the summary"] += sum(map(window.sizes.measure, summaries))
    parts = [f"{name} ({size:,})" for name, size in tokens.most_common(_MAX_NAMES) if size > 0]
    return f"{total:,} tokens are left, for these stay: {', '.join(parts)}"


def _name_of(reason: str) -> str:
    """What stays for a reason, as a noun."""
    among = reason.removeprefix("among ")
    return _NAMES.get(reason, "other messages" if among == reason else among)
