"""A team's store with many generated sessions: listing, filtering, totals, search, opening and pushing.

    python -m tests.benchmarks.fleet --sessions 10000 100000 --messages 20
    python -m tests.benchmarks.fleet --sessions 10000 --shards 2

Rollups, parts and messages are generated on the server. Every time is the median of some runs, next to that of counting
all rollups on the same server; growth is the exponent between the smallest and the largest store. Opening a session is
compared with SQLite by the CPU of this process and of the server's, because other programs disturb the clock.
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from psycopg import connect

from inspector.core.conversation import Session
from inspector.library import PushOptions, fleet_stats, push_sessions, stored_ids
from inspector.store import ROLLUP_GROUPS, RollupPeriod, Store, TeamStore, TeamWriter, team_add, team_init
from tests.servers import PostgresServer, short_folder
from tests.store.made import chain
from tests.store.teams import data_servers, execute

RUNS = 5
PUSHED = 100
"""Sessions of 40 messages that are pushed."""
BATCH = 100_000
EVER = RollupPeriod()
SESSION = """
    INSERT INTO inspector.session (id, project, origin, source, has_text, changed, title, format, dialect, model,
        folder, line, records_system, agents, messages, turns, tokens, peak, compactions, settings, tools, problems)
    SELECT md5(n::text), 'project-' || n % 50, decode(md5(n::text), 'hex'), 'x', true, {time}, 'Session ' || n, 'made',
        'openai', 'model-' || n % 7, '/work', 0, true, 1, {messages}, {messages} / 2, 1000, 900, n % 3,
        '{{}}', '[]', '[]'
    FROM generate_series({first}, {last}) AS n"""
ROLLUP = """
    INSERT INTO inspector.rollup
    SELECT md5(n::text), 'postgres', 'main', 0, 1, {messages}, '', '', 'project-' || n % 50, '/work', 'made',
        'model-' || n % 7, 'desk', '', {time}, {time}, 9, {messages}, 9, n % 2, 5000 + n % 999, 900, 90, 400,
        0.01 * (n % 90), 9000, n % 3, 8000, 900, n % 5, 99, 0.001, 500, 700, n % 400, 0.0001
    FROM generate_series({first}, {last}) AS n"""
PART = """
    INSERT INTO inspector.rollup_part
    SELECT kind,
        CASE kind WHEN 'day' THEN substr({time}, 1, 10) ELSE kind || '-' || (n::bigint * 7919 + place) % size END,
        md5(n::text), 'main', 'postgres', 'project-' || n % 50, 1, {time}, 1 + n % 4, 500, 100, 0.01
    FROM generate_series({first}, {last}) AS n, (VALUES
        ('model', 7, 0), ('day', 1, 0), ('tool', 40, 1), ('tool', 40, 2), ('server', 9, 3), ('file', 900, 4),
        ('cause', 5, 5)
    ) AS kinds (kind, size, place)"""
MESSAGE = """
    INSERT INTO inspector.message
    SELECT md5(n::text), p, 'x', 'm' || p, 'main', 'user', {data} || body || '"}},"record":{{}}}}',
        to_tsvector('inspector.words', body)
    FROM generate_series({first}, {last}) AS n, generate_series(0, {messages} - 1) AS p, LATERAL (
        SELECT string_agg('word' || (n * 31 + p * 17 + w * w * 7) % 5000, ' ')
            || CASE WHEN p = 0 THEN ' unusual' || n % 1000 ELSE '' END
            AS body FROM generate_series(1, 25) AS w
    ) AS texts"""
DATA = (
    """'{{"id":"m' || p || '","role":"user","dialect":"openai","kind":"chat","name":"","answers":null,'"""
    """ || '"is_error":false,'"""
    """ || '"thinks":false,"preview":"","chars":150,"images":0,"agent":"main","parent":' || p - 1 || ',"time":"",'"""
    """ || '"model":"","has_flaw":null,"placeholder":null,"calls":[],"events":[],"usage":null,'"""
    """ || '"raw":{{"role":"user","content":"'"""
)
TIME = "to_char(timestamp '2025-01-01' + n % 500 * interval '1 day', 'YYYY-MM-DD') || 'T10:00:00Z'"


def fill(address: str, first: int, last: int, messages: int) -> None:
    """Generate sessions on the server."""
    with connect(address, autocommit=True) as connection:
        for start in range(first, last + 1, BATCH):
            values = {"time": TIME, "messages": messages, "first": start, "last": min(last, start + BATCH - 1)}
            for statement in (SESSION, ROLLUP, PART, MESSAGE.replace("{data}", DATA)):
                connection.execute(statement.format(**values).encode())
        connection.execute("VACUUM ANALYZE")


def cpu_of(process: int) -> int:
    """The nanoseconds of CPU that another process has used. On Linux."""
    return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0])


def cpu_seconds(work: Callable[[str], object], name: str, server: int = 0) -> float:
    """The median CPU of work with a session, with that of the process that serves it; 0 for none."""
    times = []
    for _ in range(31):
        began, served = time.process_time_ns(), cpu_of(server) if server else 0
        work(name)
        times.append(time.process_time_ns() - began + (cpu_of(server) - served if server else 0))
    return statistics.median(times) / 1e9


def characters(session: Session) -> int:
    return sum(len(message.text) for message in session.messages)


def open_speed(address: str, folder: Path) -> None:
    """Print what opening sessions takes for a role that reads texts, next to SQLite and to fetching the rows alone."""
    execute(address, "CREATE ROLE ana LOGIN")
    team_add(address, "ana", "text").apply()
    sizes = (40, 400, 4000)
    with Store(folder / "opened.db") as store, TeamWriter(address) as writer:
        for size in sizes:
            texts = (
                f"turn {turn} of {size} reads /work/file-{turn}.py and counts the lamps, " * 3 for turn in range(size)
            )
            store.add(chain(*texts, id=f"opened-{size}"))
        list(push_sessions(store, writer, stored_ids(store, ()), PushOptions(redacts=False)))
        readers = address.replace("postgres@", "ana@")
        with TeamStore(readers) as team, connect(readers, autocommit=True) as plain:
            [(process,)] = team._connection.query("SELECT pg_backend_pid()")
            [(plain_process,)] = plain.execute("SELECT pg_backend_pid()").fetchall()
            rows = b"SELECT data FROM inspector.message WHERE session_id = %s ORDER BY position"
            for name in (f"opened-{size}" for size in sizes):
                whole = cpu_seconds(lambda name: characters(team.load(name)), name, process)
                local = cpu_seconds(lambda name: characters(store.load(name)), name)
                alone = cpu_seconds(team.load, name, process)
                fetched = cpu_seconds(lambda name: plain.execute(rows, (name,)).fetchall(), name, plain_process)
                print(
                    f"{name} and read: {1000 * whole:.2f} ms, SQLite {1000 * local:.2f} ms ({whole / local:.2f} x),"
                    f" opened alone {1000 * alone:.2f} ms, its rows alone {1000 * fetched:.2f} ms"
                )
            empty = cpu_seconds(lambda _: plain.execute("SELECT 1").fetchall(), "", plain_process)
            print(f"an empty query: {1000 * empty:.2f} ms")


def seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def measure(address: str) -> dict[str, float]:
    """Return the seconds of each question."""
    with TeamStore(address) as team, connect(address, autocommit=True) as plain:
        some = team.sessions(1)[0].id
        figures = {
            "baseline: count all rollups": lambda: plain.execute(
                "SELECT count(*), sum(sent) FROM inspector.rollup"
            ).fetchall(),
            "list the newest 100": lambda: team.sessions(100),
            "list the newest 5,000": lambda: team.sessions(5000),
            "find by a prefix": lambda: team.find(some[:12]),
            "open a session": lambda: team.load(some),
            "search a rare word": lambda: team.search("unusual7"),
            "search a frequent word": lambda: team.search("word7"),
            "sessions of a project": lambda: team.rollups.sessions("project", "project-7", EVER, 100),
            "all totals of stats": lambda: fleet_stats(team, EVER),
            **{f"totals by {group}": lambda group=group: team.rollups.rows(group, EVER) for group in ROLLUP_GROUPS},  # type: ignore[misc]
        }
        return {name: seconds(work) for name, work in figures.items()}


def push_speed(address: str, folder: Path, messages: int = 40) -> None:
    """Print the messages per second of a push with redaction and without, and per second of the client's CPU."""
    for redacts in (True, False):
        with Store(folder / f"{redacts}.db") as store, TeamWriter(address) as writer:
            for number in range(PUSHED):
                texts = (
                    f"turn {turn} of {number} reads /work/file-{turn}.py and counts the lamps"
                    for turn in range(messages)
                )
                store.add(chain(*texts, id=f"pushed-{redacts}-{number}"))
            ids = stored_ids(store, ())
            list(push_sessions(store, writer, ids, PushOptions(stats_only=True)))  # adds up their totals
            began, cpu = time.perf_counter(), time.process_time()
            list(push_sessions(store, writer, ids, PushOptions(redacts)))
            total, took, cpu = PUSHED * messages, time.perf_counter() - began, time.process_time() - cpu
            how = "with redaction" if redacts else "without redaction"
            print(f"push {how}: {total / took:,.0f} messages/s, {total / cpu:,.0f} per second of CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--messages", type=int, default=20, help="messages of each session")
    parser.add_argument("--shards", type=int, default=0, help="servers that hold the sessions")
    options = parser.parse_args()
    with (
        short_folder() as place,
        tempfile.TemporaryDirectory() as folder,
        data_servers(options.shards) as others,
    ):
        server = PostgresServer(place)
        server.start()
        try:
            team_init(server.address, [other.address for other in others]).apply()
            rows, filled = [], 0
            for size in sorted(options.sessions):
                began = time.perf_counter()
                fill(server.address, filled + 1, size, options.messages)
                for other in others:
                    execute(other.address, "VACUUM ANALYZE")
                took = time.perf_counter() - began
                print(f"{size:,} sessions, {size * options.messages:,} messages (made in {took:.0f} s)", flush=True)
                filled = size
                rows.append(measure(server.address))
                base = rows[-1]["baseline: count all rollups"]
                for name, median in rows[-1].items():
                    growth = (
                        math.log(median / rows[0][name]) / math.log(size / min(options.sessions))
                        if len(rows) > 1
                        else 0
                    )
                    print(f"  {name:30} {1000 * median:9.1f} ms {median / base:8.2f} x baseline  growth {growth:5.2f}")
            push_speed(server.address, Path(folder))
            open_speed(server.address, Path(folder))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
