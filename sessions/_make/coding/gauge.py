"""The data that tidegate's story is about: what the gauge measured, and what the gate did. The harbour is invented."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from _make.names import Names

TEN_MINUTES = timedelta(minutes=10)
Hours = tuple[float, float, float]
MARCH: Hours = (8.05, 9.0, 19.0)
"""Hours after 20 March at which the moon's, the sun's and the daily wave stand highest."""
OCTOBER: Hours = (3.5, 11.5, 12.0)
EPOCH = datetime(2026, 3, 20, tzinfo=UTC)
LOWEST, HIGHEST = 60, 185


def level(moment: datetime, highs: Hours) -> float:
    """Centimetres above datum."""
    hours = (moment - EPOCH).total_seconds() / 3600
    waves = zip(((142, 12.4206012), (34, 12.0), (11, 25.8193417)), highs, strict=True)
    return 22 + math.fsum(height * math.cos(2 * math.pi * (hours - high) / period) for (height, period), high in waves)


def moments(first: datetime, last: datetime, step: timedelta) -> Iterator[datetime]:
    while first <= last:
        yield first
        first += step


def gauge(first: datetime, last: datetime, highs: Hours, seed: str) -> str:
    """The gauge's own file: a row every ten minutes, in UTC."""
    names = Names(seed)
    rows = ["utc,level_cm,quality"]
    for moment in moments(first, last, TEN_MINUTES):
        quality = "est" if names.between(1, 60) == 1 else "ok"
        rows.append(f"{moment:%Y-%m-%dT%H:%M:%SZ},{round(level(moment, highs))},{quality}")
    return "\n".join(rows) + "\n"


def log(first: datetime, last: datetime, highs: Hours) -> str:
    """The log of the gate's own controller: a sign of life every five minutes, and every movement."""
    names, shut, rows = Names("gate log"), True, []
    for place, moment in enumerate(moments(first, last, timedelta(minutes=1))):
        height = level(moment, highs)
        if shut == (LOWEST <= height <= HIGHEST):
            rows += movement(moment, height, shut, names)
            shut = not shut
        if place % 5 == 0:
            leaf, oil = "shut" if shut else "open", 18 + names.between(0, 60) / 10
            state = f"level={round(height):+d} leaf={leaf} pressure={names.between(112, 121)}bar oil={oil:.1f}C"
            rows.append(f"{moment:%Y-%m-%dT%H:%M:%SZ} alive {state} seq={20_931 + place // 5}")
    return "\n".join(rows) + "\n"


def movement(moment: datetime, height: float, opening: bool, names: Names) -> list[str]:
    """Lines for one movement of the leaf: the controller starts within two minutes of the limit being passed."""
    start = moment + timedelta(seconds=names.between(8, 95))
    limit = "high" if height > (LOWEST + HIGHEST) / 2 else "depth"
    verb, state = ("OPENING", "OPEN") if opening else ("CLOSING", "SHUT")
    stroke = names.between(121, 139)
    end = start + timedelta(seconds=stroke)
    return [
        f"{start:%Y-%m-%dT%H:%M:%SZ} move  {verb} limit={limit} level={round(height):+d} pump=1,2",
        f"{end:%Y-%m-%dT%H:%M:%SZ} move  {state} stroke={stroke}s current={names.between(61, 68)}A",
    ]


def write_all(root: Path) -> None:
    """The data folder and the log folder of the project."""
    (root / "data").mkdir()
    (root / "logs").mkdir()
    week = datetime(2026, 3, 22, 23, tzinfo=UTC), datetime(2026, 3, 30, 1, tzinfo=UTC)
    autumn = datetime(2026, 10, 18, 22, tzinfo=UTC), datetime(2026, 10, 26, 3, tzinfo=UTC)
    (root / "data/gauge-2026-w13.csv").write_text(gauge(*week, MARCH, "w13"))
    (root / "data/predicted-2026-w43.csv").write_text(gauge(*autumn, OCTOBER, "w43"))
    (root / "logs/gate-2026-w13.log").write_text(log(*week, MARCH))
