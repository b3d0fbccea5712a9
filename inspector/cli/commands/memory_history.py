"""`memory history` and `memory diff`: how memories changed, event by event, commit by commit, or between two stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.memory_audit import FileVersion, MemoryChange, compare_stores, file_versions
from inspector.cli.command_errors import CommandError
from inspector.cli.options import StorePlace, json_option
from inspector.cli.output import echo, echo_json, paint, width
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.text.memory_item_text import event_lines
from inspector.core.text import clip, lines_of, one_line, plural
from inspector.formats import MemoryItem, MemoryStore, open_memories


@json_output()
class MemoryDiffOutput:
    """The items that differ between two stores."""

    before: Annotated[str, "path of the older store"]
    after: str
    added: Annotated[int, "number of items"]
    removed: int
    changed: int
    changes: Sequence[MemoryChange]
    errors: Errors


@json_output()
class MemoryHistoryOutput:
    """The items of a store with their events, and the versions of a rule file in git."""

    path: str
    items: Annotated[Sequence[MemoryItem], "items with events, those that were deleted last"]
    versions: Annotated[Sequence[FileVersion], "of a file, newest first; empty without git"]
    errors: Errors


@click.command()
@click.argument("before", type=StorePlace(path_type=Path), metavar="A")
@click.argument("after", type=StorePlace(path_type=Path), metavar="B")
@json_option
def diff(before: Path | str, after: Path | str, as_json: bool) -> None:
    """Compare two snapshots of memories: files, folders or databases.

    Items are matched by their ids, in texts by their words. Lists those that were added, removed or changed.
    """
    old, new = open_memories(before), open_memories(after)
    changes = compare_stores(old, new)
    counts = {kind: sum(change.change == kind for change in changes) for kind in ("added", "removed", "changed")}
    if as_json:
        older, newer = _place_name(before, old), _place_name(after, new)
        echo_json(MemoryDiffOutput(before=older, after=newer, changes=changes, errors=[], **counts))
    else:
        echo("\n".join(_diff_lines(changes, counts)))


def _diff_lines(changes: Sequence[MemoryChange], counts: dict[str, int]) -> Iterator[str]:
    yield paint(", ".join(f"{count:,} {kind}" for kind, count in counts.items()), "strong")
    for change in changes:
        if change.before:
            yield paint(
                clip(f"- {one_line(change.earlier_id or change.id)}  {one_line(change.before)}", width()), "bad"
            )
        if change.after:
            yield paint(clip(f"+ {one_line(change.id)}  {one_line(change.after)}", width()), "good")


@click.command()
@click.argument("path", type=StorePlace(path_type=Path), metavar="PATH")
@click.argument("key", required=False, metavar="[ID]")
@json_option
def history(path: Path | str, key: str | None, as_json: bool) -> None:
    """Show how the memories of a store changed: the events of items, and the versions of a file in git.

    With ID, only this item. Git is only read.
    """
    stores = open_memories(path)
    items = [item for store in stores for item in _changing(store) if key in (None, item.id, item.name)]
    is_text = isinstance(path, Path) and path.is_file() and any(store.text for store in stores[:1])
    versions = file_versions(Path(path)) if is_text and key is None else []
    if key is not None and not items:
        raise CommandError(f"{_place_name(path, stores)} has no events of an item {key!r}.")
    if as_json:
        echo_json(MemoryHistoryOutput(path=_place_name(path, stores), items=items, versions=versions, errors=[]))
    else:
        echo("\n".join([*_item_lines(items), *_version_lines(versions)]) or _no_history(path))


def _no_history(path: Path | str) -> str:
    """Return the sentence for a place without a recorded change; for a folder, with what to name instead."""
    is_folder = isinstance(path, Path) and path.is_dir()
    more = " For the versions of a rule file in git, name the file." if is_folder else ""
    return f"No change is recorded here.{more}"


def _place_name(place: Path | str, stores: Sequence[MemoryStore]) -> str:
    """Return the name of a place; of a server its address without a password."""
    return stores[0].path if isinstance(place, str) and stores else str(place)


def _changing(store: MemoryStore) -> list[MemoryItem]:
    return [item for item in (*store.items, *store.deleted) if item.history]


def _item_lines(items: Sequence[MemoryItem]) -> Iterator[str]:
    for item in items:
        yield paint(clip(f"{one_line(item.id)}{' (deleted)' if item.is_deleted else ''}", width()), "strong")
        yield from event_lines(item)


def _version_lines(versions: Sequence[FileVersion]) -> Iterator[str]:
    for version in versions:
        yield paint(clip(f"{version.commit[:10]}  {version.time[:10]}  {one_line(version.subject)}", width()), "strong")
        counts = f"{plural(version.added, 'line')} added, {plural(version.removed, 'line')} removed"
        yield from lines_of(f"  {counts}", width())
