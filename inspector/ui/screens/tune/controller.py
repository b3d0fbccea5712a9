"""The controller of Tune: its rows and the effect of its keys, independent of any widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from inspector.analysis.asking import ITSELF, SameSteps
from inspector.analysis.experiments import USUAL, TrialResult, reweigh_result
from inspector.analysis.replay import NONE, RECORDED
from inspector.core.conversation import MAIN, Session
from inspector.core.text import clipped, one_line
from inspector.engine.compression import BUILT_IN, Preset, is_free_text
from inspector.engine.facts import FactIndex, Weights
from inspector.engine.strategies import Knob
from inspector.library import Workbench
from inspector.ui.dialogs.picker import list_presets
from inspector.ui.key_remaps import with_keys
from inspector.ui.screens.inspect.inspect_state import nothing
from inspector.ui.screens.navigation import next_agent
from inspector.ui.screens.tune.preset_rows import SORTS, PresetRow, Table, TuneContext, knobs_of, value_of
from inspector.ui.screens.tune.row_questions import RowQuestions
from inspector.ui.screens.tune.row_worker import RowResult, RowWorker
from inspector.ui.screens.tune.sweep_rows import Sweep
from inspector.ui.workers.jobs import Busy, Host, Jobs


@dataclass(frozen=True, eq=False)
class TuneState:
    """Everything that Tune draws, at one moment."""

    context: TuneContext = field(default_factory=lambda: TuneContext(nothing(), MAIN))
    table: Table = field(default_factory=Table)
    order: str = SORTS[0]
    """Column that the rows are sorted by."""
    worst: bool = False
    """True if the worst row comes first."""
    is_sorted: bool = False
    """True if the rows are sorted, which they are not during their first computation."""
    weights: Weights = USUAL
    knob: int = 0
    """Index of the knob that the keys turn, modulo the number of a row's knobs."""
    mark_place: int = -1
    """Number of the row that others are compared with; -1 for none."""
    has_sweep: bool = False
    busy: Busy | None = None

    @property
    def mark(self) -> int:
        """Number of the marked row; -1 if it is not in the table."""
        return self.mark_place if any(row.number == self.mark_place for row in self.table.rows) else -1


