"""Text output of a followed session: a heading, and a line per event."""

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
"""Maximum damaged parts listed one by one when several arrive at once."""


def heading_lines(moment: Moment, verdict: str) -> Iterator[str]:
    """Yield the session's name and the state of its context."""
    yield from heading(moment.session)
    yield from (line.rstrip() for line in lines_of(verdict, width()))
    counting = ", counting…" if moment.sizes.is_partial else ""
    yield f"window now: {_window_words(moment)}{counting}"
    yield paint(f"{'#':>7} {'when':<8} {'who':<{_WHO}} {'tokens':>8} {'window':>9}  content", "dim")


def row_line(moment: Moment, fresh: FreshMessage) -> str:
    """Return the line of a new message, with the size of its agent's window after it."""
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
    """Yield the parts that cannot be read, the first in full."""
    for problem in problems[:_MAX_DAMAGE]:
        yield paint(clip(f"{'✗':>7} {problem}", width()), "warn")
    if len(problems) > _MAX_DAMAGE:
        yield paint(f"{'✗':>7} and {len(problems) - _MAX_DAMAGE:,} more", "warn")


def cut_line(moment: Moment, words: str) -> str:
    return paint(f"{words} Window now: {_window_words(moment)}.", "warn")


def counted_line(moment: Moment) -> str:
    """Return the line that marks sizes as counted instead of estimated."""
    return f"counted; window now: {_window_words(moment)}"


def _window_words(moment: Moment) -> str:
    """Return the size of the window and its share of the limit."""
    window = moment.window
    share = f", {window.total / window.limit:.0%} of {window.limit:,}" if window.limit else ""
    return f"{mark(moment.sizes.window_certainty)}{window.total:,} tokens{share}"


def compaction_line(compaction: RecordedCompaction) -> str:
    when = f" at {clock(compaction.time)}" if clock(compaction.time) else ""
    text = f"compacted{when}, before turn {compaction.turn:,}: {compaction.sizes}"
    return paint(f"{'Σ':>7} {text}", "summary")
