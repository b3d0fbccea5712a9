"""What a reply looked up again, of what its window no longer told.

The replies of a recording were written with the window that the model really had, and a file does not tell all of it:
an agent's program may put files, plans and states of tasks back behind a compaction without a record. So a reply that
says a value which is told nowhere had it from there, or guessed it. That it was missing is sure only where the reply
asks for it: reads that file, fetches that page, searches for that name.
"""

from __future__ import annotations

import re

from inspector.analysis.tool_activity import ActionKind, action_of_call
from inspector.core.conversation import Message, ToolCall
from inspector.engine.facts import FactClass, Need

_ASKED: frozenset[FactClass] = frozenset(("path", "url", "symbol", "quoted"))
"""Classes of what can be asked for. Who names an id, a number or a date to a tool has it."""
_ASKING: frozenset[ActionKind] = frozenset(("read", "search", "fetch"))
_SEGMENT = re.compile(r"\|\|?|&&|[;\n]")
"""Between two commands of a line."""
_READER = re.compile(
    r"\s*(?:(?:sudo|time|command|env|\w+=\S*) )*"
    r"(?:cat|bat|head|tail|less|more|nl|grep|[ef]grep|rg|ag|wc|sed(?! -i)|awk|jq|diff|curl|wget"
    r"|gh(?! (?:pr|issue) (?:create|comment|edit|close|merge))"
    r"|git (?:-\S+ \S+ )*(?:show|diff|blame|grep))\b"
)
"""How a command begins that reads what is in something."""

_SENDER = re.compile(
    r"\s*(?:gh api\b.*\s(?:-f|-F|--field|--raw-field|--input|(?:-X|--method)[ =]?(?:POST|PUT|PATCH|DELETE))\b"
    r"|curl\b.*\s(?:-d|--data[\w-]*|-F|--form|-T|--upload-file|(?:-X|--request)[ =]?(?:POST|PUT|PATCH|DELETE))\b)"
)
"""How a command begins that sends something to where it could have read."""


def is_refetched(reply: Message, need: Need) -> bool:
    """Whether a reply asks a tool for what it needed, and did not say it by itself. Raises OSError."""
    if need.cls not in _ASKED or not reply.calls:
        return False
    return any(isinstance(part, ToolCall) and _asks_for(part, need.fact) for part in reply.parts)


def _asks_for(call: ToolCall, fact: str) -> bool:
    if fact not in call.arguments:
        return False
    kind = action_of_call(call).kind
    return kind in _ASKING or (kind == "run" and _looks_at(call.arguments, fact))


def _looks_at(arguments: str, fact: str) -> bool:
    """Whether a command line that names a fact looks at it. `arguments` are JSON, in which a line end is escaped."""
    line = arguments.replace("\\n", "\n").replace('":"', '":\n').replace('": "', '":\n').replace('","', "\n")
    segments = (segment for segment in _SEGMENT.split(line) if fact in segment)
    return any(_READER.match(segment) and not _SENDER.match(segment) for segment in segments)
