"""One case of the benchmark, in a process of its own: prints a `Row` as JSON.

usage: python -m tests.benchmarks.peers_case CASE MESSAGES BUDGET LIMIT FOLDER
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspector.tokens.sizes import counter_for
from tests.benchmarks.conversations import conversation
from tests.benchmarks.peers_judge import Verdict, judge, tokens_of

OURS = "inspector "
"""What the names of our own cases begin with."""
RUNS = 9
ENOUGH = 3.0
"""Seconds after which no further run is begun."""
TOO_LONG = 10_000.0
"""Milliseconds of a first run after which there is no second one."""


@dataclass(frozen=True)
class Row:
    """What a case gave. Times in milliseconds; None where there is none."""

    case: str
    messages: int
    first: float | None = None
    """The very first run in a fresh process."""
    best: float | None = None
    """The quickest of several."""
    plan: float | None = None
    """Of `best`, for our own strategies: drafting the plan, without applying it."""
    new: float | None = None
    """For our own strategies: the quickest on a window that nobody has looked at before."""
    verdict: Verdict | None = None
    note: str = ""
    over: float | None = None
    """Seconds after which it was given up."""


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


def quickest(fresh: Callable[[], Callable[[], Any]]) -> float:
    """Milliseconds of the quickest of several runs."""
    times: list[float] = []
    start = time.perf_counter()
    while not times or (len(times) < RUNS and time.perf_counter() - start < ENOUGH):
        run = fresh()
        gc.collect()
        times.append(timed(run))
    return min(times)


def settle() -> None:
    """What was built beforehand is nothing that the collector has to look at again, for anybody."""
    gc.collect()
    gc.freeze()


def peer_row(case: str, messages: int, budget: int) -> Callable[[], Row]:
    from tests.benchmarks.peers_others import PEERS

    peer = PEERS[case]
    fresh = peer.prepare(conversation(messages), budget)

    def measure() -> Row:
        kept: list[Any] = []
        run = fresh()
        first = timed(lambda: kept.extend(run()))
        best = first if first > TOO_LONG else min(first, quickest(fresh))
        lines = list(peer.lines(kept))
        verdict = judge(lines, tokens_of(lines, counter_for("gpt-4o")), apart=peer.apart)
        return Row(case, messages, first, best, verdict=verdict)

    return measure


def own_row(case: str, messages: int, budget: int, folder: Path) -> Callable[[], Row]:
    from tests.benchmarks.peers_ours import Bench

    bench = Bench(case.removeprefix(OURS), conversation(messages), budget, folder)

    def measure() -> Row:
        first = timed(bench.fresh())
        note, verdict = bench.note(), bench.verdict()
        if first > TOO_LONG:
            return Row(case, messages, first, first, verdict=verdict, note=note)
        new = min(first, quickest(bench.fresh))
        window = bench.window()
        bench.run(window)
        best = quickest(lambda: bench.fresh(window))
        plan = quickest(lambda: bench.planning(window))
        return Row(case, messages, first, best, plan, new, verdict, note)

    return measure


def give_up(case: str, messages: int, limit: float) -> None:
    print(json.dumps(asdict(Row(case, messages, over=limit))), flush=True)
    os._exit(0)


def main() -> None:
    case, messages, budget, limit, folder = sys.argv[1:]
    count, seconds = int(messages), float(limit)
    ours = case.startswith(OURS)
    measure = own_row(case, count, int(budget), Path(folder)) if ours else peer_row(case, count, int(budget))
    settle()
    alarm = threading.Timer(seconds, give_up, (case, count, seconds))
    alarm.daemon = True
    if seconds:
        alarm.start()
    row = measure()
    alarm.cancel()
    print(json.dumps(asdict(row)))


if __name__ == "__main__":
    main()
