"""Count what the compressions of a replay keep of the state of the work, revive and invent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from inspector.analysis.replay.going_on import WorkProbe, probes_of
from inspector.analysis.replay.log_states import LogStates
from inspector.analysis.replay.state_counts import StateKept, WorkQuestions
from inspector.core.conversation import Message, Session
from inspector.engine.compression import Compaction
from inspector.engine.window import Window
from inspector.engine.work_state import StateFate, Transition, WorkHistory, WorkState, fates_of
from inspector.llm.providers import text_message


@dataclass
class StateTally:
    """Counts what the compressions of a replay make of the state of the work."""

    states: LogStates = field(default_factory=LogStates)
    counts: StateKept = field(default_factory=StateKept)
    questions: list[WorkQuestions] = field(default_factory=list)
    """The questions at each compression."""

    def add(self, log: Sequence[Message], compaction: Compaction, following: Sequence[Message]) -> None:
        """Count what a compression made of the state at the end of a log.

        Args:
            log: Messages up to the compression.
            compaction: The compression.
            following: Recorded messages after it.

        Raises:
            OSError: If the recording can no longer be read.
        """
        transition = _transition(self.states.after(log), compaction.before, compaction)
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
