"""Count what the compressions of a replay keep of the state of the work, revive and invent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from inspector.analysis.replay.going_on import ASKED_PARTS, probes_of
from inspector.analysis.replay.log_states import LogStates
from inspector.analysis.replay.state_counts import StateKept, WorkQuestions
from inspector.analysis.replay.summary_statements import statements_of
from inspector.core.conversation import Message, Session
from inspector.engine.compression import Compaction
from inspector.engine.window import Window
from inspector.engine.work_state import Transition, WorkHistory, WorkState, fates_of, is_recorded
from inspector.llm.providers import text_message


@dataclass
class StateTally:
    """Counts what the compressions of a replay make of the state of the work."""

    states: LogStates = field(default_factory=LogStates)
    only_questions: bool = False
    """True to count only the questions for going on, without the items that are kept, revived and invented."""
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
        self._note(compaction.before.turn, transition, following)

    def _note(self, turn: int, transition: Transition, following: Sequence[Message] | None = None) -> None:
        rows = fates_of(transition, ASKED_PARTS if self.only_questions else None)
        probes = probes_of(transition, rows, following)
        text = transition.summary.text if transition.summary else ""
        is_checked = self.only_questions or not text or is_recorded(transition, text)
        self.counts = self.counts.add(() if self.only_questions else rows, probes, is_checked=is_checked)
        stated = statements_of(turn, rows, transition.replaced)
        summary = text if stated else ""
        self.questions += [WorkQuestions(turn, probes, stated, summary)] if probes or stated else []

    def add_recorded(self, session: Session, agent: str) -> StateTally:
        """Count what the compactions in a recording made of the state. Raises OSError if it can no longer be read."""
        for transition in WorkHistory(session, agent).transitions():
            self._note(transition.turn, transition)
        return self


def _transition(state: WorkState, before: Window, compaction: Compaction) -> Transition:
    summaries = {message.id for message in compaction.plan.summaries}
    kept = tuple(message for message in compaction.after.messages if message.id not in summaries)
    text = "\n\n".join(message.text for message in compaction.plan.summaries)
    summary = text_message("summary", "user", text, before.context.dialect, kind="summary")
    talk = tuple(message for message in kept if message.role != "system")
    return Transition(summary, len(before.messages), before.turn, state, talk, (), before.messages)
