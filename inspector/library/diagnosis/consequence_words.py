"""Describe what followed a compaction, in sentences and as names."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.core.text import clipped_words, one_line
from inspector.engine import work_state

_NAMES: Mapping[work_state.ConsequenceKind, str] = {
    "rule_broken": "a broken rule",
    "outside_folder": "work in another folder or branch",
    "acted_while_waiting": "changes while the user had to answer",
    "refused_plan_carried_out": "work on a refused plan",
    "dropped_task_carried_out": "work on a dropped task",
    "finished_task_repeated": "a repeated task",
    "started_twice": "a second start of a running process",
    "result_contradicted": "a claim against the last result",
    "tool_shape_wrong": "a tool call with wrong arguments",
    "language_changed": "replies in another language",
}
_AGAINST: Mapping[work_state.ConsequenceKind, str] = {
    "rule_broken": "breaks the rule",
    "outside_folder": "is outside of",
    "acted_while_waiting": "did not wait for the answer to",
    "refused_plan_carried_out": "carries out the refused plan",
    "dropped_task_carried_out": "carries out the dropped task",
    "finished_task_repeated": "repeats the finished task",
    "started_twice": "starts again what was running:",
    "result_contradicted": "contradicts",
    "tool_shape_wrong": "has wrong arguments for",
    "language_changed": "is not in the language of",
}
_MAX_TEXT = 90


def consequence_name(kind: work_state.ConsequenceKind) -> str:
    """Return a consequence as a noun: "a broken rule"."""
    return _NAMES[kind]


def consequence_label(kind: work_state.ConsequenceKind) -> str:
    """Return the label of a consequence in a table: "rule broken"."""
    return kind.replace("_", " ")


def describe_consequence(consequence: work_state.Consequence, number: int) -> str:
    """Return a consequence as a sentence.

    Args:
        consequence: The consequence.
        number: Number of its reply in the log, from 1.
    """
    what = clipped_words(one_line(consequence.evidence), _MAX_TEXT)
    item = clipped_words(one_line(consequence.item), _MAX_TEXT)
    where = f"Reply {number:,} (turn {consequence.turn:,})"
    after = f"after the compaction at turn {consequence.compaction:,}"
    return f"{where}, {after}: “{what}” {_AGAINST[consequence.kind]} “{item}”."
