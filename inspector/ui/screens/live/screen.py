"""Screen 7: a session while another program writes it, with its window, its size over time and new events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.reactive import reactive

from inspector.analysis.context_loss import next_compaction
from inspector.engine.work_state import WorkHistory
from inspector.library import PresetResult
from inspector.library.tailing import FreshMessage
from inspector.llm.tokens import mark
from inspector.ui import dialogs
from inspector.ui.bindings import bindings
from inspector.ui.copying import copy_note
from inspector.ui.messages import OpenTarget
from inspector.ui.screens.live.controller import LiveController, LiveState
from inspector.ui.screens.live.panels import (
    EventList,
    OfferList,
    age_of_newest,
    event_heading,
    invitation,
    live_help,
    next_line,
    offer_heading,
    pulse,
)
from inspector.ui.screens.state_brief import StateBrief
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.bars import SectionBars, WindowBars
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.scrubber import Scrubber, TurnStrip
from inspector.ui.widgets.still_text import StillText
from inspector.ui.widgets.title import TitleLine
from inspector.ui.widgets.verdict_line import VerdictLine
from inspector.ui.workers.jobs import ScreenJobs

if TYPE_CHECKING:
    from inspector.store import Store
    from inspector.ui.library_controller import LibraryController

_LOOK_AROUND = 5.0
"""Seconds between two checks for changed sessions while sessions are offered."""
_BEAT = 1.0
"""Seconds between two updates of the displayed ages, and between two glances at a quiet session."""


class LiveScreen(StateScreen[LiveState]):
    """Draws the state of a `LiveController`. The followed session is only read."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("live")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (26, "-middling"), (32, "-tall")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#offers"

    controller: LiveController
    state: reactive[LiveState] = reactive(LiveState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = LiveController(ScreenJobs(self), self, self.set_state)
        self.store: Store | None = None
        self.limit = 0
        self._pulse: tuple[object, ...] = ()
        """Values from which the line about the session was drawn."""

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield VerdictLine(id="live-verdict")
        yield StillText(id="live-next", markup=False)
        yield WindowBars(id="live-bars")
        yield SectionBars(id="live-sections")
        yield StillText(id="pulse", markup=False)
        yield StillText(id="live-columns", classes="heads", markup=False)
        yield OfferList(id="offers")
        yield EventList(id="events")
        yield StillText(id="live-help", markup=False)
        yield StateBrief("work_state", id="live-state")
        yield Scrubber(id="live-scrubber")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.set_interval(_BEAT, self.beat)
        self.set_interval(_LOOK_AROUND, self.look_around)
        self.show_panels()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_texts)

    def beat(self) -> None:
        """Update the ages and look for news, and again before the next beat if the last news is fresh."""
        self.show_ages()
        self.glance(_BEAT)

    def glance(self, left: float) -> None:
        """Look for news now, and again for as many seconds as are left."""
        self.controller.glance()
        if (pace := self.controller.pace) < left:
            self.set_timer(pace, partial(self.glance, left - pace))

    def look_around(self) -> None:
        if not self.state.target and self.is_active:
            self.controller.renew_offers()

    @property
    def events(self) -> EventList:
        return self.query_one(EventList)

    # called by the app

    def offer(self, library: LibraryController, limit: int) -> None:
        """Offer the sessions of the library. A `limit` other than 0 overrides the models' windows, in tokens."""
        self.store, self.limit = library.store, limit
        if not library.has_begun:
            library.list_sessions()
        elif not self.state.target:
            entries = tuple(library.state.entries.values())
            self.controller.offer(entries, library.looks_around, self.store, limit)

    # drawing

    def watch_state(self, old: LiveState, new: LiveState) -> None:
        if not self.is_mounted:
            return
        if new.target != old.target:
            self.events.stays = True
            self.show_panels()
        if new.offers is not None and new.offers is not old.offers:
            self.query_one(OfferList).show(new.offers)
        if new.moment is not old.moment:
            self.show_moment(new)
        if new.verdict is not old.verdict:
            self.query_one(VerdictLine).verdict = new.verdict
        if new.events is not old.events or (new.returns, new.presets) != (old.returns, old.presets):
            moment = new.moment
            sign = mark(moment.sizes.certainty) if moment else ""
            self.events.show(new.events, moment.agent if moment else "", sign, new.returns, new.presets)
        self.show_texts()

    def show_moment(self, state: LiveState) -> None:
        moment = state.moment
        self.head.session = moment.session if moment else None
        for bars in (self.query_one(WindowBars), self.query_one(SectionBars)):
            bars.preview = state.preview
        strip = TurnStrip(moment.timeline, len(moment.timeline.totals)) if moment else None
        self.query_one(Scrubber).turns = strip
        brief = self.query_one(StateBrief)
        if moment and brief.display:
            brief.show(moment.session, moment.agent)

    def show_panels(self) -> None:
        """Show the panels of the followed session, or the sessions to choose from."""
        follows = bool(self.state.target)
        self.set_class(follows, "-follows")
        (self.events if follows else self.query_one(OfferList)).focus()
        self.show_texts()

    def show_texts(self) -> None:
        """Update the lines of text, without changing the layout."""
        state, width, palette = self.state, self.size.width, self.palette
        head = self.head
        head.title = "" if state.target else "recently changed sessions"
        turn = Text(f"turn {state.moment.turns:,}", palette.strong) if state.moment else Text()
        head.status = (turn,) if state.moment else ()
        if state.target:
            self.query_one("#live-next", StillText).redraw(next_line(state.following, width, palette))
            self.query_one("#live-columns", StillText).redraw(event_heading(width, palette))
        else:
            self.query_one("#pulse", StillText).redraw(invitation(state, palette))
            self.query_one("#live-help", StillText).redraw(live_help(palette))
            heads = offer_heading(state, self.query_one(OfferList).size.width or width, palette)
            self.query_one("#live-columns", StillText).redraw(heads)
        self.show_ages()
        self.show_keys()

    def show_ages(self) -> None:
        """Update how long ago a message came, or sessions changed."""
        if self.state.target:
            parts = self.state, age_of_newest(self.state), self.size.width, self.palette
            if parts != self._pulse:
                self._pulse = parts
                self.query_one("#pulse", StillText).redraw(pulse(self.state, self.size.width, self.palette))
        else:
            self.query_one(OfferList).refresh_ages()

    def show_keys(self) -> None:
        state = self.state
        follows = bool(state.target)
        self.query_one(KeyBar).keys = available(
            (follows and self.state.events, Key("open", "in Inspect")),
            (not follows and self.state.offers, Key("open", "follow")),
            (follows, Key("toggle", "resume" if self.state.paused else "pause")),
            (state.preset_on is False, Key("apply", "preset on")),
            (state.preset_on, Key("undo", "preset off")),
            (follows, Key("bottom", "newest")),
            (follows and state.following and state.following.note, Key("copy", "note to keep facts")),
            (follows and self.state.moment, Key("work_state", "state")),
            (follows and self.state.moment, Key("next_loss", "if it compacted")),
            (True, Key("back", "other sessions" if follows else "library")),
        )

    # keys and clicks

    @on(LineList.Opened)
    def action_open(self) -> None:
        state, offer = self.state, self.query_one(OfferList).current
        if not state.target:
            if offer is not None:
                self.controller.follow(offer.target, self.store, self.limit)
            return
        event = self.events.current
        if event is not None and not isinstance(event, PresetResult):
            self.open_message(event.message.id if isinstance(event, FreshMessage) else event.message)

    def action_newest(self) -> None:
        self.events.stays = True
        self.events.action_go(-1)

    def action_work_state(self) -> None:
        """Open the state of the work after the newest message."""
        moment = self.state.moment
        if moment is not None:
            find = WorkHistory(moment.session, moment.agent).at_turn
            self.app.push_screen(dialogs.WorkStateScreen(moment.session, find, "now"), self.open_message)

    def action_next_loss(self) -> None:
        """Open the facts at risk if the tool compacted now."""
        moment = self.state.moment
        if moment is not None:
            find = partial(next_compaction, moment.session, moment.sizes, moment.agent)
            self.app.push_screen(dialogs.NextLossScreen(moment.session, moment.agent, find, "now"), self.open_message)

    def open_message(self, message: str | None) -> None:
        """Open a message of the followed session in Inspect; None does nothing."""
        state = self.state
        if state.moment is not None and message is not None:
            self.post_message(OpenTarget(state.moment.session.path or state.target, message))

    def action_copy_note(self) -> None:
        """Copy a message to the tool, so that its next summary keeps the facts at risk."""
        following = self.state.following
        self.notify(copy_note(self.app, following.note if following else ""))

    def action_turn_preset(self, is_on: bool) -> None:
        """Turn the preset of the recording on or off, if it has one."""
        self.controller.turn_preset(is_on)

    def action_pause(self) -> None:
        self.controller.pause()

    async def action_back(self) -> None:
        if self.state.target:
            self.controller.leave()
            self.controller.renew_offers()
        else:
            await self.run_action("app.mode('sessions')")
