"""`tune`: presets as rows on one session, what each would have sent, paid, kept and lost. And a gate for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from inspector.analysis.experiments import (
    COLUMNS,
    Progress,
    Recommendation,
    SweepError,
    TrialResult,
    TrialSetup,
    column_of,
    parse_axes,
    policy_key,
    preset_grid,
    recommend_preset,
    run_sweep,
    sort_results,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import GATE, CommandError, UsageError, did_you_mean, gate
from inspector.cli.commands.show import SessionOutput, session_output
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import agent_option, common, read_presets_file
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
from inspector.cli.schema.values import Fit, Missed, json_output
from inspector.cli.text.tune_text import tune_text
from inspector.core.text import plural
from inspector.engine.compression import Preset, PresetError, all_presets, find_complaints, fit_notice, thresholds_of
from inspector.engine.facts import CLASSES
from inspector.library import OpenSession
from inspector.llm.models import Price

_REFERENCES = ("recorded", "none")
"""Rows that are always there, to compare with."""


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
@click.option("--sort", metavar="COLUMN", help="A column of the JSON, or a class of facts; the best comes first.")
@click.option("--jobs", type=click.IntRange(0), default=0, metavar="N", help="Processes; 0 for as many as pay off.")
@click.option(
    "--fail-regrets", type=click.IntRange(0), metavar="N", help="End with 3 where a row has more regrets and recalls."
)
@click.option(
    "--fail-invalid",
    is_flag=True,
    help="End with 3 where a provider would refuse a window of a row, or it is too large for the model.",
)
@click.option("--fail-over", type=click.IntRange(0), metavar="TOKENS", help="End with 3 where a row's peak is larger.")
@weights_option
@agent_option
@read_presets_file
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
    weighed: Sequence[str],
    agent: str | None,
    presets_file: Path | None,
    db: Path | None,
    as_json: bool,
) -> int:
    """Compare presets on a session: which one is best here?

    Each is replayed from the first turn to the last. Without --preset, all presets are compared. With --grid, each
    preset (without --preset: balanced) is tried with every combination of the values. "recorded" is what the recording
    did itself. ● marks the rows that no other one beats in tokens
    sent against facts retained, ★ the one that is best by the rule of the verdict. SESSION is a file,
    FILE#N, or the id of a stored session.
    """
    (candidates, around), class_weights = _to_compare(names, words, presets_file), weights(weighed)
    _check_column(sort)
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        subject = subject_of(session, agent, class_weights)
        rows = _sweep_rows(subject, around, jobs)
        failures = list(
            _missed_gates([row for row in rows if row.preset in candidates], fail_regrets, fail_invalid, fail_over)
        )
        table = _sort_rows(rows, sort)
        if as_json:
            echo_json(_tune_output(table, session, subject, failures))
            return gate(failures)
        echo("\n".join(tune_text(table, subject, failures)))
    return GATE if failures else 0


def _to_compare(names: Sequence[str], words: Sequence[str], file: Path | None) -> tuple[list[Preset], list[Preset]]:
    """What was asked for, which the gates look at; and all rows, the references first. Raises UsageError."""
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
    """All combinations of the values in `words`, over each preset that compresses. Raises UsageError."""
    enabled = [base for base in bases if base.enabled]
    if not enabled:
        raise UsageError(f"The preset {bases[0].name} compresses nothing, so a grid has nothing to vary: name another.")
    try:
        return preset_grid(enabled, parse_axes(words))
    except PresetError as problem:
        raise UsageError(str(problem)) from problem


def _sweep_rows(subject: TrialSetup, presets: Sequence[Preset], jobs: int) -> Sequence[TrialResult]:
    """The rows, with progress on the way. Raises CommandError where the processes that made them went away."""
    with progress() as on_progress, HeldInterrupt() as interrupt:

        def report(now: Progress) -> None:
            rest = f", {_rounded_seconds(now.remaining)} left" if now.remaining and now.remaining >= 1 else ""
            on_progress(f"replaying {plural(now.total, 'preset')}{rest}", now.count, now.total)

        try:
            return run_sweep(subject, presets, workers=jobs, on_progress=report, cancel=interrupt)
        except SweepError as error:
            raise CommandError(f"{error} --jobs 1 takes no other.") from error


def _rounded_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes else f"{rest} s"


def _check_column(sort: str | None) -> None:
    """Raise UsageError for a column that no row can have, before the rows are made."""
    columns = [*COLUMNS, *CLASSES]
    if sort is not None and (name := sort.replace("-", "_")) not in columns:
        raise UsageError(f"There is no column {sort!r}; there are: {', '.join(columns)}.{did_you_mean(name, columns)}")


def _sort_rows(rows: Sequence[TrialResult], sort: str | None) -> Sequence[TrialResult]:
    """The rows in the order that was asked for."""
    return rows if sort is None else sort_results(rows, column_of(sort.replace("-", "_")))


def _missed_gates(rows: Sequence[TrialResult], regrets: int | None, invalid: bool, over: int | None) -> Iterator[str]:
    """A sentence for each bar that a row misses."""
    for row in rows:
        if regrets is not None:
            yield from _missed_regrets(row, regrets)
        if invalid and not row.fits:
            yield f"{row.name} sends {row.peak:,} tokens at once, more than fit into the model's window."
        elif invalid and not row.valid:
            yield f"{row.name} has windows that a provider would refuse."
        if over is not None and row.peak > over:
            yield f"{row.name} sends {row.peak:,} tokens at once, more than the {over:,} of --fail-over."


def _missed_regrets(row: TrialResult, most: int) -> Iterator[str]:
    """What a row has against `--fail-regrets`."""
    if row.misses > most:
        count = plural(row.regrets, "regret") + (f" and {plural(row.recalls, 'recall')}" if row.recalls else "")
        yield f"{row.name} has {count}, more than the {most:,} of --fail-regrets."
    if row.haste:
        yield f"{row.name} takes away what was only just read, {plural(row.hasty, 'time')}: --fail-regrets."


def _tune_output(
    rows: Sequence[TrialResult], session: OpenSession, subject: TrialSetup, failures: Sequence[str]
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
    )
