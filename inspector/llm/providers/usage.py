"""Validation of reported token counts, which can be wrong in any provider's data."""

from __future__ import annotations

from typing import Any

from inspector.core.conversation import Usage

_MAX_TOKENS = 1 << 53
"""Upper bound of plausible token counts."""


def token_count(values: Any, name: str) -> int:
    """Return the count under `name`, or 0 if it is not a plausible number."""
    value = values.get(name) if isinstance(values, dict) else None
    if type(value) is int and 0 <= value < _MAX_TOKENS:
        return value
    return int(value) if isinstance(value, float) and 0 < value < _MAX_TOKENS else 0


def usage_unless_zero(
    input: int, output: int, cache_read: int, cache_write: int, cache_write_1h: int = 0
) -> Usage | None:
    """Return a usage with consistent parts, or None if nothing was reported.

    Args:
        input: All input tokens.
        output: Output tokens.
        cache_read: Input tokens read from the cache; limited to `input`.
        cache_write: Input tokens written to the cache; limited to the rest of `input`.
        cache_write_1h: Part of `cache_write` that is cached for one hour; limited to it.
    """
    cache_read = min(cache_read, input)
    cache_write = min(cache_write, input - cache_read)
    cache_write_1h = min(cache_write_1h, cache_write)
    return Usage(input, output, cache_read, cache_write, cache_write_1h) if input or output else None


def later_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return the later of two reports on one reply, unless the earlier one has more output."""
    if first is None or second is None:
        return first or second
    return first if first.output > second.output else second
