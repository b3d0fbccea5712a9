"""The messages that a summary covers, each of which can be read, and the text of the summary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.analysis.tool_activity import Actions, row_words
from inspector.core.conversation import Message
from inspector.core.text import clip, clipped, one_line, plural
from inspector.library import Origin, Preview, maker, origin
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.widgets.message_list import speaker_colour
from inspector.ui.workers.latest import LatestOnly


class CoveredList(LineList):
    """The covered messages, one per line."""

    empty = "  looking …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.origin: Origin | None = None
        self.actions = Actions(())

    @property
    def count(self) -> int:
        return len(self.origin.messages) if self.origin else 0

    @property
    def current(self) -> Message | None:
        return self.origin.messages[self.cursor] if self.origin and self.cursor < self.count else None

    def show(self, origin: Origin, message_id: str) -> None:
        """Show the messages with the cursor on the one with the given ID, if it is among them."""
        self.origin, self.actions = origin, Actions(origin.messages)
        self.empty = "  The file contains nothing before it."
        self.renew()
        ids = [message.id for message in origin.messages]
        self.cursor = ids.index(message_id) if message_id in ids else 0

    def spans(self, line: int, width: int) -> Sequence[Span]:
        assert self.origin is not None
        message = self.origin.messages[line]
        return [
            (f"{self.origin.numbers[line]:>8}  ", self.palette.faint),
            (set_cell_size(clip(self.origin.names[line], 13), 13) + " ", self.palette.ink(speaker_colour(message))),
            (f"{self.origin.mark}{self.origin.sizes[line]:,}".rjust(9) + "   ", self.palette.ink()),
            (row_words(message, self.actions, max(0, width - 37)), self.palette.ink()),
        ]


class OriginScreen(Overlay[None]):
    """Lists the messages that a summary covers. `o` switches to the summary and back, enter reads a message."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("origin")
    AUTO_FOCUS = "#covered"

    def __init__(self, preview: Preview, summary: Message, message_id: str = "") -> None:
        """Create the list for a summary.

        Args:
            preview: Window that contains the summary, with its plans.
            summary: Summary to trace.
            message_id: ID of the message to start at; empty for the first.
        """
        super().__init__()
        self.preview = preview
        self.summary = summary
        self.message_id = message_id
        self.origins: LatestOnly[Origin] = LatestOnly(self, "origin", self.show_result)

    def compose(self) -> ComposeResult:
        yield Static(id="about-origin", classes="bar", markup=False)
        yield Static("       #  who              tokens   content", id="columns")
        yield CoveredList(id="covered")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = (
            Key("up down", "move"),
            Key("open", "read"),
            Key("origin", "the summary"),
            Key("back", "back"),
        )
        self.origins.ask(partial(origin, self.preview, self.summary))

    def show_result(self, origin: Origin) -> None:
        self.query_one(CoveredList).show(origin, self.message_id)
        self.query_one("#about-origin", Static).update(clipped(_about(origin), self.app.size.width - 2))

    @on(LineList.Opened)
    def action_read(self) -> None:
        covered = self.query_one(CoveredList)
        if covered.current is not None and covered.origin is not None:
            self.app.push_screen(Reader(covered.current, covered.origin.numbers[covered.cursor]))

    def action_other(self) -> None:
        """Open the summary's text, or the messages covered by an earlier summary under the cursor."""
        current = self.query_one(CoveredList).current
        if current is not None and current.kind == "summary":
            self.app.push_screen(OriginScreen(self.preview, current))
        elif isinstance(below := self.app.screen_stack[-2], SummaryReader) and below.message is self.summary:
            self.dismiss()
        else:
            self.app.push_screen(SummaryReader(self.preview, self.summary))


class SummaryReader(Reader):
    """Shows the text of a summary. `o` opens the messages that it covers."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("summary_reader")

    def __init__(self, preview: Preview, summary: Message, message_id: str = "") -> None:
        """Create a reader for a summary.

        Args:
            preview: Window that contains the summary, with its plans.
            summary: Summary to read.
            message_id: ID of the covered message to select when the list of messages is opened.
        """
        super().__init__(summary, "Σ")
        self.preview = preview
        self.message_id = message_id

    def heading(self) -> str:
        name = one_line(self.message.id) if maker(self.preview.plans, self.message.id) else _RECORDED
        return name[:1].upper() + name[1:]

    def key_hints(self) -> tuple[Key, ...]:
        return (Key("origin", "its messages"), *super().key_hints())

    def action_origin(self) -> None:
        """Go back to the list that opened this reader, or open a new one."""
        below = self.app.screen_stack[-2]
        if isinstance(below, OriginScreen) and below.summary is self.message:
            self.dismiss()
        else:
            self.app.push_screen(OriginScreen(self.preview, self.message, self.message_id))


_RECORDED = "the recording's summary"


def _about(origin: Origin) -> str:
    """Return the name of the summary, its effect on the size, and the plan that made it."""
    name = origin.summary.id if origin.plan else _RECORDED
    by = f"   {origin.plan.strategy} at turn {origin.plan.turn:,}" if origin.plan else ""
    numbers = f"{origin.mark}{origin.total:,} → {origin.mark}{origin.tokens:,} tokens"
    return f"{one_line(name)} replaces {plural(len(origin.messages), 'message')}, {numbers}{by}"
