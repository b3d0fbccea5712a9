"""The command line."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path

from tidegate import report
from tidegate.gate import WESTERHAVEN
from tidegate.readings import Reading, load, of_day
from tidegate.windows import edges, open_windows


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    readings = load(options.file)
    if options.what == "trace":
        sys.stdout.write(trace(of_day(readings, options.day) if options.day else readings))
        return 0
    windows = open_windows(readings, WESTERHAVEN)
    texts = {"sheet": lambda: report.sheet(windows, WESTERHAVEN), "board": lambda: report.board(windows)}
    sys.stdout.write(texts.get(options.what, lambda: report.totals(windows))())
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidegate")
    parser.add_argument("what", choices=["sheet", "board", "total", "trace"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--day", type=date.fromisoformat)
    return parser


def trace(readings: Sequence[Reading]) -> str:
    """A line for each pair of readings: when, the levels, how long the pair took, and what was passed."""
    lines = []
    for before, after in pairwise(readings):
        took = (after.at - before.at).total_seconds() / 60
        state = "open" if WESTERHAVEN.passable(before.level) else "shut"
        found = ", ".join(f"passes {level:+d}" for level in edges(before, after, WESTERHAVEN))
        when = f"{before.at:%a %H:%M} -> {after.at:%H:%M}"
        lines.append(f"{when}  {took:5.1f} min  {before.level:+5d} -> {after.level:+5d}  {state}  {found}")
    return "\n".join(line.rstrip() for line in lines) + "\n"
