"""The items of the state of the work that the compressions of a replay keep, revive and invent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from inspector.analysis import replay as face
from inspector.core.json_objects import Fraction, json_object
from inspector.engine import work_state

Judged = Literal["all", "questions", "nothing"]
"""Judgements of the state of the work: all, those for the questions for going on, or none."""
_PARTS = ("file", "summary")
"""Parts whose rows are not items of the state: a count of files, and invented statements."""


@json_object("Summary statement", "turn fate statement before message")
@dataclass(frozen=True, slots=True)
class SummaryStatement:
    """A statement of a summary that is invented, or that states refused, dropped or finished work as open."""

    turn: Annotated[int, "of the first request after the compaction"]
    fate: Annotated[work_state.Fate, "invented or revived"]
    statement: Annotated[str, "its wording in the summary"]
    before: Annotated[
        str, "the revived item and its state; of an invented statement the closest sentence before it, or empty"
    ]
    message: Annotated[str, "id of the message that states `before`; empty for none"]


@json_object(
    "Questions at a compaction", "turn probes statements", about="Questions that an agent must be able to answer."
)
@dataclass(frozen=True, slots=True)
class WorkQuestions:
    """The questions for going on at one compaction, and what its summary invents and revives."""

    turn: Annotated[int, "of the first request after it"]
    probes: tuple[face.WorkProbe, ...]
    statements: Annotated[tuple[SummaryStatement, ...], "invented and revived statements of the summary"] = ()
    summary: str = ""
    """Text of the summary; empty if none of its statements is listed."""


@dataclass(frozen=True, slots=True)
class StateKept:
    """Items of the state of the work at the compressions of a replay."""

    items: Annotated[int, "items of the state before each compression, added up"] = 0
    kept: Annotated[int, "of these, kept"] = 0
    revived: Annotated[int, "refused, dropped or finished items that a summary states as open"] = 0
    invented: Annotated[int, "statements of summaries that nothing before them states"] = 0
    probes: Annotated[int, "questions whose answers the agent needs to go on"] = 0
    answered: Annotated[int, "of these, answered by the new contexts"] = 0
    unchecked: Annotated[int, "summaries whose statements cannot be checked: their context is not recorded"] = 0

    @property
    def share(self) -> Annotated[Fraction | None, "kept share; null without items"]:
        return self.kept / self.items if self.items else None

    @property
    def going_on(self) -> Annotated[Fraction | None, "answered share of the questions; null without any"]:
        return self.answered / self.probes if self.probes else None

    @property
    def retained(self) -> float:
        """The kept share; 1 without items, because nothing was lost."""
        return 1.0 if self.share is None else self.share

    @property
    def continued(self) -> float:
        """The answered share; 1 without questions, because nothing was lost."""
        return 1.0 if self.going_on is None else self.going_on

    @property
    def words(self) -> str:
        """The counts as a sentence; "" without items."""
        if not self.items:
            return ""
        kept = f"{self.kept:,} of {self.items:,} items of state kept"
        probes = f", {self.answered:,} of {self.probes:,} questions for going on answered" if self.probes else ""
        return f"{kept}, {self.revived:,} revived, {self.stated} invented{probes}"

    @property
    def stated(self) -> str:
        """The number of invented statements; "?" without any if a summary could not be checked."""
        return "?" if self.unchecked and not self.invented else f"{self.invented:,}"

    def add(
        self, rows: Iterable[work_state.StateFate], probes: Sequence[face.WorkProbe], *, is_checked: bool = True
    ) -> StateKept:
        """Return the counts with those of one more compression."""
        rows = list(rows)
        fates = [row.fate for row in rows if row.part not in _PARTS]
        return StateKept(
            self.items + len(fates),
            self.kept + fates.count("kept"),
            self.revived + fates.count("revived"),
            self.invented + sum(row.fate == "invented" for row in rows),
            self.probes + len(probes),
            self.answered + sum(probe.is_answered for probe in probes),
            self.unchecked + (not is_checked),
        )
