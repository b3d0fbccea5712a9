"""Removed, changed and added content: by message, and by word inside changed messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, zip_longest
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.core.text import clipped, fold, one_line, plural, turn_name, visible
from inspector.engine.window import Change, SizeChange, call_names, diff_windows, outside_messages, word_diff
from inspector.library import Preview, Workbench, speaker, windows_as_preview
from inspector.llm.tokens import mark
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.message_lines import Line
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.text_view import Spans, TextView
from inspector.ui.workers.latest import LatestOnly

_SIGNS = {"same": " ", "removed": "−", "changed": "~", "added": "+"}
_COLOURS = {"same": "ink-muted", "removed": "error", "changed": "warning", "added": "success"}
_CONTEXT_MESSAGES = 1
"""Unchanged messages to show next to a change; the others are counted."""
_EXCERPT = 6
"""Lines to show of a removed message; an added one is shown in full."""
_Label = tuple[str, str]
"""Number of a message and its author."""


class DiffScreen(Overlay[None]):
    """Diff between the recorded window and the window that would be sent, or across one plan of the stack."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("diff")
    AUTO_FOCUS = "#text"

    side_by_side: reactive[bool] = reactive(False, init=False, repaint=False)

    def __init__(self, preview: Preview, what: str = "", sizes: SizeChange | None = None) -> None:
        """Create a diff for a preview.

        Args:
            preview: Windows before and after the plans.
            what: Heading; by default it names the strategies.
            sizes: Token counts of both windows if better ones than the preview's are known.
        """
        super().__init__()
        self.preview = preview
        self.what = what
        self.sizes = sizes or SizeChange(preview.recorded.size, preview.after.size)
        self.texts: LatestOnly[list[Line | Spans]] = LatestOnly(self, "diff", self.show_result)

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="bar", markup=False)
        yield TextView(id="text")
        yield KeyBar(id="keys")

    def heading(self) -> str:
        names = " + ".join(plan.strategy for plan in self.preview.plans)
        what = self.what or f"as recorded → {names}"
        return f"{what}   {self.sizes} tokens"

    def on_mount(self) -> None:
        self.show_keys()
        self.call_after_refresh(self.open_message)

    def on_resize(self) -> None:
        if self.is_mounted:
            self.open_message()

    def show_keys(self) -> None:
        other = "unified" if self.side_by_side else "side by side"
        self.query_one(KeyBar).keys = (
            Key("up down", "scroll"),
            Key("switch_view", other),
            Key("back", "back"),
        )

    def action_side_by_side(self) -> None:
        self.side_by_side = not self.side_by_side

    def watch_side_by_side(self) -> None:
        self.show_keys()
        self.open_message()

    def open_message(self) -> None:
        width = max(20, self.query_one(TextView).size.width - 2)
        self.texts.ask(partial(_diff_lines, self.preview, width, self.side_by_side))

    def show_result(self, lines: list[Line | Spans]) -> None:
        self.query_one(TextView).show(lines, keep_place=True)


