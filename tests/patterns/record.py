"""Prove the patterns that are not in the record to take linear time, and write the record.

python -m tests.patterns.record
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.patterns.proof import PROVED, Claim, claims, proved


def record(every: Iterable[Claim], path: Path = PROVED) -> list[str]:
    """Write the claims that are recorded or can be proved to the record.

    Args:
        every: All claims; what is recorded beside them is dropped.
        path: The record. Claims in it are not proved again.

    Returns:
        A sentence for each pattern that is slow, with a text on which it is.
    """
    every, known = list(every), proved(path)
    fresh = [claim for claim in every if claim.digest not in known]
    with ProcessPoolExecutor() as pool:
        shapes = list(pool.map(Claim.slow_shape, fresh))
    slow = {claim: shape for claim, shape in zip(fresh, shapes, strict=True) if shape}
    lines = {(claim.name, claim.digest) for claim in every if claim not in slow}
    path.write_text("".join(f"{digest} {name}\n" for name, digest in sorted(lines)), encoding="utf-8")
    return [f"{claim.name} ({claim.way}) is slow on {shape.text(120)!r}." for claim, shape in slow.items()]


if __name__ == "__main__":
    slow = record(claims())
    print("\n".join(slow) or f"{len(proved())} patterns are recorded.")
    sys.exit(bool(slow))
