"""What takes most of a window: by kind of content, and its largest messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest

from inspector.conversation import Message
from inspector.text import percent
from inspector.verdict.evidence import Overview
from inspector.verdict.sentence import Clause
from inspector.window import Window

_LARGE = 0.1
"""Share of a window from which on a single message is worth its own words."""
_ROLES = {"tool": "tool results", "assistant": "the replies", "system": "the prompt"}


@dataclass(frozen=True, slots=True)
class WindowShare:
    """What some content takes of a window."""

    name: str
    """As it stands in a sentence."""
    tokens: int

    @property
    def takes(self) -> str:
        """The verb behind the name."""
        return "take" if self.name.endswith("s") else "takes"


def shares(window: Window) -> list[WindowShare]:
    """The kinds of content of a window, the largest first; they add up to all of it."""
    sums: dict[str, int] = {}
    for message, tokens in zip(window.messages, window.tokens, strict=True):
        kind = _kind_of(message)
        sums[kind] = sums.get(kind, 0) + tokens
    sums[_rest_of(window)] = window.total - sum(window.tokens)
    return sorted(
        (WindowShare(name, tokens) for name, tokens in sums.items() if tokens > 0), key=lambda one: -one.tokens
    )


def largest_messages(window: Window, count: int, places: Mapping[str, int]) -> Iterator[WindowShare]:
    """The largest messages of a window, each by its tool or its speaker and its number in the log (`places`)."""
    for place in nlargest(count, range(len(window.tokens)), key=window.tokens.__getitem__):
        message = window.messages[place]
        name = window.tool_names.get(message.id) or message.role
        number = f" {places[message.id] + 1:,}" if message.id in places else ""
        yield WindowShare(f"{name}{number}", window.tokens[place])


def eaters(overview: Overview) -> Iterator[Clause]:
    """Clauses for the kind of content that takes most of the window as it now stands, and for its largest message."""
    window = overview.window
    most = next(iter(shares(window)), None)
    if most is None:
        return
    yield Clause(((f"{most.name} {most.takes} ", "plain"), (percent(most.tokens / window.total), "strong")), 2)
    place = max(range(len(window.tokens)), key=window.tokens.__getitem__, default=-1)
    if place >= 0 and _kind_of(window.messages[place]) == most.name and window.tokens[place] >= _LARGE * window.total:
        tool = window.tool_names.get(window.messages[place].id, "")
        name = f"one of {tool}" if tool else f"message {place + 1:,}"
        yield Clause(((f", {name} alone ", "plain"), (overview.tokens(window.tokens[place]), "strong")), 3, "")


def _rest_of(window: Window) -> str:
    """What a window has beside its messages."""
    if not window.context.records_system:
        return "what the file leaves out (prompt, tools)"
    return "the tool definitions" if window.sizes.tools else "the framing"


def _kind_of(message: Message) -> str:
    return "summaries" if message.kind == "summary" else _ROLES.get(message.role, "what was asked")
