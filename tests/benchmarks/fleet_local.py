"""The store of one machine with the totals of many generated sessions: what `stats` asks, putting and removing.

    python -m tests.benchmarks.fleet_local --sessions 10000 100000 1000000

Sessions without messages, their rollups and parts are generated in SQL. Every time is the median of some runs of the
CPU; growth is the exponent between the smallest and the largest store.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from inspector.library import fleet_stats
from inspector.store import ROLLUP_GROUPS, RollupPeriod, Store

RUNS = 5
EVER = RollupPeriod()
_TIME = "date('2025-01-01', '+' || (n % 500) || ' days') || 'T10:00:00Z'"
_NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})"
_ID = "printf('%08x', n * 2654435761 % 4294967296)"
_SESSION = f"""{_NUMBERS} INSERT INTO session (id, recorded_id, title, format, dialect, model, path, line,
    records_system, agents, messages, turns, compactions, changed, imported_at, digested_by, settings, tools, problems)
    SELECT {_ID}, 'x', 'Session ' || n, 'made', 'openai', 'model', '/tmp/x', 0, 1,
        1, 40, 20, 0, {_TIME}, {_TIME}, 'x', '{{{{}}}}', '[]', '[]' FROM numbers"""
_AGENTS = "(SELECT 'main' AS agent, 0 AS place, 1 AS every UNION ALL SELECT 'helper', 1, 2)"
_ROLLUP = f"""{_NUMBERS} INSERT INTO rollup
    SELECT {_ID}, agent, place, 2, 40, 'Session ' || n, '/tmp/x',
        'project-' || (n % 50), '/work', 'made', 'model-' || (n % 7), 'desk', '', {_TIME}, {_TIME}, 9, 40, 9, n % 2,
        5000 + n % 999, 900, 90, 400, 0.01 * (n % 90), 9000, n % 3, 8000, 900, n % 5, 99, 0.001, 500, 700,
        n % 400, 0.0001
    FROM numbers, {_AGENTS} WHERE n % every = 0"""
_PART = f"""{_NUMBERS} INSERT INTO rollup_part
    SELECT kind, CASE kind WHEN 'day' THEN substr({_TIME}, 1, 10) ELSE kind || '-' || ((n * 7919 + part) % size) END,
        {_ID}, agent, place = 0, {_TIME}, 1 + n % 4, 500, 100, 0.01
    FROM numbers, {_AGENTS}, (
        SELECT 'model' AS kind, 7 AS size, 0 AS part UNION ALL SELECT 'day', 1, 0 UNION ALL SELECT 'tool', 40, 1
        UNION ALL SELECT 'tool', 40, 2 UNION ALL SELECT 'server', 9, 3 UNION ALL SELECT 'file', 900, 4
        UNION ALL SELECT 'cause', 5, 5
    ) WHERE n % every = 0"""


def fill(store: Store, first: int, last: int) -> None:
    """Generate sessions and their totals."""
    with store._connections.use() as connection:
        connection.execute("PRAGMA cache_size = -500000")
        connection.execute("PRAGMA synchronous = OFF")
        for statement in (_SESSION, _ROLLUP, _PART):
            connection.execute(statement.format(first=first, last=last))
        connection.execute("PRAGMA cache_size = -2000")


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def measure(store: Store, size: int) -> dict[str, float]:
    """Return the CPU seconds of each question."""
    rollups = store.rollups
    some = f"{size // 2 * 2654435761 % 4294967296:08x}"
    questions: dict[str, Callable[[], object]] = {
        "total": lambda: rollups.total(EVER),
        **{f"totals by {group}": partial(rollups.rows, group, EVER) for group in ROLLUP_GROUPS},
        "sessions of a project": lambda: rollups.sessions("project", "project-7", EVER, 100),
        "sessions that are not added up": lambda: rollups.stale(2),
        "all totals of stats": lambda: fleet_stats(store, EVER),
        "read and put the totals of a session": lambda: rollups.put(some, rollups.of_session(some)),
    }
    return {name: seconds(work) for name, work in questions.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "inspector.db") as store:
        rows, filled = [], 0
        for size in sorted(options.sessions):
            began = time.process_time()
            fill(store, filled + 1, size)
            took = time.process_time() - began
            print(f"{size:,} sessions ({1e6 * took / (size - filled):,.0f} us for each)", flush=True)
            filled = size
            rows.append(measure(store, size))
            for name, median in rows[-1].items():
                ratio = math.log(size / min(options.sessions))
                growth = math.log(median / rows[0][name]) / ratio if ratio else 0
                print(f"  {name:36} {1000 * median:9.2f} ms  growth {growth:5.2f}", flush=True)


if __name__ == "__main__":
    main()
