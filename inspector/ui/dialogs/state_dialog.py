"""The state of the work at a turn: folder, request, rules, tasks, plans, and what is running."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.core.conversation import Session
from inspector.core.text import clipped
from inspector.engine.work_state import ACTORS, WorkState
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.dialogs.state_rows import StateRow, item_rows
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.workers.latest import LatestOnly

_LABEL = 13


class WorkStateList(PlainList[StateRow]):
    """One item of the state per line."""

    empty = "  reading the state of the work …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.numbers: Mapping[str, int] = {}

    def show(self, rows: Sequence[StateRow], numbers: Mapping[str, int]) -> None:
        """Show other rows.

        Args:
            rows: The rows.
            numbers: Numbers of the messages in the log, by id.
        """
        self.numbers = numbers
        self.show_rows(rows, "  Nothing is known about the state of the work.")

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        number = self.numbers.get(row.message)
        end = f"  {f'#{number:,} ' if number else ''}{row.end} "
        room = max(8, width - _LABEL - 2 - cell_len(end))
        return [
            (f"  {row.label:<{_LABEL}}", palette.dim),
            (set_cell_size(clipped(row.text, room), room), palette.ink()),
            (end, palette.faint),
        ]


class WorkStateScreen(Overlay[str]):
    """The state of the work. Dismissed with the ID of the message to go to, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("work_state")
    AUTO_FOCUS = "#work-state"

    def __init__(self, session: Session, find: Callable[[], WorkState], when: str) -> None:
        """Create the screen.

        Args:
            session: The session.
            find: Returns the state. Called in a thread.
            when: The turn in words, for the heading.
        """
        super().__init__()
        self.session = session
        self.when = when
        self.find = find
        self.jobs: LatestOnly[WorkState] = LatestOnly(self, "work-state", self.show_state)

    def compose(self) -> ComposeResult:
        yield Static(f"State of the work {self.when}", classes="bar", id="work-state-title", markup=False)
        yield WorkStateList(id="work-state")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()
        self.jobs.ask(self.find)

    def show_state(self, state: WorkState) -> None:
        numbers = self.session.numbers
        self.query_one(WorkStateList).show(item_rows(state), numbers)
        title = f"State of the work {self.when}   {ACTORS[state.actor]} acts next"
        self.query_one("#work-state-title", Static).update(title)
        self.show_keys()

    def show_keys(self) -> None:
        row = self.query_one(WorkStateList).current
        self.query_one(KeyBar).keys = available((row, Key("open", "go to the message")), (True, Key("back", "back")))

    @on(LineList.Opened)
    def open_message(self) -> None:
        row = self.query_one(WorkStateList).current
        if row is not None and row.message in self.session.by_id:
            self.dismiss(row.message)
