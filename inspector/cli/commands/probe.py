"""`probe`: plant facts into a copy of a session or a made-up one, and test which of them strategies keep."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.experiments import (
    DEPTHS,
    Candidate,
    InsertionError,
    JudgeCase,
    JudgeReport,
    Probe,
    ProbePass,
    ProbeRun,
    conversation,
    judge_cases,
    judge_texts,
    run_probe as run,
    summary_judge,
)
from inspector.cli.arguments import agent_of, check_turn, open_library, open_session, strategy_settings
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import LastWork
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, limit_option, read_presets_file, redact_option, turn_option
from inspector.cli.output import echo, echo_json, paint, progress, warn, width
from inspector.cli.policy_options import find_policy
from inspector.cli.schema.values import Problems, json_output
from inspector.cli.text.probe_text import judge_lines, probe_text
from inspector.core.conversation import Session
from inspector.core.json_objects import Fraction, Settings
from inspector.core.text import clip
from inspector.core.work_pool import ProgressCallback
from inspector.engine.facts import RetainedFact, State
from inspector.engine.window import Window, at_turn
from inspector.library import OpenError, exact_sizes, files_in
from inspector.llm.tokens import counter_for

_MAX_DEPTHS, _MAX_PASSES = 12, 40


@json_output(inline="kept")
class RecallOutput:
    """Number of needles by outcome."""

    kept: RetainedFact
    recall: Annotated[Fraction | None, "null without any"]


@json_output(inline="recall")
class DepthOutput:
    """Number of needles at one depth, by outcome of one compression."""

    recall: RecallOutput
    depth: Fraction


@json_output("recall pass=number before=step.before after=step.after note=step.note", inline="recall")
class PassOutput:
    """Number of needles by outcome after the N-th compression."""

    recall: RecallOutput
    number: Annotated[int, "the N-th compression, from 1"]
    step: ProbePass


@json_output()
class ProbedOutput:
    """Outcome of the needles under a strategy or a preset."""

    name: str
    strategy: str | None
    settings: Settings
    valid: bool
    problems: Problems
    grid: Annotated[Sequence[DepthOutput], "after one compression, by depth"]
    classes: Annotated[Mapping[str, RecallOutput], "after one compression, by class"]
    curve: Annotated[Sequence[PassOutput], "after each of the compressions"]
    states: Annotated[Sequence[State], "outcome outcome of each needle after one compression"]


@json_output("session turn tokens=probe.tokens seed depths=probe.depths needles=probe.needles strategies")
class ProbeOutput:
    """Planted facts, and the strategies that keep them."""

    session: Annotated[str | None, "the session's id; null for a made-up conversation"]
    turn: int
    seed: int
    probe: Probe
    strategies: Sequence[ProbedOutput]


@json_output("compactions=report.compactions sessions=report.sessions texts=report.texts arrows=report.arrows")
class JudgeOutput:
    """Scores of texts whose order is known, at recorded compactions (`--judge`)."""

    report: JudgeReport


@click.command(
    epilog="Needles are facts that cannot be guessed: paths, URLs, ids, numbers with their key, a constraint, "
    "a decision and so on, one of each class at each depth. A needle is retained if its value is in "
    "the window."
)
@click.argument("targets", nargs=-1, metavar="[SESSION]...")
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    metavar="NAME",
    help='A strategy to probe, with optional settings: "deletion keep_recent=5". May be repeated. Default: all.',
)
@click.option("--preset", "presets", multiple=True, metavar="NAME", help="A preset to probe; may be repeated.")
@read_presets_file
@click.option("--depths", metavar="D,…", help="Depths to plant at: 0 is the oldest end, 1 the newest.")
@click.option("--passes", type=click.IntRange(1, _MAX_PASSES), default=10, metavar="N", help="Compressions in a row.")
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Seed of the needles and of the turns between compressions."
)
@click.option("--classes", "by_class", is_flag=True, help="Also show results by fact class.")
@click.option(
    "--judge",
    "by_judge",
    is_flag=True,
    help="Test the judge instead: score texts whose order is known at the recorded compactions of the sessions.",
)
@turn_option
@agent_option
@limit_option
@model_option
@redact_option
@common
def probe(
    targets: Sequence[str],
    strategies: Sequence[str],
    presets: Sequence[str],
    presets_file: Path | None,
    depths: str | None,
    passes: int,
    seed: int,
    by_class: bool,
    by_judge: bool,
    turn: int | None,
    agent: str | None,
    limit: int,
    by_model: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Plant known facts and see which strategies keep them.

    Facts are planted at known depths into a copy of SESSION (a file, FILE#N, or the id of a stored session), or into a
    made-up conversation without it. The copy is compressed with each strategy, once and then repeatedly while new turns
    arrive. Stored data and files are not changed.

    With --judge, the recorded summaries of any number of sessions and folders, lists of values, shuffled words and
    other texts of the same size are scored by the facts that they retain, and compared with the order that they should
    have.
    """
    if by_judge:
        _probe_judge(targets, has_candidates=bool(strategies or presets), db=db, as_json=as_json)
        return
    target = _single_target(targets)
    contenders = [*map(_contender_of, strategies), *(Candidate.of(find_policy(name, presets_file)) for name in presets)]
    places = DEPTHS if depths is None else _depths_of(depths)
    session, window = (
        _synthetic_window(seed, db, limit) if target is None else _recorded_window(target, turn, agent, db, limit)
    )
    with writer(by_model) as writing, progress() as on_progress:
        try:
            result = run(
                window, contenders, places, passes, seed, writing.services, on_progress=_pass_progress(on_progress)
            )
        except InsertionError as error:
            raise CommandError(str(error)) from error
    if as_json:
        name, probed = session.id if target else None, [_probed(result, course) for course in result.courses]
        echo_json(ProbeOutput(session=name, turn=window.turn, seed=seed, probe=result, strategies=probed))
    else:
        echo("\n".join(probe_text(result, session, window, seed, by_class)))
        if writing.calls:
            echo(paint(clip(writing.account, width()), "dim"))


