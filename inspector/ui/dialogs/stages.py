"""A dialog that composes a pipeline: add, remove and move stages, turn their knobs, and see the window after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from inspector.core.text import clipped, one_line
from inspector.engine.compression import Composition, StrategyChoice, is_free_text, outcomes, value_text
from inspector.engine.strategies import Knob, PipelineSettings
from inspector.engine.strategies.knobs import knobs
from inspector.engine.window import Plan, Window, apply
from inspector.library import Preview
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.choice_dialog import ValueScreen
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.dialogs.picker import Pick, Picker
from inspector.ui.key_remaps import key_of
from inspector.ui.palette import Palette, mark_of
from inspector.ui.widgets.key_bar import key_line
from inspector.ui.widgets.lines import LineList, Span
from inspector.ui.workers.latest import LatestOnly

_TARGET: Knob = next(knob for knob in knobs(PipelineSettings) if knob.name == "target")
_Outcomes = Sequence[tuple[Plan, Window]]


class StageList(LineList):
    """One line for each stage with the window after it, and one for the target."""

    def __init__(self, window: Window, pipeline: Composition, id: str | None = None) -> None:
        """Create the list for a pipeline.

        Args:
            window: Window that the pipeline runs on.
            pipeline: Initial stages and target.
            id: ID of the widget.
        """
        super().__init__(id=id)
        self.window = window
        self.pipeline = pipeline
        self.outcomes: _Outcomes | None = None

    @property
    def count(self) -> int:
        return len(self.pipeline.stages) + 1

    @property
    def place(self) -> int | None:
        """Index of the stage under the cursor; None on the target."""
        return self.cursor if self.cursor < len(self.pipeline.stages) else None

    def show(self, pipeline: Composition, outcomes: _Outcomes | None) -> None:
        self.pipeline, self.outcomes = pipeline, outcomes
        self.renew()

    def spans(self, line: int, width: int) -> Sequence[Span]:
        if line == len(self.pipeline.stages):
            target = f"{self.pipeline.target:,}"
            return [("    target            ", self.palette.ink()), (f"{target:>10}", self.palette.strong)]
        is_needed = self.outcomes is None or line < len(self.outcomes)
        settings = "  ".join(
            f"{name} {one_line(value_text(value))}" for name, value in self.pipeline.values(line).items()
        )
        return [
            (f" {line + 1:>2} ", self.palette.faint),
            (f"{self.pipeline.stages[line].name:<18}", self.palette.strong if is_needed else self.palette.faint),
            *self.effect_spans(line),
            (clipped(settings, max(0, width - 43)), self.palette.dim if is_needed else self.palette.faint),
        ]

    def effect_spans(self, line: int) -> list[Span]:
        """Return the tokens after a stage and the change from the stage before it."""
        if self.outcomes is None:
            return [(f"{'…':>10}         ", self.palette.faint)]
        if line >= len(self.outcomes):
            return [(f"{'not needed':>10}         ", self.palette.faint)]
        plan, after = self.outcomes[line]
        before = self.outcomes[line - 1][1] if line else self.window
        if plan.has_failed:
            return [(f"{'failed':>10}         ", self.palette.ink("error"))]
        share = (after.total - before.total) / before.total if before.total else 0
        total = f"{mark_of(after)}{after.total:,}"
        change = f"−{-share:.0%}" if share <= -0.005 else "−<1%" if share < 0 else "same"
        return [(f"{total:>10}", self.palette.ink()), (f"{change:>6}   ", self.palette.dim)]


_KEYS = (
    "{insert}: add   {drop}: remove   {move_up} {move_down}: move   "
    "{next_setting} {more}{less}: setting   {type}: type   {back}: close"
)


class StagesScreen(Dialog[None]):
    """Reports every change at once, so that the window below the dialog shows it. Nothing is applied."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("stages")
    AUTO_FOCUS = "#stages"

    pipeline: reactive[Composition | None] = reactive(None, init=False, repaint=False)
    knob: reactive[int] = reactive(0, init=False, repaint=False)

    def __init__(self, preview: Preview, pipeline: Composition, change: Callable[[Composition], None]) -> None:
        """Create the dialog for a pipeline.

        Args:
            preview: Window that the pipeline runs on.
            pipeline: Initial stages and target.
            change: Called with the pipeline after every change.
        """
        super().__init__()
        self.session, self.window = preview.session, preview.base
        self.start = pipeline
        self.change = change
        self.runs: LatestOnly[tuple[Composition, _Outcomes]] = LatestOnly(self, "stages", self.show_result)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Pipeline: stages run in order until the window fits", classes="heading")
            yield Static(self.first_line(), id="first", markup=False)
            yield StageList(self.window, self.start, id="stages")
            yield Static(id="stage-knobs", markup=False)
            yield key_line(_KEYS)

    def first_line(self) -> str:
        total = f"{mark_of(self.window)}{self.window.total:,}"
        return f"    {'the window now':<18}{total:>10}"

    def on_mount(self) -> None:
        self.set_reactive(StagesScreen.pipeline, self.start)
        self.work()

    @property
    def now(self) -> Composition:
        return self.pipeline or self.start

    @property
    def names(self) -> StageList:
        return self.query_one(StageList)

    def watch_pipeline(self, pipeline: Composition) -> None:
        self.change(pipeline)
        self.work()

    def work(self) -> None:
        """Show the stages, and start computing the window after each."""
        names = self.names
        names.styles.height = min(len(self.now.stages) + 1, max(3, self.app.size.height - 14))
        names.show(self.now, names.outcomes if names.pipeline.stages == self.now.stages else None)
        self.show_about()
        self.runs.ask(partial(_run, self.window, self.now))

    def show_result(self, result: tuple[Composition, _Outcomes]) -> None:
        pipeline, outcomes = result
        if pipeline is self.now:
            self.names.show(pipeline, outcomes)

    # knobs of the stage under the cursor

    @property
    def trial(self) -> StrategyChoice | None:
        """Stage under the cursor with its knobs; None on the target."""
        place = self.names.place
        if place is None:
            return None
        trial = self.now.choice(place)
        return trial.next_knob(self.knob % max(1, len(trial.knobs)))

    @on(LineList.Moved)
    def another_stage(self) -> None:
        self.set_reactive(StagesScreen.knob, 0)
        self.show_about()

    def watch_knob(self) -> None:
        self.show_about()

    def show_about(self) -> None:
        """Show the knobs of the line under the cursor and the description of the selected one."""
        palette = self.palette
        trial = self.trial
        current = trial.current_knob if trial else _TARGET
        values = dict(trial.settings) if trial else {"target": self.now.target}
        knobs = trial.knobs if trial else (_TARGET,)
        text = Text(no_wrap=False)
        for knob in knobs:
            text.append_text(_knob_text(knob, values[knob.name], knob is current or knob == current, palette))
        text.append(f"\n{current.doc if current else 'This stage has no settings.'}", palette.dim)
        self.query_one("#stage-knobs", Static).update(text)

    def action_knob(self, step: int) -> None:
        self.knob += step

    def action_turn_knob(self, steps: int) -> None:
        trial, place = self.trial, self.names.place
        if trial is None or place is None:
            self.pipeline = Composition(self.now.stages, _TARGET.move(self.now.target, steps))
        elif trial.current_knob is None:
            self.notify("This stage has no settings.")
        elif is_free_text(trial.current_knob):
            self.action_write_knob()
        else:
            self.pipeline = self.now.with_settings(place, dict(trial.turn_knob(steps).settings))

    def action_write_knob(self) -> None:
        trial = self.trial
        knob = trial.current_knob if trial else _TARGET
        if knob is not None:
            value = trial.settings[knob.name] if trial else self.now.target
            self.app.push_screen(ValueScreen(knob, value), partial(self.set_value, self.names.place, knob))

    def set_value(self, place: int | None, knob: Knob, value: object) -> None:
        """Set a knob to a typed value.

        Args:
            place: Index of the stage; None for the target.
            knob: Knob to set.
            value: New value; None changes nothing.
        """
        if isinstance(value, int) and place is None:
            self.pipeline = Composition(self.now.stages, value)
        elif value is not None and place is not None:
            self.pipeline = self.now.with_settings(place, self.now.values(place) | {knob.name: value})

    # add, remove and move stages

    def action_add(self) -> None:
        place = len(self.now.stages) - 1 if self.names.place is None else self.names.place
        picker = Picker(self.as_stage, partial(self.effect, place), "trim_outputs", stages=True)
        self.app.push_screen(picker, partial(self.add, place))

    def as_stage(self, pick: Pick) -> StrategyChoice:
        """Return a new stage with its initial settings."""
        single = Composition((), self.now.target).with_new_stage(-1, str(pick))
        return single.choice(0)

    def effect(self, place: int, trial: StrategyChoice) -> Preview:
        """Preview a new stage on the output of the stages up to `place`."""
        steps = outcomes(self.window, Composition(self.now.stages[: place + 1], 0))
        window = steps[-1][1] if steps else self.window
        single = Composition((), 0).with_new_stage(-1, trial.strategy)
        trials = outcomes(window, single)
        plan = trials[0][0] if trials else None
        after = apply(window, plan) if plan else window
        return Preview(self.session, window, window, after, plan, (), ())

    def add(self, place: int, pick: Pick | None) -> None:
        if pick is not None:
            self.pipeline = self.now.with_new_stage(place, str(pick))
            self.names.cursor = place + 1

    def action_remove(self) -> None:
        place = self.names.place
        if place is None:
            return
        if len(self.now.stages) == 1:
            self.notify("A pipeline needs at least one stage. Add another before you remove this one.")
            return
        self.pipeline = self.now.without_stage(place)

    def action_shift(self, by: int) -> None:
        place = self.names.place
        if place is not None and 0 <= place + by < len(self.now.stages):
            self.pipeline = self.now.with_stage_moved(place, by)
            self.names.cursor = place + by


def _run(window: Window, pipeline: Composition) -> tuple[Composition, _Outcomes]:
    """Run the pipeline and return the windows after its stages. Runs in a thread."""
    return pipeline, outcomes(window, pipeline)


def _knob_text(knob: Knob, value: object, active: bool, palette: Palette) -> Text:
    """Return a knob as text: its name, and its value between arrows or as typed."""
    arrow = palette.ink("primary", bold=True) if active else palette.faint
    ink = palette.strong if active else palette.ink()
    text = Text.assemble((f"{knob.name} ", palette.ink() if active else palette.dim))
    if is_free_text(knob):
        words = clipped(one_line(str(value)) or "none", 30)
        key = f" {key_of('type')}" if active else ""
        text.append(f"{words}{key}   "[: cell_len(words) + 5], ink)
    else:
        text.append("◂", arrow)
        text.append(f" {value_text(value)} ", ink)
        text.append("▸   ", arrow)
    return text
