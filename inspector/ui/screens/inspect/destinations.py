"""Parse the number typed to jump somewhere: `107` is a message, `t26` a turn."""

from __future__ import annotations

from dataclasses import dataclass

_TURN = ("turn", "t")
_MAX_DIGITS = 12
"""Maximum digits of a number."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Number of a message or a turn, from 1."""

    number: int
    is_turn: bool


def parse_destination(text: str) -> Destination | None:
    """Return the destination that was typed, or None if the text is not recognised."""
    word = text.strip().casefold().replace(",", "")
    is_turn = word.startswith("t")
    for name in _TURN if is_turn else ("#",):
        word = word.removeprefix(name).strip()
    return Destination(int(word), is_turn) if word.isascii() and word.isdigit() and len(word) <= _MAX_DIGITS else None
