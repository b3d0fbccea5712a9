"""Commands at one store at the same time, commands that are killed while they write, and commands on a full disk.

    python -m tests.store.stress --kills 200 --minutes 10 --processes 5

Every command runs in a process of its own, forked from a warm one. Then the store is whole, every killed command was
done as a whole or not at all, and nothing that a command reported as done is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.store import Store
from inspector.store.connections import files_of
from inspector.store.integrity import check_store
from tests.cli.calling import chat, written
from tests.fuzz.stores import FILE, make_base, warm_up

CHANGING: dict[str, list[str]] = {
    "import": ["import", "NEW"],
    "apply": ["compress", "FILE", "--strategy", "sliding_window", "--apply"],
    "undo": ["undo", "FILE"],
    "pin": ["pin", "FILE", "50"],
    "drop": ["drop", "FILE", "49"],
    "promote": ["memory", "promote", "2"],
    "memory pin": ["memory", "pin", "1"],
    "forget": ["memory", "forget", "1", "--yes"],
    "rm": ["rm", "FILE", "--yes"],
    "prune": ["store", "prune", "--older", "1d", "--yes"],
    "backup": ["store", "backup", "BACKUP"],
    "repair": ["store", "repair", "--replace"],
}
TABLES = ("session", "message", "plan", "plan_fate", "plan_message", "memory")
_WRITES = (
    "INSERT",
    "UPDATE",
    "DELETE",
    "REPLACE",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DROP",
    "SAVEPOINT",
    "RELEASE",
    "VACUUM",
)
_FILE_EVENTS = ("os.rename", "os.link", "os.remove", "os.truncate", "shutil.move", "shutil.copyfile")
KNOWN = {0, 1, 2, 3}
PATIENCE = 300
"""Seconds after which a command hangs."""


@dataclass
class Faults:
    """Points of a program at which it writes: statements that change a store, and changes of files."""

    kill_at: int = 0
    """Number of the point at which the program ends itself; 0 for none."""
    path: Path | None = None
    """A store whose rows are counted at each point."""
    max_pages: int = 0
    """Size from which on the store's disk is full, in pages; 0 for no limit."""
    points: int = 0
    states: set[tuple[int, ...]] = field(default_factory=set)
    is_counting: bool = False

    def install(self) -> None:
        connect = sqlite3.connect

        def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*arguments, **options)
            if not self.is_counting:
                if self.max_pages:
                    with suppress(sqlite3.Error):
                        connection.execute(f"PRAGMA max_page_count = {self.max_pages}").fetchall()
                connection.set_trace_callback(self.on_statement)
            return connection

        sqlite3.connect = watched  # type: ignore[assignment]
        sys.addaudithook(lambda event, _: self.on_point() if event in _FILE_EVENTS else None)

    def on_statement(self, statement: str) -> None:
        if statement.lstrip().upper().startswith(_WRITES):
            self.on_point()

    def on_point(self) -> None:
        if self.is_counting:
            return
        self.points += 1
        if self.path is not None:
            self.is_counting = True
            self.states.add(rows_of(self.path))
            self.is_counting = False
        if self.points == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def rows_of(path: Path) -> tuple[int, ...]:
    """Return the number of rows of the tables that commands change."""
    with closing(sqlite3.connect(path)) as connection:
        return tuple(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES)


def command(words: list[str], place: Path, store: Path, faults: Faults | None = None) -> tuple[int, str]:
    """Run a command in a forked process. Returns its exit code, a signal as a negative number, and its output."""
    output = place / f"output-{os.getpid()}"
    child = os.fork()
    if child == 0:
        _in_child(words, place, store, output, faults)
    until = time.monotonic() + PATIENCE
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), output.read_text(errors="replace")
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.003)


