"""`top`: what fills a window, as a tree with totals, and the strategy that would remove each part."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import click

from inspector.analysis.cache_loss import CacheLoss, cache_losses, describe_cache_losses
from inspector.analysis.replay import SessionReads, describe_session_reads, session_reads
from inspector.analysis.usage_breakdown import (
    GROUPINGS,
    ORDERS,
    Grouping,
    Node,
    Order,
    RepeatedReading,
    break_down_usage,
    default_order,
    repeats,
)
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import Ink, echo, echo_json, is_terminal, paint, progress, width
from inspector.cli.schema.values import json_output
from inspector.core.json_objects import Tokens, Turn
from inspector.core.text import cells, dollars, ends, lines_of, pad, percent, plural
from inspector.library import Preview, Suggestion, Suggestions, find_suggestions, input_price
from inspector.llm.models import SessionPrice, session_price
from inspector.llm.tokens import TokenCount, mark, weakest

_ROWS, _CHILDREN = 12, 4
"""Maximum rows per level without `--all`."""
_BAR = 12
_REMEDY_WIDTH = 99
"""Columns above which rows of files name a strategy too."""


@json_output()
class NodeOutput:
    """A part of the window."""

    name: str
    depth: Annotated[int, "1 for a part of the window; n + 1 for a part of the nearest row above with depth n"]
    tokens: Annotated[Tokens, "total of its parts"]
    reread: Annotated[Tokens, "of its results that were re-fetched later"]
    cost: Annotated[float | None, "dollars for sending it once without a cache; null if no price is known"]
    calls: Annotated[int | None, "made to the tools that are defined in it; null for other content"]
    messages: Annotated[Sequence[str], "ids, oldest first; empty if it is not made of messages"]
    remedy: Annotated[Suggestion | None, "null if no strategy removes a notable share of it"]


@json_output()
class TopOutput:
    """Parts of a window, with totals."""

    turn: Turn
    agent: str
    by: Grouping
    sort: Annotated[Order, "of the parts of each part"]
    tokens: Annotated[Tokens, "of the window: total of all parts of depth 1"]
    nodes: Annotated[Sequence[NodeOutput], "each after the part that contains it, in the order of `sort`"]
    repeats: Annotated[Sequence[RepeatedReading], "of the window, the most wasteful first"]
    session_reads: Annotated[Sequence[SessionReads], "of the whole session, the most tokens read again first"]
    cache_losses: Annotated[Sequence[CacheLoss], "of the agent's calls, in order"]


@click.command(epilog="In the app: z on Inspect.")
@target
@click.option("--by", type=click.Choice(GROUPINGS), default="tool", show_default=True, help="The grouping of tokens.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(ORDERS),
    help="Largest first, or most repeated reads first. Files are sorted by repeated reads by default.",
)
@turn_option
@agent_option
@click.option("--all", "unfolded", is_flag=True, help="List all rows of the tree.")
@redact_option
@common
def top(
    target: str,
    by: Grouping,
    order: Order | None,
    turn: int | None,
    agent: str | None,
    unfolded: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Show what fills the window: by tool, file, kind or turn.

    Each row has its tokens, the price of sending them once without a cache, and the strategy that would remove most of
    them. Rows of files show the tokens of reads that were repeated later; below them are the files that were read more
    than once in the whole session, with the cost of the later reads. SESSION is a file, FILE#N, or the id of a stored
    session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        preview = session.bench.preview(turn, agent)
        order = order or default_order(by)
        root = break_down_usage(preview.base, preview.session, by, order)
        with progress() as on_progress:
            on_progress("trying strategies", 0, 0)
            remedies = find_suggestions(session.bench, preview.recorded.turn, agent)
        price = _price(preview)
        if as_json:
            echo_json(_top_output(preview, by, order, root, remedies, price))
        else:
            echo("\n".join(line.rstrip() for line in _top_text(preview, by, root, remedies, unfolded, price)))


def _top_output(
    preview: Preview, by: Grouping, order: Order, root: Node, remedies: Suggestions, price: SessionPrice
) -> TopOutput:
    recorded = preview.recorded
    return TopOutput(
        turn=preview.recorded.turn,
        agent=preview.recorded.agent,
        by=by,
        sort=order,
        tokens=root.tokens,
        nodes=list(_nodes(root.children, remedies, input_price(preview.base))),
        repeats=repeats(preview.base),
        session_reads=session_reads(preview.session, recorded.sizes, price, recorded.agent),
        cache_losses=cache_losses(preview.session, price, recorded.agent),
    )


def _price(preview: Preview) -> SessionPrice:
    """Return the price of the session. Raises CommandError if the user's prices cannot be read."""
    try:
        return session_price(preview.session)
    except ValueError as problem:
        raise CommandError(str(problem)) from problem


def _nodes(nodes: Sequence[Node], remedies: Suggestions, price: float | None, depth: int = 1) -> Iterator[NodeOutput]:
    for node in nodes:
        yield NodeOutput(
            name=node.name,
            depth=depth,
            tokens=node.tokens,
            reread=node.reread,
            cost=None if price is None else node.tokens * price,
            calls=node.calls,
            messages=node.messages,
            remedy=remedies.for_node(node),
        )
        yield from _nodes(node.children, remedies, price, depth + 1)


class _TopRow(NamedTuple):
    """Cells of a line of the table."""

    name: str
    tokens: str
    amount: str
    """Re-read tokens of files; the share of all others."""
    cost: str
    remedy: str
    depth: int = 0
    bar: str = ""
    ink: Ink | None = None

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """The cells after the name, without the bar."""
        return self.tokens, self.amount, self.cost, self.remedy


