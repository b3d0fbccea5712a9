"""Index the actions of a log: tool results with the calls they answer, and replies that only call tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspector.analysis.tool_activity.action import Action
from inspector.analysis.tool_activity.outcomes import outcome_of
from inspector.analysis.tool_activity.tool_calls import action_of_call
from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, Text, ToolCall, ToolResult
from inspector.core.text import clipped, one_line, plural
from inspector.engine import commands, work_state

_MAX_TEXT = 400_000
"""Characters above which a message is not read for its description."""
_MAX_CALLS = 3
"""Maximum number of calls that the description of a reply names."""
_COMMANDS = ("<command-name>", "<command-message>")
_COMMAND_PART = re.compile(r"<command-(name|args)>([^<]*)")
_CALLS: MessageCache[dict[str, tuple[Action, ToolCall]]] = MessageCache("actions of calls")
_RESULTS: MessageCache[tuple[Action | None]] = MessageCache("actions with results")
_REPLIES: MessageCache[str] = MessageCache("what replies do")
_PRINTERS = frozenset(("cat", "bat", "nl", "head", "tail", "sed"))
_SEPARATORS = frozenset(("echo", "printf", "true", "pwd"))
"""Commands that print a line between files, or nothing."""
_LINES = re.compile(r"(\d{1,7})(?:,(\d{1,7}))?p")


class Actions:
    """Actions by message. Messages are read on demand, and the results are cached with them."""

    def __init__(self, messages: Iterable[Message]) -> None:
        """Index the calls of a log or a window."""
        self._callers: dict[str, Message] = {}
        """Reply that each result answers, by the result's id: the nearest earlier one with a matching call."""
        newest: dict[str, Message] = {}
        for message in messages:
            if message.answers is not None and message.answers in newest:
                self._callers[message.id] = newest[message.answers]
            for call in message.calls:
                newest[call.id] = message

    def of(self, message: Message) -> Action | None:
        """Return the action that a tool result completes; None for other messages and for results of unknown calls.

        Raises:
            OSError: If the recording can no longer be read.
        """
        if message.answers is None:
            return None
        caller = self._callers.get(message.id)
        return _RESULTS.get(message, lambda result: (_action_of(result, caller),))[0]

    def reads_of(self, message: Message) -> tuple[Action, ...]:
        """Return the reads and fetches of files or pages that a tool result completes, also by a shell command.

        Raises:
            OSError: If the recording can no longer be read.
        """
        action, caller = self.of(message), self._callers.get(message.id)
        if action is None or action.kind in ("read", "fetch"):
            return (action,) if action and action.resource else ()
        if action.kind != "run" or caller is None:
            return ()
        _, call = _CALLS.get(caller, _read_calls).get(message.answers or "", (None, None))
        return tuple(
            replace(action, kind="read", resource=path, is_whole=lines is None, lines=lines)
            for path, lines in (shell_reads_of(call) if call else ())
        )

    def request_of(self, message: Message) -> str:
        """Return the tool and subject of the call that a result answers; "" for other messages.

        Raises:
            OSError: If the recording can no longer be read.
        """
        caller = self._callers.get(message.id)
        action, _ = _CALLS.get(caller, _read_calls).get(message.answers or "", (None, None)) if caller else (None, None)
        return f"{action.tool} {action.subject}" if action else ""

    def calls_of(self, message: Message) -> list[Action]:
        """Return the action of each call in a reply, without outcomes.

        Raises:
            OSError: If the recording can no longer be read.
        """
        return [action for action, _ in actions_of_calls(message)]


def actions_of_calls(message: Message) -> Iterable[tuple[Action, ToolCall]]:
    """Return the calls of a reply, each after its action, from a cache.

    Raises:
        OSError: If the recording can no longer be read.
    """
    return _CALLS.get(message, _read_calls).values() if message.calls else ()


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
    return replace(action, outcome=outcome)


def _outcome_in(result: Message, action: Action, call: ToolCall | None) -> str:
    """Return the outcome of a call from its result. A result with only pictures does not count as empty."""
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
    """Return the text of a message's row: its action, its first words, or the calls of a reply without text.

    The text is one line without control characters. The outcome of an action is always kept at its end. Never raises:
    if the recording can no longer be read, the text is based on the data in memory.

    Args:
        message: Message to describe.
        actions: Actions of the log or window.
        room: Maximum number of columns; None for no limit.
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
    """Return the row text of a message that answers no call."""
    try:
        if message.calls:
            return _REPLIES.get(message, lambda reply: _reply_words(reply, actions))
    except OSError:
        return one_line(message.preview)
    if message.thinks and not message.preview:
        return "thinks"
    return one_line(_typed_command(message.preview) or message.preview)


def _typed_command(head: str) -> str:
    """Return the slash command and its arguments if a message begins with Claude Code's tags for one; otherwise ""."""
    parts = dict(_COMMAND_PART.findall(head)) if head.startswith(_COMMANDS) else {}
    return " ".join(filter(None, (parts.get(name, "").strip() for name in ("name", "args"))))


def _reply_words(message: Message, actions: Actions) -> str:
    """Return the text of a reply, or its calls if it has none."""
    if message.chars <= _MAX_TEXT:
        words = next((part.text for part in message.parts if isinstance(part, Text) and part.text.strip()), "")
        if words:
            return one_line(words.strip()[:300])
    calls = [f"{action.tool} {action.subject}".strip() for action in actions.calls_of(message)]
    more = f", {len(calls) - _MAX_CALLS} more" if len(calls) > _MAX_CALLS else ""
    return f"→ {', '.join(calls[:_MAX_CALLS])}{more}"


def shell_reads_of(call: ToolCall) -> tuple[tuple[str, range | None], ...]:
    """Return the files that a shell command prints, each with its lines.

    Args:
        call: Tool call, of any tool.

    Returns:
        Nothing if the call does anything else. The lines are None for a whole file, or if the command does not state
        them as numbers. A relative path is joined to the folder that the call names, if any.
    """
    effects = work_state.effects_of(call)
    folder, files = effects.folder, dict[str, range | None]()
    for words, _ in commands.commands_in(effects.command):
        if words[0] == "cd" and len(words) == 2:
            folder = posixpath.join(folder, words[1])
        elif _is_printer(words):
            names = [posixpath.normpath(posixpath.join(folder, name)) for name in _file_arguments(words)]
            lines = _printed_lines(words)
            if not names and lines:  # the end of a pipe
                names = list(files)[-1:]
            files.update((name, lines) for name in names)
        elif words[0] not in _SEPARATORS or ">" in "".join(words):
            return ()
    return tuple(files.items())


def _is_printer(words: Sequence[str]) -> bool:
    """Return True if the words of a command print a file and write nothing."""
    return words[0] in _PRINTERS and not any(word[:1] in "<>" or word == "-i" for word in words)


def _file_arguments(words: Sequence[str]) -> list[str]:
    """Return the names of files among the words of a command that prints them."""
    names = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    is_script = words[0] == "sed" and not any(word in ("-e", "-f") for word in words)
    return names[1:] if is_script else names


def _printed_lines(words: Sequence[str]) -> range | None:
    """Return the numbers of the lines that `sed` or `head` prints; None if the command does not state them."""
    if words[0] == "sed":
        stated = next(filter(None, map(_LINES.fullmatch, words[1:])), None)
        return range(int(stated[1]), int(stated[2] or stated[1]) + 1) if stated else None
    if words[0] == "head":
        count = next((word.lstrip("-n") for word in words[1:] if word.lstrip("-n").isdigit()), "")
        return range(1, int(count[:7]) + 1) if count else None
    return None
