"""`discover`: what coding tools have recorded on this machine, and putting it into the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.cli.command_errors import BAD_INPUT
from inspector.cli.commands.library import ListingOutput, import_paths, list_text
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, paint, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import pad, plural
from inspector.library import AgentFolder, Entry, agent_folders, found_entries, knows_tool, tool_names


@json_output()
class DiscoveryOutput(ListingOutput):
    """What coding tools have left on this machine: by tool, and the newest sessions."""

    tools: Sequence[AgentFolder]


@click.command()
@click.argument("tools", nargs=-1, metavar="[TOOL…]")
@click.option(
    "--most", type=click.IntRange(1), default=200, metavar="N", help="The most sessions to list or import: the newest."
)
@click.option("--import", "imports", is_flag=True, help="Put what is found into the store.")
@common
def discover(tools: Sequence[str], most: int, imports: bool, db: Path | None, as_json: bool) -> int:
    """Find what coding tools have recorded on this machine.

    TOOL is the name of one or its beginning, as "codex" or "claude"; without it, all. Each tool's own environment
    variables say where it keeps its sessions; aider and SpecStory are looked for in this folder and in those that the
    others worked in. Only names, times and the first and last lines are read, and nothing is written there.
    """
    names = _names_of(tools)
    entries = list(found_entries(names, most))
    unknown = "" if entries or not names else _nothing_of(names)
    if unknown:
        warn(unknown)
    if imports and entries:
        return import_paths(list(dict.fromkeys(entry.path for entry in entries)), db, as_json)
    folders = agent_folders(names)
    if as_json:
        echo_json(DiscoveryOutput(sessions=entries, errors=[unknown] if unknown else [], tools=folders))
    elif not unknown:
        echo("\n".join(_discovery_lines(folders, entries)))
    return BAD_INPUT if unknown else 0


def _names_of(tools: Sequence[str]) -> frozenset[str]:
    """What was named, in small letters; words that are one tool's name together are one name."""
    together = " ".join(tools).lower()
    return frozenset([together] if together and knows_tool(together) else map(str.lower, tools))


def _nothing_of(names: frozenset[str]) -> str:
    """Why nothing was found of what was named, in a sentence or two."""
    absent = sorted(filter(knows_tool, names))
    strange = sorted(names.difference(absent))
    sentences = [f"There is nothing of {' or '.join(absent)} on this machine."] if absent else []
    if strange:
        sentences.append(f"No tool is called {' or '.join(strange)}: {', '.join(tool_names())} are looked for.")
    return " ".join(sentences)


def _discovery_lines(folders: Sequence[AgentFolder], entries: Sequence[Entry]) -> Iterator[str]:
    """Each tool with how much there is of it, and a table of the newest sessions."""
    for folder in folders:
        yield f"{paint(pad(folder.agent, 14), 'strong')}{plural(folder.sessions, 'session')}"
    yield from list_text(entries)
    count = sum(folder.sessions for folder in folders)
    if count > len(entries):
        yield f"\nThese are the newest {len(entries):,} of {count:,}: --most N lists more."
