"""Build a tree of a window's tokens. The tokens of every node are the sum of its children's tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from inspector.analysis.tool_activity import Action, Actions, row_words
from inspector.analysis.usage_breakdown.readings import RepeatedReading, repeats
from inspector.core.conversation import Message, Session
from inspector.core.text import clip, one_line, plural
from inspector.engine.window import SECTIONS, Window
from inspector.llm.tokens import Certainty, TokenCount

Grouping = Literal["tool", "file", "kind", "turn"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
_REST = {
    "system": "prompt, unrecorded",
    "memory": "added later, unrecorded",
    "tools": "tool definitions",
    "input": "request framing",
}
"""Labels for the tokens of a section that belong to no message."""
_KINDS = {
    "read": "files read",
    "search": "searches",
    "fetch": "pages fetched",
    "edit": "edits",
    "write": "files written",
    "run": "commands run",
    "delegate": "sub-agents",
    "plan": "plans",
    "other": "other tools",
}
_SPEAKERS = {"system": "system prompt", "user": "user", "assistant": "assistant text", "tool": "results"}
_LABEL = 60
"""Maximum characters of the text that labels a request."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a window, and the smaller parts it consists of."""

    name: str
    tokens: int
    messages: tuple[str, ...] = ()
    """Ids of its messages, oldest first; empty if it contains no messages."""
    children: tuple[Node, ...] = ()
    """Parts of it, largest first."""
    repeats: tuple[RepeatedReading, ...] = ()
    """Repeated reads among its messages."""
    certainty: Certainty = "exact"
    """Certainty of the token count."""

    @property
    def size(self) -> TokenCount:
        return TokenCount(self.tokens, self.certainty)

    @property
    def note(self) -> str:
        """Remarks to show next to its size."""
        if len(self.repeats) == 1 and not self.children:
            return self.repeats[0].sentence
        count = plural(len(self.messages), "message") if self.messages else ""
        wasted = sum(repeat.wasted for repeat in self.repeats)
        again = f"{TokenCount(wasted, self.certainty)} read again" if wasted else ""
        return ", ".join(filter(None, (count, again)))


@dataclass(frozen=True, slots=True)
class _Item:
    """A message of the window with its data for the tree."""

    message: Message
    tokens: int
    action: Action | None
    words: str
    request: int
    """Number of the user message that it follows, counted from 1; 0 before the first."""
    turn: int | None
    """Turn that it was added for or is the reply of; None for a message created by a plan."""


_Path = tuple[str, ...]
"""Names of the nodes from below the root to a leaf."""


def turns_of(session: Session) -> dict[str, int]:
    """Return the turn that each message was added for or replies in; the current turn is one past the last reply."""
    return {
        message.id: bisect_left(session.turns(message.agent), place) + 1
        for place, message in enumerate(session.messages)
    }


def turn_words(turns: Sequence[int], last: int) -> str:
    """Return turns as text: "turn 7", "turns 3–8", "turn 8 and now", "now". `last` is the last turn with a reply."""
    first, until = min(turns), min(max(turns), last)
    words = f"turn {first:,}" if first == until else f"turns {first:,}–{until:,}"
    return "now" if first > last else f"{words} and now" if max(turns) > last else words


def break_down_usage(window: Window, session: Session, by: Grouping = "tool") -> Node:
    """Return the tree of a window, whose root has the tokens of the whole window.

    Args:
        window: Window to break down.
        session: Session of the window.
        by: Grouping of the first level. "turn" groups everything that followed one user message, labelled with its
            turns.

    Raises:
        OSError: If the recording can no longer be read.
    """
    entries = list(_items(window, turns_of(session) if by == "turn" else {}))
    place: Callable[[_Item], _Path] = {"tool": _by_tool, "file": _by_file, "kind": _by_kind, "turn": _by_request}[by]
    paths: list[tuple[_Path, _Item]] = [(place(entry), entry) for entry in entries]
    by_message = {reading.message: repeat for repeat in repeats(window) for reading in repeat.readings}
    last = len(session.turns(window.agent))
    own = _nodes(paths, 0, by_message, window.sizes.certainty, _TurnLabel(last) if by == "turn" else _plain_label)
    children = tuple(sorted([*own, *_rest_of(window)], key=lambda node: -node.tokens))
    repeated = tuple(dict.fromkeys(by_message.values()))
    return Node("the window", window.total, window.ids, children, repeated, window.size.certainty)


