"""The usage of the window as a tree of lines: names, tokens, shares, bars, and strategies that would reduce it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from inspector.analysis.usage_breakdown import turn_words
from inspector.core.text import clipped, ends, percent
from inspector.llm.tokens import TokenCount
from inspector.ui.widgets.lines import LineList, Span

if TYPE_CHECKING:
    from inspector.analysis.usage_breakdown import Node, Reading
    from inspector.core.conversation import Session
    from inspector.library import Suggestion, Suggestions

_TOKENS, _SHARE, _SUGGESTION = 11, 6, 28
"""Cells of the columns of tokens, shares and strategies."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class SizeRow:
    """A node as shown in the tree."""

    path: tuple[int, ...]
    """Indexes of its ancestors and its own, from the top down."""
    node: Node
    is_open: bool = False


@dataclass(frozen=True)
class MessageFact:
    """A message of a node."""

    message: str
    number: int
    turn: str
    """Turn that the message was sent with, in words."""
    size: TokenCount
    relation: str
    """Relation to other reads of the same content; empty if there are none."""

    @property
    def words(self) -> str:
        return f"#{self.number:,}   {self.turn}   {self.size} tokens   {self.relation}".rstrip()


class SizeTree(LineList):
    """The open nodes of a window, largest first."""

    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.root: Node | None = None
        self.suggestions: Suggestions | None = None
        self.rows: list[SizeRow] = []
        self.notes = 0
        """Cells of the longest note."""
        self.open_paths: set[tuple[int, ...]] = set()

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> SizeRow | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def remedy(self, node: Node) -> Suggestion | None:
        return self.suggestions.for_node(node) if self.suggestions else None

    def show(self, root: Node) -> None:
        """Show another tree with its largest node open and under the cursor."""
        self.root = root
        self.open_paths = {(0,)} if root.children and root.children[0].children else set()
        self.lay_out()
        self.cursor = 0

    def show_remedies(self, suggestions: Suggestions) -> None:
        self.suggestions = suggestions
        self.renew()

    def lay_out(self) -> None:
        self.rows = list(self._open_rows(self.root.children, ())) if self.root else []
        self.notes = max((cell_len(row.node.note) for row in self.rows), default=0)
        self.renew()

    def _open_rows(self, nodes: Sequence[Node], above: tuple[int, ...]) -> Iterator[SizeRow]:
        for place, node in enumerate(nodes):
            path = (*above, place)
            yield SizeRow(path, node, path in self.open_paths)
            if path in self.open_paths:
                yield from self._open_rows(node.children, path)

    def unfold(self, row: SizeRow) -> bool:
        """Open a node. Return False if it has no parts or is already open."""
        if row.is_open or not row.node.children:
            return False
        self.open_paths.add(row.path)
        self.lay_out()
        return True

    def fold(self, row: SizeRow) -> None:
        """Close a node, or go to its parent if it is closed."""
        path = row.path if row.is_open else row.path[:-1]
        if not path:
            return
        if row.is_open:
            self.open_paths.discard(path)
            self.lay_out()
        self.cursor = next(place for place, other in enumerate(self.rows) if other.path == path)

    # drawing

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, root = self.rows[line], self.root
        assert root is not None
        node, palette = row.node, self.palette
        wasted = any(repeat.wasted for repeat in node.repeats) and not node.children
        sign = "▾ " if row.is_open else "▸ " if node.children else "  "
        cells = width - _TOKENS - _SHARE - _SUGGESTION - 2
        bar = max(0, min(24, (cells - 34) // 3))
        notes = min(34, self.notes + 2, cells - bar - 30)
        notes = notes if notes >= min(20, self.notes + 2) else 0
        names = max(8, cells - bar - notes)
        indent = f" {'  ' * (len(row.path) - 1)}{sign}"
        title = set_cell_size(indent + ends(node.name.removeprefix("https://"), max(4, names - len(indent) - 1)), names)
        ink = palette.ink("warning") if wasted else palette.strong if len(row.path) == 1 else palette.ink()
        largest = max((child.tokens for child in root.children), default=1) or 1
        return [
            (title, ink),
            (set_cell_size(clipped(node.note, max(0, notes - 1)), notes), ink if wasted else palette.dim),
            (str(node.size).rjust(_TOKENS), palette.ink()),
            (percent(node.tokens / root.tokens).rjust(_SHARE) + " ", palette.dim),
            (_bar(node.tokens / largest, bar - 1).ljust(bar), palette.ink("primary")),
            self._remedy_span(node),
        ]

    def _remedy_span(self, node: Node) -> Span:
        if self.suggestions is None:
            return " …", self.palette.faint
        remedy = self.remedy(node)
        if remedy is None:
            return " never" if not node.messages else " –", self.palette.faint
        return f" {remedy.strategy} −{TokenCount(remedy.tokens, node.certainty)}", self.palette.ink("primary")


def _bar(share: float, cells: int) -> str:
    """Return a bar for a share, precise to an eighth of a cell, with at least one eighth."""
    full, rest = divmod(max(1, round(8 * cells * share)), 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "") if cells > 0 else ""


def message_facts(node: Node, session: Session, sizes: dict[str, int], numbers: dict[str, int]) -> list[MessageFact]:
    """Return the messages of a node, oldest first, without those that plans have made.

    Args:
        node: Node of the tree.
        session: Session with the messages.
        sizes: Tokens by message ID.
        numbers: Numbers in the log, from 1, by message ID.
    """
    relations = {reading.message: reading for repeat in node.repeats for reading in repeat.readings}
    rows = []
    for message in node.messages:
        number = numbers.get(message)
        if number is not None:
            replies = session.turns(session.messages[number - 1].agent)
            turn = turn_words([bisect_left(replies, number - 1) + 1], len(replies))
            size = TokenCount(sizes.get(message, 0), node.certainty)
            rows.append(MessageFact(message, number, turn, size, _relation(relations.get(message))))
    return rows


def _relation(reading: Reading | None) -> str:
    words = {"newest": "the newest", "same": "read again, the same", "stale": "stale: read again, with other text"}
    return words[reading.relation] if reading else ""
