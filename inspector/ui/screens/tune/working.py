"""Working out the rows of Tune, one after the other in a thread, the one under the cursor first.

A knob that moves makes its row stale; only that row is worked out anew, and what was begun for the knob's last place is
given up.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from threading import Event

from textual.reactive import reactive
from textual.screen import Screen

from inspector.compression import PRESETS, Preset
from inspector.conversation import MAIN, Session
from inspector.crash import failure_sentence
from inspector.experiments import USUAL, TrialResult, reweigh_result, run_trial
from inspector.facts import FactIndex, Weights
from inspector.library import Workbench
from inspector.replay import NONE, RECORDED, ReplayCancelled
from inspector.ui.dialogs.picker import all_presets
from inspector.ui.screens.inspect.controller import NOTHING
from inspector.ui.screens.tune.entries import Desk, Entry, Table
from inspector.ui.widgets.title import Busy
from inspector.ui.workers.cooperative import CooperativeStop
from inspector.ui.workers.latest import LatestOnly


@dataclass(frozen=True)
class Worked:
    """A row that was worked out, or given up (neither row nor failure), or could not be."""

    desk: Desk
    number: int
    preset: Preset
    row: TrialResult | None = None
    failure: str = ""
    seconds: float = 0.0


class Working(Screen[None]):
    """The table, and the work that fills it."""

    table: reactive[Table] = reactive(Table(), init=False, repaint=False, always_update=True)
    busy: reactive[Busy | None] = reactive(None, init=False, repaint=False)
    weights: reactive[Weights] = reactive(USUAL, init=False, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(NOTHING, MAIN)
        self.handed: tuple[Session, str] = (NOTHING.session, MAIN)
        self.numbers = count()
        self.order, self.worst = "best", False
        self.sorted = False
        """Whether the rows stand in their order; they do not while they are first worked out."""
        self.given_up = Event()
        """Set when the row that is being worked out is no longer wanted."""
        self.took, self.made = 0.0, 0
        """Seconds that rows took, and how many they were."""
        self.working: Entry | None = None
        self.facts: LatestOnly[tuple[Desk, FactIndex | str]] = LatestOnly(self, "facts", self.take_facts)
        self.rows: LatestOnly[Worked] = LatestOnly(self, "rows", self.take_row)
        self.reads: LatestOnly[tuple[list[Preset], str]] = LatestOnly(self, "presets", self.take_presets)

    @property
    def is_open(self) -> bool:
        return self.desk.bench is not NOTHING

    @property
    def chosen(self) -> Entry | None:
        """The entry under the cursor."""
        return None

    def open(self, bench: Workbench, agent: str = MAIN) -> None:
        """Show a session; rows that are there stay. Better counts are worked with once they are all there."""
        old = self.desk.bench
        agent = self.desk.agent if self.handed == (bench.session, agent) else agent
        same = bench.session is old.session and agent == self.desk.agent
        self.handed = (bench.session, agent)
        if same and (bench.sizes.counting or (bench.sizes is old.sizes and bench.limit == old.limit)):
            return
        self.desk = Desk(bench, agent, self.desk.facts if bench.session is old.session else None)
        self.given_up.set()
        if self.desk.facts is None:
            self.facts.ask(partial(_facts_of, self.desk))
        if same:
            self.table = Table(tuple(replace(entry, row=None, failure="") for entry in self.table.entries))
            self.begin()
        else:
            self.fill()

    def look_at(self, agent: str) -> None:
        """Try the presets on another agent's context."""
        self.desk = Desk(self.desk.bench, agent, self.desk.facts)
        self.given_up.set()
        self.fill()

    def fill(self) -> None:
        """Begin with what there always is; the person's own presets are read meanwhile."""
        self.sorted = False
        self.table = Table(tuple(self.entry(preset) for preset in (RECORDED, NONE, *PRESETS.values())))
        self.reads.ask(all_presets)
        self.begin()

    def take_facts(self, found: tuple[Desk, FactIndex | str]) -> None:
        """The facts of the session have been read: every row is worked out once more, with them."""
        desk, facts = found
        if isinstance(facts, str):
            self.notify(facts, severity="warning")
        elif desk.bench.session is self.desk.bench.session and self.desk.facts is None:
            self.desk = Desk(self.desk.bench, self.desk.agent, facts)
            self.given_up.set()
            self.table = Table(tuple(replace(entry, again=True) for entry in self.table.entries))
        self.begin()

    def entry(self, preset: Preset, swept: bool = False) -> Entry:
        return Entry(next(self.numbers), preset, preset, swept=swept)

    def take_presets(self, found: tuple[list[Preset], str]) -> None:
        presets, problem = found
        if problem:
            self.notify(problem, severity="warning")
        self.add_presets(presets)

    def add_presets(self, presets: Iterable[Preset]) -> None:
        """Rows for presets that have none yet, by their names."""
        there = {entry.origin.name for entry in self.table.entries if not entry.swept}
        new = tuple(self.entry(preset) for preset in presets if preset.name not in there)
        if new:
            self.table = Table((*self.table.entries, *new))
            self.begin()

    # the work

    def begin(self) -> None:
        """Work on the next stale row, unless one is being worked on."""
        if self.rows.running or not self.is_open:
            return
        stale = [entry for entry in self.table.entries if entry.stale]
        if not stale:
            self.working = None
            self.arrive()
            return
        chosen = self.chosen
        self.working = chosen if chosen and chosen.stale else stale[0]
        self.given_up = Event()
        self.tell_busy(len(stale))
        self.rows.ask(partial(_worked, self.desk, self.working, self.given_up))

    def tell_busy(self, stale: int) -> None:
        whole = len(self.table.entries)
        self.busy = Busy("replaying", (whole - stale) / whole) if stale > 1 else None

    def arrive(self) -> None:
        """All rows are there, though maybe without what they keep and lose."""
        self.busy = Busy("reading the facts") if self.facts.running else None
        if not self.sorted and not self.facts.running:
            self.sorted = True
            self.put_in_order()

    def put_in_order(self) -> None:
        """Put the rows in their order."""
        self.table = self.table.sorted_by(self.order, self.worst)

    def take_row(self, done: Worked) -> None:
        entry = next((each for each in self.table.entries if each.number == done.number), None)
        wanted = done.desk is self.desk and entry is not None and entry.preset == done.preset
        if wanted and entry is not None and (done.row is not None or done.failure):
            self.took, self.made = self.took + done.seconds, self.made + 1
            row = reweigh_result(done.row, self.weights) if done.row else entry.row
            self.table = self.table.with_entry(replace(entry, row=row, failure=done.failure, again=False))
        self.call_later(self.begin)

    def turn_to(self, entry: Entry, preset: Preset) -> None:
        """Set a row otherwise. Its old numbers stay, dim, until the new ones are there."""
        if self.working is not None and self.working.number == entry.number:
            self.given_up.set()
        self.table = self.table.with_entry(replace(entry, preset=preset, failure=""))
        self.begin()

    def watch_weights(self) -> None:
        """What is kept is counted anew; nothing has to be replayed for that."""
        entries = self.table.entries
        new = (replace(entry, row=reweigh_result(entry.row, self.weights)) if entry.row else entry for entry in entries)
        self.table = Table(tuple(new))
        if self.sorted:
            self.put_in_order()

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """The weights of some sessions are others now."""
        if self.desk.bench.session.id in sessions:
            self.weights = weights

    def on_unmount(self) -> None:
        self.given_up.set()


def _facts_of(desk: Desk) -> tuple[Desk, FactIndex | str]:
    """The facts of a session, or why they cannot be read."""
    try:
        return desk, desk.bench.fact_index()
    except OSError as error:
        return desk, f"The facts cannot be read: {error}."


def _worked(desk: Desk, entry: Entry, stop: Event) -> Worked:
    """Work out a row, in a thread."""
    try:
        subject, began = desk.subject, time.monotonic()
        found = run_trial(subject, entry.preset, CooperativeStop(stop).is_set)
        return Worked(desk, entry.number, entry.preset, found, seconds=time.monotonic() - began)
    except ReplayCancelled:
        return Worked(desk, entry.number, entry.preset)
    except Exception as error:  # stands in the row: one preset that fails must not take the others with it
        text = str(error) if isinstance(error, ValueError) else failure_sentence(error)
        return Worked(desk, entry.number, entry.preset, failure=text)
