"""A line at the bottom of a screen for typing a search, a destination or a note."""

from __future__ import annotations

from typing import ClassVar, Protocol

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from inspector.core.text import clipped
from inspector.ui.bindings import bindings

_MAX_INPUT_LENGTH = 2_000
"""Maximum characters to type."""
_MIN_INPUT_CELLS = 12
"""Cells reserved for typing, regardless of the text next to it."""


class PromptListener(Protocol):
    """Receives the text and keys of a prompt."""

    def set_text(self, text: str) -> None:
        """Handle a change of the text."""

    def enter_text(self, text: str) -> None:
        """Handle enter, which confirms the text."""

    def press(self, key: str) -> None:
        """Handle a key that does not type: escape, tab, down, up or remove."""


class _PromptInput(Input):
    """An input that passes keys with another meaning to its listener."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")

    def __init__(self, listener: PromptListener) -> None:
        super().__init__(id="prompt-box", max_length=_MAX_INPUT_LENGTH)
        self.listener = listener

    def action_press(self, key: str) -> None:
        self.listener.press(key)


class PromptLine(Horizontal):
    """Closed until it asks for text; `purpose` is the reason for asking."""

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
        """Ask for text. An initial text is selected, so that the first letter replaces it.

        Args:
            purpose: Reason for asking, which the listener checks.
            sign: Symbol or word in front of the input.
            text: Initial text.
            placeholder: Text shown while the input is empty.
        """
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
        """Show text on the right, such as the number of matches; `style` is "wrong" for errors."""
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
