"""`restore`: the facts that a compaction dropped, as a text to give back to the agent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import click

from inspector.analysis.context_loss import LostStep, Restored, restore as restore_facts
from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import UsageError
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, warn
from inspector.cli.schema.values import json_output
from inspector.core.text import plural
from inspector.engine.work_state import WorkHistory
from inspector.library import OpenSession
from inspector.library.diagnosis import Overview, no_compaction

_Place = Literal["hook", "paste", "mcp"]
_MAX_CHARS = {"hook": 10_000}
"""Characters that a place accepts. Coding agents replace a longer output of a hook by a preview."""
_NOTHING = "The new context states everything that the compaction dropped."


@json_output()
class RestoreOutput:
    """The facts that a compaction dropped, as a text for the agent."""

    turn: Annotated[int | None, "of the first request after the compaction; null without one"]
    text: Annotated[str, "empty if nothing was lost"]
    tokens: Annotated[int, "of the text"]
    budget: Annotated[int, "maximum number of tokens"]
    lines: Annotated[Sequence[LostStep], "facts that the text states, in its order"]
    left: Annotated[Sequence[LostStep], "lost facts for which the budget has no room"]
    repeated: Annotated[int, "facts left out because the new context states them"]
    reason: Annotated[str, "why there is no text, in a sentence; empty if there is one"]


@click.command(epilog="inspector lost shows the lost facts by class, and which later turns needed them.")
@target
@turn_option
@agent_option
@click.option(
    "--budget",
    type=click.IntRange(50),
    default=2_400,
    show_default=True,
    metavar="N",
    help="Maximum length in tokens.",
)
@click.option(
    "--for",
    "place",
    type=click.Choice(["hook", "paste", "mcp"]),
    default="paste",
    show_default=True,
    help="Where the text goes. A hook accepts at most 10,000 characters.",
)
@click.option("--explain", is_flag=True, help="Also list the facts that were left out, and why.")
@redact_option
@common
def restore(
    target: str,
    turn: int | None,
    agent: str | None,
    budget: int,
    place: _Place,
    explain: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Print what a compaction dropped as a short text to give back to the agent.

    The text begins with the state of the work. Each line names its turn and source. Facts that the summary or a kept
    message states are not repeated. Without --turn, uses the last compaction. SESSION is a file, FILE#N, or the id of a
    stored session.
    """
    with open_session(target, db) as session:
        _print_restored(session, turn, agent, budget, place, explain, as_json)


@click.command(epilog="inspector restore is the new name of this command.")
@target
@turn_option
@agent_option
@click.option(
    "--tokens", type=click.IntRange(50), default=2_400, show_default=True, metavar="N", help="Same as --budget."
)
@redact_option
@common
def uncompact(target: str, turn: int | None, agent: str | None, tokens: int, db: Path | None, as_json: bool) -> None:
    """Print what a compaction dropped: the former name of inspector restore.

    SESSION is a file, FILE#N, or the id of a stored session.
    """
    warn("uncompact is now called restore; this name stays as an alias.")
    with open_session(target, db) as session:
        _print_restored(session, turn, agent, tokens, "paste", False, as_json)


def _print_restored(
    session: OpenSession, turn: int | None, agent: str | None, budget: int, place: _Place, explain: bool, as_json: bool
) -> None:
    agent = agent_of(session, agent)
    check_turn(session, turn, agent)
    log = session.bench.session
    answer = restore_facts(log, agent, turn, budget, _MAX_CHARS.get(place))
    reason = _no_text_reason(session, answer, turn, agent)
    if as_json:
        echo_json(_restore_output(answer, budget, reason))
    elif answer and answer.text:
        echo(answer.text.rstrip("\n"))
        if explain:
            echo("\n".join(["", *_explanation(answer, budget)]))
    else:
        warn(reason)


def _no_text_reason(session: OpenSession, answer: Restored | None, turn: int | None, agent: str) -> str:
    """Return why there is no text; "" if there is one. Raises UsageError if no compaction precedes the turn."""
    if answer:
        left = f"{plural(len(answer.left), 'fact')} exceed the budget."
        return "" if answer.text else left if answer.left else _NOTHING
    if turn is not None:
        steps = WorkHistory(session.bench.session, agent).transitions()
        turns = ", ".join(f"{one.turn:,}" for one in steps if one.replaced) or "none"
        raise UsageError(f"There is no compaction before turn {turn:,}. Compactions precede these turns: {turns}.")
    return no_compaction(Overview(session.bench, agent, session.library.store))


def _restore_output(answer: Restored | None, budget: int, reason: str) -> RestoreOutput:
    return RestoreOutput(
        turn=answer.turn if answer else None,
        text=answer.text if answer else "",
        tokens=answer.tokens if answer else 0,
        budget=budget,
        lines=answer.used if answer else (),
        left=answer.left if answer else (),
        repeated=answer.repeated if answer else 0,
        reason=reason,
    )


def _explanation(answer: Restored, budget: int) -> list[str]:
    """Return the cost of the text, and the facts that it leaves out."""
    lines = [f"{answer.tokens:,} of {budget:,} tokens, {plural(len(answer.used), 'fact')}"]
    lines.append(f"Not repeated: {plural(answer.repeated, 'fact')} that the new context states")
    if answer.left:
        lines += ["No room for:", *(f"  {step.text}" for step in answer.left)]
    return lines
