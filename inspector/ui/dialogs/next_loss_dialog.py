"""The facts that the next compaction of the recorded tool would remove, and a note that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import set_cell_size
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.context_loss import LostStep, NextCompaction, next_words, replaced_words
from inspector.core.conversation import Session
from inspector.core.text import clipped, first_lines, one_line
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_note
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.palette import Palette
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.workers.latest import LatestOnly

_KIND = 11
_COUNT_LINES, _FACT_LINES, _NOTE_LINES = 2, 2, 3
"""Maximum lines for a sentence above the list, and below it for the fact under the cursor and for the note."""


class RiskList(PlainList[LostStep]):
    """One fact at risk per line. The first line of each kind names it."""

    empty = "  looking for the facts at risk …"

    def show(self, rows: Sequence[LostStep]) -> None:
        self.show_rows(rows, "  No fact is at risk: nothing would be removed that is not stated elsewhere.")

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette = self.rows[line], self.palette
        is_first = line == 0 or self.rows[line - 1].kind != row.kind
        room = max(8, width - _KIND - 2)
        text = set_cell_size(clipped(one_line(row.text), room), room)
        return [(f"  {row.kind if is_first else '':<{_KIND}}", palette.ink("warning")), (text, palette.ink())]


class NextLossScreen(Overlay[str]):
    """The facts at risk. Dismissed with the ID of the message to go to, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("next_loss")
    AUTO_FOCUS = "#risks"

    def __init__(self, session: Session, agent: str, find: Callable[[], NextCompaction], when: str) -> None:
        """Create the screen.

        Args:
            session: The session.
            agent: Agent whose context is looked at.
            find: Returns the facts at risk. Called in a thread.
            when: The turn in words, for the heading.
        """
        super().__init__()
        self.session = session
        self.agent = agent
        self.find = find
        self.when = when
        self.following: NextCompaction | None = None
        self.jobs: LatestOnly[NextCompaction] = LatestOnly(self, "risks", self.show_result)

    def compose(self) -> ComposeResult:
        yield Static(f"If it compacted {self.when}", classes="bar", markup=False)
        yield Static(id="risk-counts", markup=False)
        yield RiskList(id="risks")
        yield Static(id="risk-detail", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_texts()
        self.jobs.ask(self.find)

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show_texts()

    def show_result(self, following: NextCompaction) -> None:
        self.following = following
        self.query_one(RiskList).show(following.lines)
        self.show_texts()

    @on(RiskList.Moved)
    def show_texts(self) -> None:
        """Update the texts around the list, and the keys."""
        following, row = self.following, self.query_one(RiskList).current
        palette, width = self.palette, max(20, self.size.width - 4)
        if following is not None:
            self.query_one("#risk-counts", Static).update("\n".join(_counts(following, width)))
            self.query_one("#risk-detail", Static).update(_risk_detail(following, row, width, palette))
        self.query_one(KeyBar).keys = available(
            (following and following.note, Key("copy", "copy the note")),
            (row and self.message_of(row), Key("open", "go to the turn")),
            (True, Key("back", "back")),
        )

    def message_of(self, row: LostStep) -> str:
        """Return the ID of the reply of the turn that a fact names; "" if the turn has none."""
        turns = self.session.turns(self.agent)
        return self.session.messages[turns[row.turn - 1]].id if 0 < row.turn <= len(turns) else ""

    @on(LineList.Opened)
    def open_turn(self) -> None:
        row = self.query_one(RiskList).current
        if row is not None and (message := self.message_of(row)):
            self.dismiss(message)

    def action_copy(self) -> None:
        """Copy the note for the tool."""
        if self.following is None:
            self.notify("Still looking for the facts at risk.")
        else:
            self.notify(copy_note(self.app, self.following.note))


def _counts(following: NextCompaction, width: int) -> list[str]:
    """Return what the tool would keep and remove, in at most four lines."""
    at_risk = f"At risk, unless the summary states them: {next_words(following)}." if following.counts else ""
    return [
        line for text in (replaced_words(following), at_risk) if text for line in first_lines(text, width, _COUNT_LINES)
    ]


def _risk_detail(following: NextCompaction, row: LostStep | None, width: int, palette: Palette) -> Text:
    """Return the whole fact under the cursor, and the note."""
    text = Text("\n".join(first_lines(row.text, width, _FACT_LINES)) if row else "")
    if following.note:
        text.append(
            "\nTo keep them, write to the tool:\n" if row else "To keep them, write to the tool:\n", palette.dim
        )
        text.append("\n".join(first_lines(following.note, width, _NOTE_LINES)), palette.strong)
    return text
