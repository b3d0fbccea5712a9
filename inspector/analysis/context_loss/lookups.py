"""Distinguish facts that a reply re-fetched from facts that it used without a visible source.

A recording does not always contain the whole window: after a compaction, agent programs restore files, plans and task
states without writing a record. If a reply uses a value that appears nowhere in the recorded window, the model either
received it that way or guessed it. The fact was certainly missing only if the reply asks for it: reads the file,
fetches the page or searches for the name.
"""

from __future__ import annotations

import re

from inspector.analysis.tool_activity import ActionKind, action_of_call
from inspector.core.conversation import Message, ToolCall
from inspector.engine.facts import FactClass, Need

_ASKED: frozenset[FactClass] = frozenset(("path", "url", "symbol", "quote"))
"""Classes of facts that a tool call can look up. An agent that passes an id, a number or a date already knows it."""
_ASKING: frozenset[ActionKind] = frozenset(("read", "search", "fetch"))
_SEGMENT = re.compile(r"\|\|?|&&|[;\n]")
"""Separators between the commands of a shell line."""
_READER = re.compile(
    r"\s*(?:(?:sudo|time|command|env|\w+=\S*) )*"
    r"(?:cat|bat|head|tail|less|more|nl|grep|[ef]grep|rg|ag|wc|sed(?! -i)|awk|jq|diff|curl|wget"
    r"|gh(?! (?:pr|issue) (?:create|comment|edit|close|merge))"
    r"|git (?:-\S+ \S+ )*(?:show|diff|blame|grep))\b"
)
"""Start of a command that reads content, for example `sudo head`, `sed` without `-i`, or `git -C src show`."""

_SENDER = re.compile(
    r"\s*(?:gh api\b.*\s(?:-f|-F|--field|--raw-field|--input|(?:-X|--method)[ =]?(?:POST|PUT|PATCH|DELETE))\b"
    r"|curl\b.*\s(?:-d|--data[\w-]*|-F|--form|-T|--upload-file|(?:-X|--request)[ =]?(?:POST|PUT|PATCH|DELETE))\b)"
)
"""Start of a command that sends data with a tool that can also read, for example `gh api … -f` or `curl … --data`."""


def is_refetched(reply: Message, need: Need) -> bool:
    """Return True if a reply calls a tool to look up a fact it needed.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if need.cls not in _ASKED or not reply.calls:
        return False
    return any(isinstance(part, ToolCall) and _asks_for(part, need.fact) for part in reply.parts)


def _asks_for(call: ToolCall, fact: str) -> bool:
    if fact not in call.arguments:
        return False
    kind = action_of_call(call).kind
    return kind in _ASKING or (kind == "run" and _looks_at(call.arguments, fact))


def _looks_at(arguments: str, fact: str) -> bool:
    """Return True if a command line that contains a fact reads it.

    `arguments` is JSON, in which line breaks are escaped.
    """
    line = arguments.replace("\\n", "\n").replace('":"', '":\n').replace('": "', '":\n').replace('","', "\n")
    segments = (segment for segment in _SEGMENT.split(line) if fact in segment)
    return any(_READER.match(segment) and not _SENDER.match(segment) for segment in segments)
