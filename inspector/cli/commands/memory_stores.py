"""`memory stores` and `memory open`: list the memory stores of other programs, and the memories in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.command_errors import CommandError
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, paint, warn, width
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.memory_item_text import item_lines
from inspector.core.text import clip, ends, one_line, pad, plural
from inspector.formats import MemoryItem, MemoryStore, discover_memories, memories_in, open_memories


@json_output()
class MemoryOpenOutput:
    """The memory stores in files and folders, with their items."""

    stores: Sequence[MemoryStore]
    errors: Errors


@json_output(
    "path=store.path kind=store.kind title=store.title scope=store.scope load=store.load tokens=store.tokens"
    " items=store.size problems=store.problems"
)
class MemoryStoreRow:
    """A memory store without its items."""

    store: MemoryStore


@json_output()
class MemoryStoresOutput:
    """The memory stores that an agent in a folder may read."""

    folder: str
    tokens: Annotated[int, "estimated tokens of the rule files that are always loaded"]
    stores: Sequence[MemoryStoreRow]
    errors: Errors


@click.command("open")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--limit", "most", type=click.IntRange(1), default=20, metavar="N", help="Number of items per store.")
@json_option
def open_stores(paths: Sequence[str], most: int, as_json: bool) -> None:
    """List the memories in files and folders of other programs. Nothing is written to them.

    PATH is a rule file, such as CLAUDE.md or AGENTS.md; a folder of notes; the file of the MCP memory server; a
    database of mem0, LangGraph, Chroma, agno and others; or a folder that contains some of these.
    """
    opened = [store for path in paths for store in open_memories(path)]
    if as_json:
        echo_json(MemoryOpenOutput(stores=opened, errors=[]))
    else:
        echo("\n".join(line for store in opened for line in _store_lines(store, most)))


def show_item(paths: Sequence[str], key: str, as_json: bool) -> None:
    """Print the items with an id or name whole: their stores, facts, full texts and events.

    Args:
        paths: Files, folders and databases with memories.
        key: Id or name of the items.
        as_json: True to print stores with only these items, as `open` does.

    Raises:
        CommandError: No item has this id or name.
    """
    opened = [store for path in paths for store in open_memories(path)]
    rows = [replace(store, items=_named(store.items, key), deleted=_named(store.deleted, key)) for store in opened]
    rows = redacted_rows([store for store in rows if store.items or store.deleted])
    if not rows:
        raise CommandError(f"{', '.join(paths)} has no item {key!r}. To list the items: inspector memory PATH")
    if as_json:
        echo_json(MemoryOpenOutput(stores=rows, errors=[]))
    else:
        pairs = ((store, item) for store in rows for item in (*store.items, *store.deleted))
        echo("\n\n".join("\n".join(item_lines(store, item)) for store, item in pairs))


def _named(items: Sequence[MemoryItem], key: str) -> list[MemoryItem]:
    return [item for item in items if key in (item.id, item.name)]


@click.command()
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="[FOLDER]"
)
@json_option
def stores(folder: Path | None, as_json: bool) -> None:
    """Find the memory stores that an agent in a folder may read.

    Without FOLDER, lists those of the user, of the current folder, and of its parents. With FOLDER, lists those in it.
    """
    errors: list[str] = []
    if folder is None:
        opened = discover_memories(Path.cwd())
    else:
        opened, errors, _ = memories_in(folder)
    if as_json:
        tokens = sum(store.tokens for store in opened if store.load == "always")
        rows = [MemoryStoreRow(store=store) for store in opened]
        echo_json(MemoryStoresOutput(folder=str(folder or Path.cwd()), tokens=tokens, stores=rows, errors=errors))
        return
    damaged = (sentence for store in opened if store.kind == "damaged" for sentence in store.problems)
    for sentence in (*errors, *damaged):
        warn(sentence)
    echo("\n".join(map(_store_head, opened)) or "There are no memory stores.")


def _store_head(store: MemoryStore) -> str:
    """Return a store as one line: its kind, its size, and its path."""
    facts = [plural(store.size, "item"), f"~{plural(store.tokens, 'token')}"]
    facts += [f"{len(store.deleted):,} deleted"] if store.deleted else []
    facts += [store.load] if store.load else []
    left = f"{pad(store.kind, 15)} {', '.join(facts)}  "
    return left + ends(one_line(store.path), max(width() - len(left), 20))


def memory_lines(stores: Sequence[MemoryStore]) -> Iterator[str]:
    """Yield a heading and a line for each store; nothing without stores."""
    if stores:
        yield ""
        yield paint("Memories", "strong")
        yield from map(_store_head, stores)


def _store_lines(store: MemoryStore, most: int) -> Iterator[str]:
    yield paint(_store_head(store), "accent")
    for item in store.items[:most]:
        yield _item_line(item)
    if len(store.items) > most:
        yield paint(clip(f"  {len(store.items) - most:,} more; --limit N lists more", width()), "dim")
    for item in store.deleted[:most]:
        yield paint(f"  {pad('deleted', 24)} {'':>7} " + clip(one_line(item.text), max(width() - 35, 10)), "dim")
    for problem in store.problems:
        yield paint(clip(f"  {one_line(problem)}", width()), "warn")


def _item_line(item: MemoryItem) -> str:
    place = one_line(item.id)
    left = f"  {pad(clip(place, 24), 24)} {f'~{item.tokens:,}':>7} "
    mark = f"[{item.load}] " if item.load in ("never", "by path") else ""
    return left + clip(mark + one_line(item.text), max(width() - len(left), 10))
