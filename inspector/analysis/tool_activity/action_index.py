"""The actions of a log: results with the calls that they answer, and replies that only call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inspector.analysis.tool_activity.action import Action
from inspector.analysis.tool_activity.outcomes import outcome_of
from inspector.analysis.tool_activity.tool_calls import action_of_call
from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, Text, ToolCall, ToolResult
from inspector.core.text import clipped, one_line, plural

_MAX_TEXT = 400_000
"""Characters of a message beyond which it is not read for a line about it."""
_MAX_CALLS = 3
"""Calls of one reply that are named."""
_COMMANDS = ("<command-name>", "<command-message>")
_COMMAND_PART = re.compile(r"<command-(name|args)>([^<]*)")
_CALLS: MessageCache[dict[str, tuple[Action, ToolCall]]] = MessageCache("actions of calls")
_RESULTS: MessageCache[tuple[Action | None]] = MessageCache("actions with results")
_REPLIES: MessageCache[str] = MessageCache("what replies do")


class Actions:
    """What was done, by message. Messages are read when they are asked for, and what was seen is kept with them."""

    def __init__(self, messages: Iterable[Message]) -> None:
        """`messages` are a log or a window, with the calls that its results answer."""
        self._callers: dict[str, Message] = {}
        """The reply that each result answers, by the result's id: the nearest before it that made such a call."""
        newest: dict[str, Message] = {}
        for message in messages:
            if message.answers is not None and message.answers in newest:
                self._callers[message.id] = newest[message.answers]
            for call in message.calls:
                newest[call.id] = message

    def of(self, message: Message) -> Action | None:
        """What the call did that a result answers; None of other messages, and of results of unknown calls.

        Raises OSError where a recording cannot be read any more.
        """
        if message.answers is None:
            return None
        caller = self._callers.get(message.id)
        return _RESULTS.get(message, lambda result: (_action_of(result, caller),))[0]

    def request_of(self, message: Message) -> str:
        """The tool and the subject of the call that a result answers; "" for other messages. Raises OSError as `of`."""
        caller = self._callers.get(message.id)
        action, _ = _CALLS.get(caller, _read_calls).get(message.answers or "", (None, None)) if caller else (None, None)
        return f"{action.tool} {action.subject}" if action else ""

    def calls_of(self, message: Message) -> list[Action]:
        """What a reply asks for, call by call. Raises OSError as `of`."""
        return [action for action, _ in _CALLS.get(message, _read_calls).values()] if message.calls else []


def _read_calls(message: Message) -> dict[str, tuple[Action, ToolCall]]:
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    return {call.id: (action_of_call(call), call) for call in calls}


def _action_of(result: Message, caller: Message | None) -> Action | None:
    action, call = _CALLS.get(caller, _read_calls).get(result.answers or "", (None, None)) if caller else (None, None)
    if action is None:
        if not result.name:
            return None
        action = Action(one_line(result.name)[:40], "")
    outcome = _outcome_in(result, action, call)
    return Action(action.tool, action.subject, outcome, action.kind, action.resource, action.is_whole)


def _outcome_in(result: Message, action: Action, call: ToolCall | None) -> str:
    """What came of a call, as its result says; pictures alone are no empty answer."""
    if result.placeholder is not None:
        return one_line(result.placeholder)
    if result.chars > _MAX_TEXT:
        return f"{result.chars:,} characters"
    text = next((part.text for part in result.parts if isinstance(part, ToolResult)), "")
    pictures = plural(result.images, "picture") if result.images else ""
    if pictures and not text.strip() and not result.is_error:
        return pictures
    return outcome_of(action, call, text, is_error=result.is_error) or pictures


def row_words(message: Message, actions: Actions, room: int | None = None) -> str:
    """What the row of a message says: what was done, or its first words; a reply without words says what it calls.

    One line, without control characters, of at most `room` columns, with what came of a call always at its end.
    Never raises: of what cannot be read any more it says what is known.
    """
    try:
        action = actions.of(message)
    except OSError:
        action = None
    if action is not None:
        return action.line if room is None else action.line_within(room)
    words = _own_words(message, actions)
    return words if room is None else clipped(words, room)


def _own_words(message: Message, actions: Actions) -> str:
    """What the row of a message says that answers no call."""
    try:
        if message.calls:
            return _REPLIES.get(message, lambda reply: _reply_words(reply, actions))
    except OSError:
        return one_line(message.preview)
    if message.thinks and not message.preview:
        return "thinks"
    return one_line(_typed_command(message.preview) or message.preview)


def _typed_command(head: str) -> str:
    """The slash command that a person typed, with what it was given, where a message begins with the tags that Claude
    Code records it in; else empty."""
    parts = dict(_COMMAND_PART.findall(head)) if head.startswith(_COMMANDS) else {}
    return " ".join(filter(None, (parts.get(name, "").strip() for name in ("name", "args"))))


def _reply_words(message: Message, actions: Actions) -> str:
    """The words of a reply; where it has none, its calls."""
    if message.chars <= _MAX_TEXT:
        words = next((part.text for part in message.parts if isinstance(part, Text) and part.text.strip()), "")
        if words:
            return one_line(words.strip()[:300])
    calls = [f"{action.tool} {action.subject}".strip() for action in actions.calls_of(message)]
    more = f", {len(calls) - _MAX_CALLS} more" if len(calls) > _MAX_CALLS else ""
    return f"→ {', '.join(calls[:_MAX_CALLS])}{more}"
