"""`replay`: simulate a recorded session under another memory policy, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.experiments import TrialSetup, start_trial
from inspector.analysis.replay import Frame, Replay, ReplayRun, reported_calls
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, read_presets_file, redact_option, set_option, strategy_option
from inspector.cli.output import echo, echo_json, progress
from inspector.cli.policy_options import (
    ByWeight,
    Reported,
    policies,
    policy_threshold,
    presets_option,
    subject_of,
    weights,
    weights_option,
)
from inspector.cli.schema.values import Fit, Problems, json_output
from inspector.cli.strategy_options import PIPELINE, stage_option
from inspector.cli.text.replay_text import fact_lines, replay_text
from inspector.core.json_objects import Dollars
from inspector.engine.compression import Preset, Threshold, fit_notice, thresholds_of
from inspector.engine.facts import State
from inspector.engine.window import Fall, falls_of
from inspector.library import OpenSession, kept_replay
from inspector.llm.models import Price

_DEFAULT = "balanced"


@json_output("class=cls fact state message")
class AbsentFactOutput:
    """A fact that is not in the window at the end of the session."""

    cls: Annotated[str, "of facts"]
    fact: str
    state: State
    message: Annotated[str, "id of the first message that contains it"]


@json_output(
    "preset=replay.preset agent=replay.agent turns=replay.turns compressions=replay.compactions peak=replay.peak"
    " tokens_sent=replay.tokens_sent tokens_back=replay.tokens_back certainty=replay.certainty cost=replay.cost"
    " cost_uncached=replay.cost_uncached basis=replay.basis simulated parts=replay.parts cache=replay.lifetime"
    " retained=replay.retained reach=replay.reach retention=replay.retention regrets=replay.regrets"
    " recalls=replay.recalls needed_again=replay.rereads valid=replay.valid recorded_so=replay.recorded_so fits weights"
    " problems gave_up=replay.gave_up policy threshold=replay.threshold fit price reported falls"
    " state_kept=replay.state.share going_on=replay.state.going_on"
    " revived=replay.state.revived invented=replay.state.invented unchecked=replay.state.unchecked sealed=replay.sealed"
    " reused=replay.reused questions=replay.questions frames facts",
    optional="frames facts",
)
class ReplayOutput:
    """A session under a preset, from its first turn to its last."""

    replay: Replay
    simulated: Annotated[Dollars, "`cost` without using reported usage, for comparison with other presets"]
    fits: Annotated[bool, "true if every window fits the model's"]
    weights: ByWeight
    problems: Problems
    policy: Preset
    fit: Fit
    price: Price
    reported: Reported
    falls: Annotated[Sequence[Fall], "of the reported size in the recording, which no record explains"]
    frames: Annotated[Sequence[Frame] | None, "with `--frames`"]
    facts: Annotated[Sequence[AbsentFactOutput] | None, "with `--facts`"]


@json_output()
class ReplaysOutput:
    """Replays under several presets."""

    rows: Sequence[ReplayOutput]


@click.command(epilog="inspector tune compares presets; inspector presets lists them.")
@click.argument("target", metavar="SESSION")
@presets_option
@strategy_option
@stage_option
@set_option
@policy_threshold
@weights_option
@click.option("--frames", "with_frames", is_flag=True, help="Include each turn in the JSON.")
@click.option("--facts", "lists_facts", is_flag=True, help="List facts that are not in the window at the end.")
@click.option("--all", "unfolded", is_flag=True, help="List each compression and regret on its own line.")
@agent_option
@read_presets_file
@model_option
@redact_option
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
    lists_facts: bool,
    unfolded: bool,
    agent: str | None,
    presets_file: Path | None,
    by_model: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Replay a session under a preset, turn by turn.

    Shows the window at every turn, each compression, tokens and cost, retained facts, and the facts that the recorded
    session reused after they were lost. Without --preset, uses balanced; several presets are shown as rows. Stored data
    and files are not changed. SESSION is a file, FILE#N, or the id of a stored session.
    """
    if with_frames and not as_json:
        raise UsageError("--frames requires --json.")
    presets, class_weights = (
        _presets_of(names, strategy, stages, assignments, threshold, presets_file),
        weights(weighed),
    )
    with open_session(target, db) as session, writer(by_model) as writing:
        agent = agent_of(session, agent)
        subject = subject_of(session, agent, class_weights)
        if by_model:
            subject = replace(subject, services=writing.services)

        runs, replays = _replays_of(session, subject, presets, lists_facts)
        if as_json:
            rows = [
                _replay_output(preset, result, subject, with_frames, run)
                for (preset, result), run in zip_longest(replays, runs)
            ]
            echo_json(rows[0] if len(rows) == 1 else ReplaysOutput(rows=rows))
        else:
            echo("\n".join(replay_text(replays, subject, unfolded)))
            if lists_facts:
                echo("\n".join(line for run in runs for line in fact_lines(run, unfolded)))


