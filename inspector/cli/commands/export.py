"""`export`: the context as a request, or as a file of another program, on standard output or in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import (
    agent_option,
    common,
    companion_option,
    limit_option,
    out_option,
    redact_option,
    target,
    turn_option,
)
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.redactions import check_export, echo_review, redact_bench, redactions
from inspector.cli.schema.values import Files, Notes, json_output
from inspector.cli.strategy_options import strategy_options
from inspector.engine.compression import StrategyChoice, fit_notice, thresholds_of
from inspector.engine.window import Plan, Window
from inspector.formats import companion_path
from inspector.library import EXPORT_FORMS, Export, OpenSession, Preview
from inspector.llm.providers import PROVIDERS

if TYPE_CHECKING:
    from inspector.analysis.redaction import Redacted


@json_output(optional="request text")
class ExportOutput:
    """A context as a request for a provider, or as a file of another program."""

    to: Annotated[str, "that of a provider's request (openai, openai-responses, anthropic), or of a file"]
    messages: int
    out: Annotated[str | None, "the file that was written"]
    files: Files
    notes: Notes
    redactions: Annotated[Sequence[Redacted], "what --redact has hidden; empty without it"]
    request: Annotated[Mapping[str, Any] | None, "a request, where no file was named"]
    text: Annotated[str | None, "any other form, where no file was named"]


@click.command()
@target
@click.option(
    "--to", type=click.Choice(list(EXPORT_FORMS)), help="The form: a provider's request, or a file of another program."
)
@turn_option
@agent_option
@limit_option
@strategy_options
@click.option("--model", "-m", default="", metavar="NAME", help="The model that the request asks for.")
@out_option
@companion_option
@redact_option
@common
def export(
    target: str,
    to: str | None,
    turn: int | None,
    agent: str | None,
    limit: int,
    choice: StrategyChoice | None,
    force: bool,
    model: str,
    out: Path | None,
    companion: bool,
    redact: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Write a context as a request, ATIF, OTLP, Markdown or a Claude Code transcript.

    The context is seen through the applied plans, and through what --strategy, --stage or --preset would make of it. A
    preset leaves a context alone that is not above its threshold, unless --force is given. Without --to it keeps the
    form in which it was recorded; a model of another provider is left out unless --model names one. What does not fit
    is said, a sentence for each. What has no place in a request (how it was counted, which messages are summaries)
    stands beside the file that --out names, in NAME.inspector.json, and is used where it is opened again. Other forms
    have no such companion. With --to claude-code it is a transcript that Claude Code resumes, as a new session. SESSION
    is a file, FILE#N, or the id of a stored session. With --redact what was hidden is listed, and nothing is written
    where any of it would be left.
    """
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        companion = companion and (to is None or to in PROVIDERS)
        check_out(session, out, force, companion)
        redactor, agent = redact_bench(session, agent) if redact else (None, agent)
        preview, remarks = _compressed(session, choice, force, turn, agent)
        if not preview.after.messages:
            raise CommandError(f"There is nothing to export. {preview.after.emptiness}")
        result = Export(preview, to or preview.after.context.dialect, model)
        files = Export.paths(out, companion) if out else []
        notes = [*remarks, *result.notes(companion=len(files) > 1)]
        check_export(redactor, result, notes, companion)
        if not as_json:
            echo_review(redactor, notes)
        with output_file(session, result, out, force, companion):
            if as_json:
                echo_json(_output(result, out, files, notes, redactions(redactor)))
            elif not out:
                echo(result.text.removesuffix("\n"))
        if files and not as_json:
            warn(written(files))


def _compressed(
    session: OpenSession, choice: StrategyChoice | None, force: bool, turn: int | None, agent: str
) -> tuple[Preview, list[str]]:
    """The context as a choice makes it, and a sentence for each thing that is to be said of that."""
    bench = session.bench
    if choice is None:
        return bench.preview(turn, agent), []
    chosen = replace(choice, scale=bench.scale(agent))
    assert chosen.scale is not None, "it was given just now"

    def draft(window: Window) -> Plan | None:
        is_due = force or not chosen.idle(window.total)
        return chosen.draft(window, bench.services, force) if is_due else None

    preview = bench.preview_draft(draft, turn, agent)
    idle = f"{chosen.idle(preview.base.total)} --force compresses anyway."
    remarks = [preview.plan.note if preview.plan else idle]
    remarks += [fit_notice(chosen.scale, thresholds_of([chosen.preset]))] if chosen.preset else []
    return preview, list(filter(None, remarks))


def _output(
    result: Export, out: Path | None, files: Sequence[Path], notes: Sequence[str], hidden: Sequence[Redacted]
) -> ExportOutput:
    return ExportOutput(
        to=result.to,
        messages=result.messages,
        out=str(out) if out else None,
        files=list(map(str, files)),
        notes=notes,
        redactions=hidden,
        request=result.request if not out and result.is_request else None,
        text=None if out or result.is_request else result.text,
    )


_ELSEWHERE = "name another file with --out"


def check_out(session: OpenSession, out: Path | None, force: bool, companion: bool) -> None:
    """Raise UsageError where a file is in the way of what is to be written."""
    for path in Export.paths(out, companion) if out else ():
        try:
            obstacle = session.library.outputs.obstacle(path, session.bench.session.path)
        except OSError as error:
            raise CommandError(_unwritable(path, error)) from error
        if obstacle and obstacle.final:
            raise UsageError(f"{obstacle.text}: {_ELSEWHERE}.")
        if obstacle and not force:
            raise UsageError(f"{obstacle.text}: {_ELSEWHERE}, or replace it with --force.")


@contextmanager
def output_file(session: OpenSession, result: Export, out: Path | None, force: bool, companion: bool) -> Iterator[None]:
    """Write a request to a file when the block ends without an error. Raises CommandError where that cannot be done."""
    if out is None:
        yield
        return
    try:
        with HeldInterrupt(), session.library.outputs.write_all(result.files(out, companion), replace=force):
            yield
    except OSError as error:
        raise CommandError(_unwritable(out, error)) from error
    if not companion:
        session.library.outputs.remove_own(companion_path(out))


def written(files: Sequence[Path]) -> str:
    """What was written, as a line."""
    return f"Written: {' and '.join(map(str, files))}"


def _unwritable(out: Path, error: OSError) -> str:
    return f"{out} could not be written ({error.strerror or error}): {_ELSEWHERE}."
