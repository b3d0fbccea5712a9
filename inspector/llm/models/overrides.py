"""The user's own prices: `prices.toml` in the user's configuration directory.

    ["my-model"]           # dollars per million tokens
    input = 1.0
    output = 4.0
    cache_read = 0.1       # the last three are optional
    cache_write = 1.25
    cache_write_1h = 2.0   # into a cache that lasts for an hour

A table named `default` applies to models without a known price. Quotes around a name with a dot are optional.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from inspector.llm.models.price_list import RATES

Rates = Mapping[str, float]
"""Dollars per million tokens: `input`, `output` and optionally `cache_read`, `cache_write` and `cache_write_1h`."""


def own_path() -> Path:
    """Return the path of the user's price file."""
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "prices.toml"


def own_prices(path: Path | None = None) -> tuple[Mapping[str, Rates], str]:
    """Return the prices in a file by model, and a sentence if it is unusable. Both are empty if it does not exist."""
    path = path or own_path()
    try:
        status = path.stat()
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, _unusable(path, error.strerror or str(error))
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _load(path: Path, mtime: int, size: int) -> tuple[Mapping[str, Rates], str]:  # noqa: ARG001  cache key
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: check_rates(name, rates) for name, rates in _entries(table)}, ""
    except OSError as error:
        return {}, _unusable(path, error.strerror or str(error))
    except (ValueError, RecursionError) as error:  # invalid TOML, invalid UTF-8 or an invalid price
        return {}, _unusable(path, str(error))


def _unusable(path: Path, reason: str) -> str:
    return f"your prices are ignored, because {path} cannot be read: {reason.rstrip('.')}"


def _entries(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield model names and their prices. TOML parses an unquoted name with a dot as nested tables."""
    for name, value in table.items():
        if isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values()):
            yield from _entries(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def check_rates(name: str, rates: Any) -> Rates:
    """Validate the prices of a model and return them as floats.

    Raises:
        ValueError: A price is missing, unknown or not a non-negative number.
    """
    if not isinstance(rates, Mapping) or not {"input", "output"} <= rates.keys():
        raise ValueError(f"the price of {name} needs an input and an output, in dollars per million tokens")
    for kind, price in rates.items():
        if kind not in RATES:
            raise ValueError(f"the price of {name} has an unknown part {kind!r}; parts: {', '.join(RATES)}")
        if isinstance(price, bool) or not isinstance(price, int | float) or not isfinite(price) or price < 0:
            raise ValueError(f"the {kind} price of {name} must be in dollars per million tokens, not {price!r}")
    return {kind: float(price) for kind, price in rates.items()}
