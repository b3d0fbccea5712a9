"""`state`: the state of the work at a turn: where, whose turn, rules, tasks, plans, and what is running."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, paint
from inspector.cli.schema.values import json_output
from inspector.cli.text.state_text import item_lines
from inspector.cli.text.window_text import heading
from inspector.core.conversation import Session
from inspector.core.json_objects import Turn
from inspector.engine.work_state import ACTORS, Actor, StateItem, StatePart, WorkHistory, WorkState


@json_output()
class StateOutput:
    """The state of the work at a turn."""

    turn: Turn
    agent: str
    next: Annotated[Actor, "who acts next; empty without a message"]
    language: Annotated[str, "of the newest replies, as a code such as `de`; empty if unknown"]
    items: Annotated[Sequence[StateItem], "that hold at the turn, by part, oldest first"]
    ended: Annotated[Sequence[StateItem], "that a message has ended, such as withdrawn rules"]
    not_recorded: Annotated[Sequence[str], "parts that the format does not record and no command states"]


@click.command(epilog="inspector lost shows what a compaction made of the state.")
@target
@turn_option
@agent_option
@click.option("--all", "unfolded", is_flag=True, help="List all items.")
@redact_option
@common
def state(target: str, turn: int | None, agent: str | None, unfolded: bool, db: Path | None, as_json: bool) -> None:
    """Show the state of the work at a turn: folder, request, rules, tasks, plans, processes.

    Without --turn, shows the newest state. Each item names the message that set it. SESSION is a file, FILE#N, or the
    id of a stored session.
    """
    with open_session(target, db) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        log = session.bench.session
        work = WorkHistory(log, agent).at_turn(turn)
        turns = session.bench.turns(agent)
        if as_json:
            echo_json(_state_output(work, turn or turns + 1, agent, log))
            return
        places = {message.id: place for place, message in enumerate(log.messages)}
        when = f"State before turn {turn:,}" if turn and turn <= turns else "State now"
        echo("\n".join([*heading(log), "", paint(f"{when}: {ACTORS[work.actor]} acts next", "strong")]))
        echo("\n".join(item_lines(work, places, unfolded)))
        if missing := _not_recorded(work, log):
            echo(paint(f"Not recorded: {', '.join(missing)}", "dim"))


def _state_output(work: WorkState, turn: int, agent: str, log: Session) -> StateOutput:
    ended = [item for rows in work.items.values() for item in rows.values() if not item.holds]
    missing = _not_recorded(work, log)
    return StateOutput(
        turn=turn,
        agent=agent,
        next=work.actor,
        language=work.language,
        items=[*work],
        ended=ended,
        not_recorded=missing,
    )


def _not_recorded(work: WorkState, log: Session) -> list[str]:
    """Return the parts that are not stated: folder and mode, and without any call what only calls tell."""
    parts: tuple[StatePart, ...] = ("where", "mode")
    if not any(message.calls for message in log.messages):
        parts = (*parts, "task", "running", "file", "failure")
    return [part for part in parts if not work.all(part)]
