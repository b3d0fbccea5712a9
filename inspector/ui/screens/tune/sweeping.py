"""A sweep: the chosen preset with every combination of some values, as rows that come in while one looks."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import resource_tracker
from threading import Event
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input, Static

from inspector.compression import Preset, PresetError
from inspector.crash import failure_sentence
from inspector.experiments import (
    Progress,
    SweepError,
    TrialResult,
    parse_axes,
    preset_grid,
    reweigh_result,
    sweep_results,
)
from inspector.strategies import STRATEGIES
from inspector.text import one_line, plural
from inspector.ui.dialogs.overlay import Dialog
from inspector.ui.screens.tune.entries import Desk, Entry, Table, knobs_of
from inspector.ui.screens.tune.working import Working
from inspector.ui.widgets.title import Busy
from inspector.ui.workers.cooperative import CooperativeStop

_OFTEN = 0.3
"""Seconds between two additions to the table: each sorts and judges it anew."""
_USUAL = "threshold=20000,30000,40000,60000,80000"
_SHORT = {"keep_recent": "keep"}
_USUAL_VALUES = {"keep_recent": "5,10,20,40", "ratio": "0.1,0.3,0.5"}


class AskGrid(Dialog[tuple[Preset, ...]]):
    """Asks which values to combine, and tells while one types how many rows that gives, and how long they take."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(())", "Close")]
    AUTO_FOCUS = "#grid"

    def __init__(self, base: Preset, seconds: float) -> None:
        """`seconds` is what one row takes about; 0 where nobody knows."""
        super().__init__()
        self.base = base
        self.seconds = seconds

    def compose(self) -> ComposeResult:
        names = ", ".join(dict.fromkeys(knob.name for knob in knobs_of(self.base)))
        with Vertical(id="dialog"):
            yield Static(f"Sweep around {one_line(self.base.name)}", classes="heading", markup=False)
            yield Static(f"Values to combine, a space between settings. There are: {names}.", markup=False)
            yield Input(_suggestion(self.base), id="grid")
            yield Static(id="outcome", markup=False)
            yield Static("enter begins   esc closes", classes="hint")

    @on(Input.Changed)
    def tell(self) -> None:
        try:
            count = len(self.presets())
        except PresetError as problem:
            self.say(str(problem))
            return
        about = f", about {_spell(self.seconds * count)}" if self.seconds else ""
        self.say(f"{plural(count, 'row')}{about}.")

    @on(Input.Submitted)
    def submit(self) -> None:
        try:
            self.dismiss(self.presets())
        except PresetError as problem:
            self.say(str(problem))

    def presets(self) -> tuple[Preset, ...]:
        """Every combination. Raises PresetError."""
        given = parse_axes(self.query_one(Input).value.split())
        if not given:
            raise PresetError("Type a setting with its values, such as threshold=20000,40000.")
        return tuple(replace(preset, name=short(preset.name)) for preset in preset_grid([self.base], given))

    def say(self, text: str) -> None:
        self.query_one("#outcome", Static).update(one_line(text))


def _suggestion(base: Preset) -> str:
    """A grid to begin with."""
    known = [knob.name for knob in STRATEGIES[base.strategy].knobs]
    return " ".join([_USUAL, *(f"{name}={values}" for name, values in _USUAL_VALUES.items() if name in known)])


def short(name: str) -> str:
    """The name that a grid gives, so that it fits into the table, and may be that of a preset."""
    words = (word.partition("=")[::2] for word in name.split())
    return " ".join(part for key, value in words for part in _shortened(key, value))


def _shortened(key: str, value: str) -> Iterator[str]:
    if not value:
        yield key
    elif key == "threshold" and value.isdecimal():
        yield f"{int(value) / 1000:g}k"
    else:
        yield f"{_SHORT.get(key, key)} {value}"


