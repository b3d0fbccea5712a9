"""Screen 3: a session's window at every turn under a preset, and the lost facts that were needed later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Static

from inspector.analysis.experiments import USUAL
from inspector.core.text import plural
from inspector.engine.compression import Preset
from inspector.engine.facts import Regret, Weights
from inspector.library import Workbench
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.message_reader import Reader, facts_in
from inspector.ui.dialogs.questions_dialog import QuestionsScreen
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.messages import TurnPicked
from inspector.ui.palette import Palette
from inspector.ui.room import set_height
from inspector.ui.screens.navigation import TurnKeys
from inspector.ui.screens.replay.area_chart import AreaChart
from inspector.ui.screens.replay.controller import ReplayController, ReplayState
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.screens.replay.panels import OutcomePanel, RegretList, TurnPanel, regret_heading
from inspector.ui.screens.replay.preset_dialog import PresetDialog
from inspector.ui.screens.replay.progress import ReplayProgress
from inspector.ui.screens.state_screen import StateScreen
from inspector.ui.widgets.key_bar import Key, KeyBar, available
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import TitleLine, turn_text
from inspector.ui.workers.jobs import ScreenJobs

_MAX_REGRETS = 9
"""Maximum lines of the list of regrets."""
_LOW = 18
"""Terminal height in lines below which an empty list of regrets is hidden, and a list has no heading."""


class ReplayScreen(TurnKeys, StateScreen[ReplayState]):
    """Draws the state of a `ReplayController` and forwards keys and clicks to it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("replay")
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (_LOW, "-low"), (32, "-tall")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#regrets"

    controller: ReplayController
    state: reactive[ReplayState] = reactive(ReplayState, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.controller = ReplayController(ScreenJobs(self), self, self.set_state)
        self._clock: Timer | None = None
        self.signs: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        yield TitleLine(id="head")
        yield OutcomePanel(id="outcome-lines")
        with Horizontal(id="middle"):
            yield AreaChart(id="area")
            yield TurnPanel(id="numbers")
        yield TurnPanel(id="numbers-line")
        yield Static(id="regret-columns", classes="heads", markup=False)
        yield RegretList(id="regrets")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    def on_screen_suspend(self) -> None:
        self.controller.pause()

    @property
    def regrets(self) -> RegretList:
        return self.query_one(RegretList)

    # called by the app

    @property
    def is_open(self) -> bool:
        return self.controller.is_open

    def open(self, bench: Workbench, agent: str, weights: Weights) -> None:
        """Show a session.

        Args:
            bench: Workbench of the session.
            agent: Agent to replay.
            weights: Weights of the fact classes in this session.
        """
        self.controller.set_weights(weights)
        self.controller.open(bench, agent)

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """Apply new weights if the displayed session is among `sessions`."""
        if self.state.bench is not None and self.state.bench.session.id in sessions:
            self.controller.set_weights(weights)

    # drawing

    def watch_state(self, old: ReplayState, new: ReplayState) -> None:
        if new.progress is None:
            self.show_nothing(new)
        elif new.progress is not old.progress:
            self.show_progress(new, new.progress)
        if new.progress is not old.progress or new.turn != old.turn:
            self.query_one(AreaChart).turn = new.turn
            for panel in self.query(TurnPanel):
                panel.state = new
        if new.playback != old.playback:
            self.set_clock(new)
        self.head.busy = new.busy
        self.show_place()

    def show_progress(self, state: ReplayState, progress: ReplayProgress) -> None:
        self.head.session, self.head.agent = progress.bench.session, state.agent
        self.query_one(OutcomePanel).state = state
        self.query_one(AreaChart).data = progress.chart
        self.regrets.show(progress.replay.regrets, _empty_list(progress))
        self.signs = ["regret"] * bool(self.regrets.count) + ["trigger"] * bool(state.compaction_turns)
        self.make_room()

    def show_nothing(self, state: ReplayState) -> None:
        """Clear the results of another session while a new one is being counted."""
        self.head.session, self.head.agent = state.bench.session if state.bench else None, state.agent
        self.query_one(OutcomePanel).state = state
        self.query_one(AreaChart).data = None
        self.regrets.show((), "")
        self.signs = []

    def set_clock(self, state: ReplayState) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        if state.playback.is_playing:
            self._clock = self.set_interval(state.playback.interval, self.controller.tick)

    def show_place(self) -> None:
        """Show the turn, the playback and the validity of all windows in the title line."""
        state, palette = self.state, self.palette
        turn = turn_text(state.turn, state.count - 1, palette)
        playing = f"▶ {state.playback.rate} a second" if state.playback.is_playing else ""
        own = "custom weights" if state.weights != USUAL else ""
        self.head.status = (
            turn,
            _badge(state.progress, palette) if state.progress else Text(),
            Text(own, palette.ink("warning")),
            Text(playing, palette.ink("primary", bold=True)),
        )
        self.show_keys()

    def make_room(self) -> None:
        """Give the list of regrets as many lines as it needs, within limits."""
        regrets = self.regrets
        set_height(regrets, min(max(regrets.count, 2), _MAX_REGRETS, max(2, self.size.height // 5)))
        columns = self.query_one("#regret-columns", Static)
        columns.display = regrets.count > 0 and self.size.height >= _LOW
        columns.update(regret_heading(self.size.width - 1))
        regrets.display = regrets.count > 0 or self.size.height >= _LOW

    def show_keys(self) -> None:
        state, in_hand = self.state, self.regrets.in_hand
        is_playing = state.playback.is_playing
        agents = state.bench.session.agents if state.bench else ()
        self.query_one(KeyBar).keys = available(
            (True, Key("toggle", "pause" if is_playing else "play")),
            (True, Key("left right", "turn")),
            (is_playing, Key("less more", "speed")),
            (state.compaction_turns, Key("next_compaction", "compaction")),
            (state.regret_turns, Key("next_finding", "regret")),
            (True, Key("strategy", "preset")),
            (True, Key("open", "message" if in_hand else "window")),
            (in_hand, Key("origin", "where it was stated")),
            (state.questions, Key("lost", "questions")),
            (len(agents) > 1, Key("next_agent", "agent")),
            (state.progress and state.progress.replay.facts, Key("weights")),
            (True, Key("back", "inspect")),
        )

    # the turn

    def release_regrets(self) -> None:
        """Return from the list of regrets to the turns, so that enter applies to the turn."""
        self.regrets.hold(False)
        self.show_keys()

    @on(TurnPicked)
    def pick_turn(self, event: TurnPicked) -> None:
        self.controller.go_to(event.turn)
        self.release_regrets()

    def action_turn(self, step: int) -> None:
        super().action_turn(step)
        self.release_regrets()

    def action_compaction(self, step: int) -> None:
        self.controller.go_to_compaction(step)
        if self.state.compaction_turns:
            self.release_regrets()

    def action_play(self) -> None:
        if self.state.at_end:
            self.release_regrets()
        self.controller.play()

    def action_speed(self, step: int) -> None:
        self.controller.change_speed(step)

    # regrets

    def action_regret(self, step: int) -> None:
        """Go to the next turn with a regret, and to its first line in the list."""
        self.controller.go_to_regret(step)
        regrets = self.regrets
        place = next((n for n, regret in enumerate(regrets.regrets) if regret.turn == self.state.turn), None)
        if place is not None:
            regrets.cursor = place
            regrets.hold(True)
            self.show_keys()

    @on(LineList.Moved, "#regrets")
    def follow_regret(self) -> None:
        """Go to the turn of a regret that the user chooses in the list."""
        regrets = self.regrets
        if regrets.in_hand and regrets.current is not None:
            self.controller.go_to(regrets.current.turn)

    def action_source(self) -> None:
        regret = self.regrets.current
        if regret is None or not regret.source:
            self.notify("Choose a regret first (r).")
        else:
            self.read_message(regret.source, regret)

    def read_message(self, id: str, regret: Regret) -> None:
        """Read a message with the needed facts highlighted."""
        if (entry := self.controller.message(id)) is not None:
            message, number = entry
            words = facts_in(message, (need.fact for need in regret.needs))
            self.app.push_screen(Reader(message, f"{number:,}", words))

    # other screens

    @on(LineList.Opened, "#regrets")
    def action_open(self) -> None:
        regrets, progress = self.regrets, self.state.progress
        if regrets.in_hand and regrets.current is not None:
            self.read_message(regrets.current.message, regrets.current)
        elif progress is not None and progress.frame(self.state.turn):
            self.controller.pause()
            self.app.push_screen(FrameWindow(progress, self.state.turn))

    def action_questions(self) -> None:
        """List the questions that an agent must answer to go on after the compression."""
        progress = self.state.progress
        if progress is not None:
            self.controller.pause()
            empty = "No questions: no compression replaced messages." if progress.is_final else "still replaying …"
            state = self.state
            screen = QuestionsScreen(progress.bench.session, state.questions, empty, state.questions_before)
            self.app.push_screen(screen)

    def action_preset(self) -> None:
        if self.is_open:
            self.app.push_screen(PresetDialog(self.state.preset), self.set_preset)

    def set_preset(self, preset: Preset | None) -> None:
        """Replay under another preset. None, from a dismissed dialog, changes nothing."""
        if preset is not None:
            self.controller.pause()
            self.controller.show_preset(preset)

    def action_weights(self) -> None:
        if (bench := self.state.bench) is not None:
            subjects = ((bench, self.state.agent),)
            self.app.push_screen(WeightsScreen(subjects, self.state.weights, self.controller.weights_effect))

    def action_agent(self, step: int) -> None:
        self.controller.go_to_agent(step)

    async def action_back(self) -> None:
        if self.state.playback.is_playing:
            self.controller.pause()
        else:
            await self.run_action("app.mode('inspect')")


def _badge(progress: ReplayProgress, palette: Palette) -> Text:
    """Return the badge for the validity of all windows by the provider's rules."""
    replay = progress.replay
    if replay.valid:
        return Text("✓ all valid", palette.ink("success"))
    if replay.recorded_so:
        return Text(f"! as recorded, {plural(len(replay.problems), 'problem')}", palette.ink("warning"))
    return Text(f"✗ {len(replay.own_problems):,} invalid", palette.ink("error", bold=True))


def _empty_list(progress: ReplayProgress) -> str:
    """Return the text shown in place of an empty list of regrets."""
    if not progress.is_final:
        return ""
    if progress.replay.compactions and not progress.replay.retention:
        return "  Lost facts are not analysed here."
    if not progress.replay.compactions:
        return "  Nothing was lost: no compression."
    return "  No regrets: nothing that was dropped was needed later."
