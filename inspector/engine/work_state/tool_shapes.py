"""Tools that an agent knew how to call before a compaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import orjson

from inspector.core.conversation import CallHead, Message, ToolCall
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.result_news import rejects_arguments
from inspector.engine.work_state.state_fold import schema_of
from inspector.engine.work_state.state_items import StateItem
from inspector.engine.work_state.work_history import Transition


def known_tool(call: CallEffects, answer: str, transition: Transition, followed: Sequence[Message]) -> StateItem | None:
    """Return the item of a tool whose schema was loaded before a compaction, or that was used.

    None if the call has the arguments of one that succeeded before: then it is the tool that has changed.

    Args:
        call: A call after the compaction that failed because of its arguments.
        answer: Start of its result. That of a tool of the agent itself must be a rejection by its program, because
            the output of a command may contain the same words.
        transition: The compaction.
        followed: The messages after it, up to the result.

    Raises:
        OSError: If the recording can no longer be read.
    """
    used = list(_used(call.tool, transition))
    tried = next(_wanted_calls(followed, lambda head: head.id == call.call), None)
    if tried is not None and (shape := _shape_of(tried[0])) and any(shape == _shape_of(one) for one, _ in used):
        return None
    loaded = (item for item in transition.before.of("instruction") if item.text == schema_of(item.name))
    if item := next((item for item in loaded if _own_name(item.name) == call.tool), None):
        return item
    is_rejected = rejects_arguments(answer)
    for one, message in used:
        if is_rejected or "__" in one.name:
            return StateItem("instruction", one.name, f"arguments of {one.name}", "known", "", message)
    return None


def _used(tool: str, transition: Transition) -> Iterator[tuple[ToolCall, str]]:
    """Yield the calls of a tool that succeeded before a compaction, with the ids of their messages."""
    calls = {row[0].id: row for row in _wanted_calls(transition.replaced, lambda head: _own_name(head.name) == tool)}
    every = (news for message in transition.replaced for news in steps_of(message).news) if calls else iter(())
    return (calls[news.call] for news in every if news.call in calls and not (news.failed or news.refused))


def _wanted_calls(messages: Iterable[Message], wanted: Callable[[CallHead], bool]) -> Iterator[tuple[ToolCall, str]]:
    """Yield the wanted calls in messages, with the ids of those messages."""
    for message in messages:
        if ids := {head.id for head in message.calls if wanted(head)}:
            parts = (part for part in message.parts if isinstance(part, ToolCall))
            yield from ((part, message.id) for part in parts if part.id in ids)


def _shape_of(call: ToolCall) -> Mapping[str, type]:
    """Return the names and types of the arguments of a call; empty if they are no object."""
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return {}
    return {name: type(value) for name, value in arguments.items()} if isinstance(arguments, dict) else {}


def _own_name(tool: str) -> str:
    """Return the name of a tool without that of its server."""
    return tool.rpartition("__")[2].rpartition(".")[2]
