"""Text output of the turns of two sessions, side by side by their actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from inspector.analysis.replay import AlignedTurns, Comparison, Lane, TurnActions
from inspector.cli.output import paint, width
from inspector.core.text import LOSSY, clip, filled, pad, plural

_ROWS = 40
"""Maximum lines without `--all`. With more rows, successive rows of the same kind share a line."""


def aligned_lines(comparison: Comparison, names: tuple[str, str], unfolded: bool) -> Iterator[str]:
    """Yield one line per row: turn, window and actions of both sessions, with a blank half for a gap.

    Args:
        comparison: Replays of two sessions.
        names: Names of both.
        unfolded: List all rows.
    """
    rows, room = comparison.aligned, (width() - 3) // 2
    yield f"{paint(pad(names[0], room), 'accent')}   {paint(pad(names[1], room), 'summary')}".rstrip()
    is_long = len(rows) > _ROWS and not unfolded
    groups = [list(group) for _, group in groupby(rows, _kind)] if is_long else [[row] for row in rows]
    listed = groups[:_ROWS] if is_long else groups
    for group in listed:
        ours = _half([row.left for row in group if row.left], comparison.left, room)
        theirs = _half([row.right for row in group if row.right], comparison.right, room)
        yield f"{ours}{paint(_kind(group[0]), 'dim')}{theirs}".rstrip()
    if more := sum(map(len, groups[len(listed) :])):
        yield paint(f"and {more:,} more; --all lists them", "dim")
    yield paint(f"= same actions   ~ some actions in common   < > one session only   {LOSSY} compacted", "dim")


def _kind(row: AlignedTurns) -> str:
    """Return the sign between both halves, which differs for gaps on the left and on the right."""
    if row.left and row.right:
        return " = " if row.same else " ~ "
    return " < " if row.left else " > "


def _half(turns: Sequence[TurnActions], lane: Lane, room: int) -> str:
    """Return successive turns of a session as their numbers, the largest window and the actions of the first.

    Args:
        turns: Turns of the line; empty for a gap.
        lane: Session that they belong to.
        room: Columns of the line.
    """
    if not turns:
        return " " * room
    frames = [lane.replay.frames[turn.turn - 1] for turn in turns]
    first, last = turns[0].turn, turns[-1].turn
    number = f"{first:,}" if first == last else f"{first:,}–{last:,}"
    mark = LOSSY if any(frame.compression >= 0 for frame in frames) else " "
    start = f"{number:>6} {max(frame.total for frame in frames):>8,} {mark} "
    if last == len(lane.replay.frames) and first == last:
        start = f"{'now':>6}{start[6:]}"
    more = f" and {plural(len(turns) - 1, 'more turn')}" if len(turns) > 1 else ""
    text = filled(clip(turns[0].text, room - len(start) - len(more)) + more, room - len(start))
    return f"{start[:-2]}{paint(mark, 'warn')} {text}"