def _in_child(words: list[str], place: Path, store: Path, output: Path, faults: Faults | None) -> None:
    code = 70
    try:
        file = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(file, 1)
        os.dup2(file, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.environ.update(INSPECTOR_DB=str(store), HOME=str(place), CLAUDE_CONFIG_DIR=str(place / "none"))
        from inspector.cli import main

        names = {"FILE": place / FILE, "NEW": place / "new.json", "BACKUP": place / "kept.backup"}
        sys.argv = ["inspector", *(str(names.get(word, word)) for word in words)]
        if faults:
            faults.install()
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 71
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        if faults and faults.path:
            faults.is_counting = True
            summary = [faults.points, sorted({*faults.states, rows_of(faults.path)})]
            (place / "points.json").write_text(json.dumps(summary), encoding="utf-8")
        os._exit(code)


# killed at every point


def fresh(base: Path, place: Path, name: str) -> Path:
    """Return a copy of the base store for a command, damaged for a repair."""
    store = place / "store.db"
    for old in (*files_of(store), *place.glob("kept.backup*"), *place.glob("store.*")):
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink(missing_ok=True)
    shutil.copyfile(base, store)
    store.chmod(0o600)
    if name == "repair":
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE message SET parent = position WHERE position = 1")
    return store


def killed(
    kills: int,
    place: Path,
    base: Path,
    seed: int,
    report: Callable[[str], None],
    names: Sequence[str] = tuple(CHANGING),
) -> int:
    """Kill commands at points where they write. Returns the number of kills.

    Raises:
        AssertionError: A store was not whole, a command was done by half, or its repetition failed.
    """
    written(place / "new.json", chat(steps=30))
    plans: dict[str, tuple[int, set[tuple[int, ...]]]] = {}
    for name in names:
        words = CHANGING[name]
        store = fresh(base, place, name)
        faults = Faults(path=store)
        code, output = command(words, place, store, faults)
        assert code == 0, f"{name} ended with {code}: {output[-500:]}"
        points, states = json.loads((place / "points.json").read_text(encoding="utf-8"))
        plans[name] = points, {tuple(state) for state in states}
    report(", ".join(f"{name} {points} points" for name, (points, _) in plans.items()))
    random, done, number = Random(seed), 0, 0
    while done < kills:
        name = names[number % len(names)]
        number += 1
        points, states = plans[name]
        point = random.randint(1, max(points, 1))
        store = fresh(base, place, name)
        before = store.read_bytes()
        code, output = command(CHANGING[name], place, store, Faults(kill_at=point))
        if code != -signal.SIGKILL:  # the points of a run can differ by a few
            assert code in KNOWN, f"{name} ended with {code}: {output[-500:]}"
            assert number < 3 * kills + 100, f"{name} is not killed at point {point} of {points}"
            continue
        done += 1
        where = f"{name} was killed at point {point} of {points}"
        if name == "repair" and store.read_bytes() == before:
            assert command(CHANGING[name], place, store)[0] == 0, where
        assert check_store(store).whole, f"{where}: the store is damaged"
        assert rows_of(store) in states, f"{where}: {rows_of(store)} is not one of {states}"
        backup = place / "kept.backup"
        assert not backup.exists() or check_store(backup).whole, f"{where}: the backup is damaged"
        backup.unlink(missing_ok=True)
        code, output = command(CHANGING[name], place, store)
        assert code in KNOWN and "Traceback" not in output, f"{where}, then ended with {code}: {output[-500:]}"
        assert check_store(store).whole, f"{where}: the store is damaged after the repetition"
    return done


def on_full_disk(place: Path, base: Path, names: Sequence[str] = tuple(CHANGING)) -> int:
    """Run changing commands on a disk without a free page. Returns the number of commands that were refused.

    Raises:
        AssertionError: A store was not whole, or a command ended without a sentence.
    """
    refused = 0
    written(place / "new.json", chat(steps=200))
    for name in names:
        store = fresh(base, place, name)
        with closing(sqlite3.connect(store)) as connection:
            connection.execute("VACUUM")
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
        before = rows_of(store)
        code, output = command(CHANGING[name], place, store, Faults(max_pages=pages))
        assert code in KNOWN and "Traceback" not in output, f"{name} ended with {code}: {output[-500:]}"
        assert name == "repair" or check_store(store).whole, f"{name}: the store is damaged"
        if code == 1:
            refused += 1
            assert output.strip() and rows_of(store) == before, f"{name}: {rows_of(store)} instead of {before}"
    return refused


# at the same time


def at_once(processes: int, seconds: float, place: Path, base: Path, seed: int, rounds: int = 0) -> dict[str, int]:
    """Let processes change one store for a time, or a number of rounds. Returns how often each action was done.

    Raises:
        AssertionError: The store is not whole, or something that was acknowledged is missing.
    """
    store = fresh(base, place, "")
    with Store(store) as opened:
        shared = next(row.id for row in opened.sessions() if row.path.endswith(FILE))
        plans_before = len(opened.plans(shared, "main"))
    until = time.monotonic() + seconds
    children = []
    for number in range(processes):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _act(number, until, rounds, place, store, Random(f"{seed} {number}"))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * processes, "a process failed"
    acknowledged = [json.loads((place / f"done-{number}.json").read_text()) for number in range(processes)]
    assert check_store(store).whole, "the store is damaged"
    totals: dict[str, int] = {}
    with Store(store) as opened:
        paths = {Path(row.path).name: row for row in opened.sessions()}
        facts = {entry.text for entry in opened.memories()}
        for number, done in enumerate(acknowledged):
            for name, messages in done["imported"].items():
                stored = len(opened.load(paths[name].id).messages) if name in paths else 0
                assert stored == messages, f"{name} has {stored} messages instead of {messages}"
            own = f"own-{number}.json"
            stack = len(opened.plans(paths[own].id, "main")) if own in paths else 0
            assert stack == done["stack"] or done["unsure"], (
                f"{own} has {stack} plans, and {done['stack']} were reported"
            )
            assert set(done["facts"]) <= facts, "a memory is missing"
            calls = sum(1 for line in (place / f"capture-{number}.jsonl").open(encoding="utf-8"))
            assert calls == done["calls"], f"{calls} calls were captured, and {done['calls']} were acknowledged"
            for name, count in done["actions"].items():
                totals[name] = totals.get(name, 0) + count
        shared_plans = len(opened.plans(shared, "main")) - plans_before
    assert shared_plans == sum(done["shared"] for done in acknowledged), "a plan of the shared session is missing"
    return totals


def _act(number: int, until: float, rounds: int, place: Path, store: Path, random: Random) -> None:
    """Do random actions, and write down what was acknowledged."""
    done: dict[str, Any] = {
        **{"imported": {}, "stack": 0, "unsure": 0, "facts": [], "calls": 0, "shared": 0},
        "actions": {},
    }
    started = chat(steps=20)
    started["messages"][1]["content"] = f"Find the nights of keeper {number}."
    own = written(place / f"own-{number}.json", started)
    growing = written(place / f"growing-{number}.jsonl", [{"role": "user", "content": "Begin."}])
    (place / f"capture-{number}.jsonl").unlink(missing_ok=True)
    capture = CaptureLog(place / f"capture-{number}.jsonl")
    names = ("import", "apply", "undo", "pin", "remember", "follow", "capture", "shared")
    count = 0
    while count < rounds if rounds else time.monotonic() < until:
        name = names[(count + number) % len(names)] if rounds else random.choice(names)
        count += 1
        ok = True
        if name == "import":
            made = chat(steps=random.randrange(2, 40))
            made["messages"][1]["content"] = f"Find the nights of lamp {number}-{count}."
            file = written(place / f"made-{number}-{count}.json", made)
            ok = command(["import", str(file)], place, store)[0] == 0
            if ok:
                done["imported"][file.name] = len(made["messages"])
        elif name in ("apply", "pin"):
            words = ["compress", str(own), "--strategy", "sliding_window", "--apply", "--json"]
            code, output = command(words if name == "apply" else ["pin", str(own), "2"], place, store)
            ok = code == 0
            with suppress(ValueError, KeyError, TypeError):
                ok = ok and json.loads(output)["applied"] is not False
            done["stack"] = _stack(store, own.name) if ok else done["stack"]
        elif name == "undo":
            ok = command(["undo", str(own)], place, store)[0] == 0
            done["stack"] = max(0, done["stack"] - 1) if ok else done["stack"]
        elif name == "follow":
            with growing.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"role": "assistant", "content": f"Line {count}."}) + "\n")
            ok = command(["follow", str(growing), "--until-idle", "0.05", "--last", "1"], place, store)[0] == 0
        elif name == "capture":
            request = json.dumps({"model": "m", "messages": [{"role": "user", "content": f"call {count}"}]}).encode()
            call = CapturedCall("openai-chat", "/v1/chat/completions", "", 0.1, 200, request, "", b"{}", "", False)
            done["calls"] += capture.append(call)
        else:
            with Store(store) as opened:
                if name == "remember":
                    opened.remember("fact", f"{number} saw {count}", None)
                    done["facts"].append(f"{number} saw {count}")
                else:
                    _push_shared(opened)
                    done["shared"] += 1
        done["actions"][name if ok else f"{name} refused"] = (
            done["actions"].get(name if ok else f"{name} refused", 0) + 1
        )
        (place / f"done-{number}.json").write_text(json.dumps(done), encoding="utf-8")


