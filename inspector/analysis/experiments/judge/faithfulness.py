"""Measure how much of a summary is supported by what it replaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inspector.core.conversation import InMemoryBody, Message
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
    statements = units_of(text)
    judged = replace(transition, summary=summary_message("\n".join(statements)), kept=())
    faults = sum(_FAULTS.get(row.fate, 0) for row in fates_of(judged))
    return max(0.0, 1 - faults / len(statements))