@dataclass(frozen=True)
class _Table:
    """The tree as lines of text."""

    by: Grouping
    total: int
    remedies: Suggestions
    price: float | None
    """Dollars per token."""
    unfolded: bool

    @property
    def has_paths(self) -> bool:
        return self.by == "file"

    def lines(self, nodes: Sequence[Node]) -> Iterator[str]:
        heads = "re-read" if self.has_paths else "share", "$/call" if self.price else "", "removed by"
        rows = [_TopRow("", "tokens", *heads, ink="dim"), *self._rows(nodes, 0)]
        sizes = [max(map(cells, column)) for column in zip(*(row.columns for row in rows), strict=True)]
        if self.has_paths and width() <= _REMEDY_WIDTH:
            sizes[-1] = 0
        room, bar = self._room(rows, sizes)
        for row in rows:
            indent = "  " * row.depth
            name = indent + pad(ends(row.name, room - len(indent)), room - len(indent))
            amounts = (f"{cell:>{size}}" for cell, size in zip(row.columns[:3], sizes, strict=False) if size)
            tail = [pad(row.bar, bar)] * bool(bar) + [row.remedy] * bool(sizes[-1])
            yield paint("  ".join([name, *amounts, *tail]), row.ink)

    def _room(self, rows: Sequence[_TopRow], sizes: Sequence[int]) -> tuple[int, int]:
        """Return the cells of names and of bars. Paths are only cut on a terminal."""
        room = width() - sum(sizes) - 1 - 2 * len(sizes)
        bar = _BAR if room >= 26 + _BAR else 0
        room -= bar and bar + 2
        if self.has_paths and not is_terminal(sys.stdout):
            room = max(room, *(2 * row.depth + cells(row.name) for row in rows))
        return room, bar

    def _rows(self, nodes: Sequence[Node], depth: int) -> Iterator[_TopRow]:
        most = len(nodes) if self.unfolded else _CHILDREN if depth else _ROWS
        for node in nodes[:most]:
            remedy = self.remedies.for_node(node)
            would = f"{remedy.strategy} −{TokenCount(remedy.tokens, node.certainty)}" if remedy else node.call_note
            bar = "█" * round(_BAR * node.tokens / self.total) if self.total else ""
            yield _TopRow(
                node.name, str(node.size), *self._amounts(node), would, depth, bar, None if depth else "strong"
            )
            yield from self._rows(node.children, depth + 1)
        if len(nodes) > most:
            rest = nodes[most:]
            tokens = TokenCount(sum(node.tokens for node in rest), weakest(*(node.certainty for node in rest)))
            yield _TopRow(f"… {plural(len(rest), 'more row')}", str(tokens), "", "", "", depth, ink="dim")

    def _amounts(self, node: Node) -> tuple[str, str]:
        """Return the re-read tokens (for files) or the share, and the price of sending a node once."""
        share = percent(node.tokens / self.total) if self.total else ""
        reread = str(node.size_again) if node.reread else ""
        return reread if self.has_paths else share, dollars(node.tokens * self.price) if self.price else ""


def _top_text(
    preview: Preview, by: Grouping, root: Node, remedies: Suggestions, unfolded: bool, price: SessionPrice
) -> Iterator[str]:
    window = preview.base
    sign = mark(window.size.certainty)
    limit = f" of {window.limit:,}, {percent(window.total / window.limit)}" if window.limit else ""
    yield f"{paint('What fills the window', 'strong')}  by {by}   {sign}{window.total:,}{limit}"
    if not root.children:
        yield window.emptiness
        return
    if again := repeats(window):
        wasted = sum(repeat.wasted for repeat in again)
        worst = f"{ends(again[0].resource, 32)}, {again[0].sentence}"
        for line in lines_of(f"{sign}{wasted:,} tokens were read more than once; most: {worst}", width()):
            yield paint(line, "warn")
    yield ""
    yield from _Table(by, root.tokens, remedies, input_price(window), unfolded).lines(root.children)
    if by == "file":
        recorded = preview.recorded
        reads = session_reads(preview.session, recorded.sizes, price, recorded.agent)
        yield from _reads_lines(reads, unfolded)
    losses = cache_losses(preview.session, price, preview.recorded.agent)
    for number, sentence in enumerate(describe_cache_losses(losses, _ROWS if unfolded else _CHILDREN)):
        yield from [] if number else [""]
        yield from (paint(line, None if number else "warn") for line in lines_of(sentence, width()))


def _reads_lines(rows: Sequence[SessionReads], unfolded: bool) -> Iterator[str]:
    """Yield the table of the files that were read more than once in the whole session, if there are any."""
    if not rows:
        return
    yield ""
    yield from (paint(line, "strong") for line in lines_of(describe_session_reads(rows), width()))
    most = len(rows) if unfolded else _ROWS
    yield from _read_rows(rows[:most])
    if len(rows) > most:
        yield paint(f"… {plural(len(rows) - most, 'more file')}", "dim")


def _read_rows(rows: Sequence[SessionReads]) -> Iterator[str]:
    """Yield the heads and the lines of a table of files. Paths are only cut on a terminal."""
    table = [("", "reads", "tokens", "again", "$ again")]
    for row in rows:
        cost = "" if row.cost is None else dollars(row.cost)
        table.append((row.resource, f"{row.reads:,}", str(row.size), str(row.size_again), cost))
    sizes = [max(map(cells, column)) for column in list(zip(*table, strict=True))[1:]]
    room = width() - sum(sizes) - 2 * len(sizes) - 1
    if not is_terminal(sys.stdout):
        room = max(room, *(cells(name) for name, *_ in table))
    for number, (name, *amounts) in enumerate(table):
        line = [pad(ends(name, room), room), *(f"{cell:>{size}}" for cell, size in zip(amounts, sizes, strict=True))]
        yield paint("  ".join(line), None if number else "dim")
