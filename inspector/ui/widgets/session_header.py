"""The first line of a screen that looks at a whole session: what it is called, what it is, and what goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import MAIN, Session
from inspector.text import clipped, one_line
from inspector.ui.palette import Palette

if TYPE_CHECKING:
    from inspector.ui.workers.jobs import Busy


class SessionHeader(Widget):
    """The session on the left; on the right what goes on, and what the screen has to say."""

    session: reactive[Session | None] = reactive(None)
    agent: reactive[str] = reactive(MAIN)
    title: reactive[str] = reactive("")
    """What is said where it is not about one session."""
    busy: reactive[Busy | None] = reactive(None)
    status: reactive[Text] = reactive(Text)

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        right = Text(no_wrap=True)
        if self.busy:
            right.append(f"{self.busy}   ", palette.ink("warning"))
        right.append_text(self.status)
        right.append(" ")
        left = self.left(palette, max(12, self.size.width - right.cell_len - 2))
        gap = max(1, self.size.width - left.cell_len - right.cell_len)
        return Text.assemble(left, " " * gap, right, no_wrap=True)

    def left(self, palette: Palette, room: int) -> Text:
        line = Text(no_wrap=True)
        chip = Style(color=palette.solid("background"), bgcolor=palette.colour("primary"), bold=True)
        if self.session is None:
            line.append(f" {clipped(one_line(self.title), max(8, room - 2))} " if self.title else "", chip)
            return line
        facts = [self.session.format, self.session.model or "model not recorded"]
        if self.agent != MAIN:
            facts.insert(0, f"agent {self.agent}")
        rest = "  " + " · ".join(one_line(fact) for fact in facts)
        title = clipped(one_line(self.session.title) or "untitled", max(8, room - min(len(rest), room // 2) - 2))
        line.append(f" {title} ", chip)
        if room - line.cell_len > 12:
            line.append(clipped(rest, room - line.cell_len), palette.dim)
        return line
