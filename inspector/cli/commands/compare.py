"""`compare`: two presets on one session, or two sessions, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.replay import (
    AlignedTurns,
    Basis,
    Comparison,
    ComparisonVerdict,
    Difference,
    FactDifference,
    FateDifference,
    Lane,
    Pair,
    RecordedSo,
    Regret,
    RetainedFact,
    Side,
    compare_replays,
)
from inspector.cli.arguments import agent_of, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.commands.replay import replay_preset
from inspector.cli.model_summaries import model_option, writer
from inspector.cli.options import agent_option, common, limit_option, read_presets_file, redact_option
from inspector.cli.output import echo, echo_json
from inspector.cli.policy_options import find_policy, subject_of, weights, weights_option
from inspector.cli.schema.values import json_output
from inspector.cli.text.compare_text import comparison_text, comparison_verdict
from inspector.core.conversation import Message
from inspector.core.json_objects import Dollars, Fraction, Tokens
from inspector.engine.compression import Preset
from inspector.engine.facts import Weights
from inspector.engine.strategies import Services
from inspector.engine.window import FateKind

_SIDES: tuple[Side, Side] = ("left", "right")


@json_output()
class LaneOutput:
    """One side of a comparison."""

    session: Annotated[str, "the session's id"]
    title: str
    preset: str
    turns: Annotated[int, "model calls"]
    compressions: int
    peak: Tokens
    tokens_sent: Tokens
    cost: Annotated[Dollars, "with the prompt cache"]
    cost_uncached: Dollars
    basis: Basis
    simulated: Annotated[Dollars, "`cost` without using reported usage, for comparison with other presets"]
    retained: Fraction
    regrets: int
    recalls: int
    valid: bool
    recorded_so: RecordedSo


@json_output()
class BothKeptOutput:
    """The facts of a class on both sides."""

    left: RetainedFact
    right: RetainedFact


@json_output("class=regret.cls turn=regret.turn fact=regret.fact lost_at=regret.lost_at")
class LaneRegretOutput:
    """A reply of the recorded session that needed lost facts, named by the fact with the highest weight."""

    regret: Regret


@json_output()
class CompareOutput:
    """Two replays side by side."""

    left: LaneOutput
    right: LaneOutput
    verdict: Annotated[ComparisonVerdict | None, "of two sessions; null for two presets on one"]
    turns: Annotated[Sequence[Pair], "matched by number"]
    aligned: Annotated[Sequence[AlignedTurns], "turns of two sessions matched by actions; empty for one session"]
    first: Annotated[Difference | None, "null if all windows are equal"]
    at: Annotated[Sequence[int], "the turn of each side that the following keys describe"]
    fates: Annotated[Mapping[Side, Mapping[FateKind, int]], "messages of each fate"]
    kept: Annotated[Mapping[Side, Sequence[FateDifference]], "messages of which this side keeps more"]
    alone: Annotated[Mapping[Side, Sequence[Message]], "messages that only this side received"]
    facts: Annotated[Mapping[str, BothKeptOutput], "by class"]
    facts_kept: Annotated[Mapping[Side, Sequence[FactDifference]], "facts that only this side retains"]
    regrets: Annotated[Mapping[Side, Sequence[LaneRegretOutput]], "of this side only"]


@click.command(epilog='"recorded" is the recording itself, "none" does not compress; see inspector presets.')
@click.argument("targets", nargs=-1, required=True, metavar="SESSION [SESSION]")
@click.option("--preset", "presets", multiple=True, metavar="NAME", help="The preset of both sides, or one per side.")
@read_presets_file
@click.option(
    "--turn",
    type=click.IntRange(1),
    metavar="N",
    help="Compare kept and lost facts at the N-th model call of the first side.",
)
@click.option("--all", "unfolded", is_flag=True, help="List each turn and message on its own line.")
@weights_option
@agent_option
@limit_option
@model_option
@redact_option
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
    """Compare two presets on one session, or two sessions, side by side.

    Shows the first turn where they differ, the tokens of both at every turn, and what one kept and the other lost. One
    preset on one session is compared with the recording. Two sessions are compared as recorded, unless a preset is
    given. Their turns are matched by prompts and tool calls, with gaps where only one has such a turn, and their
    messages by text.
    """
    sides, class_weights = _presets_of_sides(targets, presets, presets_file), weights(weighed)
    with ExitStack() as stack:
        writing = stack.enter_context(writer(by_model))
        left, right = _open_lanes(stack, targets, sides, agent, db, limit, writing.services, class_weights)
        _check_turn(turn, left)
        comparison = compare_replays(left, right, turn)
        if as_json:
            echo_json(_compare_output(comparison))
        else:
            echo("\n".join(comparison_text(comparison, unfolded)))


def _presets_of_sides(targets: Sequence[str], presets: Sequence[str], file: Path | None) -> tuple[Preset, Preset]:
    """Return the presets of both sides. Raises UsageError if the sides are ambiguous."""
    if len(targets) > 2 or len(presets) > 2:
        raise UsageError("compare requires one or two sessions, and at most two presets.")
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
    """Return both sides, replayed. The sessions stay open until the stack is closed."""
    benches = [stack.enter_context(open_session(target, db, limit)) for target in targets]
    subjects = [
        replace(subject_of(bench, agent_of(bench, agent), class_weights), services=services) for bench in benches
    ]
    pairs = zip(subjects * (2 // len(subjects)), presets, strict=True)
    return [Lane(on.session, on.sizes, replay_preset(on, preset), on.known_facts) for on, preset in pairs]


def _check_turn(turn: int | None, left: Lane) -> None:
    turns = len(left.replay.frames)
    if turn is not None and turn > turns:
        raise UsageError(f"There is no turn {turn:,}. The last turn is {turns:,}.")


def _compare_output(comparison: Comparison) -> CompareOutput:
    return CompareOutput(
        left=_lane(comparison.left),
        right=_lane(comparison.right),
        verdict=comparison_verdict(comparison),
        turns=comparison.turns,
        aligned=comparison.aligned,
        first=comparison.first,
        at=comparison.at,
        fates=dict(zip(_SIDES, comparison.fates, strict=True)),
        kept={side: comparison.fuller_messages(side) for side in _SIDES},
        alone=dict(zip(_SIDES, comparison.alone, strict=True)),
        facts={cls: BothKeptOutput(left=left, right=right) for cls, left, right in comparison.by_class()},
        facts_kept={side: comparison.facts_of(side) for side in _SIDES},
        regrets={side: [LaneRegretOutput(regret=one) for one in comparison.regrets(side)] for side in _SIDES},
    )


def _lane(lane: Lane) -> LaneOutput:
    replay = lane.replay
    return LaneOutput(
        session=lane.session.id,
        title=lane.session.title,
        preset=replay.preset,
        turns=replay.turns,
        compressions=len(replay.compactions),
        peak=replay.peak,
        tokens_sent=replay.tokens_sent,
        cost=replay.cost,
        cost_uncached=replay.cost_uncached,
        basis=replay.basis,
        simulated=replay.simulated.total,
        retained=replay.retained,
        regrets=len(replay.regrets),
        recalls=len(replay.recalls),
        valid=replay.valid,
        recorded_so=replay.recorded_so,
    )
