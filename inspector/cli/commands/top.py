"""`top`: what eats a window, as a tree with sums, and the strategy that would take each part of it out."""

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
"""Rows that are shown on each level without `--all`."""
_BAR = 12


@json_output()
class NodeOutput:
    """A part of the window."""

    name: str
    depth: Annotated[int, "1 for a part of the window; one more for a part of the row above with one less"]
    tokens: Annotated[Tokens, "those of its parts together"]
    messages: Annotated[Sequence[str], "ids, oldest first; none for what is no message"]
    remedy: Annotated[Suggestion | None, "null where no strategy takes enough of it out to be named"]


@json_output()
class TopOutput:
    """What eats a window."""

    turn: Turn
    agent: str
    by: Grouping
    tokens: Annotated[Tokens, "of the window: those of all parts of depth 1 together"]
    nodes: Annotated[Sequence[NodeOutput], "each behind the part that it belongs to, the largest first"]
    repeats: Annotated[Sequence[RepeatedReading], "the most wasteful first"]


@click.command(epilog="In the app: z on Inspect.")
@target
@click.option(
    "--by", type=click.Choice(GROUPINGS), default="tool", show_default=True, help="What the tokens are summed by."
)
@turn_option
@agent_option
@click.option("--all", "unfolded", is_flag=True, help="Every row of the tree.")
@common
def top(
    target: str, by: str, turn: int | None, agent: str | None, unfolded: bool, db: Path | None, as_json: bool
) -> None:
    """Show what eats the window: by tool, file, kind or turn.

    What was read more than once is named, and for each part the strategy that would take it out, with what it saves.
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
        for line in lines_of(f"{sign}{wasted:,} tokens were read again; the most: {worst}", width()):
            yield paint(line, "warn")
    yield ""
    yield paint(_top_row("", 0, "tokens", "share", "", "what would take it out"), "dim")
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
    """A line of the table: a name keeps both of its ends, and what does not fit is the bar."""
    end = f" {tokens:>9} {share:>6}"
    tail = f"  {remedy:<27}"
    room = width() - cells(end) - cells(tail) - 1
    if room >= 24 + _BAR:
        end, room = f"{end}  {pad(bar, _BAR)}", room - _BAR - 2
    indent = "  " * depth
    return f"{indent}{pad(ends(name, room - len(indent)), room - len(indent))}{end}{tail}"
