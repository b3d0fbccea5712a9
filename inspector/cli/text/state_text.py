"""The state of the work as text: at a turn, and across a compaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from inspector.analysis.context_loss import Losses
from inspector.cli.output import Ink, paint, width
from inspector.core.text import cells, clip, clipped, one_line, pad, plural
from inspector.engine.work_state import CONSEQUENCES, FATES, Fate, StateFate, WorkState, item_text
from inspector.library.diagnosis import consequence_label

_PART = 13
_FATE = 12
_MAX_ROWS = 5
"""Rows of one part without `--all`."""
_INKS: dict[Fate, Ink] = {
    "invented": "bad",
    "revived": "bad",
    "stale": "warn",
    "moved": "warn",
    "dropped": "warn",
    "paraphrased": "warn",
    "kept": "good",
}


def state_lines(losses: Losses, unfolded: bool) -> Iterator[str]:
    """Yield what followed a compaction, and the state of the work before it and in the new context.

    Args:
        losses: The compaction.
        unfolded: True to list every item.
    """
    if losses.consequences:
        yield from ("", paint(f"What followed ({len(losses.consequences):,})", "bad"))
    for one in sorted(losses.consequences, key=lambda one: CONSEQUENCES.index(one.kind)):
        label = f"! {consequence_label(one.kind)}"
        place = f"turn {one.turn:,}"
        room = max(20, width() - 30 - len(place))
        yield f"{paint(pad(label, 27), 'bad')} {pad(clip(one_line(one.evidence), room), room)} {place}"
        yield paint(f"  {'':<25} against “{clip(one_line(one.item), max(20, width() - 40))}”", "dim")
    if losses.state:
        yield ""
        room = _room()
        yield paint(f"{pad('State', _PART)}{pad('before', room)} {pad('in the new context', room)} fate", "strong")
    for part, group in groupby(losses.state, key=lambda row: row.part):
        yield from _fate_lines(part, list(group), unfolded)


def _room() -> int:
    """Return the columns of each of the two texts in a row of the table."""
    return max(16, (width() - _PART - _FATE - 2) // 2)


def _fate_lines(part: str, rows: Sequence[StateFate], unfolded: bool) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: FATES.index(row.fate))
    listed = ordered if unfolded else ordered[:_MAX_ROWS]
    room = _room()
    for number, row in enumerate(listed):
        state = f"{row.before}: " if row.before and row.part in ("task", "plan") else ""
        before = "—" if row.fate == "invented" else clipped(f"{state}{one_line(row.item)}", room)
        after = clipped(one_line(row.after), room) or "—"
        label = pad(part if not number else "", _PART)
        yield f"{label}{pad(before, room)} {pad(after, room)} {paint(row.fate, _INKS[row.fate])}"
    if len(listed) < len(rows):
        yield paint(f"{'':<{_PART}}… {len(rows) - len(listed):,} more", "dim")


def item_lines(state: WorkState, places: dict[str, int], unfolded: bool) -> Iterator[str]:
    """Yield the items of a state, one line each, under the names of their parts.

    Args:
        state: The state.
        places: Position of each message in the log, by id.
        unfolded: True to list every item.
    """
    for part, group in groupby(state, key=lambda item: item.part):
        items = list(group)
        listed = items if unfolded else items[-_MAX_ROWS:]
        for number, item in enumerate(listed):
            label = pad(part if not number else "", _PART)
            place = f"#{places[item.message] + 1:,} turn {item.turn:,}" if item.message in places else ""
            room = max(20, width() - _PART - cells(place) - 2)
            yield f"{label}{pad(clip(item_text(item), room), room)} {paint(place, 'dim')}"
        if len(listed) < len(items):
            yield paint(f"{'':<{_PART}}… {plural(len(items) - len(listed), 'item')} more", "dim")
