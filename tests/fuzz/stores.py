"""Damaged stores, and every command and method that reads one: nothing hangs, nothing raises but a sentence.

    python -m tests.fuzz.stores SEED:CASE …        # makes cases again, and prints what comes of them
    python -m tests.fuzz.stores SEED-CASE.db …     # the same with the damaged stores that were kept

A store contains times and paths, so that the same damage can fall on other bytes when a case is made again.

Each command runs in a process of its own that was forked from a warm one, with limits to its time and memory.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from inspector.store import Store
from tests.fuzz import FOLDER, Search
from tests.fuzz.damage import damaged
from tests.places import SESSIONS

CPU, WALL, MEMORY = 20, 120, 3 << 30
"""Seconds of processor time and of waiting, and bytes of addresses, that a command may take: far more than it needs."""
RESIDENT = 400_000
"""Kilobytes that a command may have in memory at once; one on a whole store takes a third of that."""
KNOWN = {0, 1, 2, 3}
"""Exit codes that a command may end with; see `inspector.cli.command_errors`."""
FORBIDDEN = (b"Traceback (most recent call last)", b"mistake of its own", b"not enough memory", b"Exception ignored")
SAMPLES = SESSIONS
COMMANDS = 5
"""Commands that are tried on one damaged store."""


@dataclass(frozen=True)
class Failure:
    """A command that ended in another way than with a result or a sentence."""

    case: str
    """The seed and the number of the case: makes it again."""
    damage: str
    command: str
    what: str


@dataclass
class Report:
    """What came of a run."""

    cases: int = 0
    commands: int = 0
    codes: dict[int, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def run(seed: int, seconds: float, folder: Path = FOLDER / "stores") -> Search:
    """Damage copies of a small store for so long, and try commands on each. What fails is kept in `folder`."""
    report = Report()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="fuzz-") as place:
        base = make_base(Path(place))
        warm_up()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            failures = try_case(f"{seed}:{report.cases}", base, Path(place), report)
            for failure in failures:
                name = failure.case.replace(":", "-")
                shutil.copy(base.parent / "case.before", folder / f"{name}.db")
                with (folder / "failures.txt").open("a", encoding="utf-8") as file:
                    file.write(f"{failure.case}\t{failure.command}\n{failure.damage}\n{failure.what}\n\n")
                yield f"stores {failure.case} {failure.command} ({failure.damage}): {failure.what}"
            report.failures += failures
            report.cases += 1
    yield f"stores {seed}: {report.cases:,} stores, {report.commands:,} commands, {len(report.failures)} failures"
    return len(report.failures)


def try_case(
    case: str, base: Path, place: Path, report: Report, verbose: bool = False, kept: Path | None = None
) -> list[Failure]:
    """Damage a copy of the base as the case says, and run some commands on it, one after the other.

    `kept` is the damaged store itself, if it was kept.
    """
    random = Random(case)
    store = place / "case.db"
    for file in place.glob("case.*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    shutil.copy(base, store)
    damage = damaged(random, store)
    if kept:
        shutil.copy(kept, store)
    shutil.copy(store, place / "case.before")
    failures = []
    names = [*COMMAND_LINES, *CALLS]
    for name in random.sample(names, COMMANDS):
        code, output, resident = run_apart(name, store, place)
        report.commands += 1
        report.codes[code] = report.codes.get(code, 0) + 1
        what = wrong(code, output, resident)
        if verbose:
            print(f"--- {name}: {code}, {resident:,} KB\n{output.decode(errors='replace')[-3000:]}")
        if what:
            failures.append(Failure(case, damage, name, what))
    return failures


def wrong(code: int, output: bytes, resident: int) -> str:
    """What is wrong with how a command ended; empty when nothing is."""
    tail = output[-2_000:].decode(errors="replace")
    if code not in KNOWN:
        return f"ended with {code}\n{tail}"
    if resident > RESIDENT:
        return f"took {resident:,} KB"
    if any(words in output for words in FORBIDDEN):
        return tail
    return "" if code == 0 or output.strip() else "failed without a word"


# the store that is damaged


def make_base(place: Path) -> Path:
    """A small store with something in every table, and the recordings that it was made of."""
    from inspector.library import Library

    store = place / "base.db"
    for name in ("three-agents.jsonl", "support-ticket.json", "interviews.json"):
        shutil.copy(SAMPLES / name, place / name)
    with Library(store, required=True) as library:
        for outcome in library.import_targets([str(place / "three-agents.jsonl"), str(place / "interviews.json")]):
            assert outcome.addition is not None, outcome.problem
        opened = library.open(str(place / "support-ticket.json"))
        for strategy, settings in (("sliding_window", {"keep_recent": 12}), ("trim_outputs", {}), ("vector_swap", {})):
            plan = opened.bench.preview(strategy=strategy, settings=settings).plan
            assert plan is not None
            opened.push(plan, "main")
        agents = library.open(str(place / "three-agents.jsonl"))
        for agent in agents.bench.session.agents[:2]:
            agents.push(
                agents.bench.hand_plan((agents.bench.window(agent=agent).ids[0],), "pinned", None, agent), agent
            )
        library.required_store.entries.remember("fact", "The lamp is kept in the cellar.", opened.bench.store_id)
        with library.outputs.write(place / "case.json", "{}"):
            pass
    return store


def warm_up() -> None:
    """Import everything that a command may need, once for all of them."""
    from tests.cli.calling import inspect

    with TemporaryDirectory() as folder:
        for words in (
            ["ls"],
            ["compress", "SESSION", "--strategy", "sliding_window"],
            ["store", "check"],
            ["strategies"],
        ):
            file = str(SAMPLES / "support-ticket.json")
            inspect(*[file if word == "SESSION" else word for word in words], "--db", f"{folder}/warm.db")


# what is tried

FILE = "support-ticket.json"
COMMAND_LINES: dict[str, Sequence[str]] = {
    "ls": ["ls"],
    "ls --json": ["ls", "--json"],
    "show": ["show", "FILE"],
    "show id": ["show", "ID", "--json"],
    "show another": ["show", "AGENTS"],
    "overview": ["ID"],
    "diff": ["diff", "ID"],
    "check": ["check", "AGENTS", "--all-turns"],
    "count": ["count", "ID"],
    "export": ["export", "ID", "--to", "anthropic", "--out", "OUT"],
    "compress": ["compress", "ID", "--strategy", "importance", "--json"],
    "apply": ["compress", "FILE", "--strategy", "dedupe", "--apply"],
    "pin": ["pin", "ID", "3"],
    "drop": ["drop", "AGENTS", "4"],
    "undo": ["undo", "ID"],
    "undo of another": ["undo", "AGENTS", "--json"],
    "search": ["search", "the", "lamp"],
    "search --json": ["search", "a", "--json"],
    "import": ["import", "FILE", "AGENTS"],
    "import another": ["import", "OTHER"],
    "replay": ["replay", "ID", "--preset", "balanced"],
    "compare": ["compare", "ID", "--preset", "aggressive", "--preset", "none"],
    "store check": ["store", "check"],
    "store check --json": ["store", "check", "--json"],
    "store repair": ["store", "repair", "--out", "REPAIRED"],
    "store repair --replace": ["store", "repair", "--replace"],
    "store backup": ["store", "backup", "BACKUP"],
}


def tried(*calls: Callable[[], object]) -> None:
    """Make calls that may be refused in a sentence."""
    from inspector.store import StoreError

    for call in calls:
        with suppress(StoreError):
            call()


def each_session(kept: Store, *calls: Callable[[Store, str], object]) -> None:
    ids: list[str] = []
    tried(lambda: ids.extend(row.id for row in kept.sessions()))
    for each in ids:
        tried(*(partial(call, kept, each) for call in calls))


def read_all(store: Path, _place: Path) -> None:
    """Every method that reads, on everything that there is."""
    from inspector.library import Library

    with Library(store) as library:
        if kept := library.store:
            tried(
                partial(kept.search, "the lamp"),
                partial(kept.entries.recall, "the lamp"),
                kept.entries.page,
                partial(kept.find, "b1"),
            )
            each_session(kept, texts, counts, stacks)


def texts(kept: Store, session_id: str) -> None:
    session = kept.load(session_id)
    for position, message in enumerate(session.messages):
        _ = message.text, message.record, session.path_to(position)


def counts(kept: Store, session_id: str) -> None:
    kept.counts(kept.digests(session_id), "o200k_base")


def stacks(kept: Store, session_id: str) -> None:
    for agent in ("main", "nobody"):
        for plan in kept.stack(session_id, agent).plans:
            _ = plan.by_id, plan.counts, plan.alters


def write_all(store: Path, _place: Path) -> None:
    """Every method that writes."""
    from inspector.library import Library

    with Library(store) as library:
        if kept := library.store:
            each_session(kept, pin_first, take_back, note)
            tried(partial(kept.save_counts, "c", {b"1" * 16: 4}), partial(kept.entries.forget, 1))
            each_session(kept, Store.remove)


def pin_first(kept: Store, session_id: str) -> None:
    from inspector.engine.window import at_turn
    from inspector.engine.window.plan import manual_plan
    from inspector.llm.tokens.sizes import estimate_sizes

    session = kept.load(session_id)
    window = at_turn(session, estimate_sizes(session))
    kept.push(session_id, "main", manual_plan(window, window.ids[:1], "pinned"))


def take_back(kept: Store, session_id: str) -> None:
    kept.undo(session_id, "main")


def note(kept: Store, session_id: str) -> None:
    kept.set_size(session_id, 5, 5)
    kept.entries.remember("fact", f"about {session_id}", session_id, once=True)


def repair_and_check(store: Path, place: Path) -> None:
    """A store that was repaired is whole, can be read, and the damaged one is as it was."""
    from inspector.store import StoreError
    from inspector.store.integrity import check_store
    from inspector.store.repairing import repair_store

    before = store.read_bytes()
    try:
        repair = repair_store(store, place / "case.rescued")
    except StoreError as error:
        assert "could not be repaired" not in str(error), error
        return
    finally:
        assert store.read_bytes() == before, "the damaged file was changed"
    if repair is None:
        return
    assert check_store(repair.path).whole
    with Store(repair.path) as kept:
        for row in kept.sessions():
            texts(kept, row.id)
            stacks(kept, row.id)


CALLS: dict[str, Callable[[Path, Path], None]] = {
    "read all": read_all,
    "write all": write_all,
    "repair and check": repair_and_check,
}


# in a process of its own


def run_apart(name: str, store: Path, place: Path) -> tuple[int, bytes, int]:
    """Run a command or a call in a forked process, within limits. Its exit code, a signal's as a negative number; what
    it printed; and the kilobytes that it had in memory at once."""
    output = place / "case.output"
    child = os.fork()
    if child == 0:
        in_child(name, store, place, output)
    until = time.monotonic() + WALL
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if not ended and time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            ended, status, usage = os.wait4(child, 0)
        if ended:
            return os.waitstatus_to_exitcode(status), output.read_bytes(), usage.ru_maxrss
        time.sleep(0.002)


def in_child(name: str, store: Path, place: Path, output: Path) -> None:
    code = 70
    try:
        file = os.open(output, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(file, 1)
        os.dup2(file, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        code = in_limits(name, store, place)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 71
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def in_limits(name: str, store: Path, place: Path) -> int:
    from inspector.cli import main

    os.environ.update(INSPECTOR_DB=str(store), HOME=str(place), CLAUDE_CONFIG_DIR=str(place / "none"), COLUMNS="80")
    os.environ.update(INSPECTOR_PRESETS=str(place / "presets.toml"))
    if name in CALLS:
        CALLS[name](store, place)
        return 0
    words = {
        "ID": "b1bf809d015f",
        "FILE": str(place / FILE),
        "AGENTS": str(place / "three-agents.jsonl"),
        "OTHER": str(place / "interviews.json"),
        "OUT": str(place / "case.json"),
        "REPAIRED": str(place / "case.repaired"),
        "BACKUP": str(place / "case.backup"),
    }
    sys.argv = ["inspector", *(words.get(word, word) for word in COMMAND_LINES[name])]
    main()
    return 0


def repeat(cases: Sequence[str]) -> list[Failure]:
    """Make cases again and print what comes of them."""
    failures = []
    with TemporaryDirectory(prefix="fuzz-") as place:
        base = make_base(Path(place))
        warm_up()
        for case in cases:
            kept = Path(case) if case.endswith(".db") else None
            name = kept.stem.replace("-", ":") if kept else case
            failures += try_case(name, base, Path(place), Report(), verbose=True, kept=kept)
    for failure in failures:
        print(f"=== {failure.case} {failure.damage}\n{failure.command}: {failure.what}")
    return failures


if __name__ == "__main__":
    sys.exit(1 if repeat(sys.argv[1:]) else 0)
