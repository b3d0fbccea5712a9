"""What recorded agents read again after compactions of their own, session by session and in all.

python -m tests.benchmarks.rereads FOLDER…
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspector.analysis.replay import RepeatedReadRates, count_rereads, describe_rereads
from inspector.formats import UnreadableError, find, load

DRAWS = 2_000


def found_in(folders: Sequence[Path]) -> Iterator[RepeatedReadRates]:
    """What was read again in each session that has compactions of its own."""
    for path in (path for folder in folders for path in find(folder)):
        try:
            sessions = load(path)
        except UnreadableError:
            continue
        for session in sessions:
            if (row := count_rereads(session)) is not None:
                yield row


def by_session(rows: Sequence[RepeatedReadRates], seed: int = 1) -> tuple[float, float]:
    """The interval of the excess of 95 % when whole sessions are drawn again, for those of one are alike."""
    chance = random.Random(seed)
    draws = (sum(chance.choices(rows, k=len(rows)), RepeatedReadRates()).excess for _ in range(DRAWS))
    order = sorted(excess for excess in draws if excess is not None)
    return (order[len(order) // 40], order[-len(order) // 40]) if order else (0.0, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    rows = list(found_in(parser.parse_args().folders))
    for row in rows:
        print(f"{row.compactions} {row.gone.repeated}/{row.gone.count} {row.kept.repeated}/{row.kept.count}")
    whole = sum(rows, RepeatedReadRates())
    print(f"{len(rows)} sessions. {describe_rereads(whole)}")
    for name, rate in (("gone", whole.gone), ("kept", whole.kept)):
        low, high = rate.interval
        print(f"{name} {rate.share or 0:.3f}  {low:.3f} to {high:.3f}")
    print("sessions drawn again: {:+.3f} to {:+.3f}".format(*by_session(rows)))


if __name__ == "__main__":
    main()
