"""`lost`: the facts that a compaction or a plan dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import click

from inspector.analysis.context_loss import (
    Loss,
    Losses,
    LossGroup,
    NextCompaction,
    class_words,
    describe_counts,
    describe_kept,
    describe_probes,
    describe_reread,
    describe_seal,
    fact_within,
    group_losses,
    need_words,
    next_compaction,
    next_words,
    plan_losses,
    replaced_words,
)
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import Ink, echo, echo_json, paint, warn, width
from inspector.cli.schema.values import json_output
from inspector.cli.strategy_options import strategy_options
from inspector.cli.text.state_text import state_lines
from inspector.core.text import clip, lines_of, one_line, pad, plural
from inspector.engine.compression import StrategyChoice
from inspector.engine.facts import SENTENCES
from inspector.engine.work_state import Consequence, StateFate
from inspector.library import EarlierSession, OpenSession, recorded_losses
from inspector.library.diagnosis import Overview, no_compaction

_MAX_LOSSES = 12
"""Maximum losses per class without a later need, without `--all`."""
_AT_RISK = ("rule", "prompt", "task", "decision", "command", "failure")
"""Kinds of facts at risk that are listed without `--all`."""
_INKS: Mapping[str, Ink] = {"!": "bad", "?": "warn"}
"""Inks of facts in later replies, by their marks."""
_REWORDED = "a reworded fact may be counted as lost"
_STRATEGY = "To see what a strategy would lose, use --strategy."


@json_output()
class LostOutput:
    """The facts that compactions of the recording, or a plan, dropped."""

    rows: Annotated[Sequence[Losses], "a plan, a compaction, or all compactions with `--all`; empty without any"]
    consequences: Annotated[Sequence[Consequence], "what followed these compactions"]
    state: Annotated[
        Sequence[StateFate], "items of the state before these compactions, and statements of the summaries"
    ]
    earlier: Annotated[
        EarlierSession | None, "the session that contains what the compaction dropped with which this one begins"
    ]
    reason: Annotated[str, "why there is no row, in a sentence; empty if there is one"]
    next: Annotated[NextCompaction | None, "with `--next`: content that the tool would remove"] = None


@click.command(epilog="inspector restore prints the lost facts as a text to give back to the agent.")
@target
@strategy_options
@turn_option
@agent_option
@click.option("--next", "is_next", is_flag=True, help="Show what a compaction by the recorded tool would remove.")
@click.option("--all", "unfolded", is_flag=True, help="List all compactions, and each fact on its own line.")
@redact_option
@common
def lost(
    target: str,
    choice: StrategyChoice | None,
    force: bool,
    turn: int | None,
    agent: str | None,
    is_next: bool,
    unfolded: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Show which facts a compaction dropped, and which later turns needed them.

    Without --turn, shows the last compaction that lost facts, and the others on one line each. With a strategy or a
    preset, shows what it would lose at the turn. With --next, shows which facts are at risk if the recorded tool
    compacted at the turn, or now, and what to write to the tool to keep them. SESSION is a file, FILE#N, or the id of a
    stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        if is_next:
            _print_next(session, agent, unfolded, as_json, choice, turn)
            return
        if choice is not None:
            rows = [_of_plan(session, choice, force, turn, agent)]
        else:
            rows = _of_recording(session, turn, agent)
        chosen = rows if unfolded or turn or choice else _last(rows)
        reason = "" if rows else f"{no_compaction(Overview(session.bench, agent, session.library.store))} {_STRATEGY}"
        if as_json:
            echo_json(_lost_output(chosen, Overview(session.bench, agent, session.library.store).earlier, reason))
        elif rows:
            echo("\n".join(_text(rows, chosen, unfolded)))
        else:
            warn(reason)


def _print_next(
    session: OpenSession, agent: str, unfolded: bool, as_json: bool, choice: StrategyChoice | None, turn: int | None
) -> None:
    if choice is not None:
        raise UsageError("--next does not go with a strategy or a preset.")
    following = next_compaction(session.bench.session, session.bench.sizes, agent, turn)
    if as_json:
        earlier = Overview(session.bench, agent, session.library.store).earlier
        echo_json(LostOutput(rows=(), consequences=(), state=(), earlier=earlier, reason="", next=following))
        return
    echo("\n".join(_next_lines(following, unfolded)))


def _next_lines(following: NextCompaction, unfolded: bool) -> Iterator[str]:
    """Yield what the next compaction would remove, and the note that keeps it."""
    yield paint(f"If it compacted before turn {following.turn:,}", "strong")
    yield from lines_of(replaced_words(following), width())
    if not following.lines:
        yield "No fact is at risk."
        return
    yield from lines_of(f"At risk, unless the summary states them: {next_words(following) or 'the state'}", width())
    rows = following.lines if unfolded else [line for line in following.lines if line.kind in _AT_RISK][:_MAX_LOSSES]
    for line in rows:
        yield f"· {line.kind:<9} {clip(line.text, width() - 12)}"
    if len(rows) < len(following.lines):
        yield paint(f"  … {len(following.lines) - len(rows):,} more; --all lists them", "dim")
    if following.note:
        yield from ("", paint("To keep them, write to the tool:", "strong"), following.note)


def _lost_output(rows: Sequence[Losses], earlier: EarlierSession | None, reason: str) -> LostOutput:
    consequences = [one for losses in rows for one in losses.consequences]
    return LostOutput(
        rows=rows,
        consequences=consequences,
        state=[one for row in rows for one in row.state],
        earlier=earlier,
        reason=reason,
    )


def _of_plan(session: OpenSession, choice: StrategyChoice, force: bool, turn: int | None, agent: str) -> Losses:
    bench = session.bench
    preview = bench.preview_draft(partial(choice.draft, force=force), turn, agent)
    losses = plan_losses(bench.session, bench.fact_index(), preview.recorded, preview.after, preview.plans)
    assert losses is not None, "never cancelled"
    return losses


def _of_recording(session: OpenSession, turn: int | None, agent: str) -> list[Losses]:
    """Return the losses of the compactions, or of the one at a turn. Raises UsageError if it does not exist."""
    history = recorded_losses(session.bench, agent)
    assert history is not None, "never cancelled"
    if turn is None:
        return list(history.compactions)
    if turn not in history.by_turn:
        turns = ", ".join(f"{number:,}" for number in history.by_turn) or "none"
        raise UsageError(f"There is no compaction before turn {turn:,}. Compactions precede these turns: {turns}.")
    return [history.by_turn[turn]]


def _last(rows: Sequence[Losses]) -> list[Losses]:
    """Return the last row with losses, or the last row if none has any."""
    return [row for row in rows if row.losses or row.consequences][-1:] or list(rows[-1:])


def _text(rows: Sequence[Losses], chosen: Sequence[Losses], unfolded: bool) -> Iterator[str]:
    for number, losses in enumerate(chosen):
        if number:
            yield ""
        yield from _losses_lines(losses, unfolded)
    others = [row for row in rows if row not in chosen]
    if others:
        yield from ("", paint("Other compactions", "strong"))
        for row in others:
            line = f"  turn {row.turn:,}: {row.sizes}, {describe_counts(row)}"
            yield paint(clip(line, width()), "dim")


def _losses_lines(losses: Losses, unfolded: bool) -> Iterator[str]:
    sizes = f"{losses.sizes} tokens{', more than before' if losses.sizes.grew else ''}"
    yield paint(f"turn {losses.turn:,}: {sizes}", "strong")
    for words in filter(None, _remarks(losses)):
        yield from (paint(line, "dim") for line in lines_of(words, width()))
    yield from state_lines(losses, unfolded)
    yield ""
    groups = group_losses(losses.losses)
    for group in groups:
        yield from _loss_group_lines(group, len(group.losses) if unfolded else _listed_count(group))
    if not unfolded and any(_listed_count(group) < len(group.losses) for group in groups):
        yield from ("", paint("--all lists every fact.", "dim"))


def _listed_count(group: LossGroup) -> int:
    """Return how many facts of a group are listed without `--all`."""
    return len(group.losses) if group.cls is None else 0 if group.is_noise else min(_MAX_LOSSES, len(group.losses))


def _loss_group_lines(group: LossGroup, count: int) -> Iterator[str]:
    yield paint(group.heading, "warn" if group.cls is None else "strong")
    for loss in group.losses[:count]:
        yield from _loss_lines(loss)
    if 0 < count < len(group.losses):
        yield paint(f"  … {len(group.losses) - count:,} more", "dim")


def _remarks(losses: Losses) -> Iterator[str]:
    yield describe_seal(losses)
    yield "; ".join(filter(None, (f"{plural(losses.covered, 'message')} removed or shortened", describe_kept(losses))))
    yield describe_reread(losses)
    yield describe_probes(losses)
    if any(cls in SENTENCES for cls in losses.counts):
        yield _REWORDED


def _loss_lines(loss: Loss) -> Iterator[str]:
    ink = _INKS.get(loss.mark)
    sign = paint(loss.mark, ink)
    place = f"#{loss.position}" if loss.position else ""
    room = max(20, width() - 28)
    yield f"{sign} {class_words(loss.cls):<16} {pad(fact_within(loss, room - 1), room)} {place:>7}"
    for need_event in loss.needed:
        words = f"{need_words(need_event.how)} at turn {need_event.turn:,}" + (
            f": {one_line(need_event.quote)}" if need_event.quote else ""
        )
        yield paint(f"  {'':<16} {clip(words, width() - 19)}", ink)
