"""`demo`: what the package's parts do, shown on conversations that are made up."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.cli.errors import UsageError, gate
from inspector.cli.options import common
from inspector.cli.output import Ink, paint, say, say_json, whole, width
from inspector.cli.schema import record
from inspector.cli.schema.demos import DemoWorkingMemoryOutput, FindingRecord, InteractionRecord, ScenarioRecord
from inspector.memory import (
    ILLMConfig,
    InMemoryManager,
    OfflineClient,
    OpenRouterClient,
    ScenarioRun,
    SQLiteMemoryManager,
    model_endpoint,
    notes_path,
    play_scenarios,
)
from inspector.text import clip, lines_of, one_line, plural

_MODEL = "INSPECTOR_MODEL"
_SIGNS: dict[bool, tuple[str, Ink]] = {True: ("✓", "good"), False: ("✗", "bad")}
"""For what holds, and what does not."""


@click.group()
def demo() -> None:
    """Show what the working-memory agent does, on conversations that are made up."""


@demo.command(
    name="working-memory",
    epilog="The model is at OpenRouter where OPENROUTER_API_KEY or OPENROUTER_BASE_URL is set, else where"
    " OPENAI_BASE_URL and OPENAI_API_KEY say.",
)
@click.option(
    "--model",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Have this model write the memories, or the one that INSPECTOR_MODEL names; otherwise none is asked.",
)
@common
def working_memory(model: str | None, db: Path | None, as_json: bool) -> int:
    """Play six scenarios of an agent with working memory, and its unit test.

    Nothing leaves the machine without --model, and nothing is kept without --db: with it the memories stand in
    working-memory.db beside the store, where the app shows how they changed. Ends with 3 where a scenario does not end
    as it should.
    """
    client = OfflineClient() if model is None else _client(model)
    path = None if db is None else notes_path(db.expanduser())
    runs = asyncio.run(play_scenarios(client, SQLiteMemoryManager(path) if path else InMemoryManager()))
    missed = [f"{run.title}: it did not end as it should." for run in runs if not run.holds]
    if as_json:
        say_json(_output(runs, client, path, missed))
    else:
        say("\n".join(_text(runs, path)))
    return gate(missed)


def _client(name: str) -> OpenRouterClient:
    """The model of this name, or the one that is set up. Raises UsageError where there is none."""
    name = name or os.environ.get(_MODEL, "")
    if not name:
        raise UsageError(f"No model is set up: name one with --model NAME, or in {_MODEL}.")
    address, key = model_endpoint(os.environ)
    return OpenRouterClient(ILLMConfig(model=name), api_key=key, base_url=address)


def _output(
    runs: Sequence[ScenarioRun], client: OfflineClient | OpenRouterClient, path: Path | None, missed: Sequence[str]
) -> DemoWorkingMemoryOutput:
    scenarios = [
        record(
            ScenarioRecord,
            run,
            interactions=[record(InteractionRecord, played) for played in run.interactions],
            findings=[record(FindingRecord, finding) for finding in run.findings],
        )
        for run in runs
    ]
    model = client.config.model if isinstance(client, OpenRouterClient) else None
    return DemoWorkingMemoryOutput(model=model, path=str(path) if path else None, scenarios=scenarios, missed=missed)


def _text(runs: Sequence[ScenarioRun], path: Path | None) -> Iterator[str]:
    for number, run in enumerate(runs, 1):
        yield from _scenario_text(number, run)
        yield ""
    good = sum(run.holds for run in runs)
    ink: Ink = "good" if good == len(runs) else "bad"
    yield paint(f"{good} of {plural(len(runs), 'scenario')} ended as they should.", ink)
    where = f"The memories are in {whole(str(path))}." if path else "Nothing was kept; --db FILE keeps the memories."
    yield from (paint(line, "dim") for line in lines_of(where, width()))


def _scenario_text(number: int, run: ScenarioRun) -> Iterator[str]:
    yield paint(clip(f"{number} {run.title}", width()), "strong")
    name = None
    for played in run.interactions:
        if played.conversation_id != name:
            name = played.conversation_id
            yield f"  {paint(clip(one_line(name or ''), width() - 2), 'dim')}"
        status = clip(one_line(played.status), width() - 6)
        message = clip(one_line(played.message), max(0, width() - 6 - len(status)))
        yield f"    {paint(status, 'good' if played.status == played.expected else 'bad')}  {message}".rstrip()
    if memory := run.interactions[-1].memory:
        yield f"  {paint('memory', 'dim')}"
        yield from (f"    {line}" for text in memory.splitlines() for line in lines_of(text, width() - 4))
    for finding in run.findings:
        sign, ink = _SIGNS[finding.holds]
        for place, line in enumerate(lines_of(finding.sentence, width() - 4)):
            yield f"  {paint(sign if place == 0 else ' ', ink)} {line}"
