"""The presets over several sessions: their means with intervals, and the figures of one preset on each session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.experiments import (
    CORPUS_WIDTH,
    GOING_ON_WIDTH,
    CorpusRow,
    corpus_cells,
    corpus_heads,
    corpus_notes,
    corpus_sentences,
    is_excluded,
)
from inspector.core.text import BEST, HASTY, clipped, one_line, percent, plural, wrapped
from inspector.library import Entry
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.key_remaps import with_keys
from inspector.ui.library_controller import LibraryController
from inspector.ui.messages import OpenTarget
from inspector.ui.room import list_lines, set_height
from inspector.ui.screens.tune.corpus_controller import ComparedSession, CorpusController
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.workers.jobs import ScreenJobs

_WIDE = 100
"""Cells from which the questions for going on are shown."""
_NUMBERS = 34
"""Cells of the figures of a session."""
_MAX_NAME = 40


class CorpusRows(PlainList[CorpusRow]):
    """Presets with the means of their figures."""

    best: str | None = None
    """Name of the leading preset."""

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        is_best, is_wide = row.preset == self.best, width >= _WIDE
        mark = BEST if is_best else HASTY if is_excluded(row) else " "
        ink = (
            palette.ink("success", bold=True) if is_best else palette.ink("warning") if mark == HASTY else palette.ink()
        )
        name = set_cell_size(clipped(one_line(row.preset), _name_room(width)), _name_room(width))
        return [(f"{mark} {name}", ink), (corpus_cells(row, is_wide), palette.ink())]


class ComparedList(PlainList[ComparedSession]):
    """Sessions with the figures of one preset on each."""

    preset = ""

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette, room = self.rows[line], self.palette, max(8, width - _NUMBERS - 2)
        title = clipped(one_line(row.entry.title) or one_line(row.entry.target), room - 1)
        faint = row.is_left_out or row.figures is None
        spans: list[Span] = [(f"  {set_cell_size(title, room)}", palette.faint if faint else palette.ink())]
        figures = row.figures.get(self.preset) if row.figures and not row.is_left_out else None
        if figures is None:
            colour = "error" if row.problem and not row.is_left_out else "ink-faint"
            return [*spans, (clipped(one_line(row.status), max(0, width - room - 3)), palette.ink(colour))]
        going_on = "–" if figures.going_on is None else percent(figures.going_on)
        numbers = f"{percent(figures.cost):>6}{percent(figures.kept):>7}{figures.misses:>9,}{going_on:>10}"
        return [*spans, (numbers, palette.ink())]


class CorpusScreen(Overlay[None]):
    """Compares the presets on the listed sessions. The means appear after the first session and follow each one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("corpus")
    AUTO_FOCUS = "#compared"

    def __init__(self, entries: Sequence[Entry], library: LibraryController) -> None:
        """Create the screen.

        Args:
            entries: Listed sessions.
            library: Opens sessions, and keeps their figures for the next comparison.
        """
        super().__init__()
        jobs = ScreenJobs(self)
        self.controller = CorpusController(jobs, self, entries, library.opener, library.compared, self.show)

    def compose(self) -> ComposeResult:
        yield Static(id="corpus-heading", classes="bar", markup=False)
        yield Static(id="corpus-verdict", markup=False)
        yield Static(id="corpus-heads", classes="heads", markup=False)
        yield CorpusRows(id="corpus-rows")
        yield Static(id="compared-heads", classes="heads", markup=False)
        yield ComparedList(id="compared")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        if self.controller.problem:
            self.notify(self.controller.problem, severity="warning")
        self.show()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show)

    def on_unmount(self) -> None:
        self.controller.close()

    def show(self) -> None:
        """Draw the state of the controller."""
        if not self.is_mounted:
            return
        state, rows, sessions = self.controller.state, self.query_one(CorpusRows), self.query_one(ComparedList)
        palette = self.palette
        self.query_one("#corpus-heading", Static).update(f"Presets over {state.summary}")
        rows.best = state.verdict.best
        rows.show_rows(state.rows, "")
        set_height(rows, list_lines(rows.count, self.size.height, max(3, self.size.height * 2 // 5)))
        sessions.show_rows(state.sessions, "  No session is listed.")
        heads = self.query_one("#corpus-heads", Static)
        width = self.size.width
        names = f"  {'preset':<{_name_room(width)}}{corpus_heads(width >= _WIDE)}"
        heads.update(Text(names, palette.dim, no_wrap=True))
        heads.display = rows.display = bool(state.rows)
        lines = [Text(f" {line}", style) for text, style in self.sentences() for line in wrapped(text, width - 2)]
        self.query_one("#corpus-verdict", Static).update(Text("\n").join(lines))
        self.show_preset()

    def sentences(self) -> Iterator[tuple[str, Style]]:
        """Yield the verdict and what it means, with their styles; or how to start."""
        state, palette = self.controller.state, self.palette
        if state.rows:
            yield corpus_sentences(state.verdict), palette.strong
            yield corpus_notes(state.rows, self.size.width >= _WIDE), palette.dim
        elif state.due:
            sessions = plural(len(state.due), "session")
            yield with_keys("Press {apply} to replay each preset on {sessions}.", sessions=sessions), palette.dim
        else:
            yield "No preset compresses any of these sessions.", palette.dim

    @on(LineList.Moved, "#corpus-rows")
    def show_preset(self) -> None:
        """Show the figures of the preset under the cursor on each session."""
        row, sessions = self.query_one(CorpusRows).current, self.query_one(ComparedList)
        sessions.preset = row.preset if row else ""
        sessions.renew()
        room = max(8, self.size.width - _NUMBERS - 2)
        name = clipped(f"sessions under {one_line(row.preset)}" if row else "sessions", room - 1)
        heads = f"  {set_cell_size(name, room)}" + (
            f"{'cost':>6}{'kept':>7}{'regrets':>9}{'going on':>10}" if row else ""
        )
        palette = self.palette
        self.query_one("#compared-heads", Static).update(Text(heads, palette.dim, no_wrap=True))
        self.show_keys()

    @on(LineList.Moved, "#compared")
    def show_keys(self) -> None:
        state, current = self.controller.state, self.query_one(ComparedList).current
        known = any(one.figures is not None for one in state.sessions)
        project = current.entry.project if current and not state.scope else ""
        self.query_one(KeyBar).keys = available(
            (not state.busy and state.due, Key("apply", "go on" if known else "start")),
            (state.busy, Key("back", "stop")),
            (current, Key("open", "open the session")),
            (current, Key("drop", "take in" if current and current.is_left_out else "leave out")),
            (not state.busy and project, Key("filter", f"only {clipped(one_line(project), 20)}")),
            (not state.busy and state.scope, Key("filter", "all listed")),
            (state.rows, Key("switch_view", "next list")),
            (not state.busy, Key("back", "back")),
        )

    # keys

    def action_start(self) -> None:
        self.controller.start()

    def action_switch(self) -> None:
        """Move the focus to the other list."""
        rows, sessions = self.query_one(CorpusRows), self.query_one(ComparedList)
        (sessions if self.focused is rows or not rows.count else rows).focus()

    def action_leave_out(self) -> None:
        if (current := self.query_one(ComparedList).current) is not None:
            self.controller.leave_out(current)

    def action_scope(self) -> None:
        """Compare only the sessions of the project under the cursor, or all that are listed again."""
        current = self.query_one(ComparedList).current
        if self.controller.busy:
            self.notify("The comparison is running.")
        elif current is not None or self.controller.state.scope:
            is_narrow = bool(self.controller.state.scope)
            self.controller.choose_scope("" if is_narrow or current is None else current.entry.project)

    @on(LineList.Opened, "#compared")
    def action_open(self) -> None:
        if (current := self.query_one(ComparedList).current) is not None:
            self.dismiss()
            self.app.post_message(OpenTarget(current.entry.target))

    def action_back(self) -> None:
        """Stop the comparison, or close the screen."""
        if not self.controller.stop():
            self.dismiss()


def _name_room(width: int) -> int:
    return max(8, min(_MAX_NAME, width - 2 - CORPUS_WIDTH - GOING_ON_WIDTH * (width >= _WIDE)))
