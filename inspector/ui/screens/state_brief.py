"""The state of the work in a few lines next to a window, one line per part."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import groupby

from rich.text import Text
from textual.reactive import reactive

from inspector.core.conversation import Session
from inspector.core.text import clipped
from inspector.engine import work_state
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import Palette
from inspector.ui.widgets.drawing import Drawing
from inspector.ui.workers.latest import LatestOnly

_LABEL = 12


def _main_items(work: work_state.WorkState) -> Iterator[work_state.StateItem]:
    """Yield where the work is, and the task in progress or else the request."""
    place = work.get("where", "branch") or work.get("where", "folder")
    tasks = (item for item in work.of("task") if item.state == "in progress")
    yield from (item for item in (place, next(tasks, work.get("request", "latest"))) if item is not None)


class StateBrief(Drawing):
    """One item of each part of the state, the newest or the task in progress. A click opens all of them.

    With a maximum height of one line, it shows who acts next, the branch or folder, and the task or request.
    """

    work: reactive[work_state.WorkState | None] = reactive(None, repaint=False)

    def __init__(self, action: str, id: str | None = None) -> None:
        """Create a brief without a state.

        Args:
            action: Action of the screen that opens the whole state.
            id: Id of the widget.
        """
        super().__init__(id=id)
        self.action = action
        self._text = Text()
        """Text that is shown."""
        self.history: work_state.WorkHistory | None = None
        self.states: LatestOnly[work_state.WorkState] = LatestOnly(self, "state-brief", self.set_work)

    def show(self, session: Session, agent: str, turn: int | None = None) -> None:
        """Show the state before the reply of a turn as soon as it is known.

        Args:
            session: The session.
            agent: Agent whose work it is.
            turn: 1-based turn; None for the newest state.
        """
        known = self.history or work_state.WorkHistory(session, agent)
        self.history = known if known.session is session and known.agent == agent else known.continued(session, agent)
        self.states.ask(partial(self.history.at_turn, turn), at_once=self.history.is_known(turn))

    def set_work(self, work: work_state.WorkState) -> None:
        """Show a state if it looks different. Only other numbers of lines lay out the screen again, which is slow."""
        before, self.work = self._text, work
        after = self._text = self.text()
        if after != before:
            self.refresh(layout=after.plain.count("\n") != before.plain.count("\n"))

    def render(self) -> Text:
        self._text = self.text()
        return self._text

    def text(self) -> Text:
        """Return the lines in the available width."""
        palette, width = Palette(self.app.theme_variables), self.size.width
        if self.work is None:
            return Text("reading the state of the work …", palette.faint)
        actor = f"{work_state.ACTORS[self.work.actor]} acts next"
        text = Text.assemble(("state", palette.strong), (f"   {actor}   ", palette.dim), no_wrap=True)
        text.append(key_of("work_state"), palette.ink("primary", bold=True))
        text.append(": all", palette.faint)
        height = self.styles.max_height
        if height is not None and height.value == 1:
            rest = " · ".join(work_state.item_text(item) for item in _main_items(self.work))
            text.append(clipped(f"   {rest}", max(8, width - text.cell_len)), palette.ink())
            return text
        for part, items in groupby(self.work, key=lambda item: item.part):
            rows = [*items]
            newest = next((item for item in rows if item.state == "in progress"), rows[-1])
            end = f" +{len(rows) - 1:,}" if len(rows) > 1 else ""
            text.append(f"\n{part:<{_LABEL}}", palette.dim)
            text.append(clipped(work_state.item_text(newest), max(8, width - _LABEL - len(end))), palette.ink())
            text.append(end, palette.faint)
        return text

    async def on_click(self) -> None:
        await self.screen.run_action(self.action)
