"""What an agent did: a call of a tool with what came of it, in one line that a person understands.

    actions = Actions(session.messages)
    actions.of(message)          # Action("Read", "readings.csv", "1,440 lines", "read", "/work/readings.csv"), or None

Tools are known by the shape of what they are given and by words in their names, not by whose agent has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.actions.action import Action, ActionKind
    from inspector.actions.calls import action_of_call, short_name
    from inspector.actions.index import Actions, row_words

__all__ = ["Action", "ActionKind", "Actions", "action_of_call", "row_words", "short_name"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.actions.action": "Action ActionKind",
        "inspector.actions.calls": "action_of_call short_name",
        "inspector.actions.index": "Actions row_words",
    },
)
