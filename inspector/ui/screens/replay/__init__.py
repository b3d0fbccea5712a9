"""Screen 3: what a session's window would have been at every turn under a preset, and what was lost and needed."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from inspector.compression import Preset
from inspector.experiments import USUAL, reweighed
from inspector.facts import Weights
from inspector.ui.dialogs.reader import Reader
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.palette import Palette
from inspector.ui.screens.replay.choosing import ChoosePreset
from inspector.ui.screens.replay.filming import Film
from inspector.ui.screens.replay.looking import FrameWindow
from inspector.ui.screens.replay.numbers import Numbers, Outcome
from inspector.ui.screens.replay.playing import SPEEDS, Playing
from inspector.ui.screens.replay.regrets import RegretList, heading
from inspector.ui.widgets.area import Area
from inspector.ui.widgets.head import Head
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import Busy

MOST = 9
"""Lines of regrets that are shown at once; the chart has the rest."""

LOW = 18
"""Lines of a terminal below which there is room for what matters most only."""


class Replay(Playing):
    """The film of one preset. `open` says of which session."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "preset", "Choose the preset"),
        Binding("enter", "open", "Open the turn's window, or the message that needed what was lost"),
        Binding("o", "source", "Read the message that told what was lost"),
        Binding("n", "agent", "The next agent's context"),
        Binding("f", "weights", "Weigh the classes of facts"),
        Binding("escape", "back", "Back to Inspect"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (108, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (LOW, "-low"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#regrets"

    def compose(self) -> ComposeResult:
        yield Head(id="head")
        yield Outcome(id="outcome-lines")
        with Horizontal(id="middle"):
            yield Area(id="area")
            yield Numbers(id="numbers")
        yield Numbers(id="numbers-line")
        yield Static(id="regret-columns", markup=False)
        yield RegretList(id="regrets")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    # what follows from a change

    def watch_film(self, film: Film) -> None:
        head = self.query_one(Head)
        head.session, head.agent = film.bench.session, self.agent
        self.query_one(Outcome).film = film
        self.query_one(Area).picture = film.picture
        for numbers in self.query(Numbers):
            numbers.film = film
        self.query_one(RegretList).show(film.replay.regrets, nothing(film))
        self.make_room()
        self.tell()

    def watch_turn(self, turn: int) -> None:
        self.query_one(Area).turn = turn
        for numbers in self.query(Numbers):
            numbers.turn = turn
        self.tell()

    def watch_playing(self) -> None:
        super().watch_playing()
        self.tell()

    def watch_speed(self) -> None:
        super().watch_speed()
        self.tell()

    def watch_busy(self, busy: Busy | None) -> None:
        self.query_one(Head).busy = busy

    def tell(self) -> None:
        """In the first line: where the cursor is, whether it plays, and whether all windows are valid."""
        palette = Palette(self.app.theme_variables)
        text = Text(no_wrap=True)
        if self.playing:
            text.append(f"▶ {SPEEDS[self.speed]} a second   ", palette.ink("primary", bold=True))
        if self.weights != USUAL:
            text.append("own weights   ", palette.ink("warning"))
        if self.turn >= self.count:
            text.append("now", palette.strong)
        else:
            text.append("turn ", palette.dim)
            text.append(f"{self.turn:,}", palette.strong)
        text.append(f"/{self.count - 1:,}   ", palette.dim)
        if self.film is not None:
            text.append_text(badge(self.film, palette))
        self.query_one(Head).told = text
        self.show_keys()

    def make_room(self) -> None:
        """As many lines for the regrets as there are, and no more than a few."""
        regrets = self.query_one(RegretList)
        lines = min(max(regrets.count, 2), MOST, max(2, self.size.height // 5))
        if regrets.styles.height is None or regrets.styles.height.value != lines:
            regrets.styles.height = lines
        columns = self.query_one("#regret-columns", Static)
        columns.display = regrets.count > 0 and self.size.height >= LOW
        columns.update(heading(self.size.width - 1))
        regrets.display = regrets.count > 0 or self.size.height >= LOW

    def show_keys(self) -> None:
        film = self.film
        in_hand = self.query_one(RegretList).in_hand
        keys = [
            Key("space", "pause" if self.playing else "play", "screen.play"),
            Key("←→", "turn", "screen.turn(1)"),
            self.playing and Key("+-", "speed", "screen.speed(1)"),
            film and film.replay.compactions and Key("c", "compaction", "screen.compaction(1)"),
            film and film.replay.regrets and Key("r", "regret", "screen.regret(1)"),
            Key("s", "preset", "screen.preset"),
            Key("enter", "message" if in_hand else "window", "screen.open"),
            in_hand and Key("o", "where it was told", "screen.source"),
            len(self.bench.session.agents) > 1 and Key("n", "agent", "screen.agent"),
            film and film.replay.facts and Key("f", "weigh", "screen.weights"),
            Key("4", "tune", "app.mode('tune')"),
            Key("esc", "inspect", "screen.back"),
        ]
        self.query_one(KeyBar).keys = tuple(key for key in keys if isinstance(key, Key))

    # keys

    def go_to(self, turn: int) -> None:
        super().go_to(turn)
        self.query_one(RegretList).take(False)
        self.show_keys()

    @on(LineList.Moved, "#regrets")
    def follow(self, event: LineList.Moved) -> None:
        """The cursor goes with the regret that is chosen by hand."""
        regrets = self.query_one(RegretList)
        if regrets.in_hand and regrets.current is not None:
            self.stop()
            self.turn = regrets.current.turn
            self.show_keys()

    def action_regret(self, step: int) -> None:
        """To the next turn with a regret, and to its first line in the list."""
        super().action_regret(step)
        regrets = self.query_one(RegretList)
        place = next((n for n, regret in enumerate(regrets.regrets) if regret.turn == self.turn), None)
        if place is not None:
            regrets.cursor = place
            regrets.take(True)
            self.show_keys()

    def action_preset(self) -> None:
        if self.is_open:
            self.app.push_screen(ChoosePreset(self.preset), self.replay_under)

    def replay_under(self, preset: Preset | None) -> None:
        """Another preset, at the same turn; None, from a list that was closed, changes nothing."""
        if preset is not None:
            self.playing = False
            self.show(preset)

    def action_open(self) -> None:
        regrets = self.query_one(RegretList)
        if regrets.in_hand and regrets.current is not None:
            self.read(regrets.current.message)
        elif self.film is not None and self.film.frame(self.turn):
            self.playing = False
            self.app.push_screen(FrameWindow(self.film, self.turn))

    @on(LineList.Opened, "#regrets")
    def open_clicked(self) -> None:
        self.action_open()

    def action_source(self) -> None:
        regret = self.query_one(RegretList).current
        if regret is None or not regret.source:
            self.notify("Choose a regret first: press r.")
        else:
            self.read(regret.source)

    def read(self, id: str) -> None:
        """Read a message of the log, named by its id."""
        messages = self.bench.session.messages
        place = next((n for n, message in enumerate(messages) if message.id == id), None)
        if place is not None:
            self.app.push_screen(Reader(messages[place], f"{place + 1:,}"))

    def action_weights(self) -> None:
        if self.is_open:
            self.app.push_screen(WeightsScreen(((self.bench.session, self.agent),), self.weights, self.effect))

    def effect(self, weights: Weights) -> str:
        """What the preset keeps under some weights."""
        if self.film is None or self.film.replay.facts is None:
            return ""
        return f"{self.film.preset.name} keeps {reweighed(self.film.replay, weights).retained:.1%} of the facts"

    def action_agent(self) -> None:
        agents = self.bench.session.agents
        if len(agents) > 1:
            self.following = True
            self.agent = agents[(agents.index(self.agent) + 1) % len(agents)]
            self.begin()

    async def action_back(self) -> None:
        if self.playing:
            self.playing = False
        else:
            await self.run_action("app.mode('inspect')")

    def on_screen_suspend(self) -> None:
        self.playing = False


def badge(film: Film, palette: Palette) -> Text:
    """Whether a provider would take every window."""
    if film.replay.valid:
        return Text("✓ all valid", palette.ink("success"))
    return Text(f"✗ {len(film.replay.problems):,} invalid", palette.ink("error", bold=True))


def nothing(film: Film) -> str:
    """What stands in place of regrets where there are none."""
    if not film.finished:
        return ""
    if film.replay.compactions and not film.replay.retention:
        return "  What was lost is not looked at here."
    if not film.replay.compactions:
        return "  Nothing was compressed, so nothing was lost."
    return "  No regrets: nothing that was lost was needed again."
