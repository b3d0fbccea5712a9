"""A session that is followed, as text: what it is, and a line for each thing that happens."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.cli.output import paint, width
from inspector.cli.text.window import heading
from inspector.following import FreshMessage, Moment, RecordedCompaction, clock
from inspector.library import speaker
from inspector.text import cells, clip, lines_of, pad
from inspector.tokens import TokenCount, mark

_WHO = 12


def heading_lines(moment: Moment, verdict: str) -> Iterator[str]:
    """Which session it is, and how its context stands."""
    yield from heading(moment.session)
    yield from (line.rstrip() for line in lines_of(verdict, width()))
    window = moment.window
    share = f", {window.total / window.limit:.0%} of {window.limit:,}" if window.limit else ""
    yield f"the window now: {mark(moment.sizes.certainty)}{window.total:,} tokens{share}"
    yield paint(f"{'#':>7} {'when':<8} {'who':<{_WHO}} {'tokens':>8} {'window':>9}  what it says", "dim")


def row_line(moment: Moment, fresh: FreshMessage) -> str:
    """A message that has come, with the size of its agent's window by then."""
    message = fresh.message
    who = speaker(message, {})
    if message.agent != moment.agent:
        who = f"{message.agent} {who}"
    size, window = (TokenCount(count, moment.sizes.certainty) for count in (fresh.tokens, fresh.total))
    start = f"{fresh.number:>7,} {clock(message.time):<8} {pad(who, _WHO)} {size!s:>8} {window!s:>9}  "
    says = f"error  {fresh.says}" if message.is_error else fresh.says or "…"
    words = clip(f"… {says}" if fresh.again else says, width() - cells(start))
    return paint(start, "dim" if message.kind == "notice" else None) + paint(words, "bad" if message.is_error else None)


def compaction_line(compaction: RecordedCompaction) -> str:
    when = f" at {clock(compaction.time)}" if clock(compaction.time) else ""
    text = f"compacted{when}, before turn {compaction.turn:,}: {compaction.sizes}"
    return paint(f"{'Σ':>7} {text}", "summary")
