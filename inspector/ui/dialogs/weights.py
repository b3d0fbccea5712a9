"""A dialog for the weights of fact classes. The screen below it is updated with every notch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.core.text import clipped, one_line
from inspector.engine.facts import CLASSES, NAMES, FactClass, Weights
from inspector.library import Workbench
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.messages import Weighed
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.workers.latest import LatestOnly

_STEP, _MOST = 0.1, 10.0
_SCALE = 5.0
"""Weight at the right end of a slider, unless one is larger."""
_AROUND = 10
"""Lines of the dialog that do not belong to the list."""
_NAME, _FACTS, _SHARE = 12, 8, 7


_Subject = tuple[Workbench, str]
"""A session's workbench and an agent in it."""


class WeightList(LineList):
    """One line per class: its weight, its share of the total, and its number of facts."""

    def __init__(self, weights: Weights, id: str | None = None) -> None:
        super().__init__(id=id)
        self.weights = weights
        self.facts: Mapping[str, int] | None = None
        """Number of facts of each class; None while they are being read."""

    @property
    def count(self) -> int:
        return len(NAMES)

    @property
    def current(self) -> FactClass:
        return NAMES[self.cursor]

    def share(self, name: FactClass) -> float:
        """Return the share of a class in the total weight of the classes that have facts."""
        here = [cls for cls in NAMES if self.facts is None or self.facts.get(cls)]
        whole = sum(self.weights[cls] for cls in here)
        return self.weights[name] / whole if whole and name in here else 0.0

    def spans(self, line: int, width: int) -> Sequence[Span]:
        name, palette = NAMES[line], self.palette
        weight, active = self.weights[name], line == self.cursor
        there = self.facts is None or bool(self.facts.get(name))
        changed = weight != CLASSES[name].weight
        ink = palette.strong if active else palette.ink() if there else palette.faint
        arrow = palette.ink("primary", bold=True) if active else palette.faint
        facts = "…" if self.facts is None else f"{self.facts.get(name, 0):,}"
        room = max(0, width - _NAME - _FACTS - _SHARE - 12)
        return [
            (f" {name:<{_NAME}}", ink),
            ("◂", arrow),
            (f"{weight:>5.1f} ", palette.ink("warning", bold=active) if changed else ink),
            ("▸  ", arrow),
            *self.slider(weight, room, active),
            (f"{self.share(name):>{_SHARE}.0%}" if there else " " * _SHARE, ink),
            (f"{facts:>{_FACTS}} ", palette.dim if there else palette.faint),
        ]

    def slider(self, weight: float, room: int, active: bool) -> list[tuple[str, Style]]:
        """Return a weight as a slider; blank if there is too little room.

        Args:
            weight: Weight of the class.
            room: Cells of the slider.
            active: True if the class is under the cursor.
        """
        if room < 6:
            return [(" " * room, self.palette.dim)]
        high = max(_SCALE, *self.weights.values())
        at = round((room - 1) * weight / high)
        return [
            ("━" * at, self.palette.ink("primary" if active else "ink-faint")),
            ("●", self.palette.strong if active else self.palette.dim),
            ("─" * (room - 1 - at), self.palette.ink("line")),
        ]


_KEYS = "{more}{less}: change   {undo}: reset   {redo}: redo   {reset_all}: reset all   {back}: close   Not saved."


class WeightsScreen(Dialog[None]):
    """Posts every change to the app, which keeps the weights of a session until it quits."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("weights")
    AUTO_FOCUS = "#weights"

    def __init__(self, sessions: Sequence[_Subject], weights: Weights, effect: Callable[[Weights], str]) -> None:
        """Create the dialog for some sessions.

        Args:
            sessions: Workbenches and agents whose facts are counted.
            weights: Current weights.
            effect: Returns the effect of weights in one line.
        """
        super().__init__()
        self.sessions = tuple(sessions)
        self.weights = weights
        self.undone: list[Weights] = []
        """Weights from before each reset since the last other change."""
        self.effect = effect
        self.counts: LatestOnly[Mapping[str, int]] = LatestOnly(self, "facts", self.set_counts)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="weights"):
            yield Static("Weights of fact classes", classes="heading")
            yield Static(id="weight-columns", markup=False)
            yield WeightList(self.weights, id="weights")
            yield Static(id="about", markup=False)
            yield Static(id="effect", markup=False)
            yield key_line(_KEYS)

    def on_mount(self) -> None:
        self.counts.ask(partial(_counts_of, self.sessions))
        self.call_after_refresh(self.fit)

    def on_resize(self) -> None:
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        rows = self.query_one(WeightList)
        rows.styles.height = max(2, min(rows.count, self.app.size.height * 9 // 10 - _AROUND))
        self.show()

    def show(self) -> None:
        rows = self.query_one(WeightList)
        rows.weights = self.weights
        rows.renew()
        width = rows.scrollable_content_region.width
        right = f"{'share':>{_SHARE}}{'facts':>{_FACTS}} "
        left = f" {'class':<{_NAME}}  weight"
        self.query_one("#weight-columns", Static).update(left + right.rjust(max(0, width - len(left))))
        self.query_one("#effect", Static).update(one_line(self.effect(self.weights)))
        self.show_about()

    def set_counts(self, counts: Mapping[str, int]) -> None:
        self.query_one(WeightList).facts = counts
        self.show()

    @on(LineList.Moved)
    def show_about(self) -> None:
        rows = self.query_one(WeightList)
        rows.strips.clear()
        rows.refresh()
        width = self.query_one("#about").size.width or 60
        self.query_one("#about", Static).update(clipped(f" {CLASSES[rows.current].about}", width))

    def action_turn(self, steps: int) -> None:
        self.undone.clear()
        name = self.query_one(WeightList).current
        self.set(name, round(min(max(self.weights[name] + steps * _STEP, 0.0), _MOST), 1))

    def action_reset(self) -> None:
        self.undone.append(self.weights)
        name = self.query_one(WeightList).current
        self.set(name, CLASSES[name].weight)

    def action_reset_all(self) -> None:
        self.undone.append(self.weights)
        self.set_weights(Weights())

    def action_redo(self) -> None:
        """Restore the weights from before the last reset."""
        if self.undone:
            self.set_weights(self.undone.pop())

    def set(self, name: FactClass, weight: float) -> None:
        weights = {**self.weights.overrides, name: weight}
        if not any(weights.get(cls, CLASSES[cls].weight) for cls in NAMES):
            self.notify("At least one class needs a positive weight.")
            return
        self.set_weights(Weights({cls: own for cls, own in weights.items() if own != CLASSES[cls].weight}))  # type: ignore[index]

    def set_weights(self, weights: Weights) -> None:
        if weights != self.weights:
            self.weights = weights
            self.post_message(Weighed(tuple(dict.fromkeys(bench.session.id for bench, _ in self.sessions)), weights))
            self.show()


def _counts_of(sessions: Sequence[_Subject]) -> Mapping[str, int]:
    """Return the number of facts of each class in the agents' logs. Runs in a thread."""
    counts = Counter[str]()
    for bench, agent in sessions:
        index = bench.fact_index()
        messages = (message for message in index.log if message.agent == agent and message.kind != "summary")
        facts = map(index.facts.__getitem__, {fact for message in messages for fact in index.log[message].facts})
        repaired = index.repaired.walk().before(len(index.log))
        counts.update(cls for cls, _, term in facts if cls != "error" or term not in repaired)
    return counts
