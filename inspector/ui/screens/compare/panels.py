"""The panels of Compare: both windows of every turn as bars, and the items that only one side has at a turn.

Also its lines of text: totals, the first difference, the events of a turn, and an item in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message

from inspector.analysis.asking import SameSteps
from inspector.analysis.experiments import TrialResult
from inspector.core.text import LOSSY, REGRETTED, REVERSIBLE, clipped, dollars, one_line, plural, wrapped
from inspector.engine.facts import Weights
from inspector.ui.bindings import bindings
from inspector.ui.palette import Palette
from inspector.ui.preset_columns import ColumnRoom, cell
from inspector.ui.screens.compare.comparison import ComparisonView
from inspector.ui.screens.compare.differences import FACT, MESSAGE, OWN, DifferenceItem
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.scrubber import compact
from inspector.ui.widgets.title import turn_text
from inspector.ui.widgets.verdict_line import accented

_LABEL = 11

INKS = ("primary", "section-memory")
"""Colours of the left and the right side."""
_SAME, _ALIKE, OTHER = "=", "~", "≠"
FULL, HALF = "━", "╸"
WIDE_PANEL = 60
"""Width in cells from which token counts are written in full."""


def middle(view: ComparisonView) -> int:
    """Return the cells between the lanes, for the symbol that shows whether they differ and the turn of one session."""
    return max(4, len(f"{view.count:,}")) + 6 if view.same_session else 3


class LaneList(LineList):
    """One turn per line. Both bars are dim if the windows are equal."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("opening_list")

    @dataclass
    class Touched(Message):
        """A click on the half of one side."""

        side: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: ComparisonView | None = None

    @property
    def count(self) -> int:
        return self.view.count if self.view else 0

    def show(self, view: ComparisonView) -> None:
        self.view = view
        self.renew()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Touched(int(event.x > self.size.width // 2)))
        super().on_click(event)

    def show_cursor(self) -> None:
        """Keep some turns before and after the cursor visible."""
        height = self.scrollable_content_region.height
        margin = height // 3
        lowest, highest = self.cursor - height + 1 + margin, self.cursor - margin
        at = min(max(self.scroll_offset.y, lowest), max(highest, 0))
        self.scroll_to(y=min(at, max(0, self.count - height)), animate=False, force=True, immediate=True)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        assert self.view is not None
        row, palette = self.view.rows[line], self.palette
        begins = self.view.first_row == line + 1
        room = (width - middle(self.view)) // 2
        sign = palette.faint if row.same else palette.ink("warning", bold=begins)
        if not self.view.same_session:
            both = None not in row.turns
            sign = sign if both else palette.faint
            return [
                *self.action(0, line + 1, room),
                (f" {_SAME if row.same else _ALIKE if both else ' '} ", sign),
                *self.action(1, line + 1, width - room - middle(self.view)),
            ]
        turn = "now" if line + 1 == self.view.count else f"{line + 1:,}"
        return [
            *self.bar(0, line + 1, room, row.same),
            (f"  {turn:>{middle(self.view) - 6}}", palette.strong if begins else palette.dim),
            (f" {_SAME if row.same else OTHER}  ", sign),
            *self.bar(1, line + 1, room, row.same),
            (" " * (width - 2 * room - middle(self.view)), palette.faint),
        ]

    def action(self, side: int, row: int, room: int) -> list[Span]:
        """Return a turn of a session as its number, its window, the mark of the turn and its actions; a gap is blank.

        Args:
            side: 0 for the left side, 1 for the right one.
            row: Row, counted from 1.
            room: Cells for the turn.
        """
        assert self.view is not None
        palette, frame = self.palette, self.view.frame(side, row)
        if frame is None:
            return [(set_cell_size(f"{'·':>5}", room), palette.faint)]
        number = "now" if row == self.view.count else f"{frame.turn:,}"
        size = f"{self.view.replays[side].estimate_sign}{compact(frame.total)}"
        text = clipped(self.view.rows[row - 1].actions[side], room - 16)
        return [
            (f"{number:>5}", palette.ink(INKS[side])),
            (f" {size:>6} ", palette.dim),
            self.mark(side, row),
            (set_cell_size(f" {text}", room - 14), palette.ink()),
        ]

    def bar(self, side: int, row: int, room: int, same: bool) -> list[Span]:
        """Return a window as its token count, the mark of its turn, and a bar on the common scale.

        Args:
            side: 0 for the left side, 1 for the right one.
            row: Row of the window, counted from 1.
            room: Cells for the window.
            same: True if both windows are equal.
        """
        assert self.view is not None
        palette = self.palette
        frame = self.view.frame(side, row)
        if frame is None:
            return [(" " * room, palette.faint)]
        wide = self.size.width >= WIDE_PANEL
        sign = self.view.replays[side].estimate_sign
        number = f"{f'{sign}{frame.total:,}':>9} " if wide else f"{f'{sign}{compact(frame.total)}':>6} "
        space = max(0, room - len(number) - 3)
        halves = max(1 if frame.total else 0, round(2 * space * frame.total / self.view.scale))
        bar = (FULL * (halves // 2) + HALF * (halves % 2)).ljust(space)[:space]
        ink = palette.faint if same else palette.ink(INKS[side])
        return [(number, palette.dim if same else palette.ink()), self.mark(side, row), (f" {bar} ", ink)]

    def mark(self, side: int, row: int) -> tuple[str, Style]:
        """Return the symbol of a turn: a lossy or reversible compaction, or a regret."""
        assert self.view is not None
        if compaction := self.view.compaction(side, row):
            sign = REVERSIBLE if compaction.reversible else LOSSY
            return sign, self.palette.ink("success" if compaction.reversible else "warning")
        if self.view.turn(side, row) in self.view.regret_turns[side]:
            return REGRETTED, self.palette.ink("error", bold=True)
        return " ", self.palette.faint


class KeptList(LineList):
    """Facts by class, then messages. Items that the other side can recover are marked."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("opening_list")

    def __init__(self, side: int, id: str | None = None) -> None:
        super().__init__(id=id)
        self.side = side
        self.items: Sequence[DifferenceItem] = ()

    @property
    def count(self) -> int:
        return len(self.items)

    @property
    def current(self) -> DifferenceItem | None:
        return self.items[self.cursor] if 0 <= self.cursor < len(self.items) else None

    @property
    def shows_cursor(self) -> bool:  # type: ignore[override]  # only while it has the focus
        return self.has_focus

    def show(self, items: Sequence[DifferenceItem], empty: str) -> None:
        self.items, self.empty = items, empty
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        item, palette = self.items[line], self.palette
        number = f" {item.number:,}" if item.number else ""
        room = max(4, width - _LABEL - 4 - len(number) - 1)
        ink = palette.ink() if item.kind == FACT else palette.dim
        return [
            (f"  {item.label:<{_LABEL}}", palette.dim),
            (f"{REVERSIBLE if item.other == 'recoverable' else ' '} ", palette.ink("success")),
            (set_cell_size(clipped(one_line(item.text), room), room), ink),
            (number, palette.faint),
        ]


def item_counts(items: Sequence[DifferenceItem], cells: int) -> str:
    """Return the numbers of items by kind, in words, as many as fit into `cells`."""
    messages = sum(item.kind == MESSAGE for item in items)
    own = sum(item.kind == OWN for item in items)
    facts = len(items) - messages - own
    words = [plural(number, noun) for number, noun in ((facts, "fact"), (messages, "message")) if number]
    words = [*words, *([plural(own, "new message")] if own else [])] or ["nothing"]
    while len(words) > 1 and cell_len(", ".join(words)) > cells:
        words.pop()
    return ", ".join(words)


_WORSE: Mapping[str, Callable[[TrialResult], float]] = {
    "sent": lambda row: row.tokens_sent,
    "cost": lambda row: row.cost,
    "uncached": lambda row: row.cost_uncached,
    "kept": lambda row: -row.retained,
    "regrets": lambda row: row.regrets,
    "state kept": lambda row: -row.state.retained,
    "going on": lambda row: -row.state.continued,
    "revived": lambda row: row.state.revived,
    "invented": lambda row: row.state.invented,
}
"""Values by column of which the smaller one is better."""
_SHORT = 28
VERDICT_LINES = 3
"""Maximum lines of the verdict on two sessions."""


def side_name(view: ComparisonView, side: int, cells: int = _SHORT) -> str:
    """Return the name of a side.

    Args:
        view: Both replays.
        side: 0 for the left side, 1 for the right one.
        cells: Maximum cells of the name.
    """
    return clipped(one_line(view.names[side]), cells)


def place_text(view: ComparisonView, row: int, palette: Palette) -> Text:
    """Return the turn of a row; of two sessions, the turns of both.

    Args:
        view: Both replays.
        row: Row, counted from 1.
        palette: Colours of the current theme.
    """
    if view.same_session or row == view.count:
        return turn_text(row, view.count - 1, palette)
    places = [f"{turn:,}" if (turn := view.turn(side, row)) else "–" for side in (0, 1)]
    inks = [palette.ink(ink) for ink in INKS]
    return Text.assemble(
        ("turns ", palette.dim), (places[0], inks[0]), (" | ", palette.faint), (places[1], inks[1]), no_wrap=True
    )


def totals_table(
    view: ComparisonView, weights: Weights, width: int, palette: Palette, steps: Sequence[SameSteps | None] = ()
) -> Text:
    """Return both sides in the columns of Tune, and where they differ in columns that do not fit.

    For one session, the better value of each column is green.

    Args:
        view: Both replays.
        weights: Weights of the fact classes.
        width: Cells of a line.
        palette: Colours of the current theme.
        steps: Shares of same steps of both sides; empty if no model was asked.
    """
    rows, asked = view.results(weights), bool(steps)
    longest = max(cell_len(side_name(view, side, width)) for side in (0, 1)) + 1
    table = ColumnRoom(width, longest, asked)
    first = "".join(text for text, _ in table.heading()).replace("preset", "      ", 1)
    lines = [Text(first, palette.dim, no_wrap=True)]
    for side, row in enumerate(rows):
        line = Text(" ▌ ", palette.ink(INKS[side]), no_wrap=True)
        line.append(set_cell_size(side_name(view, side, table.names - 1), table.names), palette.strong)
        for column, cells, _ in table.columns:
            text, colour = cell(column, row, view.is_final, steps[side] if asked else None)
            same = not view.same_session or text == cell(column, rows[1 - side], view.is_final)[0]
            verdict = None if same else is_better(column, row, rows[1 - side])
            line.append(f"{text:>{cells}}", palette.ink(colour if verdict is None else "success" if verdict else ""))
        for text, style in table.kept_bar(row, palette):
            line.append(text, style)
        lines.append(line)
    if hidden := _hidden_differences(table.hidden, rows, view.is_final):
        lines.append(Text(clipped(f" hidden: {hidden}", width), palette.dim, no_wrap=True))
    return Text("\n", no_wrap=True).join(lines)


def _hidden_differences(columns: Sequence[str], rows: Sequence[TrialResult], judged: bool) -> str:
    """Return the columns in which two rows differ with both values, the last one first; "" if they are equal.

    Args:
        columns: Names of the columns.
        rows: Results of both sides.
        judged: True if facts were evaluated.
    """
    texts = {column: [cell(column, row, judged)[0] for row in rows] for column in reversed(columns)}
    return ", ".join(f"{column} {left} | {right}" for column, (left, right) in texts.items() if left != right)


def is_better(column: str, row: TrialResult, other: TrialResult) -> bool | None:
    """Return True if a value is better than the other side's; None if they are equal or not comparable."""
    value = _WORSE.get(column)
    return None if value is None or value(row) == value(other) else value(row) < value(other)


def first_difference(view: ComparisonView, width: int, palette: Palette) -> Text:
    """Describe the first turn at which the sides differ; of two sessions, state which one did better.

    Args:
        view: Both replays.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    first = view.comparison.first
    if view.verdict is not None and first is not None:
        rows = [*wrapped(view.verdict.text, width - 2)]
        text = Text("\n".join(f" {row}" for row in rows[:VERDICT_LINES]), palette.strong, no_wrap=True)
        return accented(text, palette.ink("primary"))
    if first is None:
        text = Text(" No difference: all windows are equal.", palette.ink("success", bold=True), no_wrap=True)
        return accented(text, palette.ink("success"))
    line = Text.assemble((f"▌{OTHER} ", palette.ink("warning", bold=True)), no_wrap=True)
    line.append("First difference at " if width >= WIDE_PANEL else "", palette.strong)
    line.append("now" if first.turn == view.count else f"turn {first.turn:,}", palette.strong)
    room = width - line.cell_len - 1
    line.append(clipped(f": {_reason(view, first.turn, first.place, max(8, (room - 22) // 2))}", room), palette.strong)
    return line


def _reason(view: ComparisonView, turn: int, place: int, cells: int) -> str:
    """Return the difference between the sides at a turn, with names of at most `cells` cells."""
    compactions = [view.compaction(side, turn) for side in (0, 1)]
    side = next((side for side in (0, 1) if view.frame(side, turn) is None), None)
    if side is not None:
        return f"{side_name(view, side, cells)} ended earlier."
    if all(compactions):
        return "both compress, and keep different messages."
    if any(compactions):
        one = 0 if compactions[0] else 1
        return f"{side_name(view, one, cells)} compresses, {side_name(view, 1 - one, cells)} does not."
    return f"message {place + 1:,} differs."


def turn_events(view: ComparisonView, side: int, row: int, room: int, palette: Palette) -> Text:
    """Return the compaction of one side in a row, or what it did and the cost of its call.

    Args:
        view: Both replays.
        side: 0 for the left side, 1 for the right one.
        row: Row, counted from 1.
        room: Maximum cells of the text.
        palette: Colours of the current theme.
    """
    frame, compaction = view.frame(side, row), view.compaction(side, row)
    if frame is None:
        return Text(" no such turn", palette.faint)
    if compaction is not None:
        sign = (REVERSIBLE, "success") if compaction.reversible else (LOSSY, "warning")
        line = Text.assemble(" ", (sign[0], palette.ink(sign[1])), no_wrap=True)
        line.append(f" {compaction.sizes}", palette.ink())
        line.append(clipped(f"  {one_line(compaction.strategy)}", max(0, room - line.cell_len)), palette.dim)
        return line
    unsent = " not sent yet" if frame.reply < 0 else " of the call before"
    words = f" {dollars(frame.cost)} this call" if frame.is_sent else unsent
    full = f", uncompressed {view.replays[side].replay.count(frame.full)}" if frame.full > frame.total else ""
    if not view.same_session:
        line = Text(f" {clipped(view.rows[row - 1].actions[side], room - 2)}", palette.ink(), no_wrap=True)
        line.append(f" {words}" if line.cell_len + len(words) < room else "", palette.dim)
        return line
    return Text(clipped(words + full if len(words + full) <= room else words, room), palette.dim, no_wrap=True)


def difference_line(item: DifferenceItem, other: str, width: int, palette: Palette) -> Text:
    """Return an item in full, as far as it fits, with its state on the other side.

    Args:
        item: Item to describe.
        other: Name of the other side.
        width: Cells of the line.
        palette: Colours of the current theme.
    """
    tail = f"   {item.other} in {other}" if item.other != "recoverable" else f"   recoverable in {other}"
    line = Text(f" {item.label} ", palette.dim, no_wrap=True)
    room = max(8, width - line.cell_len - len(tail) - 1)
    line.append(clipped(one_line(item.text), room), palette.strong)
    line.append(clipped(tail, max(0, width - line.cell_len)), palette.ink("warning"))
    return line
