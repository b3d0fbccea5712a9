"""`tune`: compare presets on one session by tokens, cost, retained and lost facts, with gates for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.asking import SameSteps
from inspector.analysis.experiments import (
    COLUMNS,
    Progress,
    Recommendation,
    SweepError,
    TrialResult,
    TrialSetup,
    column_name,
    column_of,
    mark_front,
    parse_axes,
    policy_key,
    preset_grid,
    recommend_preset,
    run_sweep,
    sort_results,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.cluster_pool import cluster_option
from inspector.cli.command_errors import GATE, CommandError, UsageError, did_you_mean, gate
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.commands.tune_folder import FolderTrial, tune_folder, written_trials
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.model_summaries import Writer, writers
from inspector.cli.options import agent_option, common, read_presets_file, redact_option
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.policy_options import (
    ByWeight,
    Reported,
    find_policy,
    presets_option,
    subject_of,
    weights,
    weights_option,
)
from inspector.cli.result_journal import journal_option
from inspector.cli.schema.values import Fit, Missed, json_output
from inspector.cli.text.tune_text import tune_text
from inspector.cli.tune_asking import AskOptions, ask_options, ask_presets, same_step_text
from inspector.core.text import plural
from inspector.engine.compression import Preset, PresetError, all_presets, find_complaints, fit_notice, thresholds_of
from inspector.engine.facts import CLASSES
from inspector.library import OpenSession, files_in
from inspector.llm.models import Price

_REFERENCES = ("recorded", "none")
"""Rows that are always included for comparison."""


@json_output()
class TuneOutput:
    """Presets compared on a session."""

    session: SessionOutput
    agent: str
    price: Price
    weights: ByWeight
    reported: Reported
    rows: Sequence[TrialResult]
    verdict: Recommendation
    fit: Fit
    missed: Missed
    asked: Annotated[Sequence[SameSteps] | None, "with `--ask`: same steps, the model itself first"] = None


@click.command()
@click.argument("target", metavar="SESSION")
@presets_option
@click.option(
    "--grid",
    "words",
    multiple=True,
    metavar="KEY=V,V…",
    help="Values to try: of a preset's field, or of a setting of its strategy. May be repeated: all combinations.",
)
@click.option("--sort", metavar="COLUMN", help="A column of the table or of the JSON, or a fact class; best first.")
@click.option(
    "--jobs", type=click.IntRange(0), default=0, metavar="N", help="Number of processes; 0 for the fastest number."
)
@click.option(
    "--fail-regrets", type=click.IntRange(0), metavar="N", help="Exit with 3 if a row has more regrets and recalls."
)
@click.option(
    "--fail-invalid",
    is_flag=True,
    help="Exit with 3 if the provider would reject a window of a row, or if it exceeds the model's limit.",
)
@click.option("--fail-over", type=click.IntRange(0), metavar="TOKENS", help="Exit with 3 if a row's peak is larger.")
@journal_option("With a folder: write each finished session to this file, and skip the sessions in it.")
@cluster_option
@weights_option
@agent_option
@read_presets_file
@click.option(
    "--model",
    "by_model",
    is_flag=True,
    help="Add a row for each preset that summarises, with the summaries of the model that INSPECTOR_MODEL names.",
)
@click.option(
    "--summaries-by",
    "models",
    multiple=True,
    metavar="NAME",
    help="Add such rows for this model, at the same endpoint. May be repeated, to compare models.",
)
@ask_options
@redact_option
@common
def tune(
    target: str,
    names: Sequence[str],
    words: Sequence[str],
    sort: str | None,
    jobs: int,
    fail_regrets: int | None,
    fail_invalid: bool,
    fail_over: int | None,
    journal: Path | None,
    cluster: str | None,
    weighed: Sequence[str],
    agent: str | None,
    presets_file: Path | None,
    by_model: bool,
    models: Sequence[str],
    asked: AskOptions | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Compare presets on a session: which one is best here?

    Replays the session with each preset from the first turn to the last. Without --preset, compares all presets. With
    --grid, tries each preset (without --preset: balanced) with every combination of the values. "recorded" is the
    recording itself. ● marks the Pareto-optimal rows in tokens sent against facts retained, ★ the leading row by the
    rule of the verdict. SESSION is a file, FILE#N, the id of a stored session, or a folder: then the presets are
    compared over the first sessions of its files, with 95% intervals by session.
    """
    (candidates, around), class_weights = _to_compare(names, words, presets_file), weights(weighed)
    is_folder = (folder := Path(target)).is_dir() and len(files_in(folder)[0]) > 1
    has_gates = fail_invalid or (fail_regrets, fail_over) != (None, None)
    _check_options(sort, is_folder, cluster, bool(sort or asked or has_gates))
    if is_folder:
        with writers(by_model, models) as writings:
            trial = FolderTrial(around, class_weights, agent, jobs, db, cluster, writings)
            return tune_folder(folder, trial, journal, as_json=as_json)
    with open_session(target, db) as session, writers(by_model, models) as writings:
        agent = agent_of(session, agent)
        subject = subject_of(session, agent, class_weights)
        rows = _all_rows(subject, around, writings, jobs)
        references = [preset for preset in around if preset not in candidates]
        gated = [row for row in rows if row.preset not in references]
        failures = list(_missed_gates(gated, fail_regrets, fail_invalid, fail_over))
        table = rows if sort is None else sort_results(rows, column_of(sort))
        same = ask_presets(session, [row.preset for row in table], agent, asked)
        if as_json:
            echo_json(_tune_output(table, session, subject, failures, same))
            return gate(failures)
        echo("\n".join([*tune_text(table, subject, failures, sort), *same_step_text(same)]))
    return GATE if failures else 0


