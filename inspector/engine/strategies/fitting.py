"""Meet a token target by moving more and more messages into one summary, and explain what exceeds it."""

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

ERROR, WORK, MARK = "reports an error", "tool calls and their results", "contains a marking word"
"""Reasons for which `selective` keeps a message."""
_NAMES = {
    WORK: "tool calls and their results",
    ERROR: "error reports",
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
"""Minimum size of a summary as a fraction of its usual size, unless everything goes into it."""
_LONG_SUMMARY_TOKENS = 4_000
"""Size of a summary in tokens above which it is not written only to see if it fits."""
_MAX_NAMES = 4
"""Maximum number of kinds of remaining messages in an explanation."""


def size_that_stays(window: Window, keep: int) -> int:
    """Return the tokens that remain under any target: protected messages and the newest ones.

    Args:
        window: Window to compress.
        keep: Number of newest messages to keep.
    """
    builder, newest = PlanBuilder(window), recent(window, keep)
    older = [members for members in builder.candidates(summaries=True) if members[0] not in newest]
    return window.total - sum(builder.weights(older))


def condense_in_steps(
    base: PlanBuilder, steps: Sequence[Sequence[int]], ratio: float, services: Services, target: int
) -> PlanBuilder:
    """Return the plan that summarises the first of several growing lists of messages that meets a target.

    A summary has `ratio` of the size of its messages, or half of that if there is no room for it; for the last list, as
    little as necessary. Long summaries that would not fit at half size are skipped, because a longer list frees more
    than its summary grows. If no list meets the target, the smallest window wins. So a tighter target never yields a
    larger window: it requires neither longer summaries nor shorter lists. Windows are compared as they are sent,
    without content that the provider would reject.

    Args:
        base: Plan to extend; it is not changed.
        steps: Positions of messages to summarise. Each list contains the previous one.
        ratio: Size of a summary as a fraction of its messages.
        services: Provides the summariser.
        target: Maximum tokens of the window.
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
    """Return the tokens of the window sent under a plan so far; infinity if the plan failed."""
    if builder.failure:
        return inf
    end = builder.fork()
    end.mend()
    return end.total


def note_excess(builder: PlanBuilder, target: int) -> None:
    """Add a note to a plan that exceeds its target, naming what remains, unless it has a note."""
    if builder.note or builder.failure or builder.total <= target:
        return
    end = builder.fork()
    end.mend()
    if (total := end.total) > target:
        builder.note = _size_note(total, end.window, end.fates, end.rewrites, end.summaries)


def describe_excess(window: Window, plan: Plan, total: int) -> str:
    """Return a clause that names what remains in a window, largest first.

    Args:
        window: Window before the plan.
        plan: The plan that exceeds its target.
        total: Tokens of the window after the plan.
    """
    return _size_note(total, window, plan.fates, plan.rewrites, plan.summaries)


def _size_note(
    total: int,
    window: Window,
    fates: Sequence[Fate],
    rewrites: Mapping[str, Message],
    summaries: Sequence[Message],
) -> str:
    tokens: Counter[str] = Counter({"tools and unrecorded tokens": window.total - sum(window.tokens)})
    for index, fate in enumerate(fates):
        if fate.leaves or index in window.groups.orphans:
            continue
        if message := rewrites.get(window.ids[index]):
            tokens["shortened messages"] += window.sizes.measure(message)
        else:
            tokens[_name_of(fate.reason)] += window.tokens[index]
    tokens["the summary"] += sum(map(window.sizes.measure, summaries))
    parts = [f"{name} ({size:,})" for name, size in tokens.most_common(_MAX_NAMES) if size > 0]
    return f"{total:,} tokens remain, because these are kept: {', '.join(parts)}"


def _name_of(reason: str) -> str:
    """Return the noun for messages kept for a reason."""
    among = reason.removeprefix("among ")
    return _NAMES.get(reason, "other messages" if among == reason else among)
