"""The first line of a screen: which session, which turn, and whether a provider would take the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from inspector.conversation import MAIN, ProviderName
from inspector.providers import PROVIDERS
from inspector.text import clipped, clipped_words, one_line
from inspector.ui.palette import Palette

if TYPE_CHECKING:
    from inspector.conversation import Session
    from inspector.library import Money, Preview
    from inspector.ui.workers.jobs import Busy

_LEAST = 22
"""Cells that the session's name may always have."""
_QUOTED = 24
"""Cells from which on the provider's own words are quoted; below them only their number is told."""


_WIDE = 100
"""Cells from which on the first line has room for what can be seen elsewhere too."""


class Title(Widget):
    """Title, format and model on the left; turn, validity, money and what is going on on the right."""

    preview: reactive[Preview | None] = reactive(None)
    turns: reactive[int] = reactive(0)
    busy: reactive[Busy | None] = reactive(None)
    heading: reactive[str] = reactive("Inspector")
    provider: reactive[ProviderName | None] = reactive(None)
    """Whose rules the badge speaks of, where it is not the session's own provider."""
    money: reactive[Money | None] = reactive(None)

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    def render(self) -> Text:
        right = self.right()
        left = self.left(max(10, self.size.width - right.cell_len - 2))
        gap = max(1, self.size.width - left.cell_len - right.cell_len)
        return Text.assemble(left, " " * gap, right, no_wrap=True)

    def left(self, room: int) -> Text:
        chip = Style(color=self.palette.solid("background"), bgcolor=self.palette.colour("primary"), bold=True)
        if self.preview is None:
            return Text(f" {self.heading} ", chip)
        session = self.preview.session
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
        if room - line.cell_len > 12:
            line.append(clipped(rest, room - line.cell_len), self.palette.dim)
        return line

    def right(self) -> Text:
        line = Text(no_wrap=True)
        if self.busy:
            line.append(f"{self.busy}   ", self.palette.ink("warning"))
        if self.preview is None:
            return line
        line.append_text(self.place(self.preview))
        cost = self.cost()
        room = self.size.width - max(_LEAST, self.size.width // 2 - _LEAST) - line.cell_len
        badge = self.badge(self.preview, room - cost.cell_len)
        line.append_text(badge)
        if badge.cell_len + cost.cell_len <= room:
            line.append_text(cost)
        line.append(" ")
        return line

    def place(self, preview: Preview) -> Text:
        turn = preview.recorded.turn
        line = Text(no_wrap=True)
        if turn > self.turns:
            line.append("now", self.palette.strong)
            line.append(f", after {self.turns} turns   " if self.size.width >= _WIDE else "   ", self.palette.dim)
        else:
            line.append("turn ", self.palette.dim)
            line.append(str(turn), self.palette.strong)
            line.append(f"/{self.turns}   ", self.palette.dim)
        return line

    def badge(self, preview: Preview, room: int) -> Text:
        """Whether a provider would take the window, in its own words where it would not."""
        name = PROVIDERS[self.provider].title if self.provider else ""
        if preview.valid:
            return Text(f"✓ valid for {name}" if name else "✓ valid", self.palette.ink("success"))
        problem = f"{name}: {preview.problems[0].text}" if name else preview.problems[0].text
        count = len(preview.problems)
        others = f" +{count - 1}" if count > 1 else ""
        if room < _QUOTED:
            return Text(f"✗ invalid ({count})", self.palette.ink("error", bold=True))
        words = clipped_words(one_line(problem), room - 3 - len(others))
        return Text(f"✗ {words}{others}", self.palette.ink("error", bold=True))

    def cost(self) -> Text:
        """What sending the window once costs. The figure of a moment ago stays until the next is worked out."""
        money = self.money
        if money is None or self.preview is None or not money.now:
            return Text()
        line = Text(f"   {money.now}", self.palette.dim, no_wrap=True)
        if money.then and self.preview.plan is not None:
            line = Text.assemble((f"   {money.now} → ", self.palette.dim), (money.then, self.palette.strong))
        line.append(" a call", self.palette.dim)
        return line


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
