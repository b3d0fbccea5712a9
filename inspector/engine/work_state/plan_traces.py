"""Actions that carry out a plan or a task, recognized by the names and words that they share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inspector.engine.facts import content_words
from inspector.engine.work_state.call_effects import CallEffects, changes_state
from inspector.engine.work_state.code_effects import FileChange
from inspector.engine.work_state.rule_checks import actions_of, target_words
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_plans import COMMON_VERBS, steps_of_plan

_WORD = re.compile(r"[\w./-]{3,300}")
_EXTENSION = re.compile(r"[A-Za-z]\w{0,5}")
_MIN_SHARE = 0.75


def belongs_to_plan(call: CallEffects, plan: StateItem, said: Sequence[str]) -> str:
    """Return the path or command of a call that carries out a step of a plan; "" for any other call.

    Args:
        call: The call.
        plan: The plan, with its text in `detail`.
        said: What the user has said since the plan was refused. Anything named there is a new request.
    """
    own = _names_in("\n".join(said))
    named = _names_in(plan.detail) - own
    subject = content_words(plan.text) - COMMON_VERBS
    for change in call.files:
        name = change.path.rsplit("/", 1)[-1]
        is_step = name in named and (change.kind in ("created", "deleted") or _is_about(subject, change, 1))
        is_new = change.kind == "created" and name not in own
        if is_step or (is_new and _is_about(subject, change._replace(text=""), min(2, len(subject)))):
            return change.path
    is_command = not call.files and changes_state(call.command)
    return call.command if is_command and _is_step(call.command, plan.detail, subject) else ""


def _names_in(text: str) -> set[str]:
    """Return the names of the files in a text."""
    names = (word.rstrip(".").rsplit("/", 1)[-1] for word in _WORD.findall(text))
    return {name for name in names if name.rpartition(".")[0] and _EXTENSION.fullmatch(name.rpartition(".")[2])}


def _is_about(subject: frozenset[str], change: FileChange, least: int) -> bool:
    return len(subject & target_words(f"{change.path} {change.text}")) >= least > 0


def _is_step(command: str, plan: str, subject: frozenset[str]) -> bool:
    """Return True if a command shares enough words with a step, or installs the subject of the plan."""
    words = target_words(command)
    for step in map(content_words, steps_of_plan(plan)):
        is_installed = "install" in words and bool(step & words & subject)
        if is_installed or len(step & words) >= max(2, _MIN_SHARE * len(step)):
            return True
    return False


def does_task(call: CallEffects, task: str, others: Sequence[str]) -> str:
    """Return the path or command of a call that does a task; "" if it does not, or another task fits as well.

    Args:
        call: The call.
        task: Text of the task.
        others: Texts of the open tasks.
    """
    wanted = content_words(task) - _WEAK
    targets = [
        (change.path, target_words(f"{change.path} {change.text} {_VERBS[change.kind]}")) for change in call.files
    ]
    if changes_state(call.command):
        verbs = " ".join(_VERBS.get(f"{action.kind}d", "") for action in actions_of(call))
        targets.append((call.command, target_words(f"{call.command} {verbs}")))
    for target, words in targets:
        share = len(wanted & words) / len(wanted) if wanted else 0.0
        best = max(
            (len(content_words(other) & words) / max(1, len(content_words(other))) for other in others), default=0.0
        )
        if len(wanted & words) >= 2 and share >= _MIN_SHARE - 0.1 and share > best:
            return target
    return ""


_WEAK = content_words("old new existing current remaining whole entire")
_VERBS = {
    "created": "add create write",
    "changed": "edit change update fix",
    "deleted": "delete remove drop",
    "moved": "move rename",
}
