"""Which thresholds fit recorded sessions: a grid of presets over folders of recordings, and what came of each.

usage: python -m tests.benchmarks.presets FOLDER… [--rows FILE] [--all] [--strategy NAME…] [--most N]

Sessions are parted into two halves by their ids: one to choose presets on, one to state figures on. A session counts
where the whole log of an agent is larger than SMALLEST tokens: else no preset has anything to do. For each preset:

cost      with the prompt cache, beside sending everything: the geometric mean of the sessions
misses    regrets and recalls in a hundred turns
peak      the largest window beside the model's: the mean, and the share of sessions in which it did not fit
idle      the share of sessions in which it never compressed
waits     the share of sessions in which compressing came to nothing
hasty     the share of sessions in which half of the compressions took what had only just been read
kept      the share of the facts that is kept at the end: the mean
going on  the answered share of the questions for going on, of the sessions in which it compressed: the mean

Without --all, only the presets that come with the project are tried; --strategy takes only some strategies of the grid.
--most takes the first sessions of each half, by a hash of their ids. --rows keeps the figures of each session, without
its name, in a file of JSON lines, or takes them from there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from itertools import product
from math import exp, log
from pathlib import Path

from inspector.analysis.experiments import TrialResult, TrialSetup, run_trial
from inspector.analysis.replay import NONE
from inspector.core.conversation import Session
from inspector.engine.compression import ADAPTIVE, BUILT_IN, Net, Preset, Share, Threshold
from inspector.engine.facts import FactIndex
from inspector.formats import UnreadableError, find, load
from inspector.library import exact_sizes
from inspector.llm.models import session_price

SMALLEST = 20_000
THRESHOLDS: tuple[Threshold, ...] = (
    *(30_000, 40_000, 60_000, 100_000),
    *map(Share, (30, 40, 50, 60, 70, 80, 90)),
    *map(Net, (10_000, 20_000, 30_000, 40_000, 60_000, 80_000, 100_000)),
    ADAPTIVE,
)
WAYS: tuple[tuple[str, float, int], ...] = (
    *(("sliding_window", ratio, keep) for ratio, keep in product((0.1, 0.2, 0.3, 0.5), (10, 20, 30))),
    *(("selective", ratio, keep) for ratio, keep in product((0.3, 0.5), (10, 20, 30))),
    ("summarize_half", 0.2, 20),
    ("pipeline", 0.3, 20),
    ("mask_observations", 0.3, 10),
)
"""Strategies with their ratio and how many of the newest messages they keep, where they ask for these."""


@dataclass(frozen=True)
class Row:
    """One preset on one agent's session. `session` is a number that tells nothing of it."""

    preset: str
    session: int
    is_for_choice: bool
    turns: int
    cost: float
    full_cost: float
    misses: int
    peak: int
    window: int
    compressions: int
    waits: bool
    is_hasty: bool
    retained: float
    going_on: float | None = None


def grid(strategies: Sequence[str] = ()) -> Iterator[Preset]:
    """Every threshold with every way of compressing, or those of some strategies."""
    for threshold, (strategy, ratio, keep) in product(THRESHOLDS, WAYS):
        if strategies and strategy not in strategies:
            continue
        settings = {"keep": keep} if strategy == "mask_observations" else {}
        yield Preset(f"{threshold} {strategy} {ratio:g} {keep}", threshold, ratio, keep, strategy, settings)


def sessions(folders: Iterable[Path]) -> Iterator[Session]:
    """Every session once."""
    ids: set[str] = set()
    for path in (path for folder in folders for path in find(folder)):
        try:
            found = load(path)
        except UnreadableError:
            continue
        for session in found:
            if session.id not in ids:
                ids.add(session.id)
                yield session


def is_for_choice(session: Session) -> bool:
    return blake2b(session.id.encode(), digest_size=1).digest()[0] % 2 == 0


def digest(session: Session) -> bytes:
    return blake2b(session.id.encode(), digest_size=8).digest()


def setups(folders: Iterable[Path], most: int = 0) -> Iterator[TrialSetup]:
    """Every agent's session that is large enough; of each half at most so many, 0 for all."""
    found = sorted(sessions(folders), key=digest) if most else sessions(folders)
    counts = Counter[bool]()
    for session in found:
        if most and counts[is_for_choice(session)] >= most:
            continue
        sizes = exact_sizes(session)
        facts = FactIndex(session)
        for agent in session.agents:
            setup = TrialSetup(session, sizes, session_price(session), agent, facts=facts)
            if session.turns(agent) and run_trial(setup, NONE).peak > SMALLEST:
                counts[is_for_choice(session)] += 1
                yield setup


