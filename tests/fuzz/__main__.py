"""Look for failures with random input, for minutes or hours.

    python -m tests.fuzz [keys | files | formats | grammar | stores | interrupts | properties …] [--minutes 10]

Each kind runs for so long, one after the other and in a process of its own, because a forked child starts with the
memory of its parent. Ends with 1 when something failed. What failed on the keys or in a format is kept in
`tests/fuzz/found`, where the suite plays it; the rest, which may hold recordings, in `build/fuzz`.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys

from tests.fuzz import Search, files, formats, grammar, interrupts, keys, properties, stores

KINDS = {
    "keys": keys.run,
    "files": files.run,
    "formats": formats.run,
    "grammar": grammar.run,
    "stores": stores.run,
    "interrupts": interrupts.run,
    "properties": properties.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"What to try: {', '.join(KINDS)}; all by default.")
    parser.add_argument("--minutes", type=float, default=10, help="Minutes for each kind (10).")
    parser.add_argument("--seed", type=int, default=None, help="The same seed tries the same; drawn by default.")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    seed = random.randrange(1_000_000) if given.seed is None else given.seed
    kinds = given.kinds or list(KINDS)
    if len(kinds) == 1:
        print(f"{kinds[0]}: {given.minutes:g} minutes from seed {seed}", flush=True)
        return 1 if print_lines(KINDS[kinds[0]](seed, given.minutes * 60)) else 0
    alike = ["--minutes", str(given.minutes), "--seed", str(seed)]
    return max(subprocess.run([sys.executable, "-m", "tests.fuzz", kind, *alike]).returncode for kind in kinds)


def print_lines(search: Search) -> int:
    """Print what a search tells while it runs; how many failures there were."""
    while True:
        try:
            print(next(search), flush=True)
        except StopIteration as end:
            return int(end.value)


if __name__ == "__main__":
    sys.exit(main())
