"""Count what the compressions of a replay keep of the state of the work, revive and invent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from inspector.analysis.replay.going_on import WorkProbe, probes_of
from inspector.core.conversation import Message, Session
from inspector.core.json_objects import Fraction, json_object
from inspector.engine.compression import Compaction
from inspector.engine.window import Window
from inspector.engine.work_state import StateFate, Transition, WorkHistory, WorkState, fates_of, fold
from inspector.llm.providers import text_message

_PARTS = ("file", "summary")
"""Parts whose rows are not items of the state: a count of files, and invented statements."""


@json_object("Questions at a compaction", "turn probes", about="Questions that an agent must be able to answer.")
@dataclass(frozen=True, slots=True)
class WorkQuestions:
    """The questions for going on at one compaction."""

    turn: Annotated[int, "of the first request after it"]
    probes: tuple[WorkProbe, ...]


@dataclass(frozen=True, slots=True)
class StateKept:
    """Items of the state of the work at the compressions of a replay."""

    items: Annotated[int, "items of the state before each compression, added up"] = 0
    kept: Annotated[int, "of these, kept"] = 0
    revived: Annotated[int, "refused, dropped or finished items that a summary states as open"] = 0
    invented: Annotated[int, "statements of summaries that nothing before them states"] = 0
    probes: Annotated[int, "questions whose answers the agent needs to go on"] = 0
    answered: Annotated[int, "of these, answered by the new contexts"] = 0

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
        return f"{kept}, {self.revived:,} revived, {self.invented:,} invented{probes}"

    def add(self, rows: Iterable[StateFate], probes: Sequence[WorkProbe]) -> StateKept:
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
        )


@dataclass
class StateTally:
    """Follows the state of the work through the log of a replay."""

    counts: StateKept = StateKept()
    questions: list[WorkQuestions] = field(default_factory=list)
    """The questions at each compression."""
    _state: WorkState = field(default_factory=WorkState)
    _length: int = 0

    def rewind(self) -> None:
        """Start again at the beginning of the log, which continued on another branch."""
        self._state, self._length = WorkState(), 0

    def add(self, log: Sequence[Message], compaction: Compaction, following: Sequence[Message]) -> None:
        """Count what a compression made of the state at the end of a log.

        Args:
            log: Messages up to the compression.
            compaction: The compression.
            following: Recorded messages after it.

        Raises:
            OSError: If the recording can no longer be read.
        """
        self._state = fold(log[self._length :], self._state)
        self._length = len(log)
        transition = _transition(self._state, compaction.before, compaction)
        rows = fates_of(transition)
        self._note(compaction.before.turn, rows, probes_of(transition, rows, following))

    def _note(self, turn: int, rows: Iterable[StateFate], probes: tuple[WorkProbe, ...]) -> None:
        self.counts = self.counts.add(rows, probes)
        self.questions += [WorkQuestions(turn, probes)] if probes else []

    def add_recorded(self, session: Session, agent: str) -> StateTally:
        """Count what the compactions in a recording made of the state. Raises OSError if it can no longer be read."""
        for transition in WorkHistory(session, agent).transitions():
            rows = fates_of(transition)
            self._note(transition.turn, rows, probes_of(transition, rows))
        return self


def _transition(state: WorkState, before: Window, compaction: Compaction) -> Transition:
    summaries = {message.id for message in compaction.plan.summaries}
    kept = tuple(message for message in compaction.after.messages if message.id not in summaries)
    text = "\n\n".join(message.text for message in compaction.plan.summaries)
    summary = text_message("summary", "user", text, before.context.dialect, kind="summary")
    talk = tuple(message for message in kept if message.role != "system")
    return Transition(summary, len(before.messages), before.turn, state, talk, (), before.messages)
