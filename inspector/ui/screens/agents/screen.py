"""Screen 6: the agents of a session in lanes, the text that each received from others, and repeated work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.core.text import clipped, one_line, wrapped
from inspector.library import Workbench
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader
from inspector.ui.key_remaps import with_keys
from inspector.ui.screens.agents.agent_entries import AgentEntry, empty_list
from inspector.ui.screens.agents.controller import AgentsController, AgentsState
from inspector.ui.screens.agents.panels import AgentLanes, EntryList, MatrixPanel, about_row, list_heading
from inspector.ui.screens.inspect import Inspect
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine
from inspector.ui.widgets.verdict_line import accented
from inspector.ui.workers.jobs import ScreenJobs

_MAX_OTHERS = 8
"""Maximum number of other sessions that are named."""
_NAMES = {"handed": "handed over", "twice": "done twice"}
"""Names of marks in the key bar, where they differ from the marks themselves."""


class AgentsScreen(StateScreen[AgentsState]):
    """Draws the state of an `AgentsController` and forwards keys and clicks to it. Changes nothing in the session."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("agents")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (136, "-wide")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#agent-lanes"

    controller: AgentsController
    state: reactive[AgentsState] = reactive(AgentsState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = AgentsController(ScreenJobs(self), self, self.set_state)
        self.others: Sequence[str] = ()
        """Titles of the listed sessions with several agents."""

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield Static(id="teamwork", markup=False)
        with Horizontal(id="team"):
            yield AgentLanes(id="agent-lanes")
            with Vertical(id="team-side"):
                yield MatrixPanel(id="matrix")
                yield Static(id="list-names", markup=False)
                yield EntryList(id="entries")
        yield Static(id="about-row", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_sentence)
        self.call_after_refresh(self.show_texts)

    @property
    def lanes(self) -> AgentLanes:
        return self.query_one(AgentLanes)

    @property
    def entries(self) -> EntryList:
        return self.query_one(EntryList)

    @property
    def is_in_list(self) -> bool:
        """True if the list next to the lanes has the focus."""
        return self.focused is self.entries

    # called by the app

    def open(self, bench: Workbench, others: Sequence[str] = ()) -> None:
        """Show a session. `others` are the titles of the listed sessions with several agents."""
        self.others = others
        self.controller.open(bench)

    # drawing

    def watch_state(self, old: AgentsState, new: AgentsState) -> None:
        head = self.head
        head.agent = ""  # the turn names it
        head.session, head.busy = new.bench.session if new.bench else None, new.busy
        if new.view is not old.view:
            self.show_view(new)
        elif new.row != self.lanes.cursor:
            self.lanes.cursor = new.row
        if new.view is None:
            self.show_sentence()
        elif new.entries is not old.entries or new.list_name != old.list_name:
            self.entries.show(new.entries, empty_list(new.view.collaboration, new.list_name))
        self.show_texts()

    def show_view(self, state: AgentsState) -> None:
        collaboration = state.view.collaboration if state.view else None
        self.lanes.empty = "" if collaboration else "  reading …"
        self.lanes.show(state.view, state.row)
        self.query_one(MatrixPanel).collaboration = collaboration
        alone = collaboration is not None and collaboration.is_alone
        self.set_class(alone, "-alone")
        self.query_one("#team").display = self.query_one("#about-row").display = not alone
        self.show_sentence()
        if self.focused is None:  # a hidden widget has lost the focus
            self.lanes.focus()

    def show_texts(self) -> None:
        """Show the names of the lists and the message under the cursor, without changing the layout."""
        state, palette, width = self.state, self.palette, self.size.width
        view = state.view
        self.query_one(MatrixPanel).agent = state.current.agent if state.current else ""
        side = self.query_one("#team-side").size.width or width
        self.query_one("#list-names", Static).update(list_heading(state, side, palette), layout=False)
        self.query_one("#about-row", Static).update(about_row(state, width, palette), layout=False)
        status: tuple[Text, ...] = ()
        if view is not None and state.current is not None:
            turn = self.controller.turn_of(state.current)
            place = Text.assemble((clipped(one_line(state.current.agent), 24), palette.dim), no_wrap=True)
            place.append(f" turn {turn:,}" if turn else " now", palette.strong)
            status = (place, Text(f"{state.row + 1:,} of {len(view.chart.rows):,}", palette.dim))
        self.head.status = status
        self.show_keys()

    def show_sentence(self) -> None:
        self.query_one("#teamwork", Static).update(self.sentence())

    def sentence(self) -> Text:
        state, palette = self.state, self.palette
        if state.failure:
            return Text(f" {one_line(state.failure)}", palette.ink("error"))
        if state.view is None:
            return Text(f" {state.busy} …" if state.busy else "", palette.dim)
        room = max(20, self.size.width - 2)
        text = Text("\n".join(f" {line}" for line in wrapped(state.view.summary, room)), palette.strong)
        lines = [accented(text, palette.ink("primary"))]
        if state.view.collaboration.is_alone:
            lines += [Text(), *(Text(f" {line}", palette.dim) for line in _hints(self.others, room))]
        if self.size.height >= 32 and (certainty := state.view.certainty):
            lines += [Text(f" {line}", palette.dim) for line in wrapped(certainty, room)]
        return Text("\n", no_wrap=True).join(lines)

    def show_keys(self) -> None:
        view = self.state.view
        marks = view.chart.marks if view else {}
        there = view is not None and bool(view.chart.rows)
        finding = self.controller.finding
        self.query_one(KeyBar).keys = available(
            (there, Key("open", "in Inspect")),
            (there, Key("toggle", "read")),
            (there, Key("filter", "next list")),
            (there, Key("switch_view", "lanes" if self.is_in_list else "list")),
            (there and marks.get(finding), Key("next_finding", f"next {_NAMES.get(finding, finding)}")),
            (there, Key("next_agent", "agent")),
            (there, Key("origin", "other end")),
            (True, Key("back", "inspect")),
        )

    # keys and clicks

    def on_descendant_focus(self) -> None:
        self.show_keys()

    @on(LineList.Moved, "#agent-lanes")
    def follow_lanes(self) -> None:
        self.controller.go_to(self.lanes.cursor)

    @on(LineList.Moved, "#entries")
    def follow_entry(self) -> None:
        """Move the lanes to the message of the line chosen in the list."""
        entry = self.entries.current
        if self.is_in_list and entry is not None and self.state.list_name != "new here":
            self.controller.go_to_message(entry.target)

    @property
    def entry(self) -> AgentEntry | None:
        """Line of the list under the cursor; None while the list does not have the focus."""
        return self.entries.current if self.is_in_list else None

    def target(self) -> int:
        """Return the position of the selected message, or -1."""
        if self.entry is not None:
            return self.entry.target
        return self.state.current.position if self.state.current else -1

    def action_pane(self) -> None:
        (self.lanes if self.is_in_list else self.entries).focus()

    def action_list(self) -> None:
        self.controller.choose_list()

    def action_mark(self, step: int) -> None:
        self.controller.go_to_finding(step)

    def action_agent(self, step: int) -> None:
        self.controller.go_to_agent(step)

    @on(LineList.Opened)
    async def action_open(self) -> None:
        session, position = self.controller.session, self.target()
        if session is not None and position >= 0:
            await self.run_action("app.mode('inspect')")
            if isinstance(self.app.screen, Inspect):
                self.app.screen.go_to_message(session.messages[position].id)

    def action_read(self) -> None:
        session, position = self.controller.session, self.target()
        if session is not None and position >= 0:
            self.app.push_screen(Reader(session.messages[position], f"{position + 1:,}"))

    def action_other(self) -> None:
        """Go to the message at the other end; in the lanes, the same key goes back."""
        other = self.entry.other if self.entry else self.controller.other_end()
        if other >= 0:
            self.lanes.focus()
            self.controller.go_to_message(other)
        else:
            self.notify("This message has no counterpart of another agent.")

    async def action_back(self) -> None:
        await self.run_action("app.mode('inspect')")


def _hints(others: Sequence[str], room: int) -> Iterator[str]:
    """Yield lines of `room` cells on what to do next to a session with one agent.

    Args:
        others: Titles of the listed sessions with several agents.
        room: Cells of a line.
    """
    if others:
        yield from wrapped(with_keys("{sessions}: go to the listed sessions. These have several agents:"), room)
        yield from (f"   {clipped(one_line(title) or 'untitled', room - 3)}" for title in others[:_MAX_OTHERS])
        return
    column = "{sessions}: choose another session; its column “agents”, which {columns} adds, counts them."
    samples = "{sessions}, then {try}: the sample sessions; “The moon was full a day early” has four agents."
    yield from (line for hint in (column, samples) for line in wrapped(with_keys(hint), room))
