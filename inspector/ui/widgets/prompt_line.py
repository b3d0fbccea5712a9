"""A line at the foot of a screen that is typed into: what is looked for, where to go, a note."""

from __future__ import annotations

from typing import ClassVar, Protocol

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from inspector.core.text import clipped

_MAX_INPUT_LENGTH = 2_000
"""Characters that may be typed."""
_MIN_INPUT_CELLS = 12
"""Cells that are left for what is typed, whatever there is to say beside it."""


class PromptListener(Protocol):
    """Whoever asks for a text."""

    def set_text(self, text: str) -> None:
        """Another text stands in the line."""

    def enter_text(self, text: str) -> None:
        """Enter: the text is meant."""

    def press(self, key: str) -> None:
        """Another key than those that write: escape, tab, down, up, remove."""


class _PromptInput(Input):
    """Hands the keys that mean something else here to its line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "press('escape')", show=False),
        Binding("tab,ctrl+f", "press('tab')", show=False),
        Binding("down", "press('down')", show=False),
        Binding("up", "press('up')", show=False),
        Binding("ctrl+d", "press('remove')", show=False),
    ]

    def __init__(self, listener: PromptListener) -> None:
        super().__init__(id="prompt-box", max_length=_MAX_INPUT_LENGTH)
        self.listener = listener

    def action_press(self, key: str) -> None:
        self.listener.press(key)


class PromptLine(Horizontal):
    """Closed until it is asked something; `purpose` says what for."""

    def __init__(self, listener: PromptListener, id: str | None = None) -> None:
        super().__init__(id=id)
        self.listener = listener
        self.purpose = ""
        self.sign = Static(id="prompt-sign", markup=False)
        self.box = _PromptInput(listener)
        self.said = Static(id="prompt-said", markup=False)

    def compose(self) -> ComposeResult:
        yield self.sign
        yield self.box
        yield self.said

    @property
    def is_open(self) -> bool:
        return bool(self.purpose)

    def open(self, purpose: str, sign: str, text: str = "", placeholder: str = "") -> None:
        """Ask for a text, which may begin with what was typed before: that is written over by the first letter."""
        self.purpose = purpose
        self.sign.update(sign)
        self.box.placeholder = placeholder
        with self.prevent(Input.Changed):
            self.box.value = text
        self.say("")
        self.add_class("-open")
        self.box.focus()

    def close(self) -> None:
        self.purpose = ""
        self.remove_class("-open")

    def say(self, text: str, style: str = "") -> None:
        """Say something at the right, such as how many there are. `style` is the name of a class: "wrong" or none."""
        room = max(0, self.size.width - cell_len(str(self.sign.content)) - _MIN_INPUT_CELLS)
        self.said.update(clipped(text, room))
        self.said.set_class(style == "wrong", "-wrong")

    @on(Input.Changed)
    def show_typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.purpose:
            self.listener.set_text(event.value)

    @on(Input.Submitted)
    def show_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self.purpose:
            self.listener.enter_text(event.value)
