"""Bring a window below the limit of a policy where its strategy leaves more: the last resort before a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.engine.compression.engine import Compaction, CompressionEngine
from inspector.engine.strategies import PlanBuilder, Services, draft_plan, trim
from inspector.engine.window import Plan, Window, apply

_RESULT_SHARE = 4
"""A tool result takes at most this fraction of the limit: a quarter."""
_LEAST_SHARE = 512
"""The smallest fraction to which results are trimmed before giving up."""
_CHARS_PER_TOKEN = 3
_MOST_CHARS = 200_000
_LEAST_CHARS = 100
_HEAD = 0.6
_FILLED = 0.9
"""Fraction of the limit that is left after groups were dropped, so that the next message does not exceed it again."""


def exceeds_limit(engine: CompressionEngine) -> bool:
    """Return True if the window exceeds the policy's limit, or its newest message is a tool result that is too long.

    Takes constant time.
    """
    limit = engine.policy.limit
    if not engine.policy.enabled or limit <= 0 or not engine.log:
        return False
    newest = engine.log[-1]
    return engine.total > limit or (newest.role == "tool" and newest.chars > _longest(limit, _RESULT_SHARE))


def limit_results(engine: CompressionEngine) -> list[Compaction]:
    """Trim tool results that take more than a quarter of the policy's limit to head and tail, also in the newest step.

    Pinned results stay, and the log keeps everything. Returns the applied plan with its windows, or nothing.
    """
    limit = engine.policy.limit
    return _applied(engine, [_trim_plan(engine.window(), _longest(limit, _RESULT_SHARE))]) if limit > 0 else []


def keep_limit(engine: CompressionEngine) -> list[Compaction]:
    """Apply the plans that bring the window below the policy's limit, and return them.

    Long tool results are trimmed as by `limit_results`, then the oldest groups are dropped, then tool results are
    trimmed further. System messages, the task, the current request and pinned messages stay, so the window may remain
    over the limit.
    """
    limit = engine.policy.limit
    return _applied(engine, _plans(engine, limit)) if 0 < limit < engine.total else []


def _applied(engine: CompressionEngine, plans: Iterable[Plan]) -> list[Compaction]:
    """Apply the plans that make the window smaller, each to what the ones before left."""
    compactions = []
    for plan in plans:
        before = engine.window()
        after = apply(before, plan)
        if after.total < before.total:
            compactions.append(Compaction(plan, before, engine.cursor.apply(plan, after)))
    return compactions


def _plans(engine: CompressionEngine, limit: int) -> Iterator[Plan]:
    """Yield the plans to apply in order, each for the window that the ones before have left."""
    yield _trim_plan(engine.window(), _longest(limit, _RESULT_SHARE))
    if engine.total > limit:
        target = {"max_tokens": max(1, int(_FILLED * limit))}
        yield draft_plan(engine.window(), "token_window", target, Services())
    share = _RESULT_SHARE
    while engine.total > limit and share < _LEAST_SHARE:
        share *= 2
        yield _trim_plan(engine.window(), _longest(limit, share))


def _longest(limit: int, share: int) -> int:
    """Return the maximum characters of a result that takes a fraction of the limit."""
    return min(_MOST_CHARS, max(_LEAST_CHARS, limit * _CHARS_PER_TOKEN // share))


def _trim_plan(window: Window, longest: int) -> Plan:
    """Return a plan that trims all tool results above a length that are not pinned, also those of the newest step."""
    builder = PlanBuilder(window)
    places = [place for place in builder.answers if window.ids[place] not in window.pins]
    trim(builder, places, longest, _HEAD, f"longer than {longest:,} characters: head and tail kept")
    builder.keep_rest("within the limit")
    return builder.finish("trim_outputs", {"longest": longest, "head": _HEAD})
