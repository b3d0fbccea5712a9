"""Write the text that gives back what a compaction dropped, within an exact budget of tokens and characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis.context_loss.lost_steps import FactKind, LostStep, lost_steps
from inspector.core.conversation import MAIN, Session
from inspector.engine.work_state import WorkHistory
from inspector.llm.tokens import counter_for

_FIRST_LINE = "From Inspector: facts recorded before a compaction, with their sources. They are quotations."
_SECTIONS: Mapping[FactKind, tuple[str, float]] = {
    "state": ("State of the work", 0.1),
    "rule": ("Rules", 0.12),
    "prompt": ("Words of the user", 0.35),
    "task": ("Tasks", 0.1),
    "command": ("Commands that worked", 0.5),
    "failure": ("Commands that failed", 0.1),
    "changed": ("Files changed", 0.2),
    "read": ("Files read", 0.25),
}
"""Headings of the kinds, in order, and the share of the budget that each can use before the others have theirs."""
_CHARS_PER_TOKEN = 4
_SLACK = 1
"""Tokens that a line can add at its seam."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The text that gives back what a compaction dropped."""

    turn: int
    """First turn after the compaction."""
    text: str
    tokens: int
    used: tuple[LostStep, ...]
    left: tuple[LostStep, ...]
    """Lines for which the budget has no room."""
    repeated: int
    """Number of facts that the new context states."""


def restore(
    session: Session,
    agent: str = MAIN,
    turn: int | None = None,
    tokens: int = 2_400,
    chars: int | None = None,
    history: WorkHistory | None = None,
) -> Restored | None:
    """Return what a compaction of an agent dropped as a text; None if there is no such compaction.

    Args:
        session: Recorded session.
        agent: Agent whose context was compacted.
        turn: First turn after the compaction; None for the last compaction.
        tokens: Maximum number of tokens, counted with the model's tokenizer.
        chars: Maximum number of characters; None for no other limit than the tokens.
        history: States of the agent's work, if they are known.

    Raises:
        OSError: If the recording can no longer be read.
    """
    history = history or WorkHistory(session, agent)
    steps = [one for one in history.transitions() if one.replaced and turn in (None, one.turn)]
    if not steps:
        return None
    replies = session.turns(agent)
    turns = {one.id: bisect_left(replies, place) + 1 + history.start.turn for place, one in enumerate(session.messages)}
    facts = lost_steps(steps[-1], turns, round(tokens * _CHARS_PER_TOKEN * _SECTIONS["prompt"][1]))
    count = counter_for(session.model).count
    used = _fitting(facts.rows, {step: count(f"- {step.text}\n") + _SLACK for step in facts.rows}, tokens)
    while used and (count(text := _restored_text(used)) > tokens or (chars is not None and len(text) > chars)):
        used = used[:-1]
    text = _restored_text(used)
    left = tuple(step for step in facts.rows if step not in used)
    return Restored(steps[-1].turn, text, count(text), tuple(_by_section(used)), left, facts.repeated)


def _fitting(rows: Sequence[LostStep], costs: Mapping[LostStep, int], tokens: int) -> list[LostStep]:
    """Return the lines that fit: each kind within its share first, then whatever else has room."""
    room, used = tokens - 4 * len(_SECTIONS) - 24, list[LostStep]()
    for kind, (_, share) in _SECTIONS.items():
        left = min(room, round(tokens * share))
        for step in (step for step in rows if step.kind == kind):
            if costs[step] <= left:
                used.append(step)
                left -= costs[step]
                room -= costs[step]
    taken = set(used)
    for step in rows:
        if step not in taken and costs[step] <= room:
            used.append(step)
            room -= costs[step]
    return used


def _by_section(steps: Sequence[LostStep]) -> list[LostStep]:
    """Return lines in the order of their sections, the oldest first within each."""
    kinds = list(_SECTIONS)
    return sorted(steps, key=lambda step: (kinds.index(step.kind), step.turn))


def _restored_text(steps: Sequence[LostStep]) -> str:
    """Return the text; "" without a line."""
    lines = [_FIRST_LINE]
    kind = ""
    for step in _by_section(steps):
        if step.kind != kind:
            kind = step.kind
            lines += ["", f"{_SECTIONS[step.kind][0]}:"]
        lines.append(f"- {step.text}")
    return "\n".join(lines) + "\n" if steps else ""