def rows_of(folders: Iterable[Path], presets: Sequence[Preset], most: int = 0) -> Iterator[Row]:
    for number, setup in enumerate(setups(folders, most)):
        full = run_trial(setup, NONE)
        for preset in (NONE, *presets):
            yield row_of(run_trial(setup, preset), full, number, setup)


def row_of(result: TrialResult, full: TrialResult, number: int, setup: TrialSetup) -> Row:
    return Row(
        result.name,
        number,
        is_for_choice(setup.session),
        result.turns,
        result.cost,
        full.cost,
        result.misses,
        result.peak,
        setup.sizes.limit,
        result.compressions,
        bool(result.gave_up),
        bool(result.haste),
        result.retained,
        result.state.going_on,
    )


@dataclass(frozen=True)
class Figures:
    """What came of a preset over some sessions."""

    preset: str
    sessions: int
    cost: float
    misses: float
    peak: float
    unfit: float
    idle: float
    waits: float
    hasty: float
    retained: float
    going_on: float

    @classmethod
    def of(cls, preset: str, rows: Sequence[Row]) -> Figures:
        count = len(rows)
        return cls(
            preset,
            count,
            exp(sum(log(row.cost / row.full_cost) for row in rows if row.full_cost) / count),
            100 * sum(row.misses for row in rows) / sum(row.turns for row in rows),
            sum(row.peak / row.window for row in rows) / count,
            sum(row.peak > row.window for row in rows) / count,
            sum(not row.compressions for row in rows) / count,
            sum(row.waits for row in rows) / count,
            sum(row.is_hasty for row in rows) / count,
            sum(row.retained for row in rows) / count,
            _mean([row.going_on for row in rows if row.going_on is not None]),
        )

    @property
    def line(self) -> str:
        shares = (self.peak, self.unfit, self.idle, self.waits, self.hasty, self.retained, self.going_on)
        numbers = f"{self.cost:>7.0%} {self.misses:>7.1f}" + "".join(f" {share:>7.0%}" for share in shares)
        return f"{self.preset:<34} {self.sessions:>4} {numbers}"


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 1.0


HEADING = f"{'preset':<34} {'n':>4}" + "".join(
    f" {name:>7}" for name in ("cost", "misses", "peak", "unfit", "idle", "waits", "hasty", "kept", "goes on")
)


def figures(rows: Iterable[Row]) -> list[Figures]:
    """Of each preset, in the order of their first rows."""
    by_preset: dict[str, list[Row]] = {}
    for row in rows:
        by_preset.setdefault(row.preset, []).append(row)
    return [Figures.of(preset, group) for preset, group in by_preset.items()]


def front(rows: Sequence[Figures]) -> list[Figures]:
    """Those that no other one beats in cost and in misses, the cheapest first."""
    order = sorted(rows, key=lambda row: (row.cost, row.misses))
    best: list[Figures] = []
    for row in order:
        if not best or row.misses < best[-1].misses:
            best.append(row)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--strategy", action="append", default=[])
    parser.add_argument("--most", type=int, default=0)
    options = parser.parse_args()
    presets = [*BUILT_IN.values(), *(grid(options.strategy) if options.all else ())]
    rows = list(read_or_make(options.rows, options.folders, presets, options.most))
    for title, half in (("to choose on", True), ("to state figures on", False)):
        found = figures([row for row in rows if row.is_for_choice is half])
        print(f"\nsessions {title}\n{HEADING}")
        for row in found[: 1 + len(BUILT_IN)]:
            print(row.line)
        if options.all:
            print("nothing beats these in cost and misses:")
            for row in front([row for row in found if not row.unfit and row.hasty <= 0.1]):
                print(row.line)


def read_or_make(path: Path | None, folders: Iterable[Path], presets: Sequence[Preset], most: int = 0) -> Iterator[Row]:
    """The rows of a file where there is one, else all of them, kept in the file that is named."""
    if path and path.exists():
        for line in path.read_text().splitlines():
            yield Row(**json.loads(line))
        return
    for row in rows_of(folders, presets, most):
        if path:
            with path.open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")
        yield row


if __name__ == "__main__":
    main()
