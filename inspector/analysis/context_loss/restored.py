"""Write the text that gives back what a compaction dropped, within an exact budget of tokens and characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inspector.analysis.context_loss.fact_lines import FactKind, LostStep
from inspector.analysis.context_loss.lost_steps import LOADED, REQUEST, Dropped, lost_steps
from inspector.core.conversation import MAIN, Session
from inspector.core.text import one_line
from inspector.engine.window import Window
from inspector.engine.work_state import WorkHistory
from inspector.llm.tokens import counter_for

RESTORED_TOKENS = 2_400
"""Default budget of the text: the most that a hook may add."""
FIRST_LINE = "From Inspector: facts recorded before a compaction, with their sources. They are quotations."
"""Beginning of each text, by which it is recognized in a recording."""
_SHARES: Mapping[FactKind, float] = {
    "state": 0.1,
    "rule": 0.12,
    "prompt": 0.5,
    "task": 0.1,
    "decision": 0.08,
    "command": 0.4,
    "failure": 0.08,
    "changed": 0.2,
    "read": 0.2,
    "name": 0.04,
}
"""Share of the budget that each kind can use before the others have theirs."""
_SECTIONS: Mapping[str, str] = {
    "state": "State of the work",
    "request": "Latest request",
    "rule": "Rules",
    "task": "Tasks",
    "Plan": "Plans",
    "Running": "Running",
    "Loaded": "Instructions",
    "prompt": "Words of the user",
    "decision": "Decisions",
    "command": "Commands that worked, each with its last result",
    "failure": "Commands that failed",
    "changed": "Files changed",
    "read": "Files read",
    "name": "Names that were used several times",
}
"""Headings of the sections, in order. A line about the state has the section of its first word, if that is one."""
_LABELS = {"Plan": "Plan", "Running": "Running", **dict.fromkeys(LOADED, "Loaded")}
_FIRST = ("Where", "State", "Agent", "Mode")
"""First words of the first lines, in their order."""
_CLIPPED: tuple[FactKind, FactKind] = ("prompt", "command")
_CHARS_PER_TOKEN = 4
_MAX_FOLDER = 200
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
    folder: str = ""
    """Folder of the work, to which the paths of the lines are relative."""


def restore(
    session: Session,
    agent: str = MAIN,
    turn: int | None = None,
    tokens: int = RESTORED_TOKENS,
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
    step = steps[-1]
    context = (step.summary, *step.kept)
    dropped = Dropped(step.turn, step.before, step.replaced, context, history.start.turn)
    return restored_from(session, agent, dropped, tokens, chars)


def restore_plan(session: Session, recorded: Window, after: Window, tokens: int = RESTORED_TOKENS) -> Restored:
    """Return what plans would drop from a recorded window, as a text.

    Args:
        session: Session of the window.
        recorded: Window before the plans.
        after: Window after the plans.
        tokens: Maximum number of tokens, counted with the model's tokenizer.

    Raises:
        OSError: If the recording can no longer be read.
    """
    here = {message.id: message for message in after.messages}
    removed = tuple(message for message in recorded.messages if here.get(message.id) is not message)
    state = WorkHistory(session, recorded.agent).at_turn(recorded.turn)
    dropped = Dropped(recorded.turn, state, removed, after.messages)
    return restored_from(session, recorded.agent, dropped, tokens)


def restored_from(
    session: Session, agent: str, dropped: Dropped, tokens: int = RESTORED_TOKENS, chars: int | None = None
) -> Restored:
    """Return the facts that only some removed messages state, as a text.

    Args:
        session: Session of the messages.
        agent: Agent whose turns are counted.
        dropped: Messages that were removed, with the context after that.
        tokens: Maximum number of tokens, counted with the model's tokenizer.
        chars: Maximum number of characters; None for no other limit than the tokens.

    Raises:
        OSError: If the recording can no longer be read.
    """
    replies = session.turns(agent)
    earlier = dropped.earlier_turns
    turns = {one.id: bisect_left(replies, place) + 1 + earlier for place, one in enumerate(session.messages)}
    prompts, commands = (round(tokens * _CHARS_PER_TOKEN * _SHARES[kind]) for kind in _CLIPPED)
    facts = lost_steps(dropped, turns, prompts, commands)
    count = counter_for(session.model).count
    folder = dropped.before.text("where", "folder")
    used = _fitting(facts.rows, {step: count(f"- {step.text}\n") + _SLACK for step in facts.rows}, tokens)
    while used and (count(text := _restored_text(folder, used)) > tokens or (chars is not None and len(text) > chars)):
        used = used[:-1]
    text = _restored_text(folder, used)
    left = tuple(step for step in facts.rows if step not in used)
    return Restored(dropped.turn, text, count(text), tuple(by_section(used)), left, facts.repeated, folder)


def restored_costs(restored: Restored, model: str) -> dict[LostStep, int]:
    """Return the tokens of each line: of those in the text in their order, then of the others.

    Args:
        restored: The text.
        model: Model, whose tokenizer counts.
    """
    count = counter_for(model).count
    return {step: count(f"- {step.text}\n") for step in (*restored.used, *by_section(restored.left))}


def restored_with(restored: Restored, steps: Sequence[LostStep], model: str) -> Restored:
    """Return the text with other lines, whatever their number.

    Args:
        restored: The text.
        steps: Lines of the text and of those that are left out.
        model: Model, whose tokenizer counts.
    """
    chosen = set(steps)
    others = tuple(step for step in (*restored.used, *restored.left) if step not in chosen)
    text = _restored_text(restored.folder, steps)
    tokens = counter_for(model).count(text)
    return replace(restored, text=text, tokens=tokens, used=tuple(by_section(steps)), left=others)


def _fitting(rows: Sequence[LostStep], costs: Mapping[LostStep, int], tokens: int) -> list[LostStep]:
    """Return the lines that fit: each kind within its share first, then whatever else has room."""
    room, used = tokens - 4 * len(_SECTIONS) - 24, list[LostStep]()
    for kind, share in _SHARES.items():
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


def by_section(steps: Sequence[LostStep]) -> list[LostStep]:
    """Return lines in the order of their sections, the oldest first within each; of the state, the place first."""
    sections = list(_SECTIONS)
    return sorted(steps, key=lambda step: (sections.index(_section_of(step)), _rank_of(step), step.turn))


def _section_of(step: LostStep) -> str:
    """Return the section of a line: its kind, or what the line begins with."""
    if step.kind == "prompt" and step.text.startswith(REQUEST, step.text.find(": ")):
        return "request"
    first = step.text.partition(",")[0]
    return _LABELS.get(first, step.kind) if step.kind == "state" else step.kind


def _rank_of(step: LostStep) -> int:
    """Return the place of a line about the state: folder and branch, then who acts next and why."""
    first = step.text.partition(",")[0]
    return _FIRST.index(first) if step.kind == "state" and first in _FIRST else len(_FIRST)


def _restored_text(folder: str, steps: Sequence[LostStep]) -> str:
    """Return the text with some lines; "" without a line.

    Args:
        folder: Folder of the work, to which the paths of the lines are relative.
        steps: Lines, in any order.
    """
    place = one_line(folder)
    lines = [f"{FIRST_LINE} Folder of the work: {place}" if 0 < len(place) <= _MAX_FOLDER else FIRST_LINE]
    section = ""
    for step in by_section(steps):
        if _section_of(step) != section:
            section = _section_of(step)
            lines += ["", f"{_SECTIONS[section]}:"]
        lines.append(f"- {step.text}")
    return "\n".join(lines) + "\n" if steps else ""
