"""How the work of commands grows with the parts of a session: the exponent is 1 in proportion, 2 with the square.

    python -m tests.benchmarks.growth [--commands lost why] [--dimensions branches] [--size 500]

Sessions have one, two and four times the size. The exponent is that of the differences of processor seconds, so that
the constant part of the work does not hide it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cli.calling import inspect
from tests.formats.test_growth_exponents import DIMENSIONS, written

PLACES = (*DIMENSIONS, "sessions per file")
COMMANDS = ("show", "why", "lost", "state", "redact")
BEST_OF = 2


def run(command: str, path: Path, out: Path) -> int:
    return inspect(*(("redact", path, "--out", out, "--force") if command == "redact" else (command, path))).code


def seconds(command: str, path: Path, out: Path) -> float:
    """Return the processor seconds of a command in a copy of this process, with an empty store."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.environ["INSPECTOR_DB"] = str(out.with_name(f"{os.getpid()}.db"))
        began = time.process_time()
        code = run(command, path, out)
        os.write(write, f"{time.process_time() - began} {code}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    took, ended = os.read(read, 100).decode().split()
    os.close(read)
    os.close(write)
    assert ended == "0", f"{command} ended with {ended}"
    return float(took)


def exponent(times: Sequence[float]) -> float:
    """Return the exponent of times for one, two and four times the size; 0 if the work does not grow."""
    first, second = times[1] - times[0], times[2] - times[1]
    return log2(second / first) if first > 0 and second > 0 else 0.0


def measured(command: str, paths: Sequence[Path], out: Path) -> list[float]:
    return [min(seconds(command, path, out) for _ in range(BEST_OF)) for path in paths]


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.growth", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=COMMANDS)
    parser.add_argument("--dimensions", nargs="+", choices=PLACES, default=PLACES)
    parser.add_argument("--size", type=int, default=1_000, help="The smallest number of parts (1000).")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ["INSPECTOR_DB"] = str(place / "warm.db")
        for dimension in given.dimensions:
            paths = [written(dimension, place / f"{times}.jsonl", times * given.size) for times in (1, 2, 4)]
            for command in given.commands:
                run(command, written(dimension, place / "warm.jsonl", 5), place / "out.jsonl")  # loads what it needs
                times = measured(command, paths, place / "out.jsonl")
                shown = ", ".join(f"{one:.2f}" for one in times)
                print(f"{dimension}: {command} {shown} s, growth exponent {exponent(times):.2f}", flush=True)


if __name__ == "__main__":
    main()
