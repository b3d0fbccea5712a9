"""Inspector's strategies beside other people's memories, in one run: how long, and is what comes out valid.

usage: python -m tests.benchmarks.peers [--json] [--slow] [--sizes 2000,20000,200000] [--only WORD] [--limit SECONDS]

Every case runs alone in a process of its own, in an environment of the benchmark's own (build/peers-venv, made from the
package registry the first time). All get the same generated conversation and a budget of 100,000 tokens. A case that
takes longer than the limit is given up and says so; `--slow` waits for the peers that are known to need minutes. On two
cores that do nothing else it takes five minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from tests.benchmarks.peers_case import OURS, READING, Row
from tests.benchmarks.peers_environment import Environment
from tests.benchmarks.peers_judge import Verdict
from tests.benchmarks.peers_others import PEERS
from tests.benchmarks.peers_ours import names, summarises

BUDGET = 100_000
LIMIT = 20.0
"""Seconds: a thousand times what ours may take. Four peers reach it."""
SIZES = (2_000, 20_000, 200_000)
LARGEST_FOR_PEERS = 20_000
GOAL, GOAL_AT = 20.0, 20_000
"""Milliseconds that a strategy without a summary may take at so many messages with its counts cached."""


def cases(sizes: Sequence[int], only: str) -> Iterator[tuple[int, list[str]]]:
    """Cases that share a conversation, with its size: peers, slow peers, ours; those that write a summary last."""
    for size in sizes:
        peers = [peer for peer in PEERS if only in peer and size <= LARGEST_FOR_PEERS]
        ours = [name for name in names() if only in OURS + name]
        writers = [OURS + name for name in ours if summarises(name)]
        groups = [
            [peer for peer in peers if not PEERS[peer].slow],
            [peer for peer in peers if PEERS[peer].slow],
            [OURS + name for name in ours if not summarises(name)] + [READING] * bool(writers) + writers,
        ]
        for group in filter(None, groups):
            yield from [(size, group)] if hasattr(os, "fork") else [(size, [case]) for case in group]


def measured(environment: Environment, size: int, group: Sequence[str], limit: float) -> Iterator[Row]:
    """The rows of cases on one conversation; one that fails says so in its note."""
    rest = list(group)
    arguments = (str(size), str(BUDGET), str(limit), str(environment.counts), *group)
    try:
        for text in environment.run("tests.benchmarks.peers_case", *arguments):
            values: dict[str, Any] = json.loads(text)
            verdict = values.pop("verdict")
            rest.remove(values["case"])
            yield Row(**values, verdict=Verdict(**verdict) if verdict else None)
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:]
        yield from (Row(case, size, note=f"failed: {''.join(last)}") for case in rest)


# the table

HEAD = (
    f"{'':<46}{'first':>10}{'new':>10}{'best':>10}{'plan':>9}{'left':>9}{'tokens':>12}"
    f"{'orphans':>9}{'unansw.':>9}{'system':>8}  {'opens':<10}valid"
)


def milliseconds(value: float | None, row: Row) -> str:
    if row.over is not None:
        return f"> {row.over:,.0f} s"
    return "" if value is None else f"{value:,.1f}"


def line(row: Row) -> str:
    times = f"{milliseconds(row.first, row):>10}"
    if row.over is None:
        times += f"{milliseconds(row.new, row):>10}{milliseconds(row.best, row):>10}{milliseconds(row.plan, row):>9}"
    text = f"{row.case:<46}{times}"
    if (found := row.verdict) is not None:
        text += f"{found.left:>9,}{found.tokens:>12,}{found.orphans:>9,}{found.unanswered:>9,}"
        text += f"{found.system:>8}  {found.opens:<10}{'yes' if found.valid else 'NO'}"
    return f"{text}  {row.note}".rstrip()


def growth(rows: Sequence[Row]) -> Iterator[str]:
    """Which of our strategies reach the goal, and how their times grow with the messages."""
    times = {(row.case, row.messages): row.best for row in rows if row.best and row.case.startswith(OURS)}
    for name in dict.fromkeys(case for case, _ in times):
        known = sorted((size, best) for (case, size), best in times.items() if case == name)
        factors = [
            f"{small:,} to {large:,}: {after / before / (large / small):.2f}"
            for (small, before), (large, after) in pairwise(known)
        ]
        at_goal = times.get((name, GOAL_AT))
        met = "" if at_goal is None else f"{at_goal:8.1f} ms  {told(name, at_goal)}"
        if met or factors:
            yield f"{name:<46}{met:<28}{'   '.join(factors)}".rstrip()


def told(name: str, best: float) -> str:
    if summarises(name.removeprefix(OURS)):
        return "with a summary"
    return "met" if best <= GOAL else "NOT MET"


def main() -> None:
    asked = parser().parse_args()
    environment = Environment()
    environment.ready()
    rows: list[Row] = []
    shown = 0
    if not asked.json:
        print(intro(environment, asked.limit))
    for size, group in cases(asked.sizes, asked.only):
        waits = asked.slow and group[0] in PEERS and PEERS[group[0]].slow
        for row in measured(environment, size, group, 0 if waits else asked.limit):
            rows.append(row)
            if asked.json:
                continue
            if size != shown:
                print(f"\n{size:,} messages\n{HEAD}")
                shown = size
            print(line(row), flush=True)
    if asked.json:
        print(json.dumps({"versions": environment.versions(), "rows": [asdict(row) for row in rows]}, indent=2))
        return
    if lines := list(growth(rows)):
        print(f"\nat {GOAL_AT:,} messages (goal: {GOAL:.0f} ms), and growth per message (1 is linear)")
        print("\n".join(lines))


def intro(environment: Environment, limit: float) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in environment.versions().items())
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{versions}; Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load}\n"
        f"budget {BUDGET:,} tokens, milliseconds; a case is given up after {limit:,.0f} s\n"
        "first: in a process that has not looked yet, counts cached, and for a summary what was read for it.\n"
        "new: best on a window never looked at. best: of several, same window. plan: of best, drafting alone.\n"
        "apart: the memory is never handed the system prompt."
    )


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__.splitlines()[0])
    found.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    found.add_argument("--slow", action="store_true", help="wait for the peers that need minutes")
    found.add_argument("--limit", type=float, default=LIMIT, help="seconds after which a case is given up")
    found.add_argument("--only", default="", help="cases with this word in their name")
    found.add_argument(
        "--sizes", type=lambda text: tuple(int(each) for each in text.split(",")), default=SIZES, help="messages"
    )
    return found


if __name__ == "__main__":
    main()
