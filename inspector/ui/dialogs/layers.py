"""The applied plans as a stack: the newest on top, the recorded window at the bottom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import set_cell_size
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.conversation import MAIN
from inspector.core.text import clipped, one_line, plural, turn_name
from inspector.engine.compression import value_text
from inspector.engine.window import Window
from inspector.library import Layer, Workbench, layers
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.diff_dialog import DiffScreen
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.palette import mark_of
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.workers.latest import LatestOnly

_WIDE = 84
"""Width in cells from which a line has room for what its plan did."""


class LayerList(LineList):
    """One line per plan, newest first, followed by the recorded window."""

    empty = " working …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.stack: Sequence[Layer] = ()
        self.recorded: Window | None = None

    @property
    def count(self) -> int:
        return len(self.stack) + 1 if self.recorded else 0

    @property
    def current(self) -> Layer | None:
        return self.stack[self.cursor] if self.cursor < len(self.stack) else None

    def show(self, layers: Sequence[Layer], recorded: Window) -> None:
        self.stack, self.recorded = layers, recorded
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        assert self.recorded is not None
        if line == len(self.stack):
            total = f"{mark_of(self.recorded)}{self.recorded.total:,}".rjust(20)
            return [(set_cell_size("    as recorded", width - 21) + total, self.palette.dim)]
        return self.layer_spans(self.stack[line], width)

    def layer_spans(self, layer: Layer, width: int) -> list[Span]:
        numbers = _tokens(layer) if layer.holds else "not at this turn yet"
        turn = self.turn_of(layer)
        room = width - 60 if width >= _WIDE else 0
        did = set_cell_size(clipped(layer.effect, room), room)
        ink = self.palette.strong if layer.holds else self.palette.faint
        dim = self.palette.dim if layer.holds else self.palette.faint
        return [
            (f" {layer.number:>2} ", self.palette.faint),
            (f"{layer.plan.strategy:<18}", ink),
            (f"{turn:<15} ", dim),
            (f"{did} ", dim),
            (
                f"{numbers:>{20 if room else max(20, width - 40)}}",
                self.palette.ink() if layer.holds else self.palette.faint,
            ),
        ]

    def turn_of(self, layer: Layer) -> str:
        """Return the name of the turn at which a plan was made."""
        agent = self.recorded.agent if self.recorded else MAIN
        return turn_name(layer.plan.turn, len(layer.session.turns(agent)))


def _tokens(layer: Layer) -> str:
    assert layer.before is not None and layer.after is not None
    return f"{mark_of(layer.before)}{layer.before.total:,} → {mark_of(layer.after)}{layer.after.total:,}"


class LayersScreen(Dialog[None]):
    """Shows the effect of each applied plan, and undoes the newest one."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("plans")
    AUTO_FOCUS = "#layers"

    def __init__(self, bench: Workbench, recorded: Window, undo: Callable[[bool], None]) -> None:
        """Create the stack for a window.

        Args:
            bench: Workbench with the plans.
            recorded: Recorded window of the current turn.
            undo: Removes the newest plan from the stack or, called with True, restores the one that was removed last.
        """
        super().__init__()
        self.bench = bench
        self.recorded = recorded
        self.undo = undo
        self.stacks: LatestOnly[list[Layer]] = LatestOnly(self, "layers", self.show_result)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Plans", id="heading", classes="heading")
            yield LayerList(id="layers")
            yield Static(id="about", markup=False)
            yield key_line("{undo}: undo the newest   {redo}: redo   {open}: effect   {back}: close")

    def on_mount(self) -> None:
        self.read()

    def read(self) -> None:
        self.stacks.ask(partial(layers, self.bench, self.recorded))

    def show_result(self, layers: list[Layer]) -> None:
        if not layers:
            self.dismiss(None)
            return
        count = len(layers)
        plans = f"{plural(count, 'plan')}{', stacked' if count > 1 else ''} over"
        self.query_one("#heading", Static).update(f"{plans} the recorded window")
        names = self.query_one(LayerList)
        names.styles.height = count + 1
        names.show(layers, self.recorded)
        self.show_about()

    @on(LineList.Moved)
    def show_about(self) -> None:
        layer = self.query_one(LayerList).current
        self.query_one("#about", Static).update(_about(layer) if layer else "The log. Plans do not change it.")

    def action_undo(self, is_redo: bool = False) -> None:
        self.undo(is_redo)
        self.read()

    @on(LineList.Opened)
    def action_look(self) -> None:
        layer = self.query_one(LayerList).current
        if layer is None:
            return
        if not layer.holds:
            turn = self.query_one(LayerList).turn_of(layer)
            self.notify(f"Created at {turn}, valid from there on. This is an earlier turn.")
        elif layer.plan.is_idle:
            self.notify("This plan removes nothing. It only pins messages.")
        else:
            self.app.push_screen(DiffScreen(layer.preview, f"plan {layer.number}, {layer.plan.strategy}"))


def _about(layer: Layer) -> str:
    """Return the effect and the settings of a plan, and its note on anything it could not do."""
    settings = "   ".join(f"{name} {one_line(value_text(value))}" for name, value in layer.plan.settings.items())
    newest = "Valid from that turn on; the plans above it build on its result."
    effect = "   ".join(filter(None, (layer.effect, settings)))
    return f"{effect}\n{one_line(layer.plan.note) or ('' if settings else newest)}".strip()
