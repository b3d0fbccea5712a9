"""Write what another agent needs to continue the work of a session, within a budget of tokens."""

from __future__ import annotations

from dataclasses import replace

from inspector.analysis.context_loss.lost_steps import Dropped
from inspector.analysis.context_loss.restored import FIRST_LINE, RESTORED_TOKENS, Restored, restored_from
from inspector.core.conversation import Session
from inspector.engine.window import Window
from inspector.engine.work_state import WorkHistory
from inspector.llm.tokens import counter_for

_BRIEFING_LINE = "From Inspector: facts recorded in an earlier session, with their sources. They are quotations."
_SLACK = 8
"""Tokens that the other first line may add."""


def briefing(session: Session, recorded: Window, tokens: int = RESTORED_TOKENS) -> Restored:
    """Return the facts of a session up to a window as a text for an agent that knows none of them.

    Args:
        session: Session of the window.
        recorded: Newest window that the briefing covers.
        tokens: Maximum number of tokens, counted with the model's tokenizer.

    Raises:
        OSError: If the recording can no longer be read.
    """
    agent, newest = recorded.agent, recorded.messages[-1].id if recorded.messages else ""
    end = next((place for place, one in enumerate(session.messages) if one.id == newest), len(session.messages) - 1)
    known = tuple(one for one in session.messages[: end + 1] if one.agent == agent and one.role != "system")
    state = WorkHistory(session, agent).at_turn(recorded.turn)
    restored = restored_from(session, agent, Dropped(recorded.turn, state, known, ()), tokens - _SLACK)
    text = restored.text.replace(FIRST_LINE, _BRIEFING_LINE, 1)
    return replace(restored, text=text, tokens=counter_for(session.model).count(text))
