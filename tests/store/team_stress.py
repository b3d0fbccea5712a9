"""Several machines push to a team's store at once, while their programs are killed and the server is stopped.

    python -m tests.store.team_stress --stores 3 --sessions 2000 --kills 10 --stops 2

In the end the team's store must be the same as one that was filled without any of it.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from psycopg import Error, connect

from inspector.library import PushOptions, push_sessions, stored_ids
from inspector.store import RollupPeriod, Store, StoreError, TeamStore, TeamWriter, team_init
from tests import warm
from tests.places import ROOT
from tests.servers import PATIENCE, PostgresServer, short_folder
from tests.store.made import chain
from tests.store.test_store_rollups import rollup

CONTENT = "SELECT session_id, position, digest FROM inspector.message ORDER BY 1, 2"
SESSIONS = "SELECT id, project, messages, has_text FROM inspector.session ORDER BY 1"
TOTALS = "SELECT session_id, agent, project, calls, sent FROM inspector.rollup ORDER BY 1, 2"
WAIT = 900.0


def make_stores(folder: Path, stores: int, sessions: int) -> list[Path]:
    """Make stores with sessions of their own, and a tenth that all of them have."""
    paths = []
    for number in range(stores):
        paths.append(folder / f"{number}.db")
        with Store(paths[-1]) as store:
            for place in range(sessions):
                name = f"shared-{place}" if place % 10 == 0 else f"own-{number}-{place}"
                words = random.Random(name).choices(("lamp", "pier", "mole", "crane", "harbour"), k=5 + place % 7)
                added = store.add(chain(*(f"{word} of {name}" for word in words), id=name))
                store.rollups.put(added.id, [rollup(rules=99, logged=len(words))])
    return paths


@dataclass
class Tally:
    """Counts of a run."""

    kills: int = 0
    stops: int = 0
    reads: int = 0
    lost: int = 0
    """Reads and pushes that failed with a sentence because the server was away."""
    faults: list[str] = field(default_factory=list)


def read(address: str, tally: Tally, is_over: threading.Event) -> None:
    """Read until the pushes are over. Each session that is listed must be whole."""
    while not is_over.is_set():
        try:
            with TeamStore(address) as team:
                for row in team.sessions(20):
                    if len(team.load(row.id).messages) < row.messages:
                        tally.faults.append(f"{row.id} is not whole")
                team.search("harbour lamp")
                team.rollups.total(RollupPeriod())
            tally.reads += 1
        except StoreError:
            tally.lost += 1
            time.sleep(0.05)


def push_until_done(path: Path, address: str, tally: Tally, kills: int) -> None:
    """Push a store by programs, of which some are killed after a batch was written, until one ends well."""
    command = ["-m", "inspector", "push", "--all", "--db", path, "--to", address]
    deadline = time.monotonic() + WAIT * (kills + 5)
    while time.monotonic() < deadline:
        program = warm.Program(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if kills and wait_for_more(address, program):
            program.kill()
            kills -= 1
            tally.kills += 1
        if program.wait(WAIT) == 0:
            return
        tally.lost += 1
    tally.faults.append(f"{path.name} was not pushed")


def wait_for_more(address: str, program: subprocess.Popen[bytes]) -> bool:
    """Wait until a message was written; False if the program ended before."""
    before = count(address)
    while program.poll() is None:
        if count(address) != before:
            return True
        time.sleep(0.01)
    return False


def count(address: str) -> int:
    try:
        with connect(address, autocommit=True) as connection:
            row = connection.execute("SELECT count(*) FROM inspector.message").fetchone()
            return int(row[0]) if row else 0
    except Error:
        return -1


def content(address: str) -> list[list[tuple[object, ...]]]:
    with connect(address, autocommit=True) as connection:
        return [connection.execute(query.encode()).fetchall() for query in (SESSIONS, CONTENT, TOTALS)]


def run(folder: Path, server: PostgresServer, stores: int, sessions: int, kills: int, stops: int) -> Tally:
    """Push together, disturbed, and compare with an undisturbed push. Returns the counts, and the faults."""
    paths, tally = make_stores(folder, stores, sessions), Tally()
    addresses = []
    for name in ("disturbed", "calm"):
        with connect(server.address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        addresses.append(server.address.replace("/postgres?", f"/{name}?"))
        team_init(addresses[-1]).apply()
    disturbed, calm = addresses
    is_over = threading.Event()
    reader = threading.Thread(target=read, args=(disturbed, tally, is_over))
    pushers = [
        threading.Thread(
            target=push_until_done, args=(path, disturbed, tally, kills // stores + (place < kills % stores))
        )
        for place, path in enumerate(paths)
    ]
    for thread in (reader, *pushers):
        thread.start()
    for _ in range(stops):
        before = count(disturbed)
        while any(thread.is_alive() for thread in pushers) and count(disturbed) <= before:
            time.sleep(0.01)
        server.stop()
        server.start()
        tally.stops += 1
    for thread in pushers:
        thread.join(WAIT * (kills + 5))
    is_over.set()
    reader.join(PATIENCE)
    for path in paths:
        for address in (disturbed, calm):
            with Store(path) as store, TeamWriter(address) as writer:
                outcomes = list(push_sessions(store, writer, stored_ids(store, ()), PushOptions()))
                tally.faults += [outcome.problem for outcome in outcomes if outcome.problem]
                shared = sum(outcome.is_sent for outcome in outcomes if not outcome.session.startswith("shared"))
                if address == disturbed and shared:
                    tally.faults.append(f"{shared} sessions of {path.name} were sent again")
    for ours, theirs, what in zip(content(disturbed), content(calm), ("sessions", "messages", "totals"), strict=True):
        if ours != theirs:
            tally.faults.append(f"{what} differ: {len(ours)} and {len(theirs)}")
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("stores", 3), ("sessions", 2000), ("kills", 10), ("stops", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with short_folder() as place, tempfile.TemporaryDirectory() as folder:
        server = PostgresServer(place)
        server.start()
        try:
            began = time.monotonic(), os.times()
            tally = run(Path(folder), server, options.stores, options.sessions, options.kills, options.stops)
            print(f"{time.monotonic() - began[0]:.0f} s; {tally}")
            raise SystemExit(bool(tally.faults))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
