"""`memory recall` and `memory window`: ranks of the items of stores, explained, and the memories in a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.memory_audit import ItemFinder, ItemSearch, RecalledItem, WindowItem, window_items
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import StorePlace, agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, paint, warn, width
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.schema.values import Errors, json_output
from inspector.core.text import clip, lines_of, one_line, pad, plural
from inspector.engine.retrieval import embedder_from_environment
from inspector.formats import MemoryStore, discover_memories, open_memories
from inspector.library import OpenSession, request_of, working_folder

_MISSES = 3


@json_output()
class MemoryRecallOutput:
    """The items of stores that a query ranks, with reasons."""

    query: str
    k: Annotated[int, "maximum number of results"]
    stores: Annotated[Sequence[str], "paths of the stores that were searched"]
    items: Annotated[int, "number of items that were searched"]
    hits: Sequence[RecalledItem]
    near_misses: Annotated[Sequence[RecalledItem], "best of the items that were ranked, and are not among the hits"]
    retrieved: Annotated[Sequence[RecalledItem], "items that the session got, and that are not among the hits"]
    explained: Annotated[Sequence[RecalledItem], "items asked for with --item"]
    unknown: Annotated[Mapping[str, str], "words of the query in no item, each with a similar word of the items"]
    note: Annotated[str, "how vectors were used; empty without an embedder"]
    errors: Errors


@json_output()
class MemoryWindowOutput:
    """The memories in a window."""

    turn: Annotated[int, "turn of the window"]
    agent: str
    tokens: Annotated[int, "estimated tokens of the items"]
    items: Sequence[WindowItem]
    errors: Errors


_stores_option = click.option(
    "--in",
    "paths",
    multiple=True,
    type=StorePlace(exists=True, path_type=Path),
    metavar="PATH",
    help="A store, or a folder with stores; can be repeated. Without it, those of the user and of the folder.",
)


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS…]")
@_stores_option
@click.option("--k", type=click.IntRange(1), default=5, metavar="N", help="Maximum number of results. Default: 5.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Maximum total tokens of the results.")
@click.option("--item", metavar="ID", help="Also explain the rank of this item: its id, key or topic.")
@click.option("--session", "target", metavar="SESSION", help="Compare with the items that a session got.")
@turn_option
@agent_option
@redact_option
@common
def recall(
    words: Sequence[str],
    paths: Sequence[Path | str],
    k: int,
    budget: int | None,
    item: str | None,
    target: str | None,
    turn: int | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Rank the items of memory stores by a query, and explain each rank and near miss.

    Ranks all items by words (BM25), and by meaning if an embedding model is available (extra "semantic", or
    INSPECTOR_EMBEDDING_MODEL). Vectors that a store keeps are used if they are of this model. With --session, lists
    also the items that the session got from tools; without WORDS, the query is its request at --turn.
    """
    with ExitStack() as stack:
        session = stack.enter_context(open_session(target, db)) if target is not None else None
        query = " ".join(words) or (_request_in(session, turn, agent) if session else "")
        if not query.strip():
            raise UsageError("Give the words to search for, or --session, whose request is used.")
        stores = _stores_in(paths, session)
        search = ItemSearch(stores, embedder_from_environment())
        log = session.bench.session if session else None
        answer = search.search(query, k, budget, log)
        explained = search.rank_of(query, item, log) if item is not None else ()
    if item is not None and not explained:
        raise CommandError(f"No item of these stores has the id or name {item!r}.")
    output = MemoryRecallOutput(
        query=query,
        k=k,
        stores=[store.path for store in stores],
        items=len(search.items),
        hits=answer.results,
        near_misses=answer.near_misses,
        retrieved=answer.retrieved,
        explained=explained,
        unknown=answer.unknown,
        note=answer.note,
        errors=[],
    )
    output = redacted_rows(output, [log] if log else [])
    if as_json:
        echo_json(output)
    else:
        echo("\n".join(_recall_lines(output)))
    _warn_of_path(output, words, paths)


def _warn_of_path(output: MemoryRecallOutput, words: Sequence[str], paths: Sequence[Path | str]) -> None:
    """Print how to search in a path that was given as a word of a query without --in and hits."""
    place = next((word for word in words if "/" in word and Path(word).exists()), "")
    if place and not output.hits and not paths:
        warn(f"{one_line(place)} was taken as a word of the query. To search in it: --in {one_line(place)}")


