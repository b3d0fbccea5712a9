"""Certainty of token counts, and the symbol that marks estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import Tokens, json_object

Certainty = Literal["reported", "exact", "estimated", "unrecorded"]
"""Source of a token count.

reported    by the provider
exact       counted with the model's tokenizer
estimated   counted otherwise; marked with ≈
unrecorded  inferred for content that is not in the file; marked with ≈
"""

_ORDER: tuple[Certainty, ...] = ("reported", "exact", "estimated", "unrecorded")


def weakest(*certainties: Certainty) -> Certainty:
    """Return the certainty of a sum, which is that of its least certain term. An empty sum is exact."""
    return max(certainties, key=_ORDER.index, default="exact")


def mark(certainty: Certainty) -> str:
    """Return the symbol to print before a number: "≈" if it is uncertain, otherwise an empty string."""
    return "" if certainty in ("reported", "exact") else "≈"


@json_object("Section", "tokens how=certainty", about="Size of a section of the window.")
@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens and its certainty."""

    tokens: Tokens
    certainty: Annotated[Certainty, "certainty of the number; unrecorded numbers are inferred from reported usage"]

    def __str__(self) -> str:
        return f"{mark(self.certainty)}{self.tokens:,}"
