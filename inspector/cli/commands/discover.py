"""`discover`: find and import the sessions of coding tools on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.command_errors import BAD_INPUT
from inspector.cli.commands.import_sessions import import_paths
from inspector.cli.commands.library import ListingOutput, list_text
from inspector.cli.commands.memory_stores import MemoryStoreRow, memory_lines
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, paint, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import pad, plural
from inspector.formats import discover_memories
from inspector.library import AgentFolder, Entry, agent_folders, found_entries, knows_tool, tool_names, totals_of


@json_output()
class DiscoveryOutput(ListingOutput):
    """The sessions of coding tools on this machine: by tool, and the newest ones; and the memories."""

    tools: Sequence[AgentFolder]
    memories: Annotated[Sequence[MemoryStoreRow], "stores of the user, the current folder and its parents"]


@click.command()
@click.argument("tools", nargs=-1, metavar="[TOOL…]")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=200,
    metavar="N",
    help="Maximum number of sessions to list or import, newest first.",
)
@click.option("--import", "imports", is_flag=True, help="Import the found sessions into the store.")
@common
def discover(tools: Sequence[str], most: int, imports: bool, db: Path | None, as_json: bool) -> int:
    """Find the sessions that coding tools have recorded on this machine.

    TOOL is the name of a tool or its beginning, such as "codex" or "claude"; without it, all tools. Each tool's own
    environment variables determine its folder. aider and SpecStory files are searched in the current folder and in the
    projects of the other tools. Reads file names, times, and the first and last lines. Writes nothing to these folders.
    Without TOOL, also lists the memory stores of the user, of the current folder and of its parents.
    """
    names = _names_of(tools)
    entries = list(found_entries(names, most))
    unknown = _nothing_of(names) if names and not entries else ""
    if unknown:
        warn(unknown)
    if imports and entries:
        return import_paths(list(dict.fromkeys(entry.path for entry in entries)), db, as_json)
    folders = agent_folders(names)
    stores = [] if names else discover_memories(Path.cwd())
    if as_json:
        errors = list(filter(None, [unknown]))
        rows = [MemoryStoreRow(store=store) for store in stores]
        totals = totals_of(entries)
        echo_json(DiscoveryOutput(sessions=entries, totals=totals, errors=errors, tools=folders, memories=rows))
    elif not unknown:
        echo("\n".join([*_discovery_lines(folders, entries), *memory_lines(stores)]))
    return BAD_INPUT if unknown else 0


def _names_of(tools: Sequence[str]) -> frozenset[str]:
    """Return the requested tools in lower case. Words that name a tool only together are joined."""
    together = " ".join(tools).lower()
    return frozenset([together] if together and knows_tool(together) else map(str.lower, tools))


def _nothing_of(names: frozenset[str]) -> str:
    """Return why nothing was found, in one or two sentences."""
    absent = sorted(filter(knows_tool, names))
    strange = sorted(names.difference(absent))
    sentences = [f"There are no sessions of {' or '.join(absent)} on this machine."] if absent else []
    if strange:
        sentences.append(f"Unknown tool: {' or '.join(strange)}. Tools: {', '.join(tool_names())}.")
    return " ".join(sentences)


def _discovery_lines(folders: Sequence[AgentFolder], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield each tool with its number of sessions, and a table of the newest sessions."""
    for folder in folders:
        yield f"{paint(pad(folder.agent, 14), 'strong')}{plural(folder.sessions, 'session')}"
    yield from list_text(entries)
    count = sum(folder.sessions for folder in folders)
    if count > len(entries):
        yield f"\nThe newest {len(entries):,} of {count:,} are listed. To list more, use --most N."
