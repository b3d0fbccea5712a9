"""The usage of the window as a tree of lines: names, tokens, shares, bars, and strategies that would reduce it."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from inspector.analysis.usage_breakdown import turn_words
from inspector.core.text import clipped, dollars, ends, percent
from inspector.llm.tokens import TokenCount
from inspector.ui.widgets.lines import LineList, Span

if TYPE_CHECKING:
    from inspector.analysis.usage_breakdown import Node, Order, Reading
    from inspector.core.conversation import Session
    from inspector.library import Suggestion, Suggestions

_TOKENS, _SHARE, _REREAD, _COST = 11, 7, 10, 9
"""Cells of the columns of tokens, shares, tokens read again and prices."""
_MIN_SUGGESTION, _SUGGESTION = 13, 28
"""Cells of the column of strategies: of its head, and while the strategies are unknown."""
_COST_WIDTH = 90
"""Width in cells from which there is a column of prices."""
_MIN_FOLDER = 8
"""Minimum length of a shared folder that is not repeated on each line."""
_MAX_OPEN = 8
"""Maximum nodes that are open at first because of repeated reads."""
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
    """Relation to other reads of the same content; empty for none."""

    @property
    def words(self) -> str:
        return f"#{self.number:,}   {self.turn}   {self.size} tokens   {self.relation}".rstrip()


class SizeTree(LineList):
    """The open nodes of a window, largest first."""

    empty = "  reading …"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.root: Node | None = None
        self.folder = ""
        """Folder that the paths share and that is not shown; empty for none."""
        self.suggestions: Suggestions | None = None
        self.shows_reread = False
        """True if the tokens that were read again replace the share."""
        self.has_costs = False
        """True if the rows state what their repeated reads cost."""
        self.price: float | None = None
        """Dollars for sending one token; None if unknown."""
        self.rows: list[SizeRow] = []
        self.notes = 0
        """Cells of the longest note."""
        self.names = 0
        """Cells of the longest name with its indent."""
        self.remedies = _SUGGESTION
        """Cells of the longest strategy with its savings."""
        self.open_paths: set[tuple[int, ...]] = set()

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def current(self) -> SizeRow | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def remedy(self, node: Node) -> Suggestion | None:
        return self.suggestions.for_node(node) if self.suggestions else None

    def show(self, root: Node, order: Order) -> None:
        """Show another tree with the cursor on its first node, which is open.

        Nodes with repeated reads are open too if these come first.
        """
        self.root = root
        self.folder = common_folder(node.name for node in root.children)
        self.shows_reread = order == "reread"
        self.has_costs = any(node.cost is not None for node in root.children)
        repeated = [place for place, node in enumerate(root.children) if node.reread and self.shows_reread][:_MAX_OPEN]
        self.open_paths = {(place,) for place in (0, *repeated) if root.children and root.children[place].children}
        self.lay_out()
        self.cursor = 0

    def show_price(self, price: float | None) -> None:
        self.price = price
        self.renew()

    def show_remedies(self, suggestions: Suggestions) -> None:
        self.suggestions = suggestions
        self.lay_out()

    def lay_out(self) -> None:
        self.rows = list(self._open_rows(self.root.children, ())) if self.root else []
        self.notes = max((cell_len(row.node.note) for row in self.rows), default=0)
        if self.suggestions is not None:
            self.remedies = max((cell_len(self._remedy_span(row.node)[0]) + 1 for row in self.rows), default=0)
        self.names = max(
            (2 * len(row.path) + 2 + cell_len(_node_name(row.node, self.folder)) for row in self.rows), default=0
        )
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
        names, notes, bar = self._divide(width)
        indent = f" {'  ' * (len(row.path) - 1)}{sign}"
        title = set_cell_size(indent + ends(_node_name(node, self.folder), max(4, names - len(indent) - 1)), names)
        ink = palette.ink("warning") if wasted else palette.strong if len(row.path) == 1 else palette.ink()
        largest = max((child.tokens for child in root.children), default=1) or 1
        return [
            (title, ink),
            (set_cell_size(clipped(node.note, max(0, notes - 1)), notes), ink if wasted else palette.dim),
            (str(node.size).rjust(_TOKENS), palette.ink()),
            self._amount_span(node, root.tokens),
            self._cost_span(node, width),
            (f"  {_bar(node.tokens / largest, bar - 2)}"[:bar].ljust(bar), palette.ink("primary")),
            self._remedy_span(node),
        ]

    def heads(self, width: int) -> str:
        """Return the heads of the columns for a width in cells."""
        names, notes, bar = self._divide(width)
        amount = "re-read" if self.shows_reread else "share"
        cost = self._cost_cells(width)
        price = ("$ again" if self.has_costs else "$/call") if cost else ""
        heads = f"{'tokens':>{_TOKENS}}{amount:>{self._amount_cells}}{price:>{cost}}"
        remedies = "" if self.has_costs else "  removed by"
        return f"{'':{names + notes}}{heads}{'':{bar}}{remedies}"

    @property
    def _amount_cells(self) -> int:
        return _REREAD if self.shows_reread else _SHARE

    def _cost_cells(self, width: int) -> int:
        return _COST if self.has_costs or (self.price and width >= _COST_WIDTH) else 0

    def _divide(self, width: int) -> tuple[int, int, int]:
        """Divide the cells that other columns leave among names, notes and bars, in this order."""
        suggestion = 1 if self.has_costs else max(_MIN_SUGGESTION, min(self.remedies, _SUGGESTION))
        cells = width - _TOKENS - self._amount_cells - self._cost_cells(width) - suggestion
        names = max(8, min(self.names + 1, cells))
        notes = min(34, self.notes + 2, max(0, cells - max(names, 30)))
        notes = notes if notes >= min(20, self.notes + 2) else 0
        bar = max(0, min(26, cells - names - notes))
        return max(0, cells - notes - bar), notes, bar

    def _amount_span(self, node: Node, total: int) -> Span:
        if not self.shows_reread:
            return percent(node.tokens / total).rjust(_SHARE), self.palette.dim
        reread = str(node.size_again) if node.reread else ""
        return reread.rjust(_REREAD), self.palette.ink("warning")

    def _cost_span(self, node: Node, width: int) -> Span:
        dollar_amount = node.cost if self.has_costs else self.price and node.tokens * self.price
        cost = "" if dollar_amount is None else dollars(dollar_amount)
        cells = self._cost_cells(width)
        return cost.rjust(cells) if cells else "", self.palette.dim

    def _remedy_span(self, node: Node) -> Span:
        if self.has_costs:
            return " ", self.palette.faint
        if self.suggestions is None:
            return "  …", self.palette.faint
        remedy = self.remedy(node)
        if remedy is None:
            return "  never" if not node.messages else "  –", self.palette.faint
        return f"  {remedy.strategy} −{TokenCount(remedy.tokens, node.certainty)}", self.palette.ink("primary")


def common_folder(names: Iterable[str]) -> str:
    """Return the folder above the deepest one that all absolute paths share; "" if it is short or there is one path."""
    paths = [name for name in names if name.startswith("/")]
    folder = posixpath.dirname(posixpath.commonpath(paths)) if len(paths) > 1 else ""
    return folder if len(folder) >= _MIN_FOLDER else ""


def _node_name(node: Node, folder: str) -> str:
    """Return the name of a node, without a folder that many share."""
    if folder and node.name.startswith(f"{folder}/"):
        return f"…{node.name.removeprefix(folder)}"
    return node.name.removeprefix("https://")


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
    words = {"newest": "newest", "same": "read again, same content", "stale": "stale: read again with changes"}
    return words[reading.relation] if reading else ""
