"""Several programs at one store: they wait for each other, lose nothing, and may be ended at any moment."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest

from inspector.core.conversation import MAIN
from inspector.store import Store, StoreError, connections
from inspector.store.integrity import check_store
from inspector.store.repairing import repair_store
from tests.places import ROOT
from tests.store.made import chain, long, persistent_entries
from tests.warm import Program

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="processes are ended differently there")

WRITER = """
import sys
from inspector.store import Store
from inspector.engine.window.plan import KEPT, Plan
from tests.store.made import chain

path, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    with Store(path) as store:
        texts = [f"{name} says {number} {turn}" for turn in range(20)]
        id = store.add(chain(*texts, id=f"{name}-{number}")).id
        ids = tuple(message.id for message in store.load(id))
        version = store.push(id, "main", Plan("one", {}, ids, (KEPT,) * 20), on=0)
        version = store.push(id, "main", Plan("two", {}, ids, (KEPT,) * 20), on=version)
        store.undo(id, "main", on=version)
        store.push("shared", "main", Plan(f"{name}-{number}", {}, ("m0", "m1"), (KEPT, KEPT)))
        store.entries.remember("fact", f"{name} was here {number}", id)
        store.save_counts(name, {bytes([number]) * 16: number})
print("done")
"""

KILLED = """
import sys
from inspector.store import Store
from inspector.engine.window.plan import KEPT, Fate, Plan
from tests.store.made import chain

path, seed = sys.argv[1], sys.argv[2]
print("ready", flush=True)
number = 0
while True:
    with Store(path) as store:
        number += 1
        for length in (40, 60):
            id = store.add(chain(*(f"message {turn} of {seed}" for turn in range(length)), id=f"{seed}-{number}")).id
        ids = tuple(message.id for message in store.load(id))
        plan = Plan("by hand", {}, ids, (Fate("archived", "old"),) * 20 + (KEPT,) * 40)
        for _ in range(3):
            store.push(id, "main", plan)
        store.undo(id, "main")
        if number % 5 == 0:
            store.remove(id)
    print(number, flush=True)
