"""`demo`: the memory features on made-up conversations."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.command_errors import UsageError, gate
from inspector.cli.commands.open import open_targets
from inspector.cli.options import common
from inspector.cli.output import Ink, echo, echo_json, paint, whole, width
from inspector.cli.schema.values import Missed, json_output
from inspector.core.text import clip, lines_of, one_line, plural
from inspector.memory import (
    EndpointBackend,
    ExampleRun,
    Finding,
    ILLMConfig,
    InMemoryManager,
    OfflineBackend,
    OfflineClient,
    OpenRouterClient,
    PersistentMemory,
    ScenarioRun,
    SQLiteMemoryManager,
    model_endpoint,
    notes_path,
    play_examples,
    play_scenarios,
)
from inspector.store import Store

_MODEL = "INSPECTOR_MODEL"
_SIGNS: dict[bool, tuple[str, Ink]] = {True: ("✓", "good"), False: ("✗", "bad")}
"""Signs of a passed and a failed check."""


@json_output()
class DemoWorkingMemoryOutput:
    """Scenarios of an agent with working memory."""

    model: Annotated[str | None, "model that wrote the memories; null without a model"]
    path: Annotated[str | None, "file of the memories; null if they are not stored"]
    scenarios: Sequence[ScenarioRun]
    missed: Missed


@json_output()
class DemoSharedMemoryOutput:
    """The four ways in which agents share memory."""

    model: Annotated[str | None, "model that answered; null without a model"]
    path: Annotated[str | None, "store of the shared memories; null if they are not stored"]
    examples: Sequence[ExampleRun]
    missed: Missed


@click.group(invoke_without_command=True)
@common
@click.pass_context
def demo(context: click.Context, db: Path | None, as_json: bool) -> int:
    """Open sample sessions with a tour, or run demos of agents with memory.

    Without a COMMAND on a terminal, opens the app. Elsewhere, prints the sample sessions and the window of the first.
    """
    if context.invoked_subcommand is None:
        return open_targets((), db, 0, as_json, with_tour=True)
    if db or as_json:
        raise UsageError(f"Put options after the command: inspector demo {context.invoked_subcommand} …")
    return 0


_MODEL_PLACE = (
    "The model is requested from OpenRouter if OPENROUTER_API_KEY or OPENROUTER_BASE_URL is set, else from "
    "OPENAI_BASE_URL with OPENAI_API_KEY."
)
_model_option = click.option(
    "--model",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Let this model answer. Default: INSPECTOR_MODEL, else no model is called.",
)


@demo.command(name="working-memory", epilog=_MODEL_PLACE)
@_model_option
@common
def working_memory(model: str | None, db: Path | None, as_json: bool) -> int:
    """Run six scenarios of an agent with working memory, and its unit test.

    Makes no network requests without --model, and stores nothing without --db. With --db, the memories are in
    working-memory.db next to the store, and the app shows how they changed. Exits with 3 if a scenario fails.
    """
    client = OfflineClient() if model is None else _client(model)
    path = None if db is None else notes_path(db.expanduser())
    runs = asyncio.run(play_scenarios(client, SQLiteMemoryManager(path) if path else InMemoryManager()))
    missed = [f"{run.title}: failed." for run in runs if not run.holds]
    if as_json:
        echo_json(_scenarios_output(runs, client, path, missed))
    else:
        echo("\n".join(_scenarios_text(runs, path)))
    return gate(missed)


@demo.command(name="shared-memory", epilog=_MODEL_PLACE)
@_model_option
@common
def shared_memory(model: str | None, db: Path | None, as_json: bool) -> int:
    """Run four examples of agents that answer, vote and share memory.

    Makes no network requests without --model, and stores nothing without --db. With --db, shared memories are in the
    persistent tier of the store. Exits with 3 if an example fails.
    """
    name = None if model is None else _model_name(model)
    with Store(db.expanduser()) if db else Store() as store:
        runs = asyncio.run(
            play_examples(
                OfflineBackend if name is None else lambda _: _backend(name),
                lambda user: PersistentMemory(user_id=user, agent_id="orchestrator", store=store),
                is_scripted=name is None,
            )
        )
    missed = [f"{run.title}: failed." for run in runs if not run.holds]
    if as_json:
        echo_json(DemoSharedMemoryOutput(model=name, path=str(db) if db else None, examples=runs, missed=missed))
    else:
        echo("\n".join(_examples_text(runs, db)))
    return gate(missed)


def _backend(name: str) -> EndpointBackend:
    address, key = model_endpoint(os.environ)
    return EndpointBackend(ILLMConfig(model=name), api_key=key, base_url=address)


def _examples_text(runs: Sequence[ExampleRun], db: Path | None) -> Iterator[str]:
    for number, run in enumerate(runs, 1):
        yield paint(clip(f"{number} {run.title}", width()), "strong")
        yield from _example_text(run)
        yield from _findings_text(run.findings)
        yield ""
    where = (
        f"The shared memories are in {whole(str(db))}."
        if db
        else "Not stored. To store the shared memories, use --db FILE."
    )
    yield from _end_text([run.holds for run in runs], "example", where)


def _example_text(run: ExampleRun) -> Iterator[str]:
    for turn in run.turns:
        line = clip(one_line(f"{turn.agent_id}: {turn.text}"), width() - 4)
        yield f"    {paint(line, 'bad') if turn.kind == 'error' else line}"
    last = next((injection for injection in reversed(run.injections) if injection.text), None)
    if last is not None:
        title = f"last text shown to {one_line(last.agent_id)}, {plural(last.tokens, 'token')}"
        yield f"  {paint(clip(title, width() - 2), 'dim')}"
        for text in last.text.strip().splitlines():
            yield from (f"    {line}" for line in lines_of(text, width() - 4))


def _client(name: str) -> OpenRouterClient:
    """Return the named model, or the configured one. Raises UsageError if it does not exist."""
    address, key = model_endpoint(os.environ)
    return OpenRouterClient(ILLMConfig(model=_model_name(name)), api_key=key, base_url=address)


def _model_name(name: str) -> str:
    name = name or os.environ.get(_MODEL, "")
    if not name:
        raise UsageError(f"No model is set up. Name one with --model NAME or in {_MODEL}.")
    return name


def _scenarios_output(
    runs: Sequence[ScenarioRun], client: OfflineClient | OpenRouterClient, path: Path | None, missed: Sequence[str]
) -> DemoWorkingMemoryOutput:
    model = client.config.model if isinstance(client, OpenRouterClient) else None
    return DemoWorkingMemoryOutput(model=model, path=str(path) if path else None, scenarios=runs, missed=missed)


def _scenarios_text(runs: Sequence[ScenarioRun], path: Path | None) -> Iterator[str]:
    for number, run in enumerate(runs, 1):
        yield from _scenario_text(number, run)
        yield ""
    where = f"The memories are in {whole(str(path))}." if path else "Not stored. To store the memories, use --db FILE."
    yield from _end_text([run.holds for run in runs], "scenario", where)


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
    yield from _findings_text(run.findings)


def _end_text(holds: Sequence[bool], noun: str, where: str) -> Iterator[str]:
    good = sum(holds)
    ink: Ink = "good" if good == len(holds) else "bad"
    yield paint(f"{good} of {plural(len(holds), noun)} passed.", ink)
    yield from (paint(line, "dim") for line in lines_of(where, width()))


def _findings_text(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        sign, ink = _SIGNS[finding.holds]
        for place, line in enumerate(lines_of(finding.sentence, width() - 4)):
            yield f"  {paint(sign if place == 0 else ' ', ink)} {line}"
