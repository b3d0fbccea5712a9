"""The title line of a screen: the tabs of all screens, the session, the position in it, and background work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.reactive import reactive

from inspector.core.conversation import MAIN
from inspector.core.text import clipped, one_line
from inspector.ui.palette import Palette
from inspector.ui.tabs import PlacedTab, placed_tabs
from inspector.ui.terminal_app import TerminalApp, mode_of
from inspector.ui.widgets.drawing import Drawing

if TYPE_CHECKING:
    from inspector.core.conversation import Session
    from inspector.ui.workers.jobs import Busy

_DOT = " · "
MIN_NAME = 12
"""Minimum cells of the session's name in the status line, where it is shown."""
_MIN_TITLE = 20
"""Minimum cells of the session's name in the title line. A shorter piece of it would look like a tab."""
_MAX_AGENT_CELLS = 24
"""Maximum cells of an agent's name."""
WIDE = 108
"""Width in cells from which the agent's name is in the title line rather than under the bars."""


@dataclass(frozen=True, slots=True)
class _TitlePart:
    """A part of the line. A lower rank is more important; with `least`, it can be cut to that many cells."""

    text: Text
    rank: int
    least: int = 0


class TitleLine(Drawing):
    """Tabs on the left, which a click activates; on the right details of the screen, if they fit.

    Background work is the most important, followed by the turn, the agent if there are several, the session and its
    model.
    """

    session: reactive[Session | None] = reactive(None)
    agent: reactive[str] = reactive(MAIN)
    title: reactive[str] = reactive("")
    """Text in place of the session's title, for screens that are not about one session."""
    busy: reactive[Busy | None] = reactive(None)
    status: reactive[Sequence[Text]] = reactive(())
    """Details of the screen, the most important first; those that do not fit are omitted."""

    def on_mount(self) -> None:
        if isinstance(self.app, TerminalApp):
            self.watch(self.app, "has_session", self.redraw_tabs, init=False)

    def redraw_tabs(self) -> None:
        self.refresh()

    @property
    def front(self) -> str:
        """Mode that the screen belongs to."""
        return mode_of(self.screen)

    @property
    def tabs(self) -> tuple[PlacedTab, ...]:
        return placed_tabs(self.front, self.size.width)

    def render(self) -> Text:
        palette = Palette(self.app.theme_variables)
        line = Text(no_wrap=True)
        for placed in self.tabs:
            line.append_text(self.tab_text(placed, palette))
        right = self.right(palette, self.size.width - line.cell_len - 2)
        line.append(" " * max(1, self.size.width - line.cell_len - right.cell_len - 1))
        return line.append_text(right)

    def tab_text(self, placed: PlacedTab, palette: Palette) -> Text:
        """Return one tab: a chip if it is in front, dim if it has no session to show yet."""
        if placed.tab.mode == self.front:
            chip = Style(color=palette.solid("background"), bgcolor=palette.colour("primary"), bold=True)
            return Text(placed.text, chip)
        has_session = isinstance(self.app, TerminalApp) and self.app.has_session
        is_there = has_session or not placed.tab.needs_session
        text = Text(placed.text, palette.ink() if is_there else palette.faint)
        if is_there:
            text.stylize(palette.ink("primary", bold=True), 1, 1 + len(placed.tab.key))
        return text

    def right(self, palette: Palette, room: int) -> Text:
        """Return the parts that fit into `room` cells, from the session to background work."""
        pieces = self.pieces(palette)
        chosen: dict[int, Text] = {}
        for place in sorted(range(len(pieces)), key=lambda place: pieces[place].rank):
            piece, free = pieces[place], room - bool(chosen) * len(_DOT)
            text = piece.text.copy()
            if piece.least:
                text.truncate(max(piece.least, free - self.room_for_model(free)), overflow="ellipsis")
            if text.plain and text.cell_len <= free:
                chosen[place] = text
                room = free - text.cell_len
            elif text.plain:  # what is less important would look strange without it, such as a model without a session
                break
        return Text(_DOT, palette.faint, no_wrap=True).join(chosen[place] for place in sorted(chosen))

    def pieces(self, palette: Palette) -> Sequence[_TitlePart]:
        """Return all parts, from left to right."""
        session, busy = self.session, [_TitlePart(Text(str(self.busy), palette.ink("warning")), 0)] if self.busy else []
        status = [_TitlePart(text, 1 + place) for place, text in enumerate(self.status)]
        if session is None:
            return (_TitlePart(Text(one_line(self.title), palette.dim), 20), *status, *busy)
        agent = agent_name(session, self.agent)
        return (
            _TitlePart(Text(one_line(session.title) or "untitled", palette.ink()), 20, _MIN_TITLE),
            _TitlePart(Text(one_line(session.model), palette.dim), 30),
            _TitlePart(Text(f"agent {clipped(agent, _MAX_AGENT_CELLS)}" if agent else "", palette.ink()), 10),
            *status,
            *busy,
        )

    def room_for_model(self, free: int) -> int:
        """Return the cells reserved for the model next to the session's name."""
        cells = cell_len(one_line(self.session.model)) + len(_DOT) if self.session and self.session.model else 0
        return cells if free >= 2 * cells else 0

    async def on_click(self, event: events.Click) -> None:
        if not self.screen.is_active:  # closed in the meantime
            return
        for placed in self.tabs:
            if placed.start <= event.x < placed.end:
                await self.run_action(f"app.mode('{placed.tab.mode}')")
                return


def agent_name(session: Session, agent: str) -> str:
    """Return the agent whose context is shown, or an empty string if there is only one."""
    return "" if len(session.agents) < 2 and agent == MAIN else one_line(agent)


def turn_text(turn: int, turns: int, palette: Palette) -> Text:
    """Return the position in a session: at a turn, or after the last one.

    Args:
        turn: Turn, counted from 1; one more than `turns` for the context after the last turn.
        turns: Number of turns.
        palette: Colours of the current theme.
    """
    if turn > turns:
        return Text.assemble(("after turn ", palette.dim), (f"{turns:,}", palette.strong), no_wrap=True)
    return Text.assemble(
        ("turn ", palette.dim), (f"{turn:,}", palette.strong), (f" of {turns:,}", palette.dim), no_wrap=True
    )
