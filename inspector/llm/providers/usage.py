"""Reported counts of tokens, which no provider can be trusted to have made well."""

from __future__ import annotations

from typing import Any

from inspector.core.conversation import Usage

_MAX_TOKENS = 1 << 53
"""Beyond this no count of tokens is believed."""


def token_count(values: Any, name: str) -> int:
    """A count under `name`; 0 for what is no count."""
    value = values.get(name) if isinstance(values, dict) else None
    if type(value) is int and 0 <= value < _MAX_TOKENS:
        return value
    return int(value) if isinstance(value, float) and 0 < value < _MAX_TOKENS else 0


def usage_unless_zero(
    input: int, output: int, cache_read: int, cache_write: int, cache_write_1h: int = 0
) -> Usage | None:
    """The numbers, unless they are all nothing: then nothing was reported. No part is more than the whole of it."""
    cache_read = min(cache_read, input)
    cache_write = min(cache_write, input - cache_read)
    cache_write_1h = min(cache_write_1h, cache_write)
    return Usage(input, output, cache_read, cache_write, cache_write_1h) if input or output else None


def later_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Of two reports on one reply the later, unless the earlier tells of more output."""
    if first is None or second is None:
        return first or second
    return first if first.output > second.output else second