def _items(window: Window, turns: Mapping[str, int]) -> Iterator[_Item]:
    actions, request = Actions(window.messages), 0
    for message, tokens in zip(window.messages, window.tokens, strict=True):
        if message.role == "user" and message.kind == "chat":
            request += 1
        words, turn = row_words(message, actions), turns.get(message.id)
        yield _Item(message, tokens, actions.of(message), words, request, turn)


def _by_tool(entry: _Item) -> _Path:
    """Return the tool, and below it the target of the call."""
    if entry.action is not None:
        return entry.action.tool, entry.action.resource or entry.action.subject or "no subject"
    return (_speaker_of(entry.message),)


def _by_file(entry: _Item) -> _Path:
    """Return the folder or host, and below it the file or page; without one, "no file" and the tool, or the speaker."""
    resource = entry.action.resource if entry.action else ""
    if resource:
        folder, _, name = resource.rstrip("/").rpartition("/")
        return (folder or "here", name or resource)
    return ("no file", entry.action.tool) if entry.action else (_speaker_of(entry.message),)


def _by_kind(entry: _Item) -> _Path:
    if entry.action is not None:
        return _KINDS[entry.action.kind], entry.action.tool
    return (_speaker_of(entry.message),)


def _by_request(entry: _Item) -> _Path:
    """Return the number of the user message, and below it the tool or speaker of each following message."""
    what = entry.action.tool if entry.action else _speaker_of(entry.message)
    return str(entry.request), what


_PLACES: Mapping[Grouping, Callable[[_Item], _Path]] = {
    "tool": _by_tool,
    "file": _by_file,
    "kind": _by_kind,
    "turn": _by_request,
}


def _speaker_of(message: Message) -> str:
    if message.kind == "summary":
        return "summaries"
    if message.kind == "injected":
        return "injected"
    if message.role == "assistant" and message.calls and not message.preview:
        return "assistant calls"
    return _SPEAKERS[message.role]


def _nodes(
    paths: Sequence[tuple[_Path, _Item]],
    depth: int,
    repeats_of: Mapping[str, RepeatedReading],
    certainty: Certainty,
    label: Callable[[str, Sequence[tuple[_Path, _Item]]], str],
) -> list[Node]:
    """Return the nodes at a depth, largest first."""
    groups: dict[str, list[tuple[_Path, _Item]]] = {}
    for path, entry in paths:
        groups.setdefault(path[min(depth, len(path) - 1)], []).append((path, entry))
    nodes = []
    for name, members in groups.items():
        goes_on = any(len(path) > depth + 1 for path, _ in members)
        children = _nodes(members, depth + 1, repeats_of, certainty, _plain_label) if goes_on else []
        rows = dict.fromkeys(repeats_of[e.message.id] for _, e in members if e.message.id in repeats_of)
        ids = tuple(entry.message.id for _, entry in members)
        tokens = sum(entry.tokens for _, entry in members)
        nodes.append(Node(label(name, members), tokens, ids, tuple(children), tuple(rows), certainty))
    return sorted(nodes, key=lambda node: -node.tokens)


def _plain_label(name: str, _members: Sequence[tuple[_Path, _Item]]) -> str:
    return one_line(name)


@dataclass(frozen=True, slots=True)
class _TurnLabel:
    """Label the messages that followed one request by their turns and its first words.

    `last` is the last turn with a reply.
    """

    last: int

    def __call__(self, name: str, members: Sequence[tuple[_Path, _Item]]) -> str:
        turns = [entry.turn for _, entry in members if entry.turn is not None]
        place = turn_words(turns, self.last) if turns else "of plans"
        words = clip(members[0][1].words, _LABEL) if int(name) else ""
        return f"{place} “{words}”" if words else f"{place}, before the first request in it"


def _rest_of(window: Window) -> Iterator[Node]:
    """Yield the parts of a window that are not messages: tool definitions, unrecorded content and framing."""
    sums = dict.fromkeys(SECTIONS, 0)
    for section, tokens in zip(window.sections, window.tokens, strict=True):
        sums[section] += tokens
    for section, size in window.breakdown.items():
        if (more := size.tokens - sums[section]) and section in _REST:
            unrecorded = section == "tools" and size.certainty == "unrecorded"
            name = f"{_REST[section]}, unrecorded" if unrecorded else _REST[section]
            yield Node(name, more, certainty=size.certainty)
