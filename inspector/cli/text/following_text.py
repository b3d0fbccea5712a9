"""A session that is followed, as text: what it is, and a line for each thing that happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.cli.output import paint, width
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Problem
from inspector.core.text import cells, clip, lines_of, pad
from inspector.library import speaker
from inspector.library.tailing import FreshMessage, Moment, RecordedCompaction, clock
from inspector.llm.tokens import TokenCount, mark

_WHO = 12
_MAX_DAMAGE = 5
"""Damaged parts that are told one by one where more come at once."""


def heading_lines(moment: Moment, verdict: str) -> Iterator[str]:
    """Which session it is, and how its context stands."""
    yield from heading(moment.session)
    yield from (line.rstrip() for line in lines_of(verdict, width()))
    counting = "; it is being counted" if moment.sizes.is_partial else ""
    yield f"the window now: {_window_words(moment)}{counting}"
    yield paint(f"{'#':>7} {'when':<8} {'who':<{_WHO}} {'tokens':>8} {'window':>9}  what it says", "dim")


def row_line(moment: Moment, fresh: FreshMessage) -> str:
    """A message that has come, with the size of its agent's window by then."""
    message = fresh.message
    who = speaker(message, {})
    if message.agent != moment.agent:
        who = f"{message.agent} {who}"
    size = TokenCount(fresh.tokens, moment.sizes.certainty)
    sign = "≈" if moment.sizes.is_partial else mark(moment.sizes.certainty)
    window = f"{sign}{fresh.total:,}"
    start = f"{fresh.number:>7,} {clock(message.time):<8} {pad(who, _WHO)} {size!s:>8} {window:>9}  "
    says = f"error  {fresh.says}" if message.is_error else fresh.says or "…"
    words = clip(f"… {says}" if fresh.again else says, width() - cells(start))
    return paint(start, "dim" if message.kind == "notice" else None) + paint(words, "bad" if message.is_error else None)


def damage_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """What could not be read, the first of it word for word."""
    for problem in problems[:_MAX_DAMAGE]:
        yield paint(clip(f"{'✗':>7} {problem}", width()), "warn")
    if len(problems) > _MAX_DAMAGE:
        yield paint(f"{'✗':>7} and {len(problems) - _MAX_DAMAGE:,} more", "warn")


def cut_line(moment: Moment, words: str) -> str:
    return paint(f"{words} The window now: {_window_words(moment)}.", "warn")


def counted_line(moment: Moment) -> str:
    """That the sizes are no estimates by length any more."""
    return f"counted: the window now: {_window_words(moment)}"


def _window_words(moment: Moment) -> str:
    """What the window takes, and which share of its limit that is."""
    window = moment.window
    share = f", {window.total / window.limit:.0%} of {window.limit:,}" if window.limit else ""
    return f"{mark(moment.sizes.window_certainty)}{window.total:,} tokens{share}"


def compaction_line(compaction: RecordedCompaction) -> str:
    when = f" at {clock(compaction.time)}" if clock(compaction.time) else ""
    text = f"compacted{when}, before turn {compaction.turn:,}: {compaction.sizes}"
    return paint(f"{'Σ':>7} {text}", "summary")
