"""Tools that an agent knew how to call before a compaction."""

from __future__ import annotations

from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.result_news import rejects_arguments
from inspector.engine.work_state.state_fold import schema_of
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_history import Transition


def known_tool(call: CallEffects, answer: str, transition: Transition) -> StateItem | None:
    """Return the item of a tool whose schema was loaded before a compaction, or that was used.

    Args:
        call: A call after the compaction that failed because of its arguments.
        answer: Start of its result. That of a tool of the agent itself must be a rejection by its program, because
            the output of a command may contain the same words.
        transition: The compaction.

    Raises:
        OSError: If the recording can no longer be read.
    """
    loaded = (item for item in transition.before.of("instruction") if item.text == schema_of(item.name))
    if item := next((item for item in loaded if _own_name(item.name) == call.tool), None):
        return item
    return _used(call.tool, rejects_arguments(answer), transition)


def _used(tool: str, is_rejected: bool, transition: Transition) -> StateItem | None:
    """Return the item of a tool that was called successfully before a compaction."""
    calls = {
        one.id: (one.name, message.id)
        for message in transition.replaced
        for one in message.calls
        if _own_name(one.name) == tool and (is_rejected or "__" in one.name)
    }
    every = (news for message in transition.replaced for news in steps_of(message).news) if calls else iter(())
    known = next((calls[news.call] for news in every if news.call in calls and not (news.failed or news.refused)), None)
    return StateItem("instruction", known[0], f"arguments of {known[0]}", "known", "", known[1]) if known else None


def _own_name(tool: str) -> str:
    """Return the name of a tool without that of its server."""
    return tool.rpartition("__")[2].rpartition(".")[2]
