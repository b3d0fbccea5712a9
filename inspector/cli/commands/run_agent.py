"""`agent`: a small agent with memory, over an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import click

from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import common
from inspector.cli.output import echo, echo_json, warn, width
from inspector.cli.schema.values import json_output
from inspector.core.text import lines_of, one_line
from inspector.engine.summaries import ModelSettings
from inspector.memory import (
    EndpointError,
    EndpointModel,
    FolderTools,
    MemoryConfig,
    MemoryManager,
    ReActAgent,
    model_endpoint,
    statistics,
)
from inspector.store import Store, default_path

_MODEL = "INSPECTOR_MODEL"
_TOOLS = ("files", "shell")
_SYSTEM = "You are a careful agent. Work on the task step by step, and end with a short answer."


@json_output()
class AgentOutput:
    """Result of an agent's run."""

    session: Annotated[str, "id of the session in the store"]
    path: Annotated[str, "file of the store"]
    model: str
    answer: Annotated[str, "last text of the model"]
    statistics: Annotated[Mapping[str, Any], "statistics of the memory by name: tokens, dollars, shares in per cent"]


@click.command()
@click.argument("task")
@click.option(
    "--mode", type=click.Choice(["react"]), default="react", expose_value=False, help="How it works. Default: react."
)
@click.option("--model", metavar="NAME", help="The model. Default: INSPECTOR_MODEL.")
@click.option("--preset", metavar="NAME", help="The preset of the memory. Default: the MEMORY_* settings.")
@click.option("--tools", "tool_names", metavar="NAMES", default="", help="shell, files or both: shell,files.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    metavar="FOLDER",
    help="The folder of the tools. Default: the current one.",
)
@click.option("--session", metavar="ID", help="Continue this session of the store.")
@click.option("--steps", type=click.IntRange(1), default=50, metavar="N", help="Requests at most. Default: 50.")
@common
def agent(
    task: str,
    model: str | None,
    preset: str | None,
    tool_names: str,
    folder: Path,
    session: str | None,
    steps: int,
    db: Path | None,
    as_json: bool,
) -> int:
    """Run an agent on a task, and print its answer and the statistics of its memory.

    The session is in the store, where the app follows it while the agent works. The model is requested from OpenRouter
    if OPENROUTER_API_KEY or OPENROUTER_BASE_URL is set, else from OPENAI_BASE_URL with OPENAI_API_KEY.

    Files are read in the folder only. Each file to write and each command to run is asked for on the terminal; without
    a terminal, or with --json, it is refused. A command starts in the folder, but nothing keeps it there.
    """
    llm = EndpointModel(_settings(model))
    allow = (lambda _: False) if as_json or not sys.stdin.isatty() else _ask
    runner = ReActAgent(
        llm, FolderTools(folder, allow).named(_switches(tool_names)), steps, system=_SYSTEM, show_statistics=False
    )
    config = MemoryConfig.from_preset(preset) if preset else MemoryConfig.from_env()
    path = db.expanduser() if db else default_path()
    store = Store(path)
    name = session or f"agent-{os.urandom(6).hex()}"
    memory = MemoryManager.resume(store, name, llm, config=config, tools=runner.definitions, interrupted=True)
    runner.memory = memory
    if not as_json:
        echo("\n".join(lines_of(f"Session {one_line(name)}, followed by: inspector {one_line(str(path))}", width())))
    try:
        answer = asyncio.run(runner.run(task))
    except (EndpointError, ValueError) as error:
        raise CommandError(one_line(str(error))) from error
    finally:
        memory.close()
    stats = memory.get_stats()
    if as_json:
        echo_json(AgentOutput(session=name, path=str(path), model=llm.model, answer=answer, statistics=stats))
    else:
        echo("\n".join(["", *lines_of(answer, width()), "", *statistics(stats).splitlines()]))
    return 0


def _settings(model: str | None) -> ModelSettings:
    """Return the model's settings. Raises UsageError without a model."""
    name = model or os.environ.get(_MODEL, "")
    if not name.strip():
        raise UsageError(f"Name the model: --model NAME, or {_MODEL}.")
    address, key = model_endpoint(os.environ)
    return ModelSettings(name.strip(), address, key)


def _switches(names: str) -> dict[str, bool]:
    """Return which kinds of tools are on. Raises UsageError for unknown ones."""
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in _TOOLS]:
        raise UsageError(f"There are no tools {one_line(unknown[0])!r}: use {' or '.join(_TOOLS)}.")
    return {name: name in chosen for name in _TOOLS}


def _ask(action: str) -> bool:
    """Ask on the terminal about one action, in full."""
    for line in action.splitlines() or [""]:
        warn(line)
    return click.confirm("Allow it?", default=False, err=True)
