"""Commands at one store at the same time, commands that are killed while they write, and commands on a full disk.

    python -m tests.store.stress --kills 200 --minutes 10

Every command runs in a process of its own, forked from a warm one. Then the store is whole, every killed command was
done as a whole or not at all, and nothing that a command reported as done is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from inspector.library.capture.capture_log import CaptureLog
from inspector.library.capture.captured_call import CapturedCall
from inspector.store import Store
from inspector.store.integrity import check_store
from tests.cli.calling import chat, written
from tests.fuzz.stores import FILE, make_base, warm_up
from tests.store.changing import (
    CHANGING,
    WITHOUT_STORE,
    State,
    fresh,
    prepare,
    rows_of,
    state_of,
)
from tests.store.faults import KNOWN, Faults, command
from tests.store.made import persistent_entries

ON_STORE = tuple(name for name in CHANGING if name not in WITHOUT_STORE)


# killed at every point


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
    prepare(place, base, lambda words: command(words, place, base))
    plans: dict[str, tuple[int, set[State]]] = {}
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
        if done % 20 == 0:
            report(f"{done} kills")
        where = f"{name} was killed at point {point} of {points}"
        if name == "repair" and store.read_bytes() == before:
            assert command(CHANGING[name], place, store)[0] == 0, where
        assert check_store(store).whole, f"{where}: the store is damaged"
        state = state_of(store, place)
        assert state in states, f"{where}: {state} is not one of {states}"
        backup = place / "kept.backup"
        assert not backup.exists() or check_store(backup).whole, f"{where}: the backup is damaged"
        backup.unlink(missing_ok=True)
        code, output = command(CHANGING[name], place, store)
        assert code in KNOWN and "Traceback" not in output, f"{where}, then ended with {code}: {output[-500:]}"
        assert check_store(store).whole, f"{where}: the store is damaged after the repetition"
    return done


def killed_in_copies(kills: int, place: Path, base: Path, seed: int, words: int = 20_000) -> tuple[int, int]:
    """Kill backups of a larger store while SQLite copies its pages.

    Returns:
        The number of kills, and how many of them left a part of the copy.

    Raises:
        AssertionError: A store was not whole, or a part of a copy has the name of the backup.
    """
    big = place / "big.db"
    shutil.copyfile(base, big)
    written(place / "new.json", chat(steps=40, words=words))
    code, output = command(["import", "NEW"], place, big)
    assert code == 0, f"import ended with {code}: {output[-500:]}"
    random, done, parts = Random(seed), 0, 0
    for _ in range(3 * kills + 10):
        store = fresh(big, place, "backup")
        faults = Faults(path=store, copied=random.uniform(0.05, 0.95))
        code, output = command(["store", "backup", "BACKUP"], place, store, faults)
        left = [path.stat().st_size for path in place.glob(".inspector-*/store.db")]
        for folder in place.glob(".inspector-*"):
            shutil.rmtree(folder)
        if code != -signal.SIGKILL:
            assert code == 0, output
            continue
        done += 1
        parts += any(0 < size < store.stat().st_size for size in left)
        assert not (place / "kept.backup").exists(), "a part of a copy was published"
        assert check_store(store).whole and rows_of(store) == rows_of(big), "the store is damaged"
        if done == kills:
            break
    return done, parts


def on_full_disk(place: Path, base: Path, names: Sequence[str] = ON_STORE) -> int:
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
        facts = {entry.text for entry in persistent_entries(opened)}
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
                    opened.entries.remember("fact", f"{number} saw {count}", None)
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


def _print(text: str) -> None:
    print(text, flush=True)


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
            print(f"{killed(given.kills, place, base, given.seed, _print)} kills: every store is whole", flush=True)
            done, parts = killed_in_copies(max(1, given.kills // 10), place, base, given.seed)
            print(f"{done} kills while a backup was copied, {parts} of them left a part", flush=True)
            print(f"{on_full_disk(place, base)} of {len(ON_STORE)} commands refused on a full disk", flush=True)
        for processes in (2, 5) if given.minutes else ():
            totals = at_once(processes, given.minutes * 30, place, base, given.seed)
            print(f"{processes} processes: {', '.join(f'{n} {c}' for n, c in sorted(totals.items()))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
