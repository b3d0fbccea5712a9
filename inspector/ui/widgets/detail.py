"""The message under the cursor, beside the list: who, how large, what becomes of it, and its beginning."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import Message, Problem
from inspector.signs import GLYPHS
from inspector.ui.fitting import clipped, wrapped
from inspector.ui.palette import FATE_COLOURS, Palette
from inspector.ui.reading import Line
from inspector.visible import one_line
from inspector.window.plan import Fate


@dataclass(frozen=True)
class Shown:
    """What the pane shows of one message. `lines` is None until a worker has read the text."""

    message: Message
    number: str
    who: str
    tokens: str
    fate: Fate
    lines: tuple[Line, ...] | None = None
    more: int = 0
    """Lines of the message that are not in `lines`."""
    problem: Problem | None = None


class Detail(Widget):
    """Text, never widgets: a message of a thousand lines costs what one line costs."""

    shown: reactive[Shown | None] = reactive(None)

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        shown = self.shown
        if shown is None:
            return Text()
        width, height = self.size
        text = self.head(shown, width)
        room = height - text.plain.count("\n") - 1
        if shown.lines is None:
            text.append("reading …", self.palette.faint)
            return text
        fits = shown.lines[:room] if not shown.more and len(shown.lines) <= room else shown.lines[: max(0, room - 1)]
        for line in fits:
            text.append(f"{line.text}\n", style_of(self.palette, line))
        left = shown.more + len(shown.lines) - len(fits)
        if left:
            text.append(f"… {left:,} more lines", self.palette.faint)
            text.append("   enter opens", self.palette.ink("primary"))
        return text

    def head(self, shown: Shown, width: int) -> Text:
        text = Text(no_wrap=True)
        text.append(shown.number, self.palette.strong)
        facts = clipped(f" {shown.who} · {shown.tokens} tokens", width - len(shown.number))
        text.append(f"{facts}\n", self.palette.dim)
        colour = FATE_COLOURS[shown.fate.kind]
        for number, row in enumerate(wrapped(f"{shown.fate.kind}: {one_line(shown.fate.reason)}", width - 2)[:2]):
            text.append(f"{GLYPHS[shown.fate.kind] if number == 0 else ' '} {row}\n", self.palette.ink(colour))
        if shown.problem:
            for row in wrapped(one_line(shown.problem.text), width - 2)[:3]:
                text.append(f"✗ {row}\n", self.palette.ink("error"))
        text.append("\n")
        return text


def style_of(palette: Palette, line: Line) -> Style:
    """The style of a line of reading."""
    match line.kind:
        case "heading":
            return palette.ink("section-tools")
        case "dim":
            return palette.dim
        case "error" | "removed":
            return palette.ink("error")
        case "added":
            return palette.ink("success")
        case _:
            return palette.ink()
