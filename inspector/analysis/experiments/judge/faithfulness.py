"""Measure how much of a summary is supported by what it replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.core.conversation import InMemoryBody, Message
from inspector.core.text import one_line
from inspector.engine.facts import units_of
from inspector.engine.work_state import Fate, Transition, fates_of

_FAULTS: Mapping[Fate, int] = {"invented": 1, "revived": 2, "stale": 2}
"""Number of statements that a fault costs. What contradicts the state of the work costs twice."""


def summary_message(text: str) -> Message:
    """Return a text as a summary."""
    return Message("judged", "user", InMemoryBody({"role": "user", "content": text}), kind="summary", chars=len(text))


def faithfulness(transition: Transition, text: str) -> float:
    """Return the share of the statements of a summary that are neither invented nor contradicted, from 0 to 1.

    Line breaks have no effect.

    Args:
        transition: The compaction, with the messages that it replaced.
        text: A summary of them.

    Raises:
        OSError: If the recording can no longer be read.
    """
    return sound_part(transition, text)[1]


def sound_part(transition: Transition, text: str) -> tuple[str, float]:
    """Return a text without the statements that are invented or contradicted, and its `faithfulness`."""
    statements = units_of(text)
    judged = replace(transition, summary=summary_message("\n".join(statements)), kept=())
    faulty = [row for row in fates_of(judged) if row.fate in _FAULTS]
    faults = sum(_FAULTS[row.fate] for row in faulty)
    left_out = {_statement(statements, one_line(row.after or row.item).rstrip(".…")) for row in faulty}
    sound = "\n".join(unit for unit in statements if unit not in left_out) if any(left_out) else text
    return sound, max(0.0, 1 - faults / len(statements))


def _statement(statements: Sequence[str], wording: str) -> str:
    """Return the shortest statement with a wording; "" for none."""
    stating = [unit for unit in statements if wording and wording in one_line(unit)]
    return min(stating, key=len, default="")
