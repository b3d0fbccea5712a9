"""The first line: which session, which turn, and whether a provider would take the window."""

from __future__ import annotations

from dataclasses import dataclass

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import MAIN
from inspector.ui.fitting import clipped
from inspector.ui.palette import Palette
from inspector.visible import one_line
from inspector.workbench import Preview


@dataclass(frozen=True, slots=True)
class Busy:
    """Work in the background: what, and how far (0 to 1, None where nobody knows)."""

    what: str
    share: float | None = None

    def __str__(self) -> str:
        return self.what if self.share is None else f"{self.what} {self.share:.0%}"


class Title(Widget):
    """Title, format and model on the left; turn, validity and what is going on on the right."""

    preview: reactive[Preview | None] = reactive(None)
    turns: reactive[int] = reactive(0)
    busy: reactive[Busy | None] = reactive(None)
    heading: reactive[str] = reactive("Inspector")

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        right = self.right()
        left = self.left(max(10, self.size.width - right.cell_len - 2))
        gap = max(1, self.size.width - left.cell_len - right.cell_len)
        return Text.assemble(left, " " * gap, right, no_wrap=True)

    def left(self, room: int) -> Text:
        chip = Style(color=self.palette.colour("background"), bgcolor=self.palette.colour("primary"), bold=True)
        if self.preview is None:
            return Text(f" {self.heading} ", chip)
        session = self.preview.recorded.session
        facts = [session.format, session.model or "model not recorded"]
        if len(session.agents) > 1:
            agent = self.preview.recorded.agent
            facts.append(f"{len(session.agents)} agents" if agent == MAIN else f"agent {agent}")
        rest = "  " + " · ".join(one_line(fact) for fact in facts)
        damage = "  damaged" if session.problems else ""
        room -= len(damage)
        title = clipped(one_line(session.title), max(8, room - min(len(rest), room // 2) - 2))
        line = Text(no_wrap=True)
        line.append(f" {title} ", chip)
        line.append(damage, self.palette.ink("warning"))
        room += len(damage)
        line.append(clipped(rest, max(0, room - line.cell_len)), self.palette.dim)
        return line

    def right(self) -> Text:
        line = Text(no_wrap=True)
        if self.busy:
            line.append(f"{self.busy}   ", self.palette.ink("warning"))
        if self.preview is None:
            return line
        turn = self.preview.recorded.turn
        if turn > self.turns:
            line.append("now", self.palette.strong)
            line.append(f", after {self.turns} turns   ", self.palette.dim)
        else:
            line.append("turn ", self.palette.dim)
            line.append(str(turn), self.palette.strong)
            line.append(f"/{self.turns}   ", self.palette.dim)
        if self.preview.valid:
            line.append("✓ valid", self.palette.ink("success"))
        else:
            line.append(f"✗ invalid ({len(self.preview.problems)})", self.palette.ink("error", bold=True))
        line.append(" ")
        return line
