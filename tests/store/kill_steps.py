"""A program that is killed at every step of its writes, one after the other: `python -m tests.store.kill_steps FOLDER`.

Each time a fresh copy of a store is written to by a process of its own, which ends itself with the signal that nothing
can catch, at one statement later than the process before, or somewhere inside a statement. Then the store has to be
whole, and to say what it said after one of the writes: no write may be there by half. Prints how often it was killed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from inspector.core.conversation import MAIN
from inspector.engine.window.plan import KEPT, Fate, Plan
from inspector.llm.providers import text_message
from inspector.store import Store, check_store
from inspector.store.connections import files_of
from tests.store.made import chain

_INSTRUCTIONS = 3_000
"""Instructions of SQLite's machine between two steps inside of statements."""
_CHECKED = 10
"""Every so many kills, all of the store is checked, and not only what it says."""


def clock() -> str:
    return "2026-05-01T12:00:00.000Z"


def plan() -> Plan:
    into = Fate("summarised", "old", "summary 1")
    summary = text_message("summary 1", "user", "what was said", "openai", kind="summary")
    return Plan("vector_swap", {}, ("m0", "m1", "m2"), (into, Fate("archived", "old"), KEPT), {}, (summary,))


WRITES: list[Callable[[Store], object]] = [
    lambda store: store.entries.remember("fact", "The lamp is in the cellar.", "s1", "m0"),
    lambda store: store.entries.remember("preference", "tabs", "s1", key="indent"),
    lambda store: store.entries.remember("preference", "spaces", "s1", key="indent"),
    lambda store: store.entries.remember("retrieval", "the cellar", "s1", tier="session", key="lamp", ttl=60),
    lambda store: store.entries.save_vectors("a model", [(2, "spaces", b"1234")]),
    lambda store: store.push("s1", MAIN, plan()),
    lambda store: store.entries.demote(1),
    lambda store: store.entries.promote(1),
    lambda store: store.entries.pin(1),
    lambda store: store.entries.forget(1, 2),
    lambda store: store.undo("s1", MAIN),
    lambda store: store.entries.remember("state", "step 1", "s1", tier="session", key="step"),
    lambda store: store.remove("s1"),
]


def saying(path: Path) -> list[Any]:
    """What a store says of all that the writes change."""
    tables = ("memory", "memory_vector", "plan", "plan_fate", "plan_message", "session", "message")
    with closing(sqlite3.connect(path)) as connection:
        rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
        words = connection.execute("SELECT rowid FROM memory_search WHERE memory_search MATCH 'lamp OR said OR step'")
        return [*rows, sorted(words.fetchall())]


def killed_writes(path: Path, step: int, inside: bool) -> bool:
    """Make all writes in another process that is killed at a step. Says whether it was killed before it had ended."""
    child = os.fork()
    if not child:
        steps = count(1)

        def advance(*_: object) -> int:
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return 0

        with Store(path, clock) as store, store._connections.use() as connection:
            if inside:
                connection.set_progress_handler(advance, _INSTRUCTIONS)
            else:
                connection.set_trace_callback(advance)
            for write in WRITES:
                write(store)
            connection.set_trace_callback(None)
            connection.set_progress_handler(None, 0)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(folder: Path) -> int:
    """How often it was killed. Raises AssertionError where a write was there by half."""
    first, path = folder / "first.db", folder / "store.db"
    with Store(first, clock) as store:
        store.add(chain("a", "the lamp", "c"))
    states = [saying(first)]
    shutil.copyfile(first, path)
    with Store(path, clock) as store:
        for write in WRITES:
            write(store)
            states.append(saying(path))
    kills = 0
    for inside in (False, True):
        at = 0
        for step in count(1):
            for file in files_of(path):
                file.unlink(missing_ok=True)
            shutil.copyfile(first, path)
            if not killed_writes(path, step, inside):
                break
            kills += 1
            state = saying(path)
            assert state in states[at:], f"killed at step {step}, a write was there by half"
            at = states.index(state, at)
            assert kills % _CHECKED or check_store(path).whole
    return kills


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