class TurnDiff(DiffScreen):
    """Diff between the recorded windows of an earlier turn and of the current one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("turn_diff")

    def __init__(self, bench: Workbench, preview: Preview, sizes: SizeChange | None = None) -> None:
        """Create a diff with the turn before that of a preview.

        Args:
            bench: Session of the preview.
            preview: The later turn, which is not the first one.
            sizes: Token counts of both turns if better ones than those of their windows are known.
        """
        self.bench = bench
        self.later = preview.recorded
        self.turn = preview.recorded.turn - 1
        super().__init__(windows_as_preview(preview, bench.window(self.turn, self.later.agent)), sizes=sizes)

    def heading(self) -> str:
        last = len(self.bench.session.turns(self.later.agent))
        turns = f"{turn_name(self.turn, last)} → {turn_name(self.later.turn, last)}   {self.sizes} tokens"
        rest = f", {outside_messages(self.preview.recorded, self.later)} of these outside the messages"
        return f"{turns}{rest}" if cell_len(turns + rest) < self.app.size.width - 1 else turns

    def on_resize(self) -> None:
        super().on_resize()
        if self.is_mounted:
            self.query_one(".bar", Static).update(self.heading())

    def show_keys(self) -> None:
        super().show_keys()
        bar = self.query_one(KeyBar)
        bar.keys = (Key("left right", "earlier, later turn"), *bar.keys)

    def action_since(self, step: int) -> None:
        self.turn = max(1, min(self.turn + step, self.later.turn - 1))
        self.preview = windows_as_preview(self.preview, self.bench.window(self.turn, self.later.agent), self.later)
        self.sizes = SizeChange(self.preview.recorded.size, self.later.size)
        self.query_one(".bar", Static).update(self.heading())
        self.open_message()


def _diff_lines(preview: Preview, width: int, side_by_side: bool) -> list[Line | Spans]:
    """Return the whole diff as lines of at most `width` cells."""
    changes = diff_windows(preview.recorded, preview.after, preview.plans)
    names = call_names(preview.recorded.messages)
    numbers = preview.session.numbers

    def label(change: Change) -> _Label:
        who = speaker(change.message, names)
        return str(numbers.get(change.message.id, "Σ")), one_line(who)

    sign = mark(preview.after.sizes.certainty)
    lines: list[Line | Spans] = []
    for replaces, run in groupby(_near(changes), _is_replacement):
        items = list(run)
        if replaces and side_by_side:
            lines += _columns([(item, label(item)) for item in items if isinstance(item, Change)], width, sign)
            continue
        for item in items:
            if isinstance(item, int):
                lines.append(Line(f"    … {plural(item, 'unchanged message')}", "dim"))
            elif side_by_side:
                lines += _columns([(item, label(item))], width, sign)
            else:
                lines += _unified(item, *label(item), width, sign)
    return lines


def _is_replacement(change: Change | int) -> bool:
    """Return True if a message is on one side only: removed messages and their replacements share a block."""
    return isinstance(change, Change) and change.kind in ("removed", "added")


def _near(changes: list[Change]) -> Iterator[Change | int]:
    """Yield changes with their neighbours, and the number of unchanged messages in place of the others."""
    places = {
        place + offset
        for place, change in enumerate(changes)
        if change.kind != "same"
        for offset in range(-_CONTEXT_MESSAGES, _CONTEXT_MESSAGES + 1)
    }
    count = 0
    for place, change in enumerate(changes):
        if place not in places:
            count += 1
            continue
        if count:
            yield count
            count = 0
        yield change
    if count:
        yield count


def _unified(change: Change, number: str, who: str, width: int, sign: str) -> Iterator[Line | Spans]:
    """Yield the rows of one change. A symbol in the first column makes the diff readable without colour."""
    colour = _COLOURS[change.kind]
    head = f"{_SIGNS[change.kind]} {number:>5}  {who:<13} {_token_change(change, sign):>16}  "
    room = max(0, width - cell_len(head))
    if change.kind == "same":
        yield ((head, colour), (clipped(one_line(change.message.preview), room), "ink-faint"))
        return
    reason = change.fate.reason if change.fate else ""
    yield ((head, f"{colour} bold"), (clipped(one_line(reason), room), "ink-muted"))
    if change.kind == "changed" and change.before and change.after:
        yield from _word_rows(change, width)
    else:
        yield from _whole(change, width)


def _token_change(change: Change, sign: str) -> str:
    """Return the tokens of a message before and after; one number if they are equal or only one exists."""
    before = f"{sign}{change.tokens_before:,}" if change.kind != "added" else ""
    if change.kind == "same" or not change.tokens_after:
        return before
    after = f"{sign}{change.tokens_after:,}"
    return f"{before} → {after}" if before else after


def _whole(change: Change, width: int) -> Iterator[Line | Spans]:
    """Yield the text of an added message, or the beginning of a removed one."""
    added, sign = change.kind == "added", _SIGNS[change.kind]
    text = visible(change.message.text).split("\n")
    lines = text if added else text[:_EXCERPT]
    for line in lines:
        for piece in fold(line, width - 4):
            yield ((f"{sign}   {piece}", _COLOURS[change.kind] if added else "ink-muted"),)
    if len(text) > len(lines):
        yield Line(f"{sign}   … {len(text) - len(lines):,} more lines", "dim")


def _word_rows(change: Change, width: int) -> Iterator[Spans]:
    """Yield a changed message as one text with removed words in [− −] and added words in [+ +]."""
    assert change.before is not None and change.after is not None
    line: list[tuple[str, str]] = [("~   ", "warning")]
    used = 4
    for span in word_diff(change.before.text, change.after.text):
        text = {"same": span.text, "removed": f"[−{span.text}−]", "added": f"[+{span.text}+]"}[span.kind]
        colour = {"same": "ink-muted", "removed": "error", "added": "success"}[span.kind]
        for number, row in enumerate(visible(text).split("\n")):
            if number:
                yield tuple(line)
                line, used = [("~   ", "warning")], 4
            for piece in _pieces(row, width - used, width - 4):
                if used + cell_len(piece) > width:
                    yield tuple(line)
                    line, used = [("~   ", "warning")], 4
                line.append((piece, colour))
                used += cell_len(piece)
    yield tuple(line)


def _pieces(text: str, first: int, width: int) -> Iterator[str]:
    """Fold text into pieces, the first of which fills the rest of a started line."""
    if first > 0 and cell_len(text) > first:
        head = next(fold(text, max(4, first)), "")
        yield head
        text = text[len(head) :]
    yield from fold(text, width)


def _columns(changes: Sequence[tuple[Change, _Label]], width: int, sign: str) -> Iterator[Spans]:
    """Yield rows with "before" on the left and "after" on the right, both aligned to the top."""
    half = (width - 3) // 2
    left = [row for change, label in changes for row in _side(change, "before", *label, half, sign)]
    right = [row for change, label in changes for row in _side(change, "after", *label, half, sign)]
    for (one, old), (two, new) in zip_longest(left, right, fillvalue=("", "ink-muted")):
        yield ((set_cell_size(one, half), old), (" │ ", "line"), (set_cell_size(two, half), new))


def _side(change: Change, which: str, number: str, who: str, width: int, sign: str) -> list[tuple[str, str]]:
    """Return one side of a change as coloured lines: a header and, for changed messages, the beginning of the text."""
    message = change.before if which == "before" else change.after
    if message is None:
        return []
    tokens = change.tokens_before if which == "before" else change.tokens_after
    head = clipped(f"{_SIGNS[change.kind]} {number:>5}  {who:<13} {f'{sign}{tokens:,}':>9}", width)
    if change.kind == "same":
        return [(clipped(f"{head}  {one_line(message.preview)}", width), "ink-muted")]
    text = visible(message.text).split("\n")
    excerpt = text if change.kind == "added" else text[:_EXCERPT]
    lines = [head, *(f"  {piece}" for line in excerpt for piece in fold(line, width - 2))]
    if len(text) > len(excerpt):
        lines.append(f"  … {len(text) - len(excerpt):,} more lines")
    colour = "success" if which == "after" else _COLOURS[change.kind]
    return [(line, colour) for line in lines]
