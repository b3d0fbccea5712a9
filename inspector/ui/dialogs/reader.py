"""A message to its last character, however long it is, or the raw record it came from."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.conversation import Message
from inspector.text import dumps, one_line
from inspector.ui.dialogs.overlay import Overlay
from inspector.ui.reading import Line, reading, wrap
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.text_view import TextView
from inspector.ui.workers.latest import LatestOnly


class Reader(Overlay[None]):
    """Wraps in a thread, so that a message of ten megabytes does not hold up a key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "Back"),
        Binding("r", "raw", "The raw record"),
    ]
    AUTO_FOCUS = "#text"

    raw: reactive[bool] = reactive(False, init=False, repaint=False)

    def __init__(self, message: Message, number: str) -> None:
        super().__init__()
        self.message = message
        self.number = number
        self.texts: LatestOnly[list[Line]] = LatestOnly(self, "reading", self.take)

    def compose(self) -> ComposeResult:
        yield Static(self.heading(), classes="bar", markup=False)
        yield TextView(id="text")
        yield KeyBar(id="keys")

    def heading(self) -> str:
        who = self.message.name or self.message.role
        facts = [f"message {self.number}", who, self.message.time, self.message.model]
        return "  ".join(one_line(fact) for fact in facts if fact)

    def on_mount(self) -> None:
        self.query_one(KeyBar).keys = self.key_hints()
        self.call_after_refresh(self.read)

    def key_hints(self) -> tuple[Key, ...]:
        return (
            Key("↑↓ space", "scroll", ""),
            Key("g G", "start, end", ""),
            Key("r", "raw record", "screen.raw"),
            Key("esc", "back", "screen.dismiss"),
        )

    def on_resize(self) -> None:
        if self.is_mounted:
            self.read()

    def watch_raw(self) -> None:
        self.read()

    def action_raw(self) -> None:
        self.raw = not self.raw

    def read(self) -> None:
        width = max(10, self.query_one(TextView).size.width - 2)
        self.texts.ask(partial(raw_lines if self.raw else reading, self.message, width))

    def take(self, lines: list[Line]) -> None:
        self.query_one(TextView).show(lines, keep_place=True)


def raw_lines(message: Message, width: int) -> list[Line]:
    """The message and the record around it as indented JSON."""
    raw, record = message.body.load()
    lines: list[Line] = []
    for title, value in (("message", raw), ("record", record)):
        if value:
            lines.append(Line(title, "heading"))
            lines += wrap(dumps(dict(value), pretty=True), width)
            lines.append(Line(""))
    return lines