"""


def program(code: str, *words: object) -> subprocess.Popen[str]:
    return Program(["-c", code, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_programs_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path, rounds, names = tmp_path / "inspector.db", 6, ("ann", "bob", "cem", "dee")
    with Store(path) as store:
        store.add(chain("a", "b", id="shared"))
    programs = [program(WRITER, path, name, rounds) for name in names]
    for item in programs:
        assert item.communicate(timeout=120) == ("done\n", "")
    with Store(path) as store:
        expected = {"shared", *(f"{name}-{number}" for name in names for number in range(rounds))}
        assert {row.id for row in store.sessions()} == expected
        shared = [plan.strategy for plan in store.plans("shared", MAIN)]
        assert sorted(shared) == sorted(expected - {"shared"})
        for name in names:
            assert [item for item in shared if item.startswith(name)] == [f"{name}-{n}" for n in range(rounds)]
            assert store.counts([bytes([n]) * 16 for n in range(rounds)], name) == {
                bytes([n]) * 16: n for n in range(rounds)
            }
            assert [plan.strategy for plan in store.plans(f"{name}-0", MAIN)] == ["one"]
        assert len(persistent_entries(store)) == len(names) * rounds
    assert check_store(path).whole


def test_programs_that_create_one_store_at_the_same_time_share_it(tmp_path: Path) -> None:
    code = "import sys; from inspector.store import Store; from tests.store.made import chain\n"
    code += "with Store(sys.argv[1]) as store: store.add(chain('a', 'b', id=sys.argv[2]))"
    for attempt in range(2):
        path = tmp_path / f"{attempt}.db"
        programs = [program(code, path, number) for number in range(4)]
        assert [item.communicate(timeout=60)[1] for item in programs] == [""] * 4
        with Store(path) as store:
            assert len(store.sessions()) == 4


def test_a_writer_waits_for_another_and_then_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LOCK_TIMEOUT", 0.3)
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("a", "b"))
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"inspector\.db is being written by another program: try again"):
            store.add(chain("c", id="s2"))
        assert [row.id for row in store.sessions()] == ["s1"]
        release = threading.Timer(0.1, lambda: other.execute("COMMIT"))
        release.start()
        store.add(chain("c", id="s2"))
        release.join()
        other.close()
        assert {row.id for row in store.sessions()} == {"s1", "s2"}


@POSIX
def test_a_program_that_is_ended_at_any_moment_leaves_a_whole_store(tmp_path: Path) -> None:
    path, random = tmp_path / "inspector.db", Random(7)
    for attempt, rounds in enumerate((0, 1, 2, 4, 6)):
        writer = program(KILLED, path, attempt)
        assert writer.stdout is not None
        for line in ("ready", *range(1, rounds + 1)):
            assert writer.stdout.readline() == f"{line}\n"
        time.sleep(random.uniform(0, 0.1))  # to somewhere in the next round
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert check_store(path).whole
    with Store(path) as store:
        assert all(len(store.load(row.id).messages) in (40, 60) for row in store.sessions())
        assert store.sessions()
    assert check_store(path).whole


REPAIR = """
import sys
from pathlib import Path
from inspector.store.repairing import repair_store
print("ready", flush=True)
repair_store(Path(sys.argv[1]), replace=True)
"""


@POSIX
def test_a_repair_that_is_ended_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    """Either the damaged store is still there, or the repaired one is, and then the damaged one beside it."""
    path, random = tmp_path / "inspector.db", Random(3)
    with Store(path) as store:
        store.add(long(3_000))
        store.add(chain("a", "b"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE message SET parent = position WHERE session_id = 's1' AND position = 1")
    connection.close()
    damaged = path.read_bytes()
    for _ in range(4):
        for item in tmp_path.iterdir():
            if item.is_file():
                item.unlink()
        path.write_bytes(damaged)
        repair = program(REPAIR, path)
        assert repair.stdout is not None and repair.stdout.readline() == "ready\n"
        time.sleep(random.uniform(0.0, 1.2))
        repair.send_signal(signal.SIGKILL)
        repair.communicate()
        if path.read_bytes() != damaged:
            assert check_store(path).whole
            assert (tmp_path / "inspector.damaged.db").read_bytes() == damaged
    if path.read_bytes() == damaged:
        repair_store(path, replace=True)
    assert check_store(path).whole


@POSIX
def test_a_store_that_another_program_has_open_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("a", "b"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE message SET parent = position WHERE position = 1")
    connection.close()
    code = "import sys; from inspector.store import Store\nwith Store(sys.argv[1]) as store:\n"
    code += "    store.entries.page(1); print('open', flush=True); sys.stdin.read()"
    command = ["-c", code, path]
    with Program(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        with pytest.raises(StoreError, match="is open in another program: close that first"):
            repair_store(path, replace=True)
        other.communicate("")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["inspector.db"]
    repair = repair_store(path, replace=True)
    assert repair is not None and repair.path == path and repair.old_path.exists()


REMEMBERING = """
import sys
from inspector.store import MemoryFilter, Store

path, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Store(path) as store:
    entries = store.entries
    for number in range(rounds):
        mine = entries.remember("fact", f"{name} knows {number}", "shared")
        entries.remember("state", f"{name} {number}", "shared", tier="session", key=name)
        entries.remember("preference", f"{name} {number}", "shared", key="common")
        other = entries.remember("summary", f"{name} forgets {number}")
        entries.save_vectors("a model", [(mine, f"{name} knows {number}", b"1234")])
        entries.demote(mine) if number % 2 else entries.pin(mine)
        assert entries.forget(other) == 1
print("done")
"""


def test_programs_that_remember_and_forget_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path, rounds, names = tmp_path / "inspector.db", 25, ("ann", "bob")
    with Store(path) as store:
        store.add(chain("a", "b", id="shared"))
    programs = [program(REMEMBERING, path, name, rounds) for name in names]
    for item in programs:
        assert item.communicate(timeout=120) == ("done\n", "")
    with Store(path) as store:
        entries = store.entries.page(-1)
        facts = {entry.text: (entry.tier, entry.is_pinned) for entry in entries if entry.kind == "fact"}
        assert facts == {
            f"{name} knows {number}": ("session", False) if number % 2 else ("persistent", True)
            for name in names
            for number in range(rounds)
        }
        assert {entry.text for entry in entries if entry.kind == "state"} == {f"{name} {rounds - 1}" for name in names}
        (common,) = [entry for entry in entries if entry.kind == "preference"]
        assert common.text in {f"{name} {rounds - 1}" for name in names}
        assert len(entries) == len(facts) + 3
        assert len(store.entries.vectors("a model")) == len(facts)
        assert store.entries.recall("forgets", 100) == []
    assert check_store(path).whole


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked there")
def test_a_program_that_is_killed_at_any_step_of_a_write_leaves_a_whole_store(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.store.kill_steps", str(tmp_path)]  # hundreds of forks of a small process
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 100
