"""Actions of tools that servers offer, such as `mcp__linear__create_issue`, in words: "create issue linear …"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.text import lazy_pattern, one_line, word_set

_ACTS = word_set(
    "create add new update edit modify change set put patch delete remove drop purge archive close reopen resolve "
    "merge send post reply comment notify publish deploy release push commit move rename write save insert replace "
    "append upload assign transition execute run apply install start stop restart cancel submit trigger approve "
    "enable disable rollback invite grant revoke schedule book pay refund"
)
_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CHANGES_DATA = lazy_pattern(r"(?i)^\s*(?:drop|truncate|delete|alter|update|insert|create|grant)\b")
_MAX_VALUE, _MAX_DEED = 300, 1_000


def deed_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return in words what a call of a server's tool changes; "" for a tool of the agent, or one that only looks.

    Args:
        name: Full name of the tool. Names of servers' tools contain "__".
        arguments: Arguments of the call.
    """
    server, _, own = name.removeprefix("mcp__").rpartition("__")
    if not server:
        return ""
    words = [word.lower() for word in _WORD.findall(own)]
    act = next((word for word in words if word in _ACTS), "")
    if not act and not any(map(_CHANGES_DATA.match, _values_in(arguments))):
        return ""
    rest = " ".join(word for word in words if word != act)
    return one_line(f"{act} {rest} {server} {' '.join(_values_in(arguments))}").strip()[:_MAX_DEED]


def _values_in(arguments: Mapping[str, Any]) -> Iterator[str]:
    yield from (value[:_MAX_VALUE] for value in arguments.values() if isinstance(value, str))
