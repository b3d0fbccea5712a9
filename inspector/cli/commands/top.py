"""`top`: what fills a window, as a tree with totals, and the strategy that would remove each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, cast

import click

from inspector.analysis.usage_breakdown import GROUPINGS, Grouping, Node, RepeatedReading, break_down_usage, repeats
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.options import agent_option, common, target, turn_option
from inspector.cli.output import echo, echo_json, paint, progress, width
from inspector.cli.schema.values import json_output
from inspector.core.json_objects import Tokens, Turn
from inspector.core.text import cells, ends, lines_of, pad, percent, plural
from inspector.library import Preview, Suggestion, Suggestions, find_suggestions
from inspector.llm.tokens import TokenCount, mark, weakest

_ROWS, _CHILDREN = 12, 4
"""Maximum rows per level without `--all`."""
_BAR = 12


@json_output()
class NodeOutput:
    """A part of the window."""

    name: str
    depth: Annotated[int, "1 for a part of the window; n + 1 for a part of the nearest row above with depth n"]
    tokens: Annotated[Tokens, "total of its parts"]
    messages: Annotated[Sequence[str], "ids, oldest first; empty if it is not made of messages"]
    remedy: Annotated[Suggestion | None, "null if no strategy removes a notable share of it"]


@json_output()
class TopOutput:
    """What fills a window."""

    turn: Turn
    agent: str
    by: Grouping
    tokens: Annotated[Tokens, "of the window: total of all parts of depth 1"]
    nodes: Annotated[Sequence[NodeOutput], "each after the part that it belongs to, largest first"]
    repeats: Annotated[Sequence[RepeatedReading], "the most wasteful first"]


@click.command(epilog="In the app: z on Inspect.")
@target
@click.option("--by", type=click.Choice(GROUPINGS), default="tool", show_default=True, help="The grouping of tokens.")
@turn_option
@agent_option
@click.option("--all", "unfolded", is_flag=True, help="List all rows of the tree.")
@common
def top(
    target: str, by: str, turn: int | None, agent: str | None, unfolded: bool, db: Path | None, as_json: bool
) -> None:
    """Show what fills the window: by tool, file, kind or turn.

    Names content that was read more than once, and for each part the strategy that would remove it, with its savings.
    SESSION is a file, FILE#N, or the id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        preview = session.bench.preview(turn, agent)
        root = break_down_usage(preview.base, preview.session, cast(Grouping, by))
        with progress() as on_progress:
            on_progress("trying strategies", 0, 0)
            remedies = find_suggestions(session.bench, preview.recorded.turn, agent)
        if as_json:
            echo_json(_top_output(preview, by, root, remedies))
        else:
            echo("\n".join(line.rstrip() for line in _top_text(preview, by, root, remedies, unfolded)))


def _top_output(preview: Preview, by: str, root: Node, remedies: Suggestions) -> TopOutput:
    return TopOutput(
        turn=preview.recorded.turn,
        agent=preview.recorded.agent,
        by=cast(Grouping, by),
        tokens=root.tokens,
        nodes=list(_nodes(root.children, remedies)),
        repeats=repeats(preview.base),
    )


def _nodes(nodes: Sequence[Node], remedies: Suggestions, depth: int = 1) -> Iterator[NodeOutput]:
    for node in nodes:
        yield NodeOutput(
            name=node.name,
            depth=depth,
            tokens=node.tokens,
            messages=node.messages,
            remedy=remedies.for_node(node),
        )
        yield from _nodes(node.children, remedies, depth + 1)


def _top_text(preview: Preview, by: str, root: Node, remedies: Suggestions, unfolded: bool) -> Iterator[str]:
    window = preview.base
    sign = mark(window.size.certainty)
    limit = f" of {window.limit:,}, {percent(window.total / window.limit)}" if window.limit else ""
    yield f"{paint('What eats the window', 'strong')}  by {by}   {sign}{window.total:,}{limit}"
    if not root.children:
        yield window.emptiness
        return
    if again := repeats(window):
        wasted = sum(repeat.wasted for repeat in again)
        worst = f"{ends(again[0].resource, 32)}, {again[0].sentence}"
        for line in lines_of(f"{sign}{wasted:,} tokens were read more than once; most: {worst}", width()):
            yield paint(line, "warn")
    yield ""
    yield paint(_top_row("", 0, "tokens", "share", "", "removed by"), "dim")
    yield from _top_rows(root.children, root.tokens, remedies, 0, unfolded)


def _top_rows(nodes: Sequence[Node], total: int, remedies: Suggestions, depth: int, unfolded: bool) -> Iterator[str]:
    most = len(nodes) if unfolded else _CHILDREN if depth else _ROWS
    for node in nodes[:most]:
        remedy = remedies.for_node(node)
        bar = "█" * round(_BAR * node.tokens / total) if total else ""
        would = f"{remedy.strategy} −{TokenCount(remedy.tokens, node.certainty)}" if remedy else ""
        share = percent(node.tokens / total) if total else ""
        line = _top_row(node.name, depth, str(node.size), share, bar, would)
        yield paint(line, None if depth else "strong")
        yield from _top_rows(node.children, total, remedies, depth + 1, unfolded)
    if len(nodes) > most:
        rest = nodes[most:]
        tokens = TokenCount(sum(node.tokens for node in rest), weakest(*(node.certainty for node in rest)))
        yield paint(_top_row(f"… {plural(len(rest), 'more row')}", depth, str(tokens), "", "", ""), "dim")


def _top_row(name: str, depth: int, tokens: str, share: str, bar: str, remedy: str) -> str:
    """Return a line of the table. The name keeps both of its ends, and the bar takes the remaining space."""
    end = f" {tokens:>9} {share:>6}"
    tail = f"  {remedy:<27}"
    room = width() - cells(end) - cells(tail) - 1
    if room >= 24 + _BAR:
        end, room = f"{end}  {pad(bar, _BAR)}", room - _BAR - 2
    indent = "  " * depth
    return f"{indent}{pad(ends(name, room - len(indent)), room - len(indent))}{end}{tail}"
