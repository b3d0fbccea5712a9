"""What takes most of a window, in clauses."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.conversation import Message
from inspector.text import percent
from inspector.verdict.evidence import Overview
from inspector.verdict.sentence import Clause
from inspector.window import Window

_LARGE = 0.1
"""Share of a window from which on a single message is worth its own words."""


def eaters(overview: Overview) -> Iterator[Clause]:
    """The kind of content that takes most of the window as it now stands, and its largest message."""
    window = overview.window
    sums = _sums(window)
    if not window.total or not sums:
        return
    kind = max(sums, key=sums.__getitem__)
    verb = "take" if kind.endswith("s") else "takes"
    share = percent(sums[kind] / window.total)
    yield Clause(((f"{kind} {verb} ", "plain"), (share, "strong")), 2)
    place = max(range(len(window.tokens)), key=window.tokens.__getitem__, default=-1)
    if place >= 0 and _kind_of(window.messages[place]) == kind and window.tokens[place] >= _LARGE * window.total:
        tool = window.tool_names.get(window.messages[place].id, "")
        name = f"one of {tool}" if tool else f"message {place + 1:,}"
        yield Clause(((f", {name} alone ", "plain"), (overview.tokens(window.tokens[place]), "strong")), 3, "")


def _sums(window: Window) -> dict[str, int]:
    """Tokens by kind of content; with the framing that nothing else has, they add up to the window."""
    sums: dict[str, int] = {}
    for message, tokens in zip(window.messages, window.tokens, strict=True):
        kind = _kind_of(message)
        sums[kind] = sums.get(kind, 0) + tokens
    name = "tool definitions" if window.context.records_system else "what the file leaves out (prompt, tools)"
    rest = window.total - sum(sums.values())
    return {**sums, name: rest} if rest > 0 else sums


def _kind_of(message: Message) -> str:
    if message.kind == "summary":
        return "summaries"
    names = {"tool": "tool results", "assistant": "the replies", "system": "the prompt"}
    return names.get(message.role, "what was asked")
