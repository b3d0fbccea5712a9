"""The output of `inspector PATH…` without a terminal: the library, and the first session's window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from inspector.cli.arguments import agent_of, open_session
from inspector.cli.commands.library import ListingOutput, library_entries, list_text, listing, trouble
from inspector.cli.commands.memory_stores import MemoryStoreRow, memory_lines
from inspector.cli.commands.show import WindowOutput, preview_of, window_output, window_text
from inspector.cli.output import echo, echo_json
from inspector.cli.schema.values import json_output
from inspector.formats import memories_in


@json_output(inline="listing", optional="first")
class OverviewOutput:
    """Output of `inspector PATH… --json`: the sessions, the window of the first one, and the memories."""

    listing: ListingOutput
    memories: Annotated[Sequence[MemoryStoreRow], "memory stores in the folders"]
    first: Annotated[WindowOutput | None, "missing if no session can be opened"]


def overview(targets: Sequence[str], db: Path | None, limit: int, as_json: bool) -> int:
    """Print the library of the targets, and the first session's window.

    Args:
        targets: Files, folders, or ids of stored sessions.
        db: Path of the store. None for the default path.
        limit: Context window in tokens, in place of the model's.
        as_json: Print JSON.
    """
    entries, warning, _ = library_entries(targets, db)
    folders = [folder for folder in map(Path, targets) if folder.is_dir()]
    stores = [store for folder in folders for store in memories_in(folder)[0]]
    rows = [MemoryStoreRow(store=store) for store in stores]
    usable = [entry for entry in entries if not entry.problem and entry.origin != "found"]
    first = min(usable, key=lambda entry: bool(entry.damage), default=None)
    if first is None:
        if as_json:
            echo_json(OverviewOutput(listing=listing(entries, warning), memories=rows, first=None))
        else:
            echo("\n".join([*list_text(entries), *memory_lines(stores)]))
        return trouble(entries)
    with open_session(first.target, db, limit=limit) as session:
        preview = preview_of(session, None, agent_of(session, None))
        if as_json:
            window = window_output(preview, session)
            echo_json(OverviewOutput(listing=listing(entries, warning), memories=rows, first=window))
        else:
            echo("\n".join([*list_text(entries), *memory_lines(stores), "", *window_text(preview, session)]))
    return trouble(entries)
