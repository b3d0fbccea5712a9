"""A person's own prices: `prices.toml` in the folder where a platform keeps a program's settings.

    ["my-model"]           # dollars per million tokens
    input = 1.0
    output = 4.0
    cache_read = 0.1       # these three may be left out
    cache_write = 1.25
    cache_write_1h = 2.0   # into a cache that keeps it for an hour

A table called `default` is for models whose price is not known. Quotes around a name with a dot may be forgotten.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

Rates = Mapping[str, float]
"""`input`, `output` and, where they are known, `cache_read`, `cache_write` and `cache_write_1h`: dollars per million
tokens."""
_KINDS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")


def own_path() -> Path:
    """Where the prices are looked for."""
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "prices.toml"


def own_prices(path: Path | None = None) -> tuple[Mapping[str, Rates], str]:
    """The prices in a file, by model, and one sentence on what is wrong with it; both empty where there is no file."""
    path = path or own_path()
    try:
        status = path.stat()
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, _unusable(path, error.strerror or str(error))
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _load(path: Path, mtime: int, size: int) -> tuple[Mapping[str, Rates], str]:  # noqa: ARG001  say which file it was
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: check_rates(name, rates) for name, rates in _entries(table)}, ""
    except OSError as error:
        return {}, _unusable(path, error.strerror or str(error))
    except (ValueError, RecursionError) as error:  # no TOML, no text, or a price that is none
        return {}, _unusable(path, str(error))


def _unusable(path: Path, reason: str) -> str:
    return f"your own prices are not used, because {path} cannot be read: {reason.rstrip('.')}"


def _entries(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Models and their prices. A name with a dot and no quotes is read by TOML as tables inside tables."""
    for name, value in table.items():
        if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
            yield from _entries(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def check_rates(name: str, rates: Any) -> Rates:
    """The prices of a model. Raises ValueError when they are not usable."""
    if not isinstance(rates, Mapping) or not {"input", "output"} <= rates.keys():
        raise ValueError(f"the price of {name} needs an input and an output, in dollars per million tokens")
    for kind, price in rates.items():
        if kind not in _KINDS:
            raise ValueError(f"the price of {name} has an unknown part {kind!r}; there are: {', '.join(_KINDS)}")
        if isinstance(price, bool) or not isinstance(price, int | float) or not isfinite(price) or price < 0:
            raise ValueError(f"the {kind} price of {name} is {price!r}, not dollars per million tokens")
    return {kind: float(price) for kind, price in rates.items()}
