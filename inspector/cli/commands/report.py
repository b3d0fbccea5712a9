"""`report`: how a recorded session, a framework or an agent handles memory, as a filled-in template."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import click

from inspector.cli.arguments import agent_of, open_library, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import agent_option, common, limit_option, redact_option
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.redactions import check_text
from inspector.cli.schema.values import json_output
from inspector.cli.text.report_text import matrix_markdown, session_markdown, source_markdown
from inspector.core.json_objects import Fraction
from inspector.library import Outputs
from inspector.report import Outline, SessionReport, SourceReport, analyse_source, outline_of_source, report_session

_FOLDER = click.Path(path_type=Path)


@json_output(
    "session agent=report.agent model=report.model limit=report.limit turns=report.turns outline=report.outline"
    " sections=report.sections evictions=report.evictions rewinds=report.observations.rewinds cleared"
    " peak=report.observations.peak reread cache_losses=report.cache_losses certainty=report.certainty output"
)
class SessionReportOutput:
    """Memory handling of a recorded session."""

    session: Annotated[str, "its id"]
    report: SessionReport
    cleared: Annotated[Sequence[int], "turns with tool results that were replaced by a note"]
    reread: Annotated[Fraction | None, "ratio of how often dropped and kept content was re-fetched; null if unknown"]
    output: Annotated[str | None, "the written file"]


@json_output()
class UnreadFileOutput:
    """A file that could not be read."""

    path: str
    reason: str


@json_output()
class ReasonCountOutput:
    """A reason and its number of files."""

    what: str
    count: int


@json_output(
    "root=report.root files=report.files lines=report.lines outline findings=report.findings paths=report.paths unread"
    " left_out other_languages"
)
class SourceOutput:
    """Memory handling of a framework or an agent, according to its source."""

    report: SourceReport
    outline: Outline
    unread: Sequence[UnreadFileOutput]
    left_out: Annotated[Sequence[ReasonCountOutput], "files and folders, by the reason"]
    other_languages: Annotated[Sequence[ReasonCountOutput], "files of languages that are not read"]


@json_output()
class SourceReportOutput:
    """Sources, one or several to compare."""

    kind: Literal["source"] = "source"
    sources: Sequence[SourceOutput]
    output: Annotated[str | None, "the written file"]


@click.command(epilog="See also inspector show and inspector replay.")
@click.argument("target", metavar="[SESSION]", required=False)
@click.option("--source", type=_FOLDER, metavar="FOLDER", help="Report on Python source code: a folder or a file.")
@click.option(
    "--compare",
    "others",
    type=_FOLDER,
    multiple=True,
    metavar="FOLDER",
    help="Another source to compare with; may be repeated.",
)
@click.option("--all", "unfolded", is_flag=True, help="List all findings, including those of low confidence.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes. Default: the number of processors."
)
@agent_option
@limit_option
@redact_option
@common
def report(
    target: str | None,
    source: Path | None,
    others: Sequence[Path],
    unfolded: bool,
    output: Path | None,
    force: bool,
    jobs: int | None,
    agent: str | None,
    limit: int,
    db: Path | None,
    as_json: bool,
) -> None:
    """Report how a session, or source code, handles memory.

    For a recorded SESSION: how its context was assembled, what was dropped at which size, tiers, tokens, and how
    certain these are. With --source, for the source code of a framework or an agent, which is parsed and never run:
    each finding has its line, a confidence and the evidence against it. With --compare, several sources in a matrix.
    The report is Markdown. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if (target is None) == (source is None):
        raise UsageError("Give either a SESSION or --source FOLDER.")
    if others and source is None:
        raise UsageError("--compare requires --source.")
    if source is not None and (agent or limit):
        raise UsageError("--agent and --limit require a SESSION.")
    if source is not None:
        _report_sources([source, *others], unfolded, output, force, jobs or 0, db, as_json)
    else:
        _report_session(str(target), agent, limit, unfolded, output, force, db, as_json)


def _report_session(
    target: str,
    agent: str | None,
    limit: int,
    unfolded: bool,
    output: Path | None,
    force: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        try:
            result = report_session(session.bench.session, session.bench.sizes, agent)
        except ValueError as problem:  # the user's prices cannot be read
            raise CommandError(str(problem)) from problem
        text = "\n".join(session_markdown(result, unfolded))
        check_text(text)
        with _written(session.library.outputs, output, text, force, session.bench.session.path):
            if as_json:
                echo_json(_session_output(result, session.bench.id, output))
            elif output is None:
                echo(text)


def _report_sources(
    folders: Sequence[Path], unfolded: bool, output: Path | None, force: bool, jobs: int, db: Path | None, as_json: bool
) -> None:
    reports = []
    for folder in folders:
        with progress() as on_progress:
            reports.append(analyse_source(folder, on_progress, jobs))
    parts = [source_markdown(result, unfolded) for result in reports]
    if len(reports) > 1:
        parts.insert(0, matrix_markdown(reports))
    text = "\n\n".join("\n".join(part) for part in parts)
    with open_library(db) as library, _written(library.outputs, output, text, force):
        if as_json:
            sources = list(map(_source_output, reports))
            echo_json(SourceReportOutput(sources=sources, output=str(output) if output else None))
        elif output is None:
            echo(text)


@contextmanager
def _written(outputs: Outputs, path: Path | None, text: str, force: bool, source: str = "") -> Iterator[None]:
    """Write the report to a file when the block ends without an error, if a file is named."""
    if path is None:
        yield
        return
    try:
        obstacle = outputs.obstacle(path, source)
        if obstacle and (obstacle.final or not force):
            hint = "name another file" if obstacle.final else "name another file, or replace it with --force"
            raise UsageError(f"{obstacle.text}: {hint}.")
        with HeldInterrupt(), outputs.write(path, text + "\n", replace=force):
            yield
    except OSError as error:
        raise CommandError(f"Cannot write {path}: {error.strerror or error}.") from error
    warn(f"Written: {path}")


def _session_output(result: SessionReport, name: str, output: Path | None) -> SessionReportOutput:
    return SessionReportOutput(
        session=name,
        report=result,
        cleared=[turn for turn, _ in result.observations.notes],
        reread=result.rereads.excess if result.rereads else None,
        output=str(output) if output else None,
    )


def _source_output(result: SourceReport) -> SourceOutput:
    return SourceOutput(
        report=result,
        outline=outline_of_source(result),
        unread=[UnreadFileOutput(path=path, reason=reason) for path, reason in result.problems],
        left_out=_counts(result.left_out),
        other_languages=_counts(result.other_languages),
    )


def _counts(rows: Sequence[tuple[str, int]]) -> list[ReasonCountOutput]:
    return [ReasonCountOutput(what=what, count=count) for what, count in rows]
