"""How a number of tokens is known, and the sign that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import Tokens, json_object

Certainty = Literal["reported", "exact", "estimated", "unrecorded"]
"""reported: by the provider. exact: by the right tokenizer. estimated: ≈.
unrecorded: inferred, for what no file holds."""

_ORDER: tuple[Certainty, ...] = ("reported", "exact", "estimated", "unrecorded")


def weakest(*certainties: Certainty) -> Certainty:
    """The certainty of a sum: that of its least certain term. An empty sum is exact."""
    return max(certainties, key=_ORDER.index, default="exact")


def mark(certainty: Certainty) -> str:
    """The sign before a number that is not certain."""
    return "" if certainty in ("reported", "exact") else "≈"


@json_object("Section", "tokens how=certainty", about="What a section of the window takes.")
@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens, and how it is known."""

    tokens: Tokens
    certainty: Annotated[Certainty, "how the number is known; an unrecorded one is inferred from reported usage"]

    def __str__(self) -> str:
        return f"{mark(self.certainty)}{self.tokens:,}"
