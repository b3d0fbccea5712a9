"""A window as a tree of what its tokens are spent on. The tokens of every node are the sum of its children's."""

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
    "system": "the prompt, unrecorded",
    "memory": "put in or carried over, unrecorded",
    "tools": "tool definitions",
    "input": "framing of the request",
}
"""What a section holds that is no message."""
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
_SPEAKERS = {"system": "system prompt", "user": "user", "assistant": "assistant, words", "tool": "results"}
_LABEL = 60
"""Characters of the words by which a request is known."""


@dataclass(frozen=True, slots=True)
class Node:
    """Some of a window, and what it is made of."""

    name: str
    tokens: int
    messages: tuple[str, ...] = ()
    """The ids of its messages, oldest first; none for what is no message."""
    children: tuple[Node, ...] = ()
    """The largest first."""
    repeats: tuple[RepeatedReading, ...] = ()
    """What of it was read more than once."""
    certainty: Certainty = "exact"
    """How the number of tokens is known."""

    @property
    def size(self) -> TokenCount:
        return TokenCount(self.tokens, self.certainty)

    @property
    def note(self) -> str:
        """What there is to say of it beside its size."""
        if len(self.repeats) == 1 and not self.children:
            return self.repeats[0].sentence
        count = plural(len(self.messages), "message") if self.messages else ""
        wasted = sum(repeat.wasted for repeat in self.repeats)
        again = f"{TokenCount(wasted, self.certainty)} read again" if wasted else ""
        return ", ".join(filter(None, (count, again)))


@dataclass(frozen=True, slots=True)
class _Item:
    """A message of the window with what the tree needs of it."""

    message: Message
    tokens: int
    action: Action | None
    words: str
    request: int
    """The number of the person's words that it follows, from 1; 0 before any."""
    turn: int | None
    """The turn that it came in for, or is the reply of; None of a message that a plan has made."""


_Path = tuple[str, ...]
"""The names of the nodes from below the root down to a leaf."""


def turns_of(session: Session) -> dict[str, int]:
    """For each message of a log the turn that it came in for, or is the reply of; one past the last reply is now."""
    return {
        message.id: bisect_left(session.turns(message.agent), place) + 1
        for place, message in enumerate(session.messages)
    }


def turn_words(turns: Sequence[int], last: int) -> str:
    """Turns as they are called: "turn 7", "turns 3–8", "turn 8 and now", "now". `last` is the newest with a reply."""
    first, until = min(turns), min(max(turns), last)
    words = f"turn {first:,}" if first == until else f"turns {first:,}–{until:,}"
    return "now" if first > last else f"{words} and now" if max(turns) > last else words


def break_down_usage(window: Window, session: Session, by: Grouping = "tool") -> Node:
    """The tree of a window of a session; the tokens of its root are those of the window.

    By turn, what followed the same words of the person stands together, with the turns that it takes.

    Raises OSError where a recording cannot be read any more.
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
    """The tool, and below it what it was used on."""
    if entry.action is not None:
        return entry.action.tool, entry.action.resource or entry.action.subject or "without a subject"
    return (_speaker_of(entry.message),)


def _by_file(entry: _Item) -> _Path:
    """The folder or host, and below it the file or page; what touches none, by who says it."""
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
    """The person's words, and below them what followed."""
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
        return "assistant, calls"
    return _SPEAKERS[message.role]


def _nodes(
    paths: Sequence[tuple[_Path, _Item]],
    depth: int,
    repeats_of: Mapping[str, RepeatedReading],
    certainty: Certainty,
    label: Callable[[str, Sequence[tuple[_Path, _Item]]], str],
) -> list[Node]:
    """The nodes at a depth, the largest first."""
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
    """Names what followed one request by its turns and its first words. `last` is the newest turn with a reply."""

    last: int

    def __call__(self, name: str, members: Sequence[tuple[_Path, _Item]]) -> str:
        turns = [entry.turn for _, entry in members if entry.turn is not None]
        place = turn_words(turns, self.last) if turns else "of plans"
        words = clip(members[0][1].words, _LABEL) if int(name) else ""
        return f"{place} “{words}”" if words else f"{place}, before the first request in it"


def _rest_of(window: Window) -> Iterator[Node]:
    """What of a window is no message: tool definitions, what a file leaves out, the framing."""
    sums = dict.fromkeys(SECTIONS, 0)
    for section, tokens in zip(window.sections, window.tokens, strict=True):
        sums[section] += tokens
    for section, size in window.breakdown.items():
        if (more := size.tokens - sums[section]) and section in _REST:
            unrecorded = section == "tools" and size.certainty == "unrecorded"
            name = f"{_REST[section]}, unrecorded" if unrecorded else _REST[section]
            yield Node(name, more, certainty=size.certainty)
