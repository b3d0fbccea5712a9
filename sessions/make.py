"""Writes the sample sessions of this folder.

    python sessions/make.py               into this folder
    python sessions/make.py somewhere/    into another one
    python sessions/make.py --record      and run the commands of the coding sessions again (needs bash, git, GNU tools)

Needs nothing but Python, and gives the same bytes on every run: times, identifiers and random numbers are fixed, and
what commands once printed is kept in _make/tapes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from _make import agents, coding, damaged, interviews, research, support

HERE = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the sample sessions.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=HERE, help="where to write them; this folder if not given"
    )
    parser.add_argument("--record", action="store_true", help="run the commands again and keep what they print")
    options = parser.parse_args(arguments)
    for name, text in sessions(recording=options.record).items():
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        print(f"{len(text.encode()):>9,}  {name}")


def sessions(*, recording: bool = False) -> dict[str, str]:
    """All files, by their name in the folder."""
    recorded = coding.make(recording) | agents.make(recording)
    return recorded | research.make() | support.make() | damaged.make() | interviews.make()


if __name__ == "__main__":
    main()
