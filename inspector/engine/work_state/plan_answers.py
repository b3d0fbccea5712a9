"""The state of the work after the user approves or refuses a plan."""

from __future__ import annotations

from inspector.core.text import lazy_pattern
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.state_items import StateItem, WorkState

_NOTHING_YET = lazy_pattern(
    r"(?i)\b(?:do not|don[’']?t|no)(?: (?:yet|you))? (?:write|implement|code|build|start|begin|execute|act)(?:ing)?"
    r"(?: (?:any|the|a single|some))?(?: (?:code|files?|changes?|anything|implementation|coding|line|work))?"
    r"(?: (?:yet|for now|now|just yet))?[.!]*$"
)
"""A rule that allows no work: "Don't implement anything yet"."""
_WORK = frozenset(("change", "create"))


def with_answer(state: WorkState, plan: StateItem, message: str, word: str) -> WorkState:
    """Return the state after a message of the user that approves, refuses or shelves a plan.

    With the approval, the mode is no longer that for planning, and rules by which no work is done end.

    Args:
        state: The state before.
        plan: The plan.
        message: Id of the message.
        word: State of the plan after it.
    """
    state = state.change(plan, message, word)
    if word != "approved" or plan.state == "approved":
        return state
    for rule in state.of("rule"):
        if rule.turn <= plan.turn and _forbids_all_work(rule.text):
            state = state.end(rule, message, "over")
    mode = state.get("mode", "permission")
    return state.end(mode, message) if mode is not None and mode.text == "plan" else state


def _forbids_all_work(rule: str) -> bool:
    """Return True if a rule forbids changes of everything: "Make a plan first, do not write code"."""
    bans = (ban for ban in bans_in(rule) if not (ban.things or ban.is_only or ban.text or ban.most))
    return _NOTHING_YET.search(rule) is not None or any(ban.actions >= _WORK for ban in bans)
