"""A fact that a compaction dropped, as a line of text with its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.core.json_objects import json_object
from inspector.core.text import clipped_words, one_line

FactKind = Literal["state", "rule", "prompt", "task", "decision", "command", "failure", "changed", "read", "name"]
_PLAIN_QUOTES = str.maketrans("“”", '""')


@json_object("Lost step", "kind turn text")
@dataclass(frozen=True, slots=True)
class LostStep:
    """One statement or action before a compaction, as a line of text with its source."""

    kind: Annotated[FactKind, "a statement of the user, an action of the agent, or part of the state"]
    turn: Annotated[int, "in which it was stated; 0 if unknown"]
    text: Annotated[str, "the line, which names its source"]


def quotation(text: str, room: int) -> str:
    """Return a text on one line in quotation marks that it cannot close.

    Args:
        text: Text to quote.
        room: Maximum number of characters.
    """
    return f"“{clipped_words(one_line(text), room).translate(_PLAIN_QUOTES)}”"