def _probe_judge(targets: Sequence[str], *, has_candidates: bool, db: Path | None, as_json: bool) -> None:
    """Print how the judge scores texts at the recorded compactions of some sessions."""
    if has_candidates:
        raise UsageError("--judge tests the judge of retention, and takes neither --strategy nor --preset.")
    if not targets:
        raise UsageError("--judge needs at least one session with a recorded compaction.")
    files = list(_files_of(targets))
    with progress() as on_progress:
        judging = _Judging(files, db, on_progress)
        with LastWork(judging.report_interrupt):
            report = judging.report()
    if not report.compactions:
        raise CommandError("No compaction with a readable summary is recorded there.")
    if as_json:
        echo_json(JudgeOutput(report=report))
    else:
        echo("\n".join(judge_lines(report)))


def _single_target(targets: Sequence[str]) -> str | None:
    if len(targets) > 1:
        raise UsageError("Only --judge takes more than one session.")
    return targets[0] if targets else None


def _files_of(targets: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the sessions of the targets, each with whether its folder was named rather than itself."""
    for target in targets:
        folder = Path(target)
        files = [str(file) for file in files_in(folder)[0]] if folder.is_dir() else []
        yield from [(file, True) for file in files] or [(target, False)]


class _Judging:
    """A test of the judge over some sessions, with progress.

    Args:
        files: The sessions, each with whether its folder was named rather than itself.
        db: Database of the library.
        on_progress: Called with what is done, the number of finished steps and that of all.
    """

    def __init__(self, files: Sequence[tuple[str, bool]], db: Path | None, on_progress: ProgressCallback) -> None:
        self.files, self.db, self.on_progress = files, db, on_progress
        self.place = 0
        """Number of the session that is examined, from 1; 0 before and after the work."""

    def report(self) -> JudgeReport:
        """Score all texts. Raises CommandError or OpenError if a session that was named cannot be read."""
        try:
            return judge_texts(self._cases(), summary_judge(), on_progress=partial(self._show, "scoring texts"))
        finally:
            self.place = 0

    def report_interrupt(self) -> None:
        """Print where the work was interrupted, if it was."""
        if self.place:
            where = f"in session {self.place:,} of {len(self.files):,}" if len(self.files) > 1 else "before the end"
            warn(f"Interrupted {where}: no scores are printed.")

    def _show(self, activity: str, count: int, total: int) -> None:
        self.on_progress(f"session {self.place:,} of {len(self.files):,}: {activity}", count, total)

    def _cases(self) -> Iterator[JudgeCase]:
        for place, (file, is_of_folder) in enumerate(self.files, 1):
            self.place = place
            self._show("reading", 0, 0)
            try:
                yield from _cases_of(file, self.db)
            except (CommandError, OpenError) as problem:
                if not is_of_folder:
                    raise
                warn(f"{problem} It is left out.")


def _cases_of(target: str, db: Path | None) -> Iterator[JudgeCase]:
    with open_session(target, db) as opened:
        session = opened.bench.session
        yield from judge_cases(session, counter_for(session.model).count)


def _contender_of(text: str) -> Candidate:
    """Parse a strategy with settings."""
    try:
        name, *words = shlex.split(text)
    except ValueError:
        raise UsageError(f"--strategy takes a name and KEY=VALUE words, not {text!r}.") from None
    if wrong := next((word for word in words if "=" not in word), None):
        raise UsageError(f"--strategy takes a name and KEY=VALUE words, such as keep_recent=5, not {wrong!r}.")
    return Candidate(text, name, strategy_settings(name, words))


def _depths_of(text: str) -> tuple[float, ...]:
    """Parse depths separated by commas, oldest first. Raises UsageError."""
    try:
        depths = sorted({float(word) for word in text.split(",") if word.strip()})
    except ValueError:
        raise UsageError(f"--depths takes numbers with commas between them, such as 0.1,0.5, not {text!r}.") from None
    if not depths:
        raise UsageError("--depths takes numbers with commas between them, such as 0.1,0.5,0.9, not an empty list.")
    if not all(0 <= depth <= 1 for depth in depths):
        raise UsageError("--depths must be between 0, the oldest end, and 1, the newest.")
    if len(depths) > _MAX_DEPTHS:
        raise UsageError(f"--depths takes at most {_MAX_DEPTHS} depths, not {len(depths)}.")
    return tuple(depths)


def _synthetic_window(seed: int, db: Path | None, limit: int) -> tuple[Session, Window]:
    session = conversation(seed)
    with open_library(db) as lib:
        return session, at_turn(session, exact_sizes(session, lib.store), limit=limit)


def _recorded_window(
    target: str, turn: int | None, agent: str | None, db: Path | None, limit: int
) -> tuple[Session, Window]:
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        return session.bench.session, session.bench.window(turn, agent)


def _pass_progress(on_progress: ProgressCallback) -> Callable[[int, int], None]:
    return lambda count, total: on_progress("compressing", count, total)


def _probed(result: Probe, course: ProbeRun) -> ProbedOutput:
    steps = zip(course.passes, result.curve(course), strict=True)
    return ProbedOutput(
        name=course.contender.name,
        strategy=course.contender.strategy or None,
        settings=course.settings,
        valid=course.valid,
        problems=[str(problem) for step in course.passes for problem in step.problems],
        grid=[DepthOutput(recall=_recall(result.at_depth(course, depth)), depth=depth) for depth in result.depths],
        classes={cls: _recall(result.of_class(course, cls)) for cls in result.classes},
        curve=[
            PassOutput(recall=_recall(counts), number=number, step=step)
            for number, (step, counts) in enumerate(steps, 1)
        ],
        states=course.passes[0].states,
    )


def _recall(counts: RetainedFact) -> RecallOutput:
    recall = round(counts.retained / counts.total, 4) if counts.total else None
    return RecallOutput(kept=counts, recall=recall)
