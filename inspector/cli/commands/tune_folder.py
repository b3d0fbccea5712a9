"""`tune FOLDER`: presets compared over all sessions of a folder, with intervals, and a journal to continue from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from inspector import __version__
from inspector.analysis.experiments import (
    CorpusRow,
    CorpusVerdict,
    PresetFigures,
    Progress,
    SessionFigures,
    TrialSetup,
    corpus_rows,
    corpus_verdict,
    figures_of,
    policy_key,
    portable_setup,
    replay_figures,
    run_sweep,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.cluster_pool import pool_at
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt, LastWork
from inspector.cli.model_summaries import Writer
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.policy_options import subject_of
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.result_journal import ResultJournal
from inspector.cli.schema.values import json_output
from inspector.cli.text.tune_text import corpus_lines
from inspector.core.text import listed, plural
from inspector.core.work_pool import ProgressCallback, Stop, Work, WorkCancelled
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.engine.strategies import STRATEGIES
from inspector.library import OpenError, files_in

_MAX_UNREAD = 3
"""Maximum number of unreadable files that are named."""
_Figures = dict[str, PresetFigures]


@json_output()
class CorpusOutput:
    """Presets compared over the sessions of a folder."""

    folder: str
    sessions: Annotated[Sequence[str], "files of the compared sessions"]
    idle: Annotated[Sequence[str], "files of sessions that no preset compresses, or whose calls have no price"]
    unread: Annotated[Sequence[str], "files that cannot be replayed"]
    rows: Sequence[CorpusRow]
    verdict: CorpusVerdict


@dataclass(frozen=True)
class FolderTrial:
    """Settings of a comparison over a folder."""

    presets: Sequence[Preset]
    weights: Weights
    agent: str | None
    jobs: int
    db: Path | None
    cluster: str | None
    """Address of a scheduler whose workers replay the sessions; None for this machine."""
    writings: Sequence[Writer]
    """Models that write the summaries of additional rows."""

    def key_of(self, file: Path) -> str:
        """Return a key that is equal for an unchanged file that is compared with the same settings and version."""
        facts = file.stat()
        written = (_written_presets(self.presets, writing) for writing in self.writings)
        presets = (*self.presets, *chain.from_iterable(written))
        policies = [(preset.name, repr(policy_key(preset))) for preset in presets]
        settings = (policies, sorted(self.weights.items()), self.agent, __version__)
        text = repr((facts.st_size, facts.st_mtime_ns, *settings))
        return sha256(text.encode()).hexdigest()


def written_trials(
    subject: TrialSetup, presets: Sequence[Preset], writings: Sequence[Writer]
) -> Iterator[tuple[TrialSetup, list[Preset]]]:
    """Yield the trials with summaries by models: for each model, the setup and the presets that summarise.

    Args:
        subject: Setup of the trials without a model.
        presets: Presets that are compared.
        writings: Models that write summaries.
    """
    for writing in writings:
        yield replace(subject, services=writing.services), _written_presets(presets, writing)


def _written_presets(presets: Sequence[Preset], writing: Writer) -> list[Preset]:
    """Return the presets that summarise, named after the model that writes their summaries."""
    names = [preset for preset in presets if preset.enabled and STRATEGIES[preset.strategy].cost == "needs a model"]
    return [replace(preset, name=f"{preset.name} · {writing.model}") for preset in names]


def tune_folder(folder: Path, trial: FolderTrial, journal: Path | None, *, as_json: bool) -> int:
    """Compare presets over the sessions of a folder and print the means. Returns the exit code.

    Args:
        folder: The folder. The first session of each file counts.
        trial: Presets and settings.
        journal: File to which each finished session is written, and whose sessions are not replayed again.
        as_json: True to print JSON.

    Raises:
        CommandError: If no session can be compared, or the journal cannot be written.
        UsageError: If models should write summaries on a cluster.
    """
    if trial.cluster and trial.writings:
        raise UsageError("--cluster takes no models that write summaries.")
    files, _ = files_in(folder)
    figures_at = _figures_by_place(files, trial, journal)
    names = [str(file.relative_to(folder)) for file in files]
    replayed = {names[place]: figures_at[place] for place in sorted(figures_at)}
    unread = [name for name in names if name not in replayed]
    compared = {name: figures for name, figures in replayed.items() if figures}
    if not compared:
        raise CommandError(f"No session in {folder} can be compared: no preset compresses one, or none has a price.")
    if as_json:
        idle = [name for name in replayed if name not in compared]
        echo_json(redacted_rows(_output(folder, compared, idle, unread)))
        return 0
    if unread:
        verb = "is" if len(unread) == 1 else "are"
        warn(f"{plural(len(unread), 'file')} cannot be replayed and {verb} left out: {listed(unread, _MAX_UNREAD)}.")
    sessions = list(compared.values())
    echo("\n".join(corpus_lines(corpus_rows(sessions), corpus_verdict(sessions), len(replayed) - len(compared))))
    return 0


def _output(
    folder: Path, compared: Mapping[str, SessionFigures], idle: Sequence[str], unread: Sequence[str]
) -> CorpusOutput:
    sessions = list(compared.values())
    return CorpusOutput(
        folder=str(folder),
        sessions=list(compared),
        idle=idle,
        unread=unread,
        rows=corpus_rows(sessions),
        verdict=corpus_verdict(sessions),
    )


def _figures_by_place(files: Sequence[Path], trial: FolderTrial, journal: Path | None) -> dict[int, _Figures]:
    """Return the figures of the files that can be replayed, from the journal or by replaying them."""
    kept, keys = ResultJournal(journal, _figures_json, _figures_of_json), list(map(trial.key_of, files))
    known = kept.results()
    figures_at = {place: known[key] for place, key in enumerate(keys) if key in known}
    missing = [place for place in range(len(files)) if place not in figures_at]
    is_running = True

    def report_interrupt() -> None:
        if is_running:
            way = "Run it again to continue" if journal else "With --journal FILE, a later run continues there"
            warn(f"Interrupted after {len(figures_at):,} of {plural(len(files), 'session')}. {way}.")

    with LastWork(report_interrupt):
        try:
            for place, figures in _replay_files(files, missing, trial):
                figures_at[place] = figures
                kept.add(keys[place], figures)
        finally:
            is_running = False
    return figures_at


def _replay_files(files: Sequence[Path], missing: Sequence[int], trial: FolderTrial) -> Iterator[tuple[int, _Figures]]:
    """Yield the figures of files by their index, as soon as they are finished, without those that cannot be replayed.

    An interrupt ends the program.
    """
    opened: list[int] = []
    """Index of each file that was opened, in the order in which they were."""

    def subjects() -> Iterator[TrialSetup]:
        for place in missing:
            with suppress(OpenError, CommandError), open_session(str(files[place]), trial.db) as session:
                subject = subject_of(session, agent_of(session, trial.agent), trial.weights)
                opened.append(place)
                yield portable_setup(subject) if trial.cluster else subject

    cluster = trial.cluster if missing else None
    with (
        pool_at(cluster, plural(len(missing), "session")) as pool,
        progress() as on_progress,
        HeldInterrupt() as interrupt,
    ):

        def replay_here(_: object, subject: TrialSetup, __: Stop) -> _Figures:
            report = _reporter(on_progress, f"session {opened[-1] + 1:,} of {len(files):,}: replaying")
            rows = run_sweep(subject, trial.presets, workers=trial.jobs, on_progress=report, cancel=interrupt)
            for setup, written in written_trials(subject, trial.presets, trial.writings):
                rows = (*rows, *run_sweep(setup, written, on_progress=report, cancel=interrupt))
            if interrupt.is_set():
                raise WorkCancelled
            return figures_of(rows)

        work: Work[Any, TrialSetup, _Figures] = replay_figures if cluster else replay_here
        for count, (number, figures) in enumerate(pool.results(work, trial.presets, subjects(), interrupt), 1):
            if cluster:
                on_progress(f"replaying {plural(len(missing), 'session')}", count, len(missing))
            yield opened[number], figures


def _reporter(on_progress: ProgressCallback, activity: str) -> Callable[[Progress], None]:
    return lambda now: on_progress(activity, now.count, now.total)


def _figures_json(figures: _Figures) -> dict[str, dict[str, Any]]:
    return {name: asdict(row) for name, row in figures.items()}


def _figures_of_json(rows: Mapping[str, Mapping[str, float | None]]) -> _Figures:
    return {str(name): _figures(fields) for name, fields in rows.items()}


def _figures(fields: Mapping[str, float | None]) -> PresetFigures:
    going_on = fields["going_on"]
    return PresetFigures(
        float(fields["cost"] or 0),
        float(fields["kept"] or 0),
        int(fields["misses"] or 0),
        int(fields["compressions"] or 0),
        bool(fields["is_choice"]),
        None if going_on is None else float(going_on),
    )
