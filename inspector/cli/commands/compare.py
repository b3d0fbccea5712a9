"""`compare`: two presets on one session, or two sessions, as two lanes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from inspector.analysis.replay import (
    Comparison,
    Difference,
    FactDifference,
    FateDifference,
    Lane,
    Pair,
    Side,
    compare_replays,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.commands.replay import replay_preset
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, limit_option, read_presets_file
from inspector.cli.output import echo, echo_json
from inspector.cli.policy_options import find_policy, subject_of, weights, weights_option
from inspector.cli.schema import record
from inspector.cli.schema.trials_schema import (
    BothKeptRecord,
    CompareOutput,
    FactDifferenceRecord,
    FateDifferenceRecord,
    FirstDifferenceRecord,
    LaneRecord,
    LaneRegretRecord,
    MessageLineRecord,
    PairRecord,
)
from inspector.cli.schema.values import KeptRecord
from inspector.cli.text.compare_text import comparison_text
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.engine.strategies import Services

_SIDES: tuple[Side, Side] = ("left", "right")


@click.command(epilog='"recorded" is what the recording did itself, "none" compresses nothing; see inspector presets.')
@click.argument("targets", nargs=-1, required=True, metavar="SESSION [SESSION]")
@click.option(
    "--preset", "presets", multiple=True, metavar="NAME", help="What each is replayed under; one for both, or two."
)
@read_presets_file
@click.option("--turn", type=click.IntRange(1), metavar="N", help="Tell what is kept and lost at the N-th model call.")
@click.option("--all", "unfolded", is_flag=True, help="Every turn and every message on a line of its own.")
@weights_option
@agent_option
@limit_option
@model_option
@common
def compare(
    targets: Sequence[str],
    presets: Sequence[str],
    presets_file: Path | None,
    turn: int | None,
    unfolded: bool,
    weighed: Sequence[str],
    agent: str | None,
    limit: int,
    by_model: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Set two presets on one session side by side, or two sessions.

    Shows the first turn where they differ, the tokens of both at every turn, and what one kept that the other lost.
    With one session and one preset, that is compared with what was recorded; two sessions are compared as they were
    recorded, unless a preset is named. Turns are matched by number, messages of two sessions by what they say.
    """
    sides, class_weights = _presets_of_sides(targets, presets, presets_file), weights(weighed)
    with ExitStack() as stack:
        writing = stack.enter_context(writer(by_model))
        left, right = _open_lanes(stack, targets, sides, agent, db, limit, writing.services, class_weights)
        _check_turn(turn, left, right)
        comparison = compare_replays(left, right, turn)
        if as_json:
            echo_json(_compare_output(comparison))
        else:
            echo("\n".join(comparison_text(comparison, unfolded)))


def _presets_of_sides(targets: Sequence[str], presets: Sequence[str], file: Path | None) -> tuple[Preset, Preset]:
    """The presets of both sides. Raises UsageError where it is not clear what is to be compared."""
    if len(targets) > 2 or len(presets) > 2:
        raise UsageError("compare takes one or two sessions, and one or two presets.")
    if len(targets) == 1 and not presets:
        raise UsageError("Name two presets with --preset, or a second session.")
    names = list(presets) or ["recorded"]
    if len(targets) == 1 and len(names) == 1:
        names.insert(0, "recorded")
    if len(targets) == 1 and names[0] == names[1]:
        raise UsageError(f"Both sides are {names[0]}: name another preset, or a second session.")
    return find_policy(names[0], file), find_policy(names[-1], file)


def _open_lanes(
    stack: ExitStack,
    targets: Sequence[str],
    presets: tuple[Preset, Preset],
    agent: str | None,
    db: Path | None,
    limit: int,
    services: Services,
    class_weights: Weights,
) -> list[Lane]:
    """Both sides, replayed. The sessions stay open until the stack is left."""
    benches = [stack.enter_context(open_session(target, db, limit)) for target in targets]
    subjects = [
        replace(subject_of(bench, agent_of(bench, agent), class_weights), services=services) for bench in benches
    ]
    pairs = zip(subjects * (2 // len(subjects)), presets, strict=True)
    return [Lane(on.session, on.sizes, replay_preset(on, preset), on.facts) for on, preset in pairs]


def _check_turn(turn: int | None, left: Lane, right: Lane) -> None:
    turns = min(len(left.replay.frames), len(right.replay.frames))
    if turn is not None and turn > turns:
        raise UsageError(f"There is no turn {turn:,} on both sides: {turns:,} is the last.")


def _compare_output(comparison: Comparison) -> CompareOutput:
    return CompareOutput(
        left=_lane_record(comparison.left),
        right=_lane_record(comparison.right),
        turns=[_pair_record(pair) for pair in comparison.turns],
        first=_first_record(comparison.first) if comparison.first else None,
        at=comparison.at,
        fates={"left": comparison.fates[0], "right": comparison.fates[1]},
        kept={side: [_fate_record(difference) for difference in comparison.fuller_messages(side)] for side in _SIDES},
        alone={
            side: [record(MessageLineRecord, message) for message in comparison.alone[place]]
            for place, side in enumerate(_SIDES)
        },
        facts={
            cls: BothKeptRecord(left=record(KeptRecord, left), right=record(KeptRecord, right))
            for cls, left, right in comparison.by_class()
        },
        facts_kept={side: [_fact_record(fact) for fact in comparison.facts_of(side)] for side in _SIDES},
        regrets={
            side: [record(LaneRegretRecord, regret, **{"class": regret.cls}) for regret in comparison.regrets(side)]
            for side in _SIDES
        },
    )


def _lane_record(lane: Lane) -> LaneRecord:
    replay = lane.replay
    return record(
        LaneRecord,
        replay,
        session=lane.session.id,
        title=lane.session.title,
        compressions=len(replay.compactions),
        regrets=len(replay.regrets),
        recalls=len(replay.recalls),
        simulated=replay.simulated.total,
    )


def _pair_record(pair: Pair) -> PairRecord:
    left, right = (frame.total if frame else None for frame in (pair.left, pair.right))
    return record(PairRecord, pair, left=left, right=right)


def _first_record(first: Difference) -> FirstDifferenceRecord:
    left, right = (message and record(MessageLineRecord, message) for message in (first.left, first.right))
    return record(FirstDifferenceRecord, first, same_before=first.place, left=left, right=right)


def _fate_record(pair: FateDifference) -> FateDifferenceRecord:
    left, right = pair.fates
    return record(FateDifferenceRecord, pair.left, other=pair.right.id, tokens=pair.tokens, left=left, right=right)


def _fact_record(fact: FactDifference) -> FactDifferenceRecord:
    left, right = fact.states
    values = {"class": fact.cls, "fact": fact.text}
    return record(FactDifferenceRecord, fact, **values, left=left, right=right)
