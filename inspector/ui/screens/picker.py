"""Pick a strategy: each with what it costs and what it does, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from inspector.strategies import STRATEGIES
from inspector.ui.fitting import clipped
from inspector.ui.widgets.lines import LineList, Span

DEFAULT = "sliding_window"
"""Where the cursor stands before a strategy was ever tried: requirement 3's default."""
COSTS = ("free", "lossy", "needs a model")


class StrategyList(LineList):
    """The strategies, grouped by what they cost."""

    def __init__(self, current: str, id: str | None = None) -> None:
        super().__init__(id=id)
        self.names = sorted(STRATEGIES, key=lambda name: COSTS.index(STRATEGIES[name].cost))
        self.start = self.names.index(current or DEFAULT)

    def on_mount(self) -> None:
        super().on_mount()
        self.cursor = self.start

    @property
    def count(self) -> int:
        return len(self.names)

    def spans(self, line: int, width: int) -> Sequence[Span]:
        name = self.names[line]
        strategy = STRATEGIES[name]
        return [
            (f" {name:<18}", self.palette.strong),
            (f"{strategy.cost:<8}", self.palette.ink("warning" if strategy.cost == "lossy" else "success")),
            (clipped(strategy.about, max(0, width - 28)), self.palette.dim),
        ]


class Picker(ModalScreen[str | None]):
    """Gives back the name of a strategy, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,s,q", "dismiss(None)", "Close")]
    AUTO_FOCUS = "#strategies"

    def __init__(self, current: str = "") -> None:
        super().__init__()
        self.current = current

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Which strategy?", classes="heading")
            yield StrategyList(self.current, id="strategies")
            yield Static(id="about", markup=False)
            yield Static("enter tries it on, nothing is changed yet   esc closes", classes="hint")

    def on_mount(self) -> None:
        names = self.query_one(StrategyList)
        names.styles.height = len(STRATEGIES)
        self.tell(LineList.Moved(names, names.start))

    @on(LineList.Moved)
    def tell(self, event: LineList.Moved) -> None:
        strategy = STRATEGIES[self.query_one(StrategyList).names[event.line]]
        self.query_one("#about", Static).update(f"{strategy.about}: {', '.join(knob.name for knob in strategy.knobs)}")

    @on(LineList.Opened)
    def pick(self, event: LineList.Opened) -> None:
        self.dismiss(self.query_one(StrategyList).names[event.line])
