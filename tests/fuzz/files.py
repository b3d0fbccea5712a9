"""Commands on files and settings that were damaged, mixed up or made up: nothing may come of it but one sentence.

A case is a recorded, sample or odd session, changed, now and then with changed settings beside it, and one to
three commands. It is made from the seed and its number alone. Cases run in a process of their own, which is watched:
one that hangs, dies or takes a gigabyte is a finding like a traceback or JSON that cannot be read. Findings are written
into a folder, one for each kind: the files, the commands, what was wrong, and where.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from inspector.store import Store
from tests.cli.calling import Ended, inspect, written
from tests.cli.commands import faults
from tests.cli.odd_sessions import ODD
from tests.fuzz import FOLDER, Search, mutating, wording
from tests.places import ROOT

FOUND = FOLDER / "files"
RECORDED = ROOT.parent / "shared" / "data"
SAMPLES = ROOT / "sessions"
LARGEST = 120_000
"""Bytes of a session that is begun with; of a longer one, a stretch of lines."""
HANG = 40.0
"""Seconds that a case may take on a busy machine."""
SLOW = 6.0
"""Seconds of processor time that one command may take."""
MEMORY = 1_000_000
"""Kilobytes that the process may ever hold."""
CASES = 300
"""Cases after which a process is replaced by a fresh one."""
TRIES = 40
"""Attempts to make a finding smaller."""


@dataclass
class Case:
    """What is run: everything that it takes to run it again."""

    seed: int
    number: int
    file: str
    """The session's name; its content is in the folder of the case."""
    commands: list[list[str]]
    variables: dict[str, str]
    settings: list[str]
    """Files of settings that lie in the folder."""


@dataclass
class Finding:
    case: Case
    kind: str
    """The same for all cases with one cause, as far as that can be told."""
    faults: list[str] = field(default_factory=list)


def sources() -> list[tuple[str, bytes]]:
    """What is begun with, by name. Of each there is as much as a few commands can read quickly."""
    paths = [path for folder in (SAMPLES, RECORDED) for path in sorted(folder.rglob("*.json*"))]
    found = [(path.name, path) for path in paths if path.is_file() and path.stat().st_size < 3_000_000]
    odd = tempfile.mkdtemp()
    for place, (_, value) in enumerate(ODD.items()):
        name = f"odd-{place}.{'jsonl' if isinstance(value, list) else 'json'}"
        found.append((name, written(Path(odd, name), value)))
    read = [(name, path.read_bytes()) for name, path in found]
    shutil.rmtree(odd)
    return [(name, data) for name, data in read if len(data) < LARGEST or name.endswith(".jsonl")]


def make_case(seed: int, number: int, known: list[tuple[str, bytes]], folder: Path) -> Case:
    """A case, and its files in a folder."""
    rng = Random(f"{seed}-{number}")
    name, data = rng.choice(known)
    if len(data) > LARGEST:
        lines = data.split(b"\n")
        first = rng.choice((0, rng.randrange(len(lines))))
        data = b"\n".join(lines[first : first + rng.choice((2, 20, 60))])[: 4 * LARGEST]
    file = rng.choice((name, name, "x.json", "x.jsonl", "a b\x1b[2J\u202e.json", "sans"))
    (folder / file).write_bytes(mutating.mutated(rng, data))
    settings = []
    for place, text in wording.FILES.items():
        if rng.random() < 0.25:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(mutating.mutated(rng, text.encode()))
            settings.append(place)
    commands = [wording.line(rng, file) for _ in range(rng.choice((1, 2, 2, 3)))]
    return Case(seed, number, file, commands, wording.variables(rng), settings)


def run_case(case: Case, folder: Path) -> Iterator[tuple[list[str], str, str]]:
    """Every fault of a case, with its command and its kind. The folder holds the files of the case."""
    store = Path(tempfile.mkdtemp())
    before, place = dict(os.environ), Path.cwd()
    os.environ |= surroundings(folder, store) | case.variables
    os.chdir(folder)
    try:
        for words in case.commands:
            began = time.process_time()
            ended = called(words)
            took = time.process_time() - began
            for fault in faults(ended, "--json" in words):
                yield words, kind_of(fault, words), fault
            if took > SLOW:
                yield words, f"slow {words[0]}", f"{took:.1f} s of processor time"
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(store)


@cache
def empty_store() -> bytes:
    """A store without sessions. It is made once, because its tables take longer than most commands."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "inspector.db")
        Store(path).close()
        return path.read_bytes()


def surroundings(folder: Path, store: Path) -> dict[str, str]:
    """Places for everything that a command keeps or looks for, with an empty store."""
    (store / "inspector.db").write_bytes(empty_store())
    return {
        "INSPECTOR_DB": str(store / "inspector.db"),
        "INSPECTOR_PRESETS": str(folder / "presets.toml"),
        "XDG_CONFIG_HOME": str(folder / "settings"),
        "XDG_STATE_HOME": str(store / "state"),
        "HOME": str(store / "home"),
        "CLAUDE_CONFIG_DIR": str(store / "claude"),
        "PYTHONWARNINGS": "ignore",
    }


def called(words: list[str]) -> Ended:
    try:
        return inspect(*words)
    except BaseException as error:
        return Ended(-1, "", f"Traceback: {type(error).__name__}: {error}")


def kind_of(fault: str, words: list[str]) -> str:
    """A fault without what differs from case to case; a mistake of the program's own by where it was made."""
    if "Internal error" not in fault and "Traceback" not in fault:
        return f"{words[0] if words else ''} {re.sub(r'[0-9]+', '0', fault)[:80]}"
    os.environ["INSPECTOR_TRACEBACK"] = "1"
    try:
        inspect(*words)
    except BaseException as error:
        return f"{type(error).__name__} in {', '.join(places(error))}"
    finally:
        del os.environ["INSPECTOR_TRACEBACK"]
    return f"{words[0]} only once: {re.sub(r'[0-9]+', '0', fault)[:80]}"