def _request_in(session: OpenSession, turn: int | None, agent: str | None) -> str:
    name = agent_of(session, agent)
    check_turn(session, turn, name)
    return request_of(session.bench, name, turn or session.bench.turns(name) + 1)


def _stores_in(paths: Sequence[Path | str], session: OpenSession | None) -> list[MemoryStore]:
    """Return the stores in some paths, or else those of the user and of the folder of a session or of the command."""
    if paths:
        return [store for path in paths for store in open_memories(path)]
    folder = working_folder(session.bench.session.path) if session else Path.cwd()
    return discover_memories(folder) if folder else []


def _recall_lines(output: MemoryRecallOutput) -> Iterator[str]:
    if not output.items:
        yield from lines_of("No memory store with items was found here. To search one: --in PATH.", width())
        return
    stores = plural(len(output.stores), "store")
    yield paint(
        clip(f"{plural(len(output.hits), 'hit')} in {plural(output.items, 'item')} of {stores}", width()), "dim"
    )
    for row in output.hits:
        yield from _recalled_lines(row)
    for title, rows in (
        ("Nearly:", output.near_misses[:_MISSES]),
        ("Retrieved in the session, and not among the hits:", output.retrieved),
        ("Explained:", output.explained),
    ):
        if rows:
            yield paint(clip(title, width()), "accent")
        for row in rows:
            yield from _recalled_lines(row)
    for word, near in output.unknown.items():
        hint = f"; “{near}” is similar" if near else ""
        yield paint(clip(f"No item contains “{one_line(word)}”{hint}.", width()), "warn")
    if output.note:
        yield paint(clip(output.note, width()), "dim")


def _recalled_lines(row: RecalledItem) -> Iterator[str]:
    place = f"{one_line(row.item)}  {Path(row.store).name}"
    yield paint(clip(place, width()), "strong")
    yield f"  {clip(one_line(row.text), width() - 2)}"
    facts = [row.explanation] if row.explanation else []
    facts += [f"words: {', '.join(row.words)}"] if row.words else []
    facts += [f"without: {', '.join(row.without)}"] if row.without else []
    facts += [f"in the session: {', '.join(row.retrieved[:5])}"] if row.retrieved else []
    yield from (paint(f"  {line}", "dim") for line in lines_of("; ".join(facts), max(width() - 2, 20)))
    if row.reason:
        yield from (paint(f"  {line}", "warn") for line in lines_of(row.reason, max(width() - 2, 20)))


@click.command()
@target
@_stores_option
@turn_option
@agent_option
@redact_option
@common
def window(
    target: str,
    paths: Sequence[Path | str],
    turn: int | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """List the memories in a window: injected rule files, notes that were read, recalled items and summaries.

    Items are matched with the stores in --in, or else with those of the user and of the folder that the agent worked
    in. Rules that the program loads without recording them are listed as unrecorded, as they are now.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        finder = ItemFinder(_stores_in(paths, session))
        view = session.bench.window(turn, agent)
        items = redacted_rows(window_items(view, session.bench.session, finder), [session.bench.session])
    tokens = sum(item.tokens for item in items)
    if as_json:
        echo_json(MemoryWindowOutput(turn=view.turn, agent=agent, tokens=tokens, items=items, errors=[]))
    else:
        echo("\n".join(_window_lines(items, tokens)))


def _window_lines(items: Sequence[WindowItem], tokens: int) -> Iterator[str]:
    if not items:
        yield "The recording has no memories in this window: no rule file, note, recalled item or summary."
        return
    yield paint(f"{plural(len(items), 'item')}, ~{plural(tokens, 'token')}", "strong")
    for (how, name), rows in groupby(items, key=lambda row: (row.how, row.path or row.store or row.name)):
        listed = [*rows]
        number = f"#{listed[0].number:,} " if listed[0].number else ""
        yield paint(clip(f"{number}{how}  {one_line(name)}", width()), "accent")
        for row in listed:
            left = f"  {pad(f'line {row.line}' if row.line else '', 10)} {f'~{row.tokens:,}':>7} "
            yield left + clip(one_line(row.text), max(width() - len(left), 10))
