"""The lines of text of Compare: totals, the first difference, the events of a turn, and a difference in full."""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.text import Text

from inspector.experiments import TrialResult
from inspector.facts import Weights
from inspector.text import LOSSY, REVERSIBLE, clipped, dollars, one_line
from inspector.ui.columns import BAR, cell, heading, name_room, shown_columns, weighted
from inspector.ui.palette import Palette
from inspector.ui.screens.compare.comparison import ComparisonView
from inspector.ui.screens.compare.differences import DifferenceItem
from inspector.ui.screens.compare.panels import INKS, OTHER, ROOMY
from inspector.ui.widgets.retention import retention_bar

_FIELDS = {"sent": "tokens_sent", "cost": "cost", "uncached": "cost_uncached", "regrets": "regrets"}
"""Columns of which less is better."""
_SHORT = 28


def side_name(view: ComparisonView, side: int, cells: int = _SHORT) -> str:
    return clipped(one_line(view.names[side]), cells)


def totals_table(view: ComparisonView, weights: Weights, width: int, palette: Palette) -> Text:
    """Both sides in the columns of Tune, one under the other; of one session, the better number of the two in green."""
    rows = view.results(weights)
    first = "".join(text for text, _ in heading(width, "", False)).replace("preset", "      ", 1)
    lines = [Text(first, palette.dim, no_wrap=True)]
    for side, row in enumerate(rows):
        room = name_room(width)
        line = Text(" ▌ ", palette.ink(INKS[side]), no_wrap=True)
        line.append(set_cell_size(side_name(view, side, room), room), palette.strong)
        for column, cells, _ in shown_columns(width):
            text, colour = cell(column, row, view.finished)
            same = not view.same_session or text == cell(column, rows[1 - side], view.finished)[0]
            verdict = None if same else _better(column, row, rows[1 - side])
            line.append(f"{text:>{cells}}", palette.ink(colour if verdict is None else "success" if verdict else ""))
        if row.retention and width - line.cell_len > BAR + 3:
            line.append("   ")
            for text, style in retention_bar(weighted(row), BAR, palette):
                line.append(text, style)
        lines.append(line)
    return Text("\n", no_wrap=True).join(lines)


def _better(column: str, row: TrialResult, other: TrialResult) -> bool | None:
    """Whether a number is better than the other side's; None where they are level or cannot be judged."""
    mine, others = _value(column, row), _value(column, other)
    return None if mine == others else mine < others


def _value(column: str, row: TrialResult) -> float:
    return -row.retained if column == "kept" else getattr(row, _FIELDS[column]) if column in _FIELDS else 0


def first_difference(view: ComparisonView, width: int, palette: Palette) -> Text:
    """The first turn at which the sides differ, and how."""
    first = view.comparison.first
    if first is None:
        return Text(" No turn differs: every window says the same on both sides.", palette.ink("success"), no_wrap=True)
    line = Text.assemble((f" {OTHER} ", palette.ink("warning", bold=True)), no_wrap=True)
    line.append("They first differ at " if width >= ROOMY else "", palette.ink())
    line.append("now" if first.turn == view.count else f"turn {first.turn:,}", palette.strong)
    room = width - line.cell_len - 1
    line.append(clipped(f": {_reason(view, first.turn, first.place, max(8, (room - 22) // 2))}", room), palette.ink())
    return line


def _reason(view: ComparisonView, turn: int, place: int, cells: int) -> str:
    """How the sides differ at a turn, with names of at most so many cells."""
    compactions = [view.compaction(side, turn) for side in (0, 1)]
    side = next((side for side in (0, 1) if view.frame(side, turn) is None), None)
    if side is not None:
        return f"{side_name(view, side, cells)} has ended before."
    if all(compactions):
        return "both compress, and keep different things."
    if any(compactions):
        one = 0 if compactions[0] else 1
        return f"{side_name(view, one, cells)} compresses, {side_name(view, 1 - one, cells)} does not."
    return f"their message {place + 1:,} is not the same."


def turn_events(view: ComparisonView, side: int, turn: int, room: int, palette: Palette) -> Text:
    """The compaction of one side at a turn, or what its call cost, in at most so many cells."""
    frame, compaction = view.frame(side, turn), view.compaction(side, turn)
    if frame is None:
        return Text(" has no such turn", palette.faint)
    if compaction is not None:
        sign = (REVERSIBLE, "success") if compaction.reversible else (LOSSY, "warning")
        line = Text.assemble(" ", (sign[0], palette.ink(sign[1])), no_wrap=True)
        line.append(f" {compaction.before:,} → {compaction.after:,}", palette.ink())
        line.append(clipped(f"  {one_line(compaction.strategy)}", max(0, room - line.cell_len)), palette.dim)
        return line
    words = f" {dollars(frame.cost)} this call" if frame.sent else " not sent yet"
    full = f", uncompressed {frame.full:,}" if frame.full > frame.total else ""
    return Text(clipped(words + full if len(words + full) <= room else words, room), palette.dim, no_wrap=True)


def difference_line(item: DifferenceItem, other: str, width: int, palette: Palette) -> Text:
    """An item of the lists as long as there is room for, and what the other side has of it."""
    tail = f"   {item.other} in {other}" if item.other != "in reach" else f"   {other} can have it again"
    line = Text(f" {item.label} ", palette.dim, no_wrap=True)
    room = max(8, width - line.cell_len - len(tail) - 1)
    line.append(clipped(one_line(item.text), room), palette.strong)
    line.append(clipped(tail, max(0, width - line.cell_len)), palette.ink("warning"))
    return line