class TuneController:
    """Controls the table of presets for one agent's session.

    `on_change` is called with the new state after every change. `cursor` returns the number of the row under the
    cursor, which is computed before others.
    """

    def __init__(
        self, jobs: Jobs, host: Host, on_change: Callable[[TuneState], None], cursor: Callable[[], int] = lambda: -1
    ) -> None:
        """Create a controller without a session.

        Args:
            jobs: Runs computations in threads.
            host: Shows notices.
            on_change: Called with each new state.
            cursor: Returns the number of the row under the cursor; -1 for none.
        """
        self.state = TuneState()
        self._host = host
        self._on_change = on_change
        self._cursor = cursor
        self._subject: tuple[Session, str] = (nothing().session, MAIN)
        """Session and agent that were opened last, before another agent was chosen here."""
        self._numbers = count()
        self._reset: dict[int, Preset] = {}
        """Presets of rows from before they were reset, by the number of the row."""
        self.worker = RowWorker(jobs, self._set_result)
        self.sweep = Sweep(jobs, host, self._set_results, self._set_progress)
        self.questions = RowQuestions(jobs)
        self._facts = jobs.latest("facts", self._set_facts)
        self._presets = jobs.latest("presets", self._set_presets)

    def _set(self, state: TuneState) -> None:
        self.state = state
        self._on_change(state)

    def _set_rows(self, rows: Iterable[PresetRow]) -> None:
        self._set(replace(self.state, table=Table(tuple(rows))))

    # the session

    @property
    def is_open(self) -> bool:
        return self.state.context.bench is not nothing()

    def open(self, bench: Workbench, agent: str = MAIN) -> None:
        """Show a session and keep existing rows. Better token counts are used once they are complete."""
        old = self.state.context
        agent = old.agent if self._subject == (bench.session, agent) else agent
        same = bench.session is old.bench.session and agent == old.agent
        self._subject = (bench.session, agent)
        if same and (bench.sizes.is_partial or (bench.sizes is old.bench.sizes and bench.limit == old.bench.limit)):
            return
        context = TuneContext(bench, agent, old.facts if bench.session is old.bench.session else None)
        if context.facts is None:
            self._facts.ask(partial(_facts_of, context))
        if same:
            self.worker.give_up()
            rows = tuple(replace(row, result=None, failure="") for row in self.state.table.rows)
            self._set(replace(self.state, context=context, table=Table(rows)))
            self._begin()
        else:
            self._fill(context)

    def go_to_agent(self, step: int) -> None:
        """Try the presets on the context of the next agent (`step` 1) or the previous one (-1)."""
        context = self.state.context
        agents = context.bench.session.agents
        if self.is_open and len(agents) > 1:
            self._fill(TuneContext(context.bench, next_agent(agents, context.agent, step), context.facts))

    def _fill(self, context: TuneContext) -> None:
        """Start with the built-in rows, and read the user's own presets."""
        self.worker.give_up()
        table = Table(tuple(self._new_row(preset) for preset in (RECORDED, NONE, *BUILT_IN.values())))
        self._set(replace(self.state, context=context, table=table, is_sorted=False))
        self.read_presets()
        self._begin()

    def _new_row(self, preset: Preset) -> PresetRow:
        return PresetRow(next(self._numbers), preset, preset)

    def read_presets(self) -> None:
        """Read the user's own presets, and add rows for new ones."""
        self._presets.ask(list_presets)

    def _set_presets(self, outcome: tuple[list[Preset], str]) -> None:
        presets, problem = outcome
        if problem:
            self._host.notify(problem, severity="warning")
        names = {row.origin.name for row in self.state.table.rows if not row.is_of_sweep}
        new = [self._new_row(preset) for preset in presets if preset.name not in names]
        if new:
            self._set_rows((*self.state.table.rows, *new))
            self._begin()

    def _set_facts(self, outcome: tuple[TuneContext, FactIndex | str]) -> None:
        """Compute every row again with the facts of the session."""
        source, facts = outcome
        context = self.state.context
        if isinstance(facts, str):
            self._host.notify(facts, severity="warning")
        elif source.bench.session is context.bench.session and context.facts is None:
            self.worker.give_up()
            table = Table(tuple(replace(row, again=True) for row in self.state.table.rows))
            context = TuneContext(context.bench, context.agent, facts)
            self._set(replace(self.state, context=context, table=table))
        self._begin()

    # computing rows

    def _begin(self) -> None:
        """Start to compute the next stale row, unless one is being computed."""
        if self.worker.is_running or not self.is_open:
            return
        if self.state.context.bench.sizes.is_partial:  # every number of a row would still change
            self._set(replace(self.state, busy=Busy("counting")))
            return
        stale = [row for row in self.state.table.rows if row.stale]
        if not stale:
            self._arrive()
            return
        cursor = self._cursor()
        whole = len(self.state.table.rows)
        busy = Busy("replaying", (whole - len(stale)) / whole) if len(stale) > 1 else None
        self._set(replace(self.state, busy=busy))
        self.worker.start(self.state.context, next((row for row in stale if row.number == cursor), stale[0]))

    def _arrive(self) -> None:
        """Update the state after all rows have been computed, with or without facts."""
        reading = self._facts.is_running
        self._set(replace(self.state, busy=Busy("reading facts") if reading else None))
        if not self.state.is_sorted and not reading:
            self._sort(self.state.order, self.state.worst)

    def _set_result(self, run: RowResult) -> None:
        row = self.state.table.row(run.number)
        if row is not None and run.context is self.state.context and row.preset == run.preset and run.complete:
            result = reweigh_result(run.result, self.state.weights) if run.result else row.result
            row = replace(row, result=result, failure=run.failure, again=False)
            self._set(replace(self.state, table=self.state.table.with_row(row)))
        self._begin()

    def set_preset(self, row: PresetRow, preset: Preset) -> None:
        """Change the preset of a row. Its old numbers stay, dimmed, until the new ones are ready."""
        self.worker.give_up(row.number)
        self._set(
            replace(self.state, table=self.state.table.with_row(replace(row, preset=preset, failure="", steps=None)))
        )
        self._begin()

    def set_weights(self, weights: Weights) -> None:
        """Apply new weights to the retained facts, without replaying anything."""
        if weights == self.state.weights:
            return
        rows = self.state.table.rows
        new = (replace(row, result=reweigh_result(row.result, weights)) if row.result else row for row in rows)
        self._set(replace(self.state, weights=weights, table=Table(tuple(new))))
        if self.state.is_sorted:
            self._sort(self.state.order, self.state.worst)

    def effect(self, weights: Weights, current: PresetRow | None) -> str:
        """Return the shares of facts that valid rows retain under some weights, the current row first."""
        results = [result for result in self.state.table.results.values() if result.retention and result.preset.enabled]
        results.sort(key=lambda result: (current is None or result.preset != current.preset, -result.retained))
        return ", ".join(_share_text(reweigh_result(result, weights)) for result in results[:3])

    def close(self) -> None:
        """Cancel all work because the screen has closed."""
        self.worker.give_up()
        self.questions.give_up()
        self.sweep.close()

    # order

    def sort_by_next(self) -> None:
        """Sort by the next column, the best row first."""
        self._sort(SORTS[(SORTS.index(self.state.order) + 1) % len(SORTS)], False)

    def sort_by(self, column: str) -> None:
        """Sort by a column, or reverse the order if the rows are sorted by it."""
        self._sort(column, column == self.state.order and not self.state.worst)

    def reverse(self) -> None:
        """Reverse the order."""
        self._sort(self.state.order, not self.state.worst)

    def _sort(self, order: str, worst: bool) -> None:
        table = self.state.table.sort_by(order, worst)
        self._set(replace(self.state, table=table, order=order, worst=worst, is_sorted=True))

    # knobs

    def knob_of(self, row: PresetRow | None) -> Knob | None:
        """Return the knob of a row that the keys turn, or None after reporting that it has none."""
        knobs = knobs_of(row.preset) if row else ()
        if not knobs:
            self._host.notify("This row has no settings. Choose one of the presets.")
            return None
        return knobs[self.state.knob % len(knobs)]

    def choose_knob(self, row: PresetRow | None, step: int) -> None:
        """Select the next or previous knob of a row."""
        if row is not None and (knobs := knobs_of(row.preset)):
            self._set(replace(self.state, knob=(self.state.knob + step) % len(knobs)))

    def turn_knob(self, row: PresetRow | None, steps: int) -> bool:
        """Turn a row's knob by some notches. Return True if its value has to be typed instead."""
        knob = self.knob_of(row)
        if row is None or knob is None:
            return False
        if not is_free_text(knob):
            self.set_knob(row, knob, knob.move(value_of(row.preset, knob, self.state.context.scale), steps))
        return is_free_text(knob)

    def set_knob(self, row: PresetRow, knob: Knob, value: object) -> None:
        """Set a row's knob.

        Args:
            row: Row to change.
            knob: Knob to set.
            value: New value; None, from a dismissed dialog, changes nothing.
        """
        preset = row.preset.with_value(knob.name, value) if value is not None else row.preset
        if preset != row.preset:
            self.set_preset(row, preset)

    def undo(self, row: PresetRow | None, is_redo: bool = False) -> None:
        """Reset a row to its original preset, or give it back the settings that it had before it was reset."""
        if row is None:
            return
        if row.is_changed and not is_redo:
            self._reset[row.number] = row.preset
            self.set_preset(row, row.origin)
        elif is_redo and not row.is_changed and row.number in self._reset:
            self.set_preset(row, self._reset.pop(row.number))

    # comparing two rows

    def mark(self, row: PresetRow) -> bool:
        """Mark or unmark a row. Return False if another row is marked, in which case the two are to be compared."""
        if self.state.mark_place >= 0 and self.state.mark_place != row.number:
            return False
        self._set(replace(self.state, mark_place=-1 if self.state.mark_place == row.number else row.number))
        return True

    def partner(self, row: PresetRow) -> PresetRow | None:
        """Return the row to compare with: the marked one, or the recording if no other row is marked."""
        mark = self.state.mark if self.state.mark != row.number else -1
        others = [other for other in self.state.table.rows if other.number != row.number]
        partner = [other for other in others if (other.number == mark if mark >= 0 else other.is_recording)]
        if not partner:
            self._host.notify(with_keys("Mark a row with {mark}, choose another one and press {compare}."))
        return partner[0] if partner else None

    # sweeps

    def may_sweep(self, row: PresetRow | None) -> bool:
        """Return True if a sweep can start around a row; otherwise show the reason."""
        if self.sweep.busy:
            self._host.notify(with_keys("A sweep is running. {back} stops it."))
        elif self.state.context.bench.sizes.is_partial:
            self._host.notify("Still counting messages …")
        elif row is None or not row.is_simulation:
            self._host.notify("This row has no settings to sweep. Choose a preset.")
        else:
            return True
        return False

    def start_sweep(self, presets: Sequence[Preset] | None) -> None:
        """Start a sweep over some presets. None or an empty sequence, from a dismissed dialog, changes nothing."""
        if presets:
            self.sweep.start(self.state.context, presets)

    def _set_progress(self, busy: Busy | None) -> None:
        self._set(replace(self.state, busy=busy, has_sweep=self.sweep.busy))

    def _set_results(self, results: Sequence[TrialResult]) -> None:
        rows = (reweigh_result(result, self.state.weights) for result in results)
        new = [PresetRow(next(self._numbers), row.preset, row.preset, row, is_of_sweep=True) for row in rows]
        if new:
            table = Table((*self.state.table.rows, *new)).sort_by(self.state.order, self.state.worst)
            self._set(replace(self.state, table=table))

    def set_steps(self, presets: Sequence[Preset], steps: Sequence[SameSteps] | None) -> None:
        """Show the shares of same steps of some presets; that of the model itself on the uncompressed row.

        Args:
            presets: Presets that were asked.
            steps: Their shares by name; None, from a dismissed dialog, changes nothing.
        """
        by_name = {row.name: row for row in steps or () if row.asked}
        own = [(preset, by_name[preset.name]) for preset in presets if preset.name in by_name]
        own += [(NONE, by_name[ITSELF])] if ITSELF in by_name else []
        if own:
            rows = self.state.table.rows
            shares = (next((share for preset, share in own if preset == row.preset), row.steps) for row in rows)
            self._set_rows(replace(row, steps=share) for row, share in zip(rows, shares, strict=True))

    def clear_sweep(self) -> None:
        """Remove the rows of sweeps."""
        self.sweep.stop()
        rows = tuple(row for row in self.state.table.rows if not row.is_of_sweep)
        if len(rows) == len(self.state.table.rows):
            self._host.notify(with_keys("There are no rows of a sweep. {sweep}: start one."))
        else:
            self._set_rows(rows)

    def back(self) -> bool:
        """Stop a sweep. Return False if there was none."""
        if not self.sweep.stop():
            return False
        self._host.notify(with_keys("Stopped. The rows found so far stay. {drop}: remove them."))
        return True

    def preset_to_keep(self, row: PresetRow | None) -> Preset | None:
        """Return the preset of a row, or None after reporting that it cannot be saved."""
        if row is None or not row.is_simulation:
            self._host.notify("This row is not a preset. Choose another one.")
            return None
        return row.preset


def _share_text(result: TrialResult) -> str:
    return f"{clipped(one_line(result.name), 20)} keeps {result.retained:.1%}"


def _facts_of(context: TuneContext) -> tuple[TuneContext, FactIndex | str]:
    """Return the facts of a session, or the error as a sentence."""
    try:
        return context, context.bench.fact_index()
    except OSError as error:
        return context, f"Cannot read facts: {error}."
