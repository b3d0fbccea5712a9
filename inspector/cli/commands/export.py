"""`export`: write the context as a request, or as a file of another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.commands.parquet_export import PARQUET, export_tables
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import (
    agent_option,
    common,
    companion_option,
    limit_option,
    redact_option,
    turn_option,
)
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.redactions import RedactionKinds, check_export, redaction_kinds, redactions
from inspector.cli.schema.values import Files, Notes, json_output
from inspector.cli.strategy_options import strategy_options
from inspector.engine.compression import StrategyChoice, fit_notice, thresholds_of
from inspector.engine.window import Plan, Window
from inspector.formats import companion_path
from inspector.library import EXPORTS_AND_HANDOFF, MIN_HANDOFF_TOKENS, Export, OpenSession, Preview, export_as
from inspector.llm.providers import PROVIDERS

if TYPE_CHECKING:
    from inspector.analysis.redaction import Redacted


@json_output(optional="request text")
class ExportOutput:
    """A context as a request for a provider, or as a file of another program."""

    to: Annotated[str, "format of a provider's request (openai, openai-responses, anthropic), or of a file"]
    messages: int
    out: Annotated[str | None, "the written file"]
    files: Files
    notes: Notes
    redactions: Annotated[Sequence[Redacted], "replacements by --redact; empty without it"]
    redaction_kinds: RedactionKinds
    request: Annotated[Mapping[str, Any] | None, "the request, if no file was named"]
    text: Annotated[str | None, "any other format, if no file was named"]


@click.command()
@click.argument("target", metavar="SESSION", required=False)
@click.option(
    "--to",
    type=click.Choice([*EXPORTS_AND_HANDOFF, PARQUET]),
    help="The format: a provider's request, a file of another program, or a briefing for another agent.",
)
@click.option(
    "--budget",
    type=click.IntRange(MIN_HANDOFF_TOKENS),
    default=2_400,
    show_default=True,
    metavar="N",
    help="Maximum length of a briefing (--to handoff), in tokens.",
)
@turn_option
@agent_option
@limit_option
@strategy_options
@click.option("--model", "-m", default="", metavar="NAME", help="The model of the request.")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    help="The file to write, or the folder of --to parquet. Default: standard output.",
)
@companion_option
@redact_option
@common
def export(
    target: str | None,
    to: str | None,
    budget: int,
    turn: int | None,
    agent: str | None,
    limit: int,
    choice: StrategyChoice | None,
    force: bool,
    model: str,
    out: Path | None,
    companion: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Write a context as a request, a trace, Markdown, or a session of another coding agent.

    Exports the context through the applied plans, and through --strategy, --stage or --preset. A preset does not change
    a context below its threshold, unless --force is given. Without --to, the recorded form is kept; the model is
    omitted if it belongs to another provider, unless --model names one. Each part that does not fit is reported in a
    sentence. Data without a place in a request (token counts, which messages are summaries) is written to
    NAME.inspector.json next to --out, and read when the file is opened again; other forms have no such sidecar. --to
    claude-code writes a transcript that Claude Code resumes as a new session; codex, opencode and pi do the same for
    these programs. --to handoff writes the state and the facts of the session as a briefing for any agent. SESSION is a
    file, FILE#N, or the id of a stored session. --redact lists all replacements, and writes nothing if any secret would
    remain. --to parquet writes the totals and messages of all stored sessions to the folder --out, without SESSION.
    """
    if to == PARQUET:
        export_tables(target, out, db, force=force, as_json=as_json)
        return
    with open_session(_required_target(target, out), db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        check_out(session, out, force, companion := companion and _has_companion(to))
        preview, remarks = _compressed(session, choice, force, turn, agent)
        if not preview.after.messages:
            raise CommandError(f"Nothing to export. {preview.after.emptiness}")
        result = export_as(preview, to or preview.after.context.dialect, model, budget)
        files = Export.paths(out, companion) if out else []
        notes = [*remarks, *result.notes(companion=len(files) > 1)]
        check_export(result, notes, companion)
        _print_notes([] if as_json else notes)
        with output_file(session, result, out, force, companion):
            if as_json:
                echo_json(_output(result, out, files, notes, redactions()))
            elif not out:
                echo(result.text.removesuffix("\n"))
        if files and not as_json:
            warn(written(files))


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        warn(note)


def _has_companion(to: str | None) -> bool:
    """Return True if a form is a request, whose other data is written next to it."""
    return to is None or to in PROVIDERS


def _required_target(target: str | None, out: Path | None) -> str:
    """Return the argument SESSION. Raises UsageError without one, or if the file to write is a folder."""
    if target is None:
        raise UsageError("Missing argument 'SESSION': a file, FILE#N, or the id of a stored session.")
    if out is not None and out.is_dir():
        raise UsageError(f"Invalid value for '--out': File '{out}' is a directory.")
    return target


def _compressed(
    session: OpenSession, choice: StrategyChoice | None, force: bool, turn: int | None, agent: str
) -> tuple[Preview, list[str]]:
    """Return the context as compressed by a choice, and the notes on it."""
    bench = session.bench
    if choice is None:
        return bench.preview(turn, agent), []
    chosen = replace(choice, scale=bench.scale(agent))
    assert chosen.scale is not None, "given on this command line"

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
        redaction_kinds=redaction_kinds(),
        request=result.request if not out and result.is_request else None,
        text=None if out or result.is_request else result.text,
    )


_ELSEWHERE = "name another file with --out"


def check_out(session: OpenSession, out: Path | None, force: bool, companion: bool) -> None:
    """Raise UsageError if a file would be overwritten."""
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
    """Write a request to a file when the block ends without an error. Raises CommandError if it cannot be written.

    Args:
        session: The session that the request is from.
        result: The export.
        out: The file. None for standard output.
        force: Overwrite existing files.
        companion: Also write the sidecar file.
    """
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
    """Return the line that names the written files."""
    return f"Written: {' and '.join(map(str, files))}"


def _unwritable(out: Path, error: OSError) -> str:
    return f"Cannot write {out} ({error.strerror or error}): {_ELSEWHERE}."
