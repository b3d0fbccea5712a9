"""Would the provider take this window? Its rules for tool calls and turns, with its own words when it would not."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.conversation import Dialect, Problem
from inspector.window.window import Window

ORPHAN: dict[Dialect, str] = {
    "openai": "Invalid parameter: messages with role 'tool' must be a response to a preceding message with"
    " 'tool_calls'.",
    "anthropic": "unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` block must have a"
    " corresponding `tool_use` block in the previous message.",
}
UNANSWERED: dict[Dialect, str] = {
    "openai": "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    "anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use`"
    " block must have a corresponding `tool_result` block in the next message.",
}
OPENING = 'messages: first message must use the "user" role'


def problems(window: Window, provider: Dialect | None = None) -> tuple[Problem, ...]:
    """What the provider would refuse this window for; empty when it is valid. By default, the session's own provider.

    Calls of the live turn that still wait for a result are no problem. A window before which nothing was
    recorded has nothing to refuse.
    """
    provider = provider or window.session.dialect
    return tuple(found(window, provider))


def found(window: Window, provider: Dialect) -> Iterator[Problem]:
    messages, groups = window.messages, window.groups
    for index in sorted(groups.orphans | displaced(window)):
        message = messages[index]
        yield Problem(ORPHAN[provider].format(ids=message.answers), message=message.id)
    for index in sorted(groups.pending.keys() - window.live):
        message = messages[index]
        ids = ", ".join(message.calls[place].id for place in groups.pending[index])
        yield Problem(UNANSWERED[provider].format(ids=ids), message=message.id)
    first = next((message for message in messages if message.role != "system"), None)
    if provider == "anthropic" and first and first.role == "assistant":
        yield Problem(OPENING, message=first.id)


def displaced(window: Window) -> set[int]:
    """Results that do not stand right behind their call and its other results."""
    groups = window.groups
    away = set()
    block = -1
    for index, message in enumerate(window.messages):
        if message.role != "tool":
            block = groups.of[index]
        elif groups.of[index] != block and index not in groups.orphans:
            away.add(index)
    return away