def _spell(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{max(1, round(seconds))} s"


class Sweeping(Working):
    """The key that sweeps. One sweep at a time; what it has found stays when it is stopped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "sweep", "Sweep a grid of settings around this row"),
        Binding("x", "clear", "Take out the rows that a sweep has found"),
    ]

    sweeping: reactive[Event | None] = reactive(None, init=False, repaint=False)
    """Set to stop it."""

    @dataclass
    class Found(Message):
        """More rows of a sweep; without progress it is over."""

        cancel: Event
        rows: tuple[TrialResult, ...]
        progress: Progress | None = None
        failure: str = ""

    def action_sweep(self) -> None:
        chosen = self.chosen
        if self.sweeping is not None:
            self.notify("A sweep is going on. esc stops it.")
        elif chosen is None or not chosen.simulated:
            self.notify("Choose a preset to sweep around: this row has nothing to turn.")
        else:
            self.app.push_screen(AskGrid(chosen.preset, self.seconds), self.sweep)

    @property
    def seconds(self) -> float:
        """What a row takes, by those that were worked out."""
        return self.took / self.made if self.made else 0.0

    def sweep(self, presets: tuple[Preset, ...] | None) -> None:
        """Begin a sweep over some presets."""
        if not presets:
            return
        cancel = self.sweeping = Event()
        self.busy = Busy(f"sweeping {len(presets):,}", 0.0)
        job = partial(_sweep_through, self.desk, presets, cancel, self.post_message)
        self.run_worker(job, thread=True, group="sweep", exit_on_error=False)

    def on_sweeping_found(self, message: Found) -> None:
        if message.cancel is not self.sweeping:
            return
        self.add_found(message.rows)
        if message.progress is not None:
            self.busy = _busy_with(message.progress)
            return
        self.sweeping = self.busy = None
        if message.failure:
            self.notify(message.failure, severity="error")

    def add_found(self, rows: tuple[TrialResult, ...]) -> None:
        found = (reweigh_result(row, self.weights) for row in rows)
        new = tuple(Entry(next(self.numbers), row.preset, row.preset, row, swept=True) for row in found)
        if new:
            self.table = Table((*self.table.entries, *new)).sorted_by(self.order, self.worst)

    def stop_sweep(self) -> bool:
        """Stop the sweep, if there is one; what it has found stays."""
        if self.sweeping is None:
            return False
        self.sweeping.set()
        self.sweeping = self.busy = None
        return True

    def action_clear(self) -> None:
        self.stop_sweep()
        kept = tuple(entry for entry in self.table.entries if not entry.swept)
        if len(kept) == len(self.table.entries):
            self.notify("There are no rows of a sweep: press v for one.")
        else:
            self.table = Table(kept)

    def on_unmount(self) -> None:
        self.stop_sweep()


def _busy_with(progress: Progress) -> Busy:
    left = f", {_spell(progress.left)} left" if progress.left is not None else ""
    return Busy(f"sweeping {progress.done:,} of {progress.total:,}{left},", progress.done / max(1, progress.total))


def _sweep_through(
    desk: Desk, presets: tuple[Preset, ...], cancel: Event, post: Callable[[Sweeping.Found], object]
) -> None:
    """In a thread: rows are handed over now and then, and whatever happens is told."""
    found: list[TrialResult] = []
    began = told = time.monotonic()
    made, failure = 0, ""
    try:
        _ready_for_processes()
        for _, row in sweep_results(desk.subject, presets, cancel=CooperativeStop(cancel)):
            found.append(row)
            made += 1
            now = time.monotonic()
            if now - told > _OFTEN:
                post(Sweeping.Found(cancel, tuple(found), Progress(made, len(presets), now - began)))
                found, told = [], now
    except SweepError as problem:
        failure = str(problem)
    except Exception as error:  # shown to the person in a sentence: a failed sweep must not end the app
        failure = str(error) if isinstance(error, ValueError) else failure_sentence(error)
    post(Sweeping.Found(cancel, tuple(found), failure=failure))


def _ready_for_processes() -> None:
    """Start what other processes are watched by with a real stream for its errors: the app's has no file behind it."""
    with contextlib.redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()
