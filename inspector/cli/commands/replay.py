"""`replay`: a recorded session under another memory policy, turn by turn, and what that would have come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from inspector.analysis.experiments import TrialSetup, start_trial
from inspector.analysis.replay import Frame, Regret, Replay, ReplayRun, reported_calls
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, read_presets_file, set_option, strategy_option
from inspector.cli.output import echo, echo_json, progress
from inspector.cli.policy_options import (
    billed,
    needed_again_record,
    policies,
    policy_record,
    policy_threshold,
    presets_option,
    reported_record,
    subject_of,
    weights,
    weights_option,
)
from inspector.cli.schema import record
from inspector.cli.schema.trials_schema import (
    AbsentFactRecord,
    CompactionRecord,
    FrameRecord,
    NeedRecord,
    PriceRecord,
    RegretRecord,
    ReplayOutput,
    ReplaysOutput,
)
from inspector.cli.schema.values import KeptRecord
from inspector.cli.strategy_options import PIPELINE, stage_option
from inspector.cli.text.replay_text import fact_lines, replay_text
from inspector.engine.compression import Preset, Threshold, fit_notice, thresholds_of
from inspector.engine.window import SECTIONS

_DEFAULT = "balanced"


@click.command(epilog="inspector tune compares presets; inspector presets lists them.")
@click.argument("target", metavar="SESSION")
@presets_option
@strategy_option
@stage_option
@set_option
@policy_threshold
@weights_option
@click.option("--frames", "with_frames", is_flag=True, help="In the JSON, every turn as well.")
@click.option("--facts", "with_facts", is_flag=True, help="Which facts are not in the window as the session ends.")
@click.option("--all", "unfolded", is_flag=True, help="Every compression and every regret on a line of its own.")
@agent_option
@read_presets_file
@model_option
@common
def replay(
    target: str,
    names: Sequence[str],
    strategy: str | None,
    stages: Sequence[str],
    assignments: Sequence[str],
    threshold: Threshold | None,
    weighed: Sequence[str],
    with_frames: bool,
    with_facts: bool,
    unfolded: bool,
    agent: str | None,
    presets_file: Path | None,
    by_model: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Replay a session under a preset, turn by turn.

    Shows the window at every turn, each compression, what was sent and paid, which facts are still there, and which
    the recorded session used again after they were lost. Without --preset, the preset is balanced; several are shown
    as rows. Nothing that is stored or on disk is changed. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if with_frames and not as_json:
        raise UsageError("--frames belongs to --json.")
    presets, class_weights = (
        _presets_of(names, strategy, stages, assignments, threshold, presets_file),
        weights(weighed),
    )
    with open_session(target, db) as session, writer(by_model) as writing:
        agent = agent_of(session, agent)
        subject = subject_of(session, agent, class_weights)
        if by_model:
            subject = replace(subject, services=writing.services)
        runs = [_run_replay(subject, preset) for preset in presets]
        replays = [(run.preset, run.replay()) for run in runs]
        if as_json:
            rows = [
                _replay_output(run, result, subject, with_frames, with_facts)
                for run, (_, result) in zip(runs, replays, strict=True)
            ]
            echo_json(rows[0] if len(rows) == 1 else ReplaysOutput(rows=rows))
        else:
            echo("\n".join(replay_text(replays, subject, unfolded)))
            if with_facts:
                echo("\n".join(line for run in runs for line in fact_lines(run, unfolded)))


def _presets_of(
    names: Sequence[str],
    strategy: str | None,
    stages: Sequence[str],
    assignments: Sequence[str],
    threshold: Threshold | None,
    file: Path | None,
) -> list[Preset]:
    """The presets that the words mean. Raises UsageError, and PresetProblem."""
    if stages:
        if names or strategy not in (None, PIPELINE):
            raise UsageError("--stage makes a pipeline by itself: leave --preset and --strategy out.")
        strategy, assignments = PIPELINE, [*assignments, f"stages={'; '.join(stages)}"]
    names = list(dict.fromkeys(names)) or ([] if strategy else [_DEFAULT])
    return policies(names, strategy, assignments, threshold, file)


def replay_preset(subject: TrialSetup, preset: Preset) -> Replay:
    """A whole replay, with progress on the way."""
    return _run_replay(subject, preset).replay()


def _run_replay(subject: TrialSetup, preset: Preset) -> ReplayRun:
    """A replay after its last frame."""
    run = start_trial(subject, preset)
    turns = len(subject.session.turns(subject.agent)) + 1
    with progress() as on_progress:
        for frame in run.frames():
            on_progress("replaying", frame.turn, turns)
    return run


def _regret_record(regret: Regret) -> RegretRecord:
    more = [record(NeedRecord, need, **{"class": need.cls}) for need in regret.more]
    return record(RegretRecord, regret, more=more, **{"class": regret.cls})


def _replay_output(
    run: ReplayRun, result: Replay, subject: TrialSetup, with_frames: bool, with_facts: bool
) -> ReplayOutput:
    output = record(
        ReplayOutput,
        result,
        compressions=[record(CompactionRecord, event) for event in result.compactions],
        reach=result.facts.reach if result.facts else 1.0,
        retention={name: record(KeptRecord, counts) for name, counts in result.retention.items()},
        regrets=list(map(_regret_record, result.regrets)),
        recalls=list(map(_regret_record, result.recalls)),
        needed_again=needed_again_record(result.rereads),
        fits=not 0 < subject.sizes.limit < result.peak,
        **billed(result),
        weights=dict(subject.weights) if subject.weights else {},
        problems=list(dict.fromkeys(map(str, result.problems))),
        policy=policy_record(run.preset),
        fit=fit_notice(subject.scale, thresholds_of([run.preset])),
        price=record(PriceRecord, subject.price),
        reported=reported_record(reported_calls(subject.session, subject.price, subject.agent)),
    )
    if with_frames:
        output["frames"] = [_frame_record(frame) for frame in result.frames]
    if with_facts:
        output["facts"] = [
            record(AbsentFactRecord, None, **{"class": fact.cls}, fact=fact.text, state=state, message=message)
            for state, fact, message in run.absent()
        ]
    return output


def _frame_record(frame: Frame) -> FrameRecord:
    return record(
        FrameRecord,
        frame,
        sections=dict(zip(SECTIONS, frame.sections, strict=True)),
        compression=frame.compression if frame.compression >= 0 else None,
        sent=frame.is_sent,
        back=frame.back.tokens if frame.back else 0,
    )
