"""Two presets on one session, or two sessions, side by side: where they part, and what one has that the other lost."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.experiments import USUAL
from inspector.facts import Weights
from inspector.text import one_line
from inspector.ui.dialogs.reader import Reader
from inspector.ui.dialogs.weights import WeightsScreen
from inspector.ui.palette import Palette
from inspector.ui.screens.compare.facing import Facing
from inspector.ui.screens.compare.halves import Begin, Sight
from inspector.ui.screens.compare.kept import KeptList, counted
from inspector.ui.screens.compare.lanes import INKS, LaneList, middle
from inspector.ui.screens.compare.standing import Standing
from inspector.ui.screens.compare.telling import happened, name, parting, rows_of, told, totals
from inspector.ui.screens.replay.frame_window import FrameWindow
from inspector.ui.widgets.head import Head
from inspector.ui.widgets.key_bar import Key, KeyBar
from inspector.ui.widgets.lines import LineList
from inspector.ui.widgets.title import Busy

PANES = ("lanes", "lanes", "kept-left", "kept-right")
"""Where tab goes: the left lane, the right one, and what only one of them has."""


class LaneWindow(FrameWindow):
    """A frame's window; `esc` comes back to the comparison."""

    above = "compare"


class Compare(Facing):
    """Two lanes, and two lists of what only one of them has at the turn. Nothing in it changes anything."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "One turn back"),
        Binding("right", "turn(1)", "One turn on"),
        Binding("shift+left", "turn(-10)", "Ten turns back"),
        Binding("shift+right", "turn(10)", "Ten turns on"),
        Binding("home", "first_turn", "To the first turn"),
        Binding("end", "last_turn", "To the contexts as they now stand"),
        Binding("d", "difference", "To the first turn that differs"),
        Binding("c", "compaction(1)", "To the next compaction of either side"),
        Binding("C", "compaction(-1)", "To the compaction before, of either side"),
        Binding("tab", "pane(1)", "To the next lane or list"),
        Binding("shift+tab", "pane(-1)", "To the lane or list before"),
        Binding("enter", "open", "Open the turn's window, or the message that told the fact"),
        Binding("f", "weights", "Weigh the classes of facts"),
        Binding("escape", "back", "Stop the work, or back"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012  declared so by Textual
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-tall")]  # noqa: RUF012  declared so by Textual
    AUTO_FOCUS = "#lanes"

    pane: reactive[int] = reactive(0, init=False, repaint=False)

    def __init__(self, begin: Begin, above: str, weights: Weights = USUAL) -> None:
        """`above` is where `esc` goes, in a word."""
        super().__init__(begin)
        self.above = above
        self.set_reactive(Facing.weights, weights)

    def compose(self) -> ComposeResult:
        yield Head(id="head")
        yield Static(id="totals", markup=False)
        yield Static(id="parting", markup=False)
        yield Static(id="lane-names", markup=False)
        yield LaneList(id="lanes")
        with Horizontal(id="kept"):
            for side, which in enumerate(("left", "right")):
                with Vertical():
                    yield Static(id=f"name-{which}", markup=False)
                    yield KeptList(side, id=f"kept-{which}")
        yield Static(id="details", markup=False)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        super().on_mount()
        self.show_keys()

    def on_resize(self) -> None:
        self.call_after_refresh(self.make_room)

    # what follows from a change

    @property
    def palette(self) -> Palette:
        return Palette(self.app.theme_variables)

    @property
    def lists(self) -> tuple[KeptList, KeptList]:
        return self.query_one("#kept-left", KeptList), self.query_one("#kept-right", KeptList)

    def watch_sight(self, sight: Sight) -> None:
        head, lanes = self.query_one(Head), self.query_one(LaneList)
        head.session, head.agent = sight.found.left.session if sight.one else None, sight.halves[0].agent
        head.title = "" if sight.one else "two sessions, as they were recorded"
        lanes.show(sight)
        self.make_room()
        self.call_after_refresh(lanes.show_cursor)

    def watch_turn(self) -> None:
        self.query_one(LaneList).cursor = self.turn - 1
        self.tell_place()
        super().watch_turn()

    def watch_standing(self, standing: Standing) -> None:
        for side, kept in enumerate(self.lists):
            kept.show(standing.items[side], self.nothing(side))
        self.tell_place()

    def watch_busy(self, busy: Busy | None) -> None:
        self.query_one(Head).busy = busy
        if self.sight is None and busy is not None:
            self.query_one("#parting", Static).update(Text(f" {busy} …", self.palette.dim))
        self.show_keys()

    def watch_failure(self, failure: str) -> None:
        text = Text(f" {one_line(failure)}", self.palette.ink("error"))
        self.query_one("#parting", Static).update(text)

    def watch_weights(self) -> None:
        super().watch_weights()
        self.make_room()

    def watch_pane(self, pane: int) -> None:
        self.query_one(f"#{PANES[pane]}").focus()
        self.tell_place()

    def on_descendant_focus(self) -> None:
        """A click may choose a list too."""
        here = self.focused.id if self.focused else None
        if here in PANES and here != PANES[self.pane]:
            self.pane = PANES.index(here)

    def nothing(self, side: int) -> str:
        """What stands in place of a list that has nothing."""
        assert self.sight is not None
        if not self.sight.finished:
            return "  …"
        return f"  Nothing that {name(self.sight, 1 - side)} has not."

    def make_room(self) -> None:
        """Half of what there is for the lanes, and no more lines than there are turns."""
        sight, height = self.sight, self.size.height
        if sight is None:
            return
        self.query_one("#totals", Static).update(totals(sight, self.weights, self.size.width, self.palette))
        self.query_one("#parting", Static).update(parting(sight, self.size.width, self.palette))
        around = 9 + 4 * (height >= 32) - 4 * (height < 18)
        lanes = self.query_one(LaneList)
        lanes.styles.height = max(2, min(lanes.count, (height - around) // 2))
        self.tell_place()

    def tell_place(self) -> None:
        """Where one is, in the first line, and over and under the lists."""
        sight, palette = self.sight, self.palette
        if sight is None:
            return
        line = Text(no_wrap=True)
        if self.weights != USUAL:
            line.append("own weights   ", palette.ink("warning"))
        now = self.turn >= sight.count
        line.append("now" if now else "turn ", palette.strong if now else palette.dim)
        line.append("" if now else f"{self.turn:,}", palette.strong)
        line.append(f"/{sight.count - 1:,}", palette.dim)
        self.query_one(Head).told = line
        self.query_one("#lane-names", Static).update(self.names(sight))
        self.query_one("#details", Static).update(self.details(sight))
        if self.standing is not None:
            for side, which in enumerate(("left", "right")):
                self.query_one(f"#name-{which}", Static).update(self.kept_name(sight, self.standing, side))
        self.show_keys()

    def names(self, sight: Sight) -> Text:
        """The sides' names over their lanes, the one that enter opens as a chip."""
        room = (self.size.width - middle(sight) - 1) // 2
        line = Text(no_wrap=True)
        for side in (0, 1):
            line.append(" ")
            line.append(f" {name(sight, side, room - 3)} ", self.ink(side, self.pane == side))
            line.append(" " * (room + middle(sight) - line.cell_len) if not side else "")
        return line

    def ink(self, side: int, chosen: bool) -> Style:
        palette = self.palette
        if not chosen:
            return palette.ink(INKS[side], bold=True)
        return Style(color=palette.solid("background"), bgcolor=palette.colour(INKS[side]), bold=True)

    def kept_name(self, sight: Sight, standing: Standing, side: int) -> Text:
        found = standing.items[side]
        line = Text(" ", no_wrap=True)
        line.append(f" only {name(sight, side, 22)} ", self.ink(side, self.pane == side + 2))
        late = " …" if standing.turn != self.turn else f" at turn {standing.turn:,}"
        room = self.size.width // (1 if self.has_class("-narrow") else 2) - line.cell_len - 3 - len(late)
        line.append(f" {counted(found, room)}{late}", self.palette.dim)
        return line

    def details(self, sight: Sight) -> Text:
        """What happened at the turn on both sides, or the chosen line in full."""
        width, palette = self.size.width, self.palette
        if self.pane >= 2:
            side = self.pane - 2
            item = self.lists[side].current
            return told(item, name(sight, 1 - side), width, palette) if item else Text()
        room = (width - 1) // 2
        line = Text(no_wrap=True)
        for side in (0, 1):
            line.append(" " * (room - line.cell_len) if side else "")
            line.append_text(happened(sight, side, self.turn, room - 1, palette))
        return line

    def show_keys(self) -> None:
        sight = self.sight
        keys = [
            sight and Key("←→", "turn", "screen.turn(1)"),
            sight and sight.found.first and Key("d", "difference", "screen.difference"),
            sight and Key("enter", "window" if self.pane < 2 else "message", "screen.open"),
            sight and Key("tab", "next", "screen.pane(1)"),
            Key("esc", "stop" if self.busy else self.above, "screen.back"),
            sight and any(film.replay.compactions for film in sight.films) and Key("c", "compaction", self.next_mark),
            sight and Key("f", "weigh", "screen.weights"),
        ]
        self.query_one(KeyBar).keys = tuple(key for key in keys if isinstance(key, Key))

    next_mark = "screen.compaction(1)"

    # keys

    @on(LaneList.Touched)
    def choose_side(self, event: LaneList.Touched) -> None:
        self.pane = event.side

    @on(LineList.Moved, "#lanes")
    def follow(self) -> None:
        self.go_to(self.query_one(LaneList).cursor + 1)

    @on(LineList.Moved, "#kept-left")
    @on(LineList.Moved, "#kept-right")
    def tell_item(self) -> None:
        self.tell_place()

    @on(LineList.Opened)
    def open_clicked(self) -> None:
        self.action_open()

    def action_turn(self, step: int) -> None:
        self.go_to(self.turn + step)

    def action_first_turn(self) -> None:
        self.go_to(1)

    def action_last_turn(self) -> None:
        if self.sight is not None:
            self.go_to(self.sight.count)

    def action_difference(self) -> None:
        if self.sight is not None and not self.to_first_difference():
            self.notify("No turn differs: every window says the same on both sides.")

    def action_compaction(self, step: int) -> None:
        if self.sight is None:
            return
        marks = {made.turn for film in self.sight.films for made in film.replay.compactions}
        ahead = [mark for mark in marks if (mark > self.turn if step > 0 else mark < self.turn)] or list(marks)
        if ahead:
            self.go_to(min(ahead) if step > 0 else max(ahead))
        else:
            self.notify("Nothing is compressed on either side.")

    def action_pane(self, step: int) -> None:
        self.pane = (self.pane + step) % len(PANES)

    def action_open(self) -> None:
        if self.sight is None:
            return
        if self.pane >= 2:
            self.read(self.sight, self.pane - 2)
        elif self.sight.frame(self.pane, self.turn):
            self.app.push_screen(LaneWindow(self.sight.films[self.pane], self.turn))
        else:
            self.notify(f"{name(self.sight, self.pane)} has no turn {self.turn:,}.")

    def read(self, sight: Sight, side: int) -> None:
        """Read the message that told what is chosen."""
        item = self.lists[side].current
        lane = (sight.found.left, sight.found.right)[side]
        if item is not None and item.number:
            self.app.push_screen(Reader(lane.session.messages[item.number - 1], f"{item.number:,}"))

    def action_weights(self) -> None:
        if self.sight is not None:
            sides = {(half.bench.session, half.agent): (half.bench, half.agent) for half in self.sight.halves}
            self.app.push_screen(WeightsScreen(tuple(sides.values()), self.weights, self.effect))

    def effect(self, weights: Weights) -> str:
        """What both sides keep under some weights."""
        if self.sight is None or not self.sight.finished:
            return ""
        rows = rows_of(self.sight, weights)
        shares = (f"{name(self.sight, side)} keeps {row.retained:.1%}" for side, row in enumerate(rows))
        return ", ".join(shares)

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """The weights of some sessions are others now."""
        if self.sight and self.sight.found.left.session.id in sessions:
            self.weights = weights

    def action_back(self) -> None:
        self.given_up.set()
        self.dismiss()