def _to_compare(names: Sequence[str], words: Sequence[str], file: Path | None) -> tuple[list[Preset], list[Preset]]:
    """Return the requested presets, which the gates apply to, and all rows, references first. Raises UsageError."""
    presets = [find_policy(name, file) for name in dict.fromkeys(names)]
    candidates = presets or ([] if words else all_presets(file))
    for note in [] if presets else find_complaints(file):
        warn(note)
    references = [find_policy(name, file) for name in _REFERENCES]
    rows = [*references, *(preset for preset in candidates if preset not in references)]
    if not words:
        return candidates, rows
    keys = {policy_key(preset) for preset in rows}
    bases = presets or [find_policy("balanced", file)]
    combined = [preset for preset in _grid_presets(bases, words) if policy_key(preset) not in keys]
    return [*candidates, *combined], [*rows, *combined]


def _grid_presets(bases: Sequence[Preset], words: Sequence[str]) -> tuple[Preset, ...]:
    """Return all combinations of the values in `words` for each preset that compresses. Raises UsageError."""
    enabled = [base for base in bases if base.enabled]
    if not enabled:
        raise UsageError(
            f"The preset {bases[0].name} does not compress, so a grid has nothing to vary. Name another preset."
        )
    try:
        return preset_grid(enabled, parse_axes(words))
    except PresetError as problem:
        raise UsageError(str(problem)) from problem


def _sweep_rows(subject: TrialSetup, presets: Sequence[Preset], jobs: int) -> Sequence[TrialResult]:
    """Return the rows, with progress on the terminal. Raises CommandError if a worker process died."""
    with progress() as on_progress, HeldInterrupt() as interrupt:

        def report(now: Progress) -> None:
            rest = f", {_rounded_seconds(now.remaining)} left" if now.remaining and now.remaining >= 1 else ""
            on_progress(f"replaying {plural(now.total, 'preset')}{rest}", round(100 * now.share), 100)

        try:
            return run_sweep(subject, presets, workers=jobs, on_progress=report, cancel=interrupt)
        except SweepError as error:
            raise CommandError(f"{error} Try --jobs 1.") from error


def _all_rows(
    subject: TrialSetup, presets: Sequence[Preset], writings: Sequence[Writer], jobs: int
) -> Sequence[TrialResult]:
    """Return the rows with extractive summaries, and then those of each model. Raises CommandError."""
    rows = _sweep_rows(subject, presets, jobs)
    for setup, written in written_trials(subject, presets, writings):
        rows = mark_front([*rows, *_sweep_rows(setup, written, jobs)])
    return rows


def _rounded_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"


def _check_options(sort: str | None, is_folder: bool, cluster: str | None, is_for_one: bool) -> None:
    """Check the column to sort by, and options for a folder or for one session. Raises UsageError."""
    if is_folder and is_for_one:
        raise UsageError("A folder takes neither --sort nor --ask nor gates. Name a session.")
    if cluster and not is_folder:
        raise UsageError("--cluster needs a folder with several sessions. To compare one session, leave it out.")
    columns = [*COLUMNS, *CLASSES]
    if sort is not None and (name := column_name(sort)) not in columns:
        raise UsageError(f"There is no column {sort!r}. Columns: {', '.join(columns)}.{did_you_mean(name, columns)}")


def _missed_gates(rows: Sequence[TrialResult], regrets: int | None, invalid: bool, over: int | None) -> Iterator[str]:
    """Yield a sentence for each gate that a row fails."""
    for row in rows:
        if regrets is not None:
            yield from _missed_regrets(row, regrets)
        if invalid and not row.fits:
            yield f"{row.name} sends {row.peak:,} tokens at once, which exceeds the model's window."
        elif invalid and not row.valid:
            yield f"{row.name} has windows that the provider would reject."
        if over is not None and row.peak > over:
            yield f"{row.name} sends {row.peak:,} tokens at once, more than the {over:,} of --fail-over."


def _missed_regrets(row: TrialResult, most: int) -> Iterator[str]:
    """Yield a row's failures of `--fail-regrets`."""
    if row.misses > most:
        count = plural(row.regrets, "regret") + (f" and {plural(row.recalls, 'recall')}" if row.recalls else "")
        yield f"{row.name} has {count}, more than the {most:,} of --fail-regrets."
    if row.haste:
        yield f"{row.name} removes content right after it was read, {plural(row.hasty, 'time')} (--fail-regrets)."


def _tune_output(
    rows: Sequence[TrialResult],
    session: OpenSession,
    subject: TrialSetup,
    failures: Sequence[str],
    same: Sequence[SameSteps] | None,
) -> TuneOutput:
    return TuneOutput(
        session=session_output(session.bench, subject.agent),
        agent=subject.agent,
        price=subject.price,
        weights=subject.weights or {},
        reported=next((row.reported for row in rows if row.reported), None),
        rows=rows,
        verdict=recommend_preset(rows),
        fit=fit_notice(subject.scale, thresholds_of(row.preset for row in rows)),
        missed=failures,
        asked=same,
    )
