"""Cases of the benchmark on one conversation, each in a process of its own: prints a `Row` as JSON for each.

usage: python -m tests.benchmarks.peers_case MESSAGES BUDGET LIMIT FOLDER CASE...

What all cases need is made once, and each case begins as a copy of that process: nothing has looked at the messages
yet. Where processes cannot be copied, only one case may be asked for. Making the gists that summaries are written from
is a case of its own, `READING`; those behind it find them made, as they do in a session that is stored.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspector.engine.summaries.extractive.gist import gists
from inspector.llm.tokens.sizes import counter_for
from tests.benchmarks.conversations import conversation
from tests.benchmarks.peers_judge import Verdict, judge, tokens_of

OURS = "inspector "
"""What the names of our own cases begin with."""
READING = f"{OURS}reads for summaries"
RUNS = 9
ENOUGH = 1.0
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
    """What was built beforehand is nothing that the collector has to look at again, for anybody.

    In a copied process it also is when the memory itself is copied, so that no run pays for that.
    """
    gc.collect()
    gc.freeze()


class Cases:
    """The cases on one conversation."""

    def __init__(self, messages: int, budget: int, folder: Path, names: list[str]) -> None:
        self.messages = messages
        self.budget = budget
        self.raws = conversation(messages)
        if any(name.startswith(OURS) for name in names):
            from tests.benchmarks.peers_ours import session_of, sizes_of

            self.session = session_of(self.raws)
            self.sizes = sizes_of(self.session, folder)

    def prepare(self, case: str) -> Callable[[], Row]:
        """What measures a case."""
        return self.own_row(case) if case.startswith(OURS) else self.peer_row(case)

    def read(self) -> Row:
        """Make the gists for all cases to come."""
        return Row(READING, self.messages, timed(lambda: gists(self.session.messages)))

    def peer_row(self, case: str) -> Callable[[], Row]:
        from tests.benchmarks.peers_others import PEERS

        peer = PEERS[case]
        fresh = peer.prepare(self.raws, self.budget)

        def measure() -> Row:
            sent: list[Any] = []
            run = fresh()
            first = timed(lambda: sent.extend(run()))
            best = first if first > TOO_LONG else min(first, quickest(fresh))
            lines = list(peer.lines(sent))
            verdict = judge(lines, tokens_of(lines, counter_for("gpt-4o")), apart=peer.apart)
            return Row(case, self.messages, first, best, verdict=verdict)

        return measure

    def own_row(self, case: str) -> Callable[[], Row]:
        from tests.benchmarks.peers_ours import Bench

        bench = Bench(case.removeprefix(OURS), self.session, self.sizes, self.budget)

        def measure() -> Row:
            first = timed(bench.fresh())
            note, verdict = bench.note(), bench.verdict()
            if first > TOO_LONG:
                return Row(case, self.messages, first, first, verdict=verdict, note=note)
            new = min(first, quickest(bench.fresh))
            window = bench.window()
            bench.run(window)
            best = quickest(lambda: bench.fresh(window))
            plan = quickest(lambda: bench.planning(window))
            return Row(case, self.messages, first, best, plan, new, verdict, note)

        return measure


def say(row: Row) -> None:
    print(json.dumps(asdict(row)), flush=True)


def run_case(cases: Cases, case: str, limit: float) -> None:
    """Measure a case in this process, which ends where that takes more than `limit` seconds; 0 is no limit."""
    try:
        measure = cases.prepare(case)
        settle()
        if limit:
            alarm = threading.Timer(limit, give_up, (case, cases.messages, limit))
            alarm.daemon = True
            alarm.start()
        row = measure()
        if limit:
            alarm.cancel()
        say(row)
    except Exception as error:  # whatever a peer raises: its row says so, and the others have their turn
        say(Row(case, cases.messages, note=f"failed: {type(error).__name__}: {error}"))


def give_up(case: str, messages: int, limit: float) -> None:
    say(Row(case, messages, over=limit))
    os._exit(0)


def run_in_copy(cases: Cases, case: str, limit: float) -> None:
    """Measure a case in a copy of this process."""
    copy = os.fork()
    if not copy:
        run_case(cases, case, limit)
        sys.stdout.flush()
        os._exit(0)
    _, status = os.waitpid(copy, 0)
    if os.WIFSIGNALED(status):
        say(Row(case, cases.messages, note=f"failed: {signal.Signals(os.WTERMSIG(status)).name}"))


def main() -> None:
    messages, budget, limit, folder, *names = sys.argv[1:]
    cases = Cases(int(messages), int(budget), Path(folder), names)
    run = run_in_copy if hasattr(os, "fork") else run_case
    for name in names:
        if name == READING:
            say(cases.read())
        else:
            run(cases, name, float(limit))


if __name__ == "__main__":
    main()
