"""Replies in another language than the one of the conversation."""

from __future__ import annotations

from collections.abc import Sequence, Set

from inspector.engine.work_state.languages import is_latin, language_of, uses_script_of
from inspector.engine.work_state.message_steps import MessageSteps
from inspector.engine.work_state.state_items import StateItem, WorkState


def language_break(said: str, heard: Sequence[MessageSteps], state: WorkState, before: WorkState) -> StateItem | None:
    """Return the rule or habit about the language of replies that a reply goes against; None for any other reply.

    Args:
        said: Text of the reply.
        heard: Words of the user after the compaction.
        state: State before the reply.
        before: State before the compaction.
    """
    rule = state.get("rule", "language")
    wanted = rule.state if rule else before.language
    if any(one.requested for one in heard):
        return None
    used = {one.language for one in heard}
    if not wanted:
        return _script_break(said, used, before)
    if rule:
        return rule if _is_other(said, wanted, used) else None
    spoken = used - {""} or {language_of(before.text("request", "latest")) or wanted}
    is_habit = wanted in spoken and _is_other(said, wanted, spoken)
    return StateItem("rule", "language", f"replies in {wanted}", wanted) if is_habit else None


def _script_break(said: str, used: Set[str], before: WorkState) -> StateItem | None:
    """Return the habit of Latin letters that a reply in another script goes against, if no language is known."""
    new, request = language_of(said), before.text("request", "latest")
    is_habit = bool(before.samples) and new not in used and all(map(is_latin, (*before.samples, request)))
    return StateItem("rule", "language", "replies in Latin letters") if is_habit and not is_latin(said) else None


def _is_other(said: str, wanted: str, others: Set[str]) -> bool:
    """Return True if a reply is written in none of some languages, not even in part."""
    languages = {wanted, *others}
    return language_of(said) not in ("", *languages) and not any(uses_script_of(code, said) for code in languages)
