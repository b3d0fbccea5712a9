"""`discover`: what coding tools have recorded on this machine, and putting it into the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.cli.commands.library import import_paths, list_text
from inspector.cli.errors import BAD_INPUT
from inspector.cli.options import common
from inspector.cli.output import paint, say, say_json, warn
from inspector.cli.schema import record
from inspector.cli.schema.stores import DiscoveryOutput, ListedSessionRecord, ToolRecord
from inspector.library import AgentFolder, Entry, agent_folders, found_entries
from inspector.text import pad, plural


@click.command()
@click.argument("tools", nargs=-1, metavar="[TOOL…]")
@click.option(
    "--most", type=click.IntRange(1), default=200, metavar="N", help="The most sessions to list or import: the newest."
)
@click.option("--import", "imports", is_flag=True, help="Put what is found into the store.")
@common
def discover(tools: Sequence[str], most: int, imports: bool, db: Path | None, as_json: bool) -> int:
    """Find what coding tools have recorded on this machine.

    TOOL is the name of one, as "codex" or "claude code"; without it, all. Each tool's own environment variables say
    where it keeps its sessions; aider and SpecStory are looked for in this folder and in those that the others worked
    in. Only names, times and the first and last lines are read, and nothing is written there.
    """
    names = frozenset(tool.lower() for tool in tools)
    entries = list(found_entries(names, most))
    unknown = "" if entries or not tools else f"There is nothing of {' or '.join(tools)} on this machine."
    if unknown:
        warn(unknown)
    if imports and entries:
        return import_paths(list(dict.fromkeys(entry.path for entry in entries)), db, as_json)
    folders = agent_folders(names)
    if as_json:
        say_json(_discovery(folders, entries, unknown))
    elif not unknown:
        say("\n".join(_discovery_lines(folders, entries)))
    return BAD_INPUT if unknown else 0


def _discovery(folders: Sequence[AgentFolder], entries: Sequence[Entry], unknown: str) -> DiscoveryOutput:
    return DiscoveryOutput(
        tools=[record(ToolRecord, folder, tool=folder.agent) for folder in folders],
        sessions=[record(ListedSessionRecord, entry) for entry in entries],
        errors=[unknown] if unknown else [],
    )


def _discovery_lines(folders: Sequence[AgentFolder], entries: Sequence[Entry]) -> Iterator[str]:
    """Each tool with how much there is of it, and a table of the newest sessions."""
    for folder in folders:
        yield f"{paint(pad(folder.agent, 14), 'strong')}{plural(folder.sessions, 'session')}"
    yield from list_text(entries)
    count = sum(folder.sessions for folder in folders)
    if count > len(entries):
        yield f"\nThese are the newest {len(entries):,} of {count:,}: --most N lists more."
