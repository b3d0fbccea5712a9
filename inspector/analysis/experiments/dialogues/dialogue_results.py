"""Results of one dialogue, which workers send and journals keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from inspector import __version__
from inspector.analysis.experiments.dialogues.question_checks import Counts
from inspector.formats import Dialogue


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One dialogue under one strategy and one budget."""

    before: int
    after: int
    retained: float
    reach: float
    categories: Mapping[str, Counts]
    changes: bool = False
    failed: bool = False
    recalls: bool = False
    related: float = 0.0


DialogueResult = tuple[Mapping[str, Counts], list[CheckResult]]
"""Counts of a whole dialogue by category, and its results with each strategy to each budget."""


def dialogue_json(result: DialogueResult) -> list[Any]:
    """Return the result of a dialogue as JSON."""
    whole, column = result
    return [{name: asdict(counts) for name, counts in whole.items()}, [asdict(row) for row in column]]


def dialogue_of_json(value: Any) -> DialogueResult:
    """Return the result in a value from `dialogue_json`. Raises ValueError, TypeError or AttributeError for others."""
    whole, column = value
    rows = [CheckResult(**row | {"categories": _counts_of(row["categories"])}) for row in column]
    if not all(isinstance(number, int | float) for row in rows for number in (row.before, row.after, row.retained)):
        raise TypeError("a number of a result is none")
    return _counts_of(whole), rows


def _counts_of(categories: Mapping[str, Mapping[str, int]]) -> dict[str, Counts]:
    return {str(name): Counts(**{key: int(value) for key, value in row.items()}) for name, row in categories.items()}


def dialogue_key(dialogue: Dialogue, settings: Iterable[object]) -> str:
    """Return a key that is equal for an unchanged dialogue that is checked with the same settings."""
    messages = [(message.id, message.role, message.text) for message in dialogue.session.messages]
    text = repr((messages, dialogue.questions, *settings, __version__))
    return sha256(text.encode("utf-8", "replace")).hexdigest()
