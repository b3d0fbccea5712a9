"""`tune FOLDER`: presets compared over all sessions of a folder, with intervals, and a journal to continue from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Annotated

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
    run_sweep,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import CommandError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.model_summaries import Writer
from inspector.cli.output import echo, echo_json, progress, warn
from inspector.cli.policy_options import subject_of
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.schema.values import json_output
from inspector.cli.text.corpus_text import corpus_lines
from inspector.core.text import plural
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.engine.strategies import STRATEGIES
from inspector.library import OpenError, files_in

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
    writings: Sequence[Writer]
    """Models that write the summaries of additional rows."""

    def key_of(self, file: Path) -> str:
        """Return a key that is equal for an unchanged file that is compared with the same settings."""
        facts = file.stat()
        written = (_written_presets(self.presets, writing) for writing in self.writings)
        presets = (*self.presets, *chain.from_iterable(written))
        policies = [(preset.name, repr(policy_key(preset))) for preset in presets]
        text = repr((facts.st_size, facts.st_mtime_ns, policies, sorted(self.weights.items()), self.agent))
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


def tune_folder(folder: Path, trial: FolderTrial, journal: Path | None, *, as_json: bool) -> None:
    """Compare presets over the sessions of a folder and print the means.

    Args:
        folder: The folder. The first session of each file counts.
        trial: Presets and settings.
        journal: File to which each finished session is written, and whose sessions are not replayed again.
        as_json: True to print JSON.

    Raises:
        CommandError: If no session can be compared, or the journal cannot be written.
    """
    files, _ = files_in(folder)
    known = _read_journal(journal)
    replayed: dict[str, _Figures] = {}
    unread: list[str] = []
    for number, file in enumerate(files, 1):
        key, name = trial.key_of(file), str(file.relative_to(folder))
        figures = known.get(key)
        if figures is None:
            try:
                figures = _figures_in(file, trial, f"session {number:,} of {len(files):,}")
            except (OpenError, CommandError):
                unread.append(name)
                continue
            _write_journal(journal, key, figures)
        replayed[name] = figures
    compared = {name: figures for name, figures in replayed.items() if figures}
    if not compared:
        raise CommandError(f"No session in {folder} can be compared: no preset compresses one, or none has a price.")
    if as_json:
        idle = [name for name in replayed if name not in compared]
        echo_json(redacted_rows(_output(folder, compared, idle, unread)))
        return
    if unread:
        warn(
            f"{plural(len(unread), 'file')} cannot be replayed and is left out."
            if len(unread) == 1
            else f"{plural(len(unread), 'file')} cannot be replayed and are left out."
        )
    sessions = list(compared.values())
    echo("\n".join(corpus_lines(corpus_rows(sessions), corpus_verdict(sessions), len(replayed) - len(compared))))


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


def _figures_in(file: Path, trial: FolderTrial, place: str) -> _Figures:
    """Replay the presets on the first session of a file. An interrupt ends the program after the current turn."""
    with open_session(str(file), trial.db) as session:
        subject = subject_of(session, agent_of(session, trial.agent), trial.weights)
        with progress() as on_progress, HeldInterrupt() as interrupt:

            def report(now: Progress) -> None:
                on_progress(f"{place}: replaying", now.count, now.total)

            rows = run_sweep(subject, trial.presets, workers=trial.jobs, on_progress=report, cancel=interrupt)
            for setup, written in written_trials(subject, trial.presets, trial.writings):
                rows = (*rows, *run_sweep(setup, written, on_progress=report, cancel=interrupt))
        return figures_of(rows)


def _read_journal(journal: Path | None) -> dict[str, _Figures]:
    """Return the figures of the finished sessions by key. Lines that are damaged are left out."""
    if journal is None or not journal.exists():
        return {}
    try:
        text = journal.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CommandError(f"Cannot read the journal {journal}: {error.strerror}.") from error
    return dict(_journal_entries(text))


def _journal_entries(text: str) -> Iterator[tuple[str, _Figures]]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
            rows = {str(name): _figures(fields) for name, fields in entry["rows"].items()}
            yield str(entry["key"]), rows
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue


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


def _write_journal(journal: Path | None, key: str, figures: _Figures) -> None:
    if journal is None:
        return
    line = json.dumps({"key": key, "rows": {name: asdict(row) for name, row in figures.items()}})
    try:
        with journal.open("a", encoding="utf-8") as out:
            out.write(f"{line}\n")
    except OSError as error:
        raise CommandError(f"Cannot write the journal {journal}: {error.strerror}.") from error