def places(error: BaseException) -> list[str]:
    """The last functions of ours that an error passed through."""
    found, trace = [], error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if "/inspector/" in code.co_filename:
            found.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return found[-2:]


def smaller(case: Case, folder: Path, kind: str) -> None:
    """Leave out commands, settings and stretches of lines, as long as the same comes of it."""

    def still() -> bool:
        return any(found == kind for _, found, _ in run_case(case, folder))

    end = time.monotonic() + HANG / 2
    for words in list(case.commands):
        case.commands.remove(words)
        if not still():
            case.commands.append(words)
    file = folder / case.file
    step, tries = max(1, file.read_bytes().count(b"\n") // 2), 0
    while step and tries < TRIES and time.monotonic() < end:
        place = 0
        while tries < TRIES and time.monotonic() < end:
            lines = file.read_bytes().split(b"\n")
            if place >= len(lines) or len(lines) == 1:
                break
            tries += 1
            file.write_bytes(b"\n".join(lines[:place] + lines[place + step :]))
            if not still():
                file.write_bytes(b"\n".join(lines))
                place += step
        step //= 2


def peak_memory() -> int:
    """The most kilobytes that this program has held; where Linux tells it, without those of whoever started it."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    own = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return own[0] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def work(seed: int, first: int) -> None:
    """Run cases from `first` on, for as long as anybody listens: a line for each that begins, and for each finding."""
    known, seen = sources(), set[str]()
    report = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for number in range(first, first + CASES):
        folder = Path(tempfile.mkdtemp(prefix="case "))
        report.write(json.dumps({"began": number, "folder": str(folder)}) + "\n")
        case = make_case(seed, number, known, folder)
        (folder / "case.json").write_text(json.dumps(asdict(case), indent=2))
        found = list(run_case(case, folder))
        if (most := peak_memory()) > MEMORY:
            found.append(([], "memory", f"{most:,} kB"))
        for kind in {kind for _, kind, _ in found} - seen:
            seen.add(kind)
            if not kind.startswith(("slow", "memory")):
                smaller(case, folder, kind)
            finding = Finding(case, kind, [f"{words}: {fault}" for words, each, fault in found if each == kind])
            report.write(json.dumps({"found": asdict(finding), "folder": str(folder)}) + "\n")
            json.loads(sys.stdin.readline())
        shutil.rmtree(folder)
        if "memory" in seen:
            return


class Watch:
    """The process that runs cases, and what it finds, for as long as there is time."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.folder = seed, folder
        self.number = 0
        self.kinds: dict[str, int] = {}
        self.case = Path()
        self.room = tempfile.mkdtemp(prefix="fuzz-")

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.files", str(self.seed), str(self.number)]
        errors = (self.folder / "errors.txt").open("a")
        with errors:
            place = os.environ | {"TMPDIR": self.room}
            return subprocess.Popen(command, cwd=ROOT, env=place, stdin=-1, stdout=-1, stderr=errors, text=True)

    def run(self, seconds: float) -> Iterator[str]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            worker = self.start()
            try:
                yield from self.follow(worker, end)
            finally:
                worker.kill()
                worker.wait()
        shutil.rmtree(self.room)

    def follow(self, worker: subprocess.Popen[str], end: float) -> Iterator[str]:
        """Listen to a process until it ends, hangs, or time is up; a line for each new finding."""
        assert worker.stdout and worker.stdin
        while time.monotonic() < end:
            if not select.select([worker.stdout], [], [], HANG + 20 * (self.case == Path()))[0]:
                yield from self.keep("it hangs", {"number": self.number, "stack": stack_of(worker)}, self.case)
                return
            line = worker.stdout.readline()
            if not line:
                if worker.wait() != 0:
                    died = f"the process died with {worker.returncode}"
                    yield from self.keep(died, {"number": self.number}, self.case)
                return
            told = json.loads(line)
            if "began" in told:
                self.number, self.case = told["began"] + 1, Path(told["folder"])
            else:
                yield from self.keep(told["found"]["kind"], told["found"], Path(told["folder"]))
                worker.stdin.write("{}\n")
                worker.stdin.flush()

    def keep(self, kind: str, finding: dict[str, Any], case: Path) -> Iterator[str]:
        """Put the first finding of a kind into the folder, with its files."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if self.kinds[kind] > 1:
            return
        place = self.folder / f"{self.seed}-{self.number - 1}-{re.sub(r'[^A-Za-z0-9]+', '-', kind)[:60].strip('-')}"
        shutil.copytree(case, place, dirs_exist_ok=True)
        (place / "finding.json").write_text(json.dumps(finding, indent=2))
        yield f"files {self.seed}/{self.number - 1} {kind}, see {place}"


def stack_of(worker: subprocess.Popen[str]) -> str:
    """Ask a process that hangs where it is: faulthandler writes it into errors.txt."""
    import signal

    worker.send_signal(signal.SIGABRT)
    worker.wait()
    return "the end of errors.txt"


def run(seed: int, seconds: float, folder: Path = FOUND) -> Search:
    """Look for so many seconds; a line for each kind of finding, whose files go into the folder, and one at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    watch = Watch(seed, folder)
    yield from watch.run(seconds)
    yield f"files {seed}: {watch.number:,} cases, {len(watch.kinds)} kinds of failures"
    return len(watch.kinds)


def main() -> None:
    """Run cases for the process that watches, and tell of them on standard output."""
    seed, first = sys.argv[1:]
    work(int(seed), int(first))


if __name__ == "__main__":
    main()
