"""`replay`: a recorded session under another memory policy, turn by turn, and what that would have come to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import agent_of, opened
from inspector.cli.commands.policies import (
    kept_json,
    policies,
    policy_json,
    presets_option,
    price_json,
    reported_json,
    subject_of,
    threshold_option,
    weights,
    weights_option,
)
from inspector.cli.errors import UsageError
from inspector.cli.options import agent_option, common, read_presets_file, set_option, strategy_option
from inspector.cli.output import progress, say, say_json
from inspector.cli.text.replay import fact_lines, replay_text
from inspector.cli.ways import PIPELINE, stage_option
from inspector.cli.writing import model_option, writer
from inspector.compression import Preset
from inspector.experiments import TrialSetup, begun
from inspector.replay import Compaction, Frame, Regret, Replay, ReplayRun
from inspector.replay.reported import reported
from inspector.window import SECTIONS

_DEFAULT = "balanced"


@click.command(epilog="inspector tune compares presets; inspector presets lists them.")
@click.argument("target", metavar="SESSION")
@presets_option
@strategy_option
@stage_option
@set_option
@threshold_option
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
    given: Sequence[str],
    threshold: int | None,
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
    presets, weighing = asked(names, strategy, stages, given, threshold, presets_file), weights(weighed)
    with opened(target, db) as session, writer(by_model) as writing:
        agent = agent_of(session, agent)
        subject = subject_of(session, agent, weighing)
        if by_model:
            subject = replace(subject, aids=writing.aids)
        ran = [finished(subject, preset) for preset in presets]
        done = [(running.preset, running.replay()) for running in ran]
        if as_json:
            found = [
                _replay_json(made, preset, subject, with_frames)
                | ({"facts": _facts_json(running)} if with_facts else {})
                for running, (preset, made) in zip(ran, done, strict=True)
            ]
            say_json(found[0] if len(found) == 1 else {"rows": found})
        else:
            say("\n".join(replay_text(done, subject, unfolded)))
            if with_facts:
                say("\n".join(line for running in ran for line in fact_lines(running, unfolded)))


def asked(
    names: Sequence[str],
    strategy: str | None,
    stages: Sequence[str],
    given: Sequence[str],
    threshold: int | None,
    file: Path | None,
) -> list[Preset]:
    """The presets that the words mean. Raises UsageError, and PresetProblem."""
    if stages:
        if names or strategy not in (None, PIPELINE):
            raise UsageError("--stage makes a pipeline by itself: leave --preset and --strategy out.")
        strategy, given = PIPELINE, [*given, f"stages={'; '.join(stages)}"]
    names = list(dict.fromkeys(names)) or ([] if strategy else [_DEFAULT])
    return policies(names, strategy, given, threshold, file)


def replayed(subject: TrialSetup, preset: Preset) -> Replay:
    """A whole replay, with progress on the way."""
    return finished(subject, preset).replay()


def finished(subject: TrialSetup, preset: Preset) -> ReplayRun:
    """A replay after its last frame."""
    running = begun(subject, preset)
    turns = len(subject.session.turns(subject.agent)) + 1
    with progress() as tell:
        for frame in running.frames():
            tell("replaying", frame.turn, turns)
    return running


def _replay_json(done: Replay, preset: Preset, subject: TrialSetup, with_frames: bool) -> dict[str, Any]:
    found = {
        "preset": done.preset,
        "agent": done.agent,
        "turns": done.turns,
        "compressions": [_compaction_json(each) for each in done.compactions],
        "peak": done.peak,
        "tokens_sent": done.tokens_sent,
        "cost": done.cost,
        "cost_uncached": done.uncached,
        "retained": done.retained,
        "reach": done.facts.reach if done.facts else 1.0,
        "retention": {name: kept_json(kept) for name, kept in done.retention.items()},
        "regrets": [_regret_json(each) for each in done.regrets],
        "valid": done.valid,
        "fits": not 0 < subject.sizes.limit < done.peak,
        "weights": dict(subject.weights or {}),
        "problems": list(dict.fromkeys(map(str, done.problems))),
        "gave_up": done.gave_up,
        "policy": policy_json(preset),
        "price": price_json(subject.price),
        "reported": reported_json(reported(subject.session, subject.price, subject.agent)),
    }
    return found | ({"frames": [_frame_json(frame) for frame in done.frames]} if with_frames else {})


def _facts_json(done: ReplayRun) -> list[dict[str, str]]:
    """The facts that the window does not tell as the session ends, and the message that told each first."""
    return [
        {"class": known.cls, "fact": known.text, "state": state, "message": message}
        for state, known, message in done.absent()
    ]


def _compaction_json(made: Compaction) -> dict[str, Any]:
    told = ("turn", "before", "after", "strategy", "covered", "reversible")
    return {name: getattr(made, name) for name in told}


def _regret_json(regret: Regret) -> dict[str, Any]:
    return {
        "turn": regret.turn,
        "fact": regret.fact,
        "class": regret.cls,
        "lost_at": regret.lost_at,
        "message": regret.message,
        "source": regret.source,
    }


def _frame_json(frame: Frame) -> dict[str, Any]:
    """One turn; the last is the context as it now stands, which was not sent."""
    return {
        "turn": frame.turn,
        "sent": frame.sent,
        "total": frame.total,
        "sections": dict(zip(SECTIONS, frame.sections, strict=True)),
        "full": frame.full,
        "messages": frame.messages,
        "compression": frame.compression if frame.compression >= 0 else None,
        "cost": frame.cost,
        "cost_uncached": frame.uncached,
    }
