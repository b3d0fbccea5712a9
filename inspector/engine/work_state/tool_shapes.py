"""Tools that an agent knew how to call before a compaction."""

from __future__ import annotations

from inspector.engine.work_state.call_effects import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.state_fold import schema_of
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_history import Transition


def known_tool(call: CallEffects, transition: Transition) -> StateItem | None:
    """Return the item of a tool whose schema was loaded before a compaction, or that of a server that was used.

    Args:
        call: A call after the compaction that was rejected because of its arguments.
        transition: The compaction.

    Raises:
        OSError: If the recording can no longer be read.
    """
    loaded = (item for item in transition.before.of("instruction") if item.text == schema_of(item.name))
    if item := next((item for item in loaded if _own_name(item.name) == call.tool), None):
        return item
    return _used(call.tool, transition)


def _used(tool: str, transition: Transition) -> StateItem | None:
    """Return the item of a server's tool that was called successfully before a compaction."""
    heads = ((one, message.id) for message in transition.replaced for one in message.calls if "__" in one.name)
    calls = {one.id: (one.name, source) for one, source in heads if _own_name(one.name) == tool}
    every = (news for message in transition.replaced for news in steps_of(message).news) if calls else iter(())
    known = next((calls[news.call] for news in every if news.call in calls and not (news.failed or news.refused)), None)
    return StateItem("instruction", known[0], f"arguments of {known[0]}", "known", "", known[1]) if known else None


def _own_name(tool: str) -> str:
    """Return the name of a tool without that of its server."""
    return tool.rpartition("__")[2].rpartition(".")[2]
