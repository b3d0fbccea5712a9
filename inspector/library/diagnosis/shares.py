"""Find the content that fills most of a window: by kind, and its largest messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest

from inspector.analysis.tool_activity import Actions
from inspector.core.conversation import Message
from inspector.core.json_objects import Tokens, json_object
from inspector.core.text import clip, percent
from inspector.engine.window import Window
from inspector.library import speaker
from inspector.library.diagnosis.evidence import Overview
from inspector.library.diagnosis.sentence import Clause

_LARGE = 0.1
"""Share of a window from which a single message is mentioned."""
_NAME = 28
"""Maximum columns of the name of a tool or of its target."""
_KINDS = {"summary": "summaries", "injected": "injected messages"}
_ROLES = {"tool": "tool results", "assistant": "the replies", "system": "the prompt"}


@json_object(keys="name tokens")
@dataclass(frozen=True, slots=True)
class WindowShare:
    """Tokens of some content in a window."""

    name: str
    """Name of the content in a sentence."""
    tokens: Tokens

    @property
    def takes(self) -> str:
        """Verb form that agrees with the name."""
        return "take" if self.name.endswith("s") else "takes"


def shares(window: Window) -> list[WindowShare]:
    """Return the kinds of content in a window, largest first. Together they make up the whole window."""
    sums: dict[str, int] = {}
    for message, tokens in zip(window.messages, window.sent, strict=True):
        kind = _kind_of(message)
        sums[kind] = sums.get(kind, 0) + tokens
    if later := window.unrecorded_memory:
        sums["unrecorded additions"] = later
    sums |= _not_messages(window, window.total - sum(window.sent) - later)
    return sorted(
        (WindowShare(name, tokens) for name, tokens in sums.items() if tokens > 0), key=lambda one: -one.tokens
    )


def largest_messages(window: Window, count: int, places: Mapping[str, int]) -> Iterator[WindowShare]:
    """Yield the largest messages of a window, named by action or speaker.

    Args:
        window: Window to examine.
        count: Number of messages.
        places: Position of each message in the log, by id.
    """
    for place in nlargest(count, range(len(window.sent)), key=window.sent.__getitem__):
        message = window.messages[place]
        if not window.sent[place]:
            return
        number = f" (message {places[message.id] + 1:,})" if message.id in places else ""
        yield WindowShare(f"{_deed_of(window, place) or speaker(message, {})}{number}", window.sent[place])


def _deed_of(window: Window, place: int) -> str:
    """Return a tool result's call as text: the tool and its target; "" if the call is unknown."""
    try:
        action = Actions(window.messages).of(window.messages[place])
    except OSError:  # the recording cannot be read any more
        return ""
    if action is None:
        return ""
    tool, subject = clip(action.tool, _NAME), clip(action.subject, _NAME)
    return f"{tool} {'of ' if action.resource else ''}{subject}" if subject else f"one of {tool}"


@dataclass(frozen=True, slots=True)
class _Largest:
    """The kind of content that fills most of a window, and its largest message if that is large."""

    kind: WindowShare | None = None
    message: WindowShare | None = None


def _largest(window: Window) -> _Largest:
    kind = next(iter(shares(window)), None)
    place = max(range(len(window.sent)), key=window.sent.__getitem__, default=-1)
    if kind is None or place < 0 or _kind_of(window.messages[place]) != kind.name:
        return _Largest(kind)
    name, tokens = _deed_of(window, place) or "one message", window.sent[place]
    return _Largest(kind, WindowShare(name, tokens) if tokens >= _LARGE * window.total else None)


def eaters(overview: Overview) -> Iterator[Clause]:
    """Yield clauses about the kind of content that fills most of the current window, and its largest message.

    The result is cached per window.
    """
    window = overview.window
    largest = window.remember(_largest)
    if largest.kind is not None:
        share = percent(largest.kind.tokens / window.total)
        yield Clause(((f"{largest.kind.name} {largest.kind.takes} ", "plain"), (share, "strong")), 2)
    if largest.message is not None:
        tokens = overview.tokens(largest.message.tokens)
        yield Clause(((f", {largest.message.name} alone ", "plain"), (tokens, "strong")), 3, "")


def _not_messages(window: Window, rest: int) -> dict[str, int]:
    """Return the tokens that belong to no message by name: the tools, the unrecorded prompt, or else the framing."""
    tools = window.sizes.tools
    if not window.unrecorded:
        return {"the tool definitions" if tools else "the framing": rest}
    if tools:
        missing = "unrecorded" if window.context.records_system else "unrecorded (prompt)"
        return {"the tool definitions": tools, missing: rest - tools}
    return {"unrecorded (tools)" if window.system else "unrecorded (prompt, tools)": rest}


def _kind_of(message: Message) -> str:
    return _KINDS.get(message.kind) or _ROLES.get(message.role, "requests")
