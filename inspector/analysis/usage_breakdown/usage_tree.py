"""Build a tree of a window's tokens. The tokens of every node are the sum of its children's tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from inspector.analysis.tool_activity import Action, Actions, row_words
from inspector.analysis.usage_breakdown.defined_tools import (
    ToolDefinition,
    calls_text,
    split_tokens,
    tool_definitions,
    tool_servers,
)
from inspector.analysis.usage_breakdown.readings import RepeatedReading, repeats
from inspector.analysis.usage_breakdown.stated_sizes import StatedSize, stated_sizes
from inspector.core.conversation import Message, Session
from inspector.core.text import clip, one_line, plural
from inspector.engine.window import SECTIONS, Window
from inspector.llm.tokens import Certainty, TokenCount

Grouping = Literal["tool", "file", "kind", "turn"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
Order = Literal["tokens", "reread"]
"""Order of the parts of a node: the largest first, or those with the most tokens of repeated reads."""
ORDERS: tuple[Order, ...] = get_args(Order)
_REST = {
    "system": "prompt, unrecorded",
    "memory": "added later, unrecorded",
    "tools": "tool definitions, unrecorded",
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
    """Parts of it, in the order that was asked for."""
    repeats: tuple[RepeatedReading, ...] = ()
    """Repeated reads among its messages."""
    certainty: Certainty = "exact"
    """Certainty of the token count."""
    reread: int = 0
    """Tokens of the results in it that were read again later."""
    calls: int | None = None
    """Calls made to the tools that are defined in it; None for all other content."""
    cost: float | None = None
    """Dollars that its repeated reads cost; None if the price of sending it once is shown instead."""
    remark: str = ""
    """Text that replaces `note`; empty for none."""

    @property
    def size(self) -> TokenCount:
        return TokenCount(self.tokens, self.certainty)

    @property
    def size_again(self) -> TokenCount:
        """Tokens of the results in it that were read again later."""
        return TokenCount(self.reread, self.certainty)

    @property
    def call_note(self) -> str:
        """Calls made to the tools that are defined in it as text; empty for all other content."""
        return "" if self.calls is None else calls_text(self.calls)

    @property
    def note(self) -> str:
        """Remarks to show next to its size."""
        if self.remark:
            return self.remark
        if len(self.repeats) == 1 and not self.children:
            return self.repeats[0].sentence
        if self.calls is not None:
            return self.call_note
        count = plural(len(self.messages), "message") if self.messages else ""
        again = f"{self.size_again} read again" if self.reread else ""
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
    resource: str
    """File or page that it touches, also by a shell command that prints one; "" for none or several."""


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


def default_order(by: Grouping) -> Order:
    """Return the order that suits a grouping: files by repeated reads, all others by size."""
    return "reread" if by == "file" else "tokens"


def break_down_usage(window: Window, session: Session, by: Grouping = "tool", order: Order | None = None) -> Node:
    """Return the tree of a window, whose root has the tokens of the whole window.

    Args:
        window: Window to break down.
        session: Session of the window.
        by: Grouping of the first level. "turn" groups everything that followed one user message, labelled with its
            turns.
        order: Order of the parts of each node; None for the one of `default_order`.

    Raises:
        OSError: If the recording can no longer be read.
    """
    entries = list(_items(window, turns_of(session) if by == "turn" else {}))
    place = _PLACES[by]
    paths: list[tuple[_Path, _Item]] = [(place(entry), entry) for entry in entries]
    by_message = {reading.message: repeat for repeat in repeats(window) for reading in repeat.readings}
    reread = _reread_tokens(by_message.values())
    last = len(session.turns(window.agent))
    builder = _TreeBuilder(by_message, reread, window.sizes.certainty, _SORT_KEYS[order or default_order(by)])
    own = builder.nodes(paths, 0, _TurnLabel(last) if by == "turn" else _plain_label)
    children = tuple(sorted([*own, *_rest_of(window, session)], key=builder.sort_key))
    repeated = tuple(dict.fromkeys(by_message.values()))
    return Node("the window", window.total, window.ids, children, repeated, window.size.certainty, sum(reread.values()))


def _reread_tokens(rows: Iterable[RepeatedReading]) -> dict[str, int]:
    """Return the tokens of each result that was read again later, by message id."""
    readings = (reading for repeat in rows for reading in repeat.readings)
    return {reading.message: reading.tokens for reading in readings if reading.relation != "newest"}


def _items(window: Window, turns: Mapping[str, int]) -> Iterator[_Item]:
    actions, request = Actions(window.messages), 0
    for message, tokens in zip(window.messages, window.sent, strict=True):
        if message.role == "user" and message.kind == "chat":
            request += 1
        words, turn = row_words(message, actions), turns.get(message.id)
        action, reads = actions.of(message), actions.reads_of(message)
        resource = reads[0].resource if len(reads) == 1 else action.resource if action else ""
        yield _Item(message, tokens, action, words, request, turn, resource)


def _by_tool(entry: _Item) -> _Path:
    """Return the tool, and below it the target of the call."""
    if entry.action is not None:
        return entry.action.tool, entry.action.resource or entry.action.subject or "no subject"
    return (_speaker_of(entry.message),)


def _by_file(entry: _Item) -> _Path:
    """Return the folder or host, and below it the file or page; without one, "no file" and the tool, or the speaker."""
    if entry.resource:
        folder, _, name = entry.resource.rstrip("/").rpartition("/")
        return (folder or "here", name or entry.resource)
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


_SORT_KEYS: Mapping[Order, Callable[[Node], tuple[int, int]]] = {
    "tokens": lambda node: (-node.tokens, 0),
    "reread": lambda node: (-node.reread, -node.tokens),
}


def _speaker_of(message: Message) -> str:
    if message.kind == "summary":
        return "summaries"
    if message.kind == "injected":
        return "injected"
    if message.role == "assistant" and message.calls and not message.preview:
        return "assistant calls"
    return _SPEAKERS[message.role]


_Labeller = Callable[[str, Sequence[tuple[_Path, _Item]]], str]


@dataclass(frozen=True, slots=True)
class _TreeBuilder:
    """Builds the nodes of one window."""

    repeats_of: Mapping[str, RepeatedReading]
    """Repeated reads by the ids of their results."""
    reread: Mapping[str, int]
    """Tokens of the results that were read again later, by message id."""
    certainty: Certainty
    sort_key: Callable[[Node], tuple[int, int]]

    def nodes(self, paths: Sequence[tuple[_Path, _Item]], depth: int, label: _Labeller) -> list[Node]:
        """Return the nodes at a depth in order."""
        groups: dict[str, list[tuple[_Path, _Item]]] = {}
        for path, entry in paths:
            groups.setdefault(path[min(depth, len(path) - 1)], []).append((path, entry))
        nodes = []
        for name, members in groups.items():
            goes_on = any(len(path) > depth + 1 for path, _ in members)
            children = self.nodes(members, depth + 1, _plain_label) if goes_on else []
            ids = tuple(entry.message.id for _, entry in members)
            rows = dict.fromkeys(self.repeats_of[name] for name in ids if name in self.repeats_of)
            tokens = sum(entry.tokens for _, entry in members)
            reread = sum(self.reread.get(name, 0) for name in ids)
            node = Node(label(name, members), tokens, ids, tuple(children), tuple(rows), self.certainty, reread)
            nodes.append(node)
        return sorted(nodes, key=self.sort_key)


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


def _rest_of(window: Window, session: Session) -> Iterator[Node]:
    """Yield the parts of a window that are not messages: tool definitions, unrecorded content and framing."""
    sums = dict.fromkeys(SECTIONS, 0)
    for section, tokens in zip(window.sections, window.sent, strict=True):
        sums[section] += tokens
    if window.sizes.tools:
        yield _tools_node(window, session)
        sums["tools"] += window.sizes.tools
    for section, size in window.breakdown.items():
        if (more := size.tokens - sums[section]) and section in _REST:
            joined = section == "system" and window.joins_tools
            parts = _stated_nodes(stated_sizes(window, session), more, size.certainty) if joined else ()
            name = "prompt and tools, unrecorded" if joined else _REST[section]
            yield Node(name, more, children=parts, certainty=size.certainty)


def _stated_nodes(parts: Sequence[StatedSize], tokens: int, certainty: Certainty) -> tuple[Node, ...]:
    """Return the stated parts of some tokens and the rest of them. Parts with more tokens are scaled to the sum."""
    if not parts:
        return ()
    sizes = [part.tokens for part in parts]
    rest = tokens - sum(sizes)
    if rest < 0:
        sizes = split_tokens(tokens, sizes)
    nodes = [
        Node(part.name, size, children=_stated_nodes(part.rows, size, certainty), certainty=certainty)
        for part, size in zip(parts, sizes, strict=True)
    ]
    if rest > 0:
        nodes.append(Node("not listed", rest, certainty=certainty))
    return tuple(sorted(nodes, key=lambda node: -node.tokens))


def _tools_node(window: Window, session: Session) -> Node:
    """Return the tool definitions, by MCP server and tool, largest first."""
    tools = tool_definitions(window, session)
    certainty = window.breakdown["tools"].certainty
    alone = [_tool_node(tool, certainty) for tool in tools if not tool.server]
    servers = [
        Node(
            f"mcp__{one_line(server.name)}, {plural(len(server.tools), 'tool')}",
            server.tokens,
            children=tuple(_tool_node(tool, certainty) for tool in server.tools),
            certainty=certainty,
            calls=server.calls,
        )
        for server in tool_servers(tools)
    ]
    children = tuple(sorted([*servers, *alone], key=lambda node: -node.tokens))
    name = f"{plural(len(tools), 'tool definition')}"
    calls = sum(tool.calls for tool in tools)
    return Node(name, window.sizes.tools, children=children, certainty=certainty, calls=calls)


def _tool_node(tool: ToolDefinition, certainty: Certainty) -> Node:
    return Node(one_line(tool.name), tool.tokens, certainty=certainty, calls=tool.calls)