def _stack(store: Path, name: str) -> int:
    """Return the number of plans of a session that only the calling process changes."""
    with Store(store) as opened:
        return next((len(opened.plans(row.id, "main")) for row in opened.sessions() if row.path.endswith(name)), 0)


def _push_shared(opened: Store) -> None:
    from inspector.engine.window.plan import KEPT, Plan

    row = next(row for row in opened.sessions() if row.path.endswith(FILE))
    ids = tuple(message.id for message in opened.load(row.id).messages)
    opened.push(row.id, "main", Plan("by hand", {}, ids, (KEPT,) * len(ids)))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tests.store.stress", description=__doc__.partition("\n")[0] if __doc__ else ""
    )
    parser.add_argument("--kills", type=int, default=200, help="Kills of commands while they write (200).")
    parser.add_argument("--minutes", type=float, default=10, help="Minutes of commands at the same time (10).")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="stress-") as folder:
        place = Path(folder)
        base = make_base(place)
        warm_up()
        if given.kills:
            print(f"{killed(given.kills, place, base, given.seed, print)} kills: every store is whole", flush=True)
            print(f"{on_full_disk(place, base)} of {len(CHANGING)} commands refused on a full disk", flush=True)
        for processes in (2, 5) if given.minutes else ():
            totals = at_once(processes, given.minutes * 30, place, base, given.seed)
            print(f"{processes} processes: {', '.join(f'{n} {c}' for n, c in sorted(totals.items()))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
