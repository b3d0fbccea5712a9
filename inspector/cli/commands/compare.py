"""`compare`: two presets on one session, or two sessions, as two lanes side by side."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import agent_of, opened
from inspector.cli.commands.policies import kept_json, named, subject_of, weights, weights_option
from inspector.cli.commands.replay import replayed
from inspector.cli.errors import UsageError
from inspector.cli.options import agent_option, common, limit_option, read_presets_file
from inspector.cli.output import say, say_json
from inspector.cli.text.compare import comparison_text
from inspector.cli.writing import model_option, writer
from inspector.compression import Preset
from inspector.conversation import Message
from inspector.facts import Weights
from inspector.replay import Comparison, Difference, FateDifference, Lane, Pair, PartedFact, Side
from inspector.replay.compare import compare as compared
from inspector.strategies import Services

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
    chosen, weighing = sides(targets, presets, presets_file), weights(weighed)
    with ExitStack() as stack:
        writing = stack.enter_context(writer(by_model))
        left, right = lanes(stack, targets, chosen, agent, db, limit, writing.aids, weighing)
        _check_turn(turn, left, right)
        found = compared(left, right, turn)
        if as_json:
            say_json(_comparison_json(found))
        else:
            say("\n".join(comparison_text(found, unfolded)))


def sides(targets: Sequence[str], presets: Sequence[str], file: Path | None) -> tuple[Preset, Preset]:
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
    return named(names[0], file), named(names[-1], file)


def lanes(
    stack: ExitStack,
    targets: Sequence[str],
    presets: tuple[Preset, Preset],
    agent: str | None,
    db: Path | None,
    limit: int,
    aids: Services,
    weighing: Weights,
) -> list[Lane]:
    """Both sides, replayed. The sessions stay open until the stack is left."""
    benches = [stack.enter_context(opened(target, db, limit)) for target in targets]
    subjects = [replace(subject_of(bench, agent_of(bench, agent), weighing), aids=aids) for bench in benches]
    pairs = zip(subjects * (2 // len(subjects)), presets, strict=True)
    return [Lane(on.session, on.sizes, replayed(on, preset), on.facts) for on, preset in pairs]


def _check_turn(turn: int | None, left: Lane, right: Lane) -> None:
    turns = min(len(left.replay.frames), len(right.replay.frames))
    if turn is not None and turn > turns:
        raise UsageError(f"There is no turn {turn:,} on both sides: {turns:,} is the last.")


def _comparison_json(found: Comparison) -> dict[str, Any]:
    return {
        "left": _lane_json(found.left),
        "right": _lane_json(found.right),
        "turns": [_pair_json(pair) for pair in found.turns],
        "first": _first_json(found.first),
        "at": list(found.at),
        "fates": {"left": dict(found.fates[0]), "right": dict(found.fates[1])},
        "kept": {side: [_parted_json(each) for each in found.kept_by(side)] for side in _SIDES},
        "alone": {side: [message_json(each) for each in found.alone[place]] for place, side in enumerate(_SIDES)},
        "facts": {cls: {"left": kept_json(left), "right": kept_json(right)} for cls, left, right in found.by_class()},
        "facts_kept": {side: [_fact_json(each) for each in found.facts_kept_by(side)] for side in _SIDES},
        "regrets": {
            side: [
                {"turn": each.turn, "fact": each.fact, "class": each.cls, "lost_at": each.lost_at}
                for each in found.regrets(side)
            ]
            for side in _SIDES
        },
    }


def _lane_json(lane: Lane) -> dict[str, Any]:
    done = lane.replay
    return {
        "session": lane.session.id,
        "title": lane.session.title,
        "preset": done.preset,
        "turns": done.turns,
        "compressions": len(done.compactions),
        "peak": done.peak,
        "tokens_sent": done.tokens_sent,
        "cost": done.cost,
        "cost_uncached": done.uncached,
        "retained": done.retained,
        "regrets": len(done.regrets),
        "valid": done.valid,
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    totals = [frame.total if frame else None for frame in (pair.left, pair.right)]
    return {"turn": pair.turn, "left": totals[0], "right": totals[1], "same": pair.same}


def _first_json(first: Difference | None) -> dict[str, Any] | None:
    if first is None:
        return None
    told = {"turn": first.turn, "same_before": first.place}
    return told | {"left": message_json(first.left), "right": message_json(first.right)}


def message_json(message: Message | None) -> dict[str, Any] | None:
    if message is None:
        return None
    return {"id": message.id, "role": message.role, "kind": message.kind, "preview": message.preview}


def _parted_json(each: FateDifference) -> dict[str, Any]:
    return {
        "id": each.left.id,
        "other": each.right.id,
        "role": each.left.role,
        "tokens": each.tokens,
        "left": each.fates[0],
        "right": each.fates[1],
        "preview": each.left.preview,
    }


def _fact_json(each: PartedFact) -> dict[str, Any]:
    return {
        "class": each.cls,
        "fact": each.text,
        "message": each.message,
        "left": each.states[0],
        "right": each.states[1],
    }