def _replays_of(
    session: OpenSession, subject: TrialSetup, presets: Sequence[Preset], lists_facts: bool
) -> tuple[list[ReplayRun], list[tuple[Preset, Replay]]]:
    """Return the replays of some presets, and the runs with their facts if these are listed; then none is kept."""

    def run(preset: Preset) -> ReplayRun:
        return _run_replay(subject, preset)

    def result_of(preset: Preset) -> Replay:
        return run(preset).replay()

    if lists_facts:
        runs = list(map(run, presets))
        return runs, [(run.preset, run.replay()) for run in runs]
    return [], [(one, kept_replay(session.bench, subject, one, partial(result_of, one))) for one in presets]


def _presets_of(
    names: Sequence[str],
    strategy: str | None,
    stages: Sequence[str],
    assignments: Sequence[str],
    threshold: Threshold | None,
    file: Path | None,
) -> list[Preset]:
    """Return the requested presets. Raises UsageError and PresetProblem."""
    if stages:
        if names or strategy not in (None, PIPELINE):
            raise UsageError("--stage cannot be combined with --preset or --strategy.")
        strategy, assignments = PIPELINE, [*assignments, f"stages={'; '.join(stages)}"]
    names = list(dict.fromkeys(names)) or ([] if strategy else [_DEFAULT])
    return policies(names, strategy, assignments, threshold, file)


def replay_preset(subject: TrialSetup, preset: Preset) -> Replay:
    """Return a complete replay, with progress on the terminal."""
    return _run_replay(subject, preset).replay()


def _run_replay(subject: TrialSetup, preset: Preset) -> ReplayRun:
    """Return a replay after its last frame."""
    run = start_trial(subject, preset)
    turns = len(subject.session.turns(subject.agent)) + 1
    with progress() as on_progress:
        for frame in run.frames():
            on_progress("replaying", frame.turn, turns)
    return run


def _replay_output(
    preset: Preset, result: Replay, subject: TrialSetup, with_frames: bool, run: ReplayRun | None
) -> ReplayOutput:
    """Return the output for one preset.

    Args:
        preset: The preset.
        result: Its replay.
        subject: The replayed session.
        with_frames: Include each turn.
        run: The replay with its facts, to list those that are not in the window; None to list none.
    """
    absent = [
        AbsentFactOutput(cls=fact.cls, fact=fact.text, state=state, message=message)
        for state, fact, message in (run.absent() if run else ())
    ]
    return ReplayOutput(
        replay=result,
        simulated=result.simulated.total,
        fits=not 0 < subject.sizes.limit < result.peak,
        weights=subject.weights or {},
        problems=list(dict.fromkeys(map(str, result.problems))),
        policy=preset,
        fit=fit_notice(subject.scale, thresholds_of([preset])),
        price=subject.price,
        reported=reported_calls(subject.session, subject.price, subject.agent),
        falls=falls_of(subject.session, subject.sizes, subject.agent),
        frames=result.frames if with_frames else None,
        facts=absent if run else None,
    )
