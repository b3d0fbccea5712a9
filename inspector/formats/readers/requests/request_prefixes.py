"""Hashes of the prefixes of a request, by which the requests of one conversation are recognized."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from inspector.core.conversation import Dialect, Thinking, ToolResult
from inspector.core.text import dumps
from inspector.llm.providers import wire_of


def points_of(system: Any, messages: Sequence[Any], dialect: Dialect) -> Iterator[tuple[int, int]]:
    """Yield the length and a hash of every prefix of a request, from the empty one to all of it.

    Args:
        system: The system prompt.
        messages: The messages, with the reply if there is one.
        dialect: Their wire format.
    """
    so_far = hash(dumps(system))
    yield 0, so_far
    for length, raw in enumerate(messages, 1):
        so_far = hash((so_far, _fingerprint(raw, dialect)))
        yield length, so_far


def _fingerprint(raw: Any, dialect: Dialect) -> int:
    """Return a hash of a message without its reasoning, which is usually not sent again, in any notation."""
    if not isinstance(raw, dict):
        return 0
    wire = wire_of(dialect)
    parts = [part for part in wire.parse(raw) if not isinstance(part, Thinking) and _tells(part)]
    return hash((wire.role(raw), tuple(parts)))


def _tells(part: Any) -> bool:
    """Return True if a part is more than an empty text."""
    return isinstance(part, ToolResult) or getattr(part, "text", "text") != ""
