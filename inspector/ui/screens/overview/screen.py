"""Screen 8: totals over all stored sessions, by project, week, model, tool and more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive
from textual.widgets import Static

from inspector.core.text import one_line, plural, wrapped
from inspector.library import Entry, FleetStats, fleet_sentence, is_due
from inspector.store import SessionStore
from inspector.ui.bindings import bindings
from inspector.ui.key_remaps import with_keys
from inspector.ui.screens.overview.controller import OverviewController, OverviewState
from inspector.ui.screens.overview.panels import TotalsList, group_line, list_heads, total_line, worst_panels
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine
from inspector.ui.widgets.verdict_line import accented
from inspector.ui.workers.jobs import ScreenJobs


class OverviewScreen(StateScreen[OverviewState]):
    """Draws the state of an `OverviewController`. Only the totals of sessions are read."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("overview")
    AUTO_FOCUS = "#totals"

    controller: OverviewController
    state: reactive[OverviewState] = reactive(OverviewState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = OverviewController(ScreenJobs(self), self, self.set_state)
        self.due = 0
        """Sessions that their tool deletes soon."""

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield Static(id="fleet-sentence", markup=False)
        yield Static(id="fleet-total", markup=False)
        yield Static(id="fleet-groups", markup=False)
        yield Static(id="fleet-columns", classes="heads", markup=False)
        yield TotalsList(id="totals")
        yield Static(id="fleet-worst", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_texts()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_texts)

    @property
    def totals(self) -> TotalsList:
        return self.query_one(TotalsList)

    # called by the app

    def open(self, store: SessionStore | None, entries: Iterable[Entry]) -> None:
        """Read the totals of a store, and count the listed sessions that their tool deletes soon."""
        self.due = sum(map(is_due, entries))
        self.controller.open(store)

    # drawing

    def watch_state(self, old: OverviewState, new: OverviewState) -> None:
        if not self.is_mounted:
            return
        self.head.busy = new.busy
        if (new.rows, new.sessions, new.opened, new.stats) != (old.rows, old.sessions, old.opened, old.stats):
            self.totals.show(new)
        if new.opened != old.opened or new.group != old.group:
            self.totals.cursor = 0
        self.show_texts()

    def show_texts(self) -> None:
        """Update the lines of text."""
        state, width, palette = self.state, self.size.width, self.palette
        stats = state.stats
        self.head.title = "all stored sessions"
        count = plural(stats.total.sessions, "session") if stats else ""
        self.head.status = (Text(state.period_name, palette.dim), Text(count, palette.dim)) if stats else ()
        self.query_one("#fleet-sentence", Static).update(self.sentence(width))
        has_totals = stats is not None and not stats.is_empty
        for name in ("#fleet-total", "#fleet-groups", "#fleet-columns", "#fleet-worst"):
            self.query_one(name).display = has_totals
        if stats is not None and has_totals:
            self.query_one("#fleet-total", Static).update(total_line(stats, self.due, width, palette))
            self.query_one("#fleet-groups", Static).update(group_line(state, width, palette))
            self.align_heads()
            self.query_one("#fleet-worst", Static).update(worst_panels(stats, width, palette))
        self.show_keys()

    @on(LineList.Widened)
    def align_heads(self) -> None:
        """Put the heads of the columns above their cells."""
        width = self.totals.scrollable_content_region.width or self.size.width
        self.query_one("#fleet-columns", Static).update(list_heads(self.state, width, self.palette))

    def sentence(self, width: int) -> Text:
        """Return the totals in a sentence, or the reason that they are missing."""
        state, palette = self.state, self.palette
        text = state.failure or (self._totals_sentence(state.stats) if state.stats else "Reading totals …")
        lines = wrapped(one_line(text), max(20, width - 2))[: 2 if self.size.height < 32 else 4]
        ink = palette.ink("error") if state.failure else palette.strong
        return accented(Text("\n".join(f" {line}" for line in lines), ink), palette.ink("primary"))

    def _totals_sentence(self, stats: FleetStats) -> str:
        """Return the totals in a sentence; without any, the key that adds them up or shows more."""
        if self.state.busy is not None and self.state.busy.what == "adding up":
            return f"Adding up {plural(stats.missing, 'stored session')} …" if stats.missing else fleet_sentence(stats)
        if stats.is_empty and stats.missing:
            verb = "is" if stats.missing == 1 else "are"
            text = f"{plural(stats.missing, 'stored session')} {verb} not added up yet. Press {{refresh}} to add up."
            return with_keys(text)
        if stats.is_empty and stats.stored:
            return with_keys("No session of this period. Press {filter} to choose another one.")
        if stats.is_empty:
            return with_keys(
                "No session is stored. Press {sessions}, and {insert} there, to store the selected session. To"
                " store all: inspector keep --all."
            )
        return fleet_sentence(stats)

    def show_keys(self) -> None:
        state = self.state
        has_rows, is_inside = bool(self.totals.count), state.opened is not None
        self.query_one(KeyBar).keys = available(
            (has_rows, Key("open", "open" if is_inside else "sessions")),
            (not is_inside and state.stats, Key("switch_view", "group by")),
            (state.stats, Key("filter", "period")),
            (state.stats and state.stats.missing, Key("refresh", "add up")),
            (True, Key("back", "groups" if is_inside else "library")),
        )

    # keys and clicks

    @on(LineList.Counted)
    def show_keys_of_list(self) -> None:
        self.show_keys()

    @on(LineList.Opened)
    def action_open(self) -> None:
        if self.state.opened is None:
            self.controller.list_sessions(self.totals.cursor)
        else:
            self.controller.open_session(self.totals.cursor)

    def action_group(self, step: int) -> None:
        self.controller.next_group(step)

    def action_period(self) -> None:
        self.controller.next_period()

    def action_add_up(self) -> None:
        self.controller.add_up()

    def action_back(self) -> None:
        self.totals.post_message(TotalsList.Closed())  # behind an `enter` whose message is still on its way

    @on(TotalsList.Closed)
    async def close_list(self) -> None:
        if not self.controller.back() and self.is_current:
            await self.run_action("app.mode('sessions')")
