"""Actions that carry out a plan or a task, recognized by the names and words that they share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspector.engine.work_state.call_effects import CallEffects, changes_state
from inspector.engine.work_state.relation import content_words
from inspector.engine.work_state.rule_checks import actions_of, target_words
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_plans import COMMON_VERBS, steps_of_plan

_PATH = re.compile(r"(?<![\w/])(?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,5}\b")
_MIN_SHARE = 0.75


def belongs_to_plan(call: CallEffects, plan: StateItem, said: Sequence[str]) -> str:
    """Return the path or command of a call that carries out a step of a plan; "" if it carries out none.

    Args:
        call: The call.
        plan: The plan, with its text in `detail`.
        said: What the user has said since the plan was refused. What they name there is their own request.
    """
    own = {name.rsplit("/", 1)[-1] for text in said for name in _PATH.findall(text)}
    named = {name.rsplit("/", 1)[-1] for name in _PATH.findall(plan.detail)} - own
    subject = content_words(plan.text) - COMMON_VERBS
    for change in call.files:
        name = change.path.rsplit("/", 1)[-1]
        about = target_words(f"{change.path} {change.text}")
        if name in named and (change.kind in ("created", "deleted") or subject & about):
            return change.path
        if change.kind == "created" and name not in own and _shares_subject(subject, target_words(change.path)):
            return change.path
    if changes_state(call.command) and not call.files:
        words = target_words(call.command)
        for step in steps_of_plan(plan.detail):
            wanted = content_words(step)
            if len(wanted & words) >= max(2, _MIN_SHARE * len(wanted)) or (wanted & words & subject and "install" in words | wanted):
                return call.command
    return ""


def _shares_subject(subject: frozenset[str], words: frozenset[str]) -> bool:
    return len(subject & words) >= min(2, len(subject)) > 0


def does_task(call: CallEffects, task: str, others: Sequence[str]) -> str:
    """Return the path or command of a call that does a task; "" if it does not, or another task fits as well.

    Args:
        call: The call.
        task: Text of the task.
        others: Texts of the open tasks.
    """
    wanted = content_words(task) - _WEAK
    targets = [(change.path, target_words(f"{change.path} {change.text} {_VERBS[change.kind]}")) for change in call.files]
    if changes_state(call.command):
        verbs = " ".join(_VERBS.get(f"{action.kind}d", "") for action in actions_of(call))
        targets.append((call.command, target_words(f"{call.command} {verbs}")))
    for target, words in targets:
        share = len(wanted & words) / len(wanted) if wanted else 0.0
        best = max((len(content_words(other) & words) / max(1, len(content_words(other))) for other in others), default=0.0)
        if len(wanted & words) >= 2 and share >= _MIN_SHARE - 0.1 and share > best:
            return target
    return ""


_WEAK = content_words("old new existing current remaining whole entire")
_VERBS = {"created": "add create write", "changed": "edit change update fix", "deleted": "delete remove drop", "moved": "move rename"}
