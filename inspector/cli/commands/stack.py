"""`undo`, `pin` and `drop`: change the stack of plans of a stored session."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import click

from inspector.cli.arguments import agent_of, check_turn, open_session
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.options import agent_option, common, redact_option, target, turn_option
from inspector.cli.output import echo, echo_json, report_on_output_error, width
from inspector.cli.redacted_rows import redacted_rows
from inspector.cli.schema.values import Problems, json_output
from inspector.core.json_objects import Tokens
from inspector.core.text import clip, plural, turn_name
from inspector.engine.window import Plan
from inspector.library import OpenSession, Preview, RefusedError

_UNCHANGED = "Nothing was changed."
RANGE = re.compile(r"#?(\d+)(?:[-–](\d+))?")


@json_output()
class UndoOutput:
    """The plan that was removed from the stack."""

    session: Annotated[str, "the session's id"]
    agent: str
    undone: Annotated[Plan | None, "null if there was none"]
    plans: Annotated[int, "remaining plans"]


@json_output()
class _WindowAfter:
    """The window after a manual change."""

    session: Annotated[str, "the session's id"]
    agent: str
    total: Tokens
    valid: bool
    problems: Problems


@json_output(inline="after", optional="pinned kept")
class PinOutput:
    """Messages that were pinned, or unpinned with `--undo`, and the window after it."""

    after: _WindowAfter
    pinned: Annotated[Sequence[str] | None, "ids"] = None
    kept: Annotated[Sequence[str] | None, "ids; with --undo"] = None


@json_output(inline="after")
class DropOutput:
    """Messages that were dropped, and the window after it."""

    after: _WindowAfter
    dropped: Annotated[Sequence[str], "ids, including those of the calls and results that belong to them"]


@click.command()
@target
@agent_option
@redact_option
@common
def undo(target: str, agent: str | None, db: Path | None, as_json: bool) -> None:
    """Remove the newest plan from a session's stack.

    The plan and its summaries are erased from the store, so no command redoes it. In the app, U redoes plans that were
    undone since the session was opened.
    """
    with open_session(target, db, required=True, redacted=False) as session:
        agent = agent_of(session, agent)
        with report_on_output_error(_UNCHANGED), session.transaction():
            plan = session.undo(agent)
            rest = len(session.bench.plans.get(agent, ()))
            if as_json:
                output = UndoOutput(session=session.bench.id, agent=agent, undone=plan, plans=rest)
                echo_json(redacted_rows(output, [session.bench.session]))
            elif plan:
                when = turn_name(plan.turn, session.bench.turns(agent))
                echo(clip(f"Undone: {plan.strategy}, made at {when}. {plural(rest, 'plan')} left.", width()))
            else:
                echo("There is nothing to undo.")


@click.command()
@target
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGE…")
@turn_option
@agent_option
@click.option("--undo", "release", is_flag=True, help="Unpin them instead.")
@redact_option
@common
def pin(
    target: str,
    messages: Sequence[str],
    turn: int | None,
    agent: str | None,
    release: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Pin messages: no strategy removes them.

    MESSAGE is a number as printed by inspector show, a range like 12-20, or a message's id.
    """
    _change_by_hand(target, messages, "kept" if release else "pinned", turn, agent, db, as_json)


@click.command()
@target
@click.argument("messages", nargs=-1, required=True, metavar="MESSAGE…")
@turn_option
@agent_option
@redact_option
@common
def drop(
    target: str, messages: Sequence[str], turn: int | None, agent: str | None, db: Path | None, as_json: bool
) -> None:
    """Drop messages, a tool call together with its results.

    MESSAGE is a number as printed by inspector show, a range like 12-20, or a message's id.
    """
    _change_by_hand(target, messages, "dropped", turn, agent, db, as_json)


def _change_by_hand(
    target: str,
    words: Sequence[str],
    kind: Literal["pinned", "dropped", "kept"],
    turn: int | None,
    agent: str | None,
    db: Path | None,
    as_json: bool,
) -> None:
    with open_session(target, db, required=True, redacted=False) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        ids = ids_of_words(session.bench.preview(turn, agent), words)
        try:
            plan = session.bench.hand_plan(ids, kind, turn, agent)
        except RefusedError as error:
            raise CommandError(str(error)) from error
        with report_on_output_error(_UNCHANGED), session.transaction():
            session.push(plan, agent)
            after = session.bench.preview(turn, agent)
            targets = [key for key, fate in plan.by_id.items() if fate.kind == kind]
            if kind == "kept":
                targets = [key for key in targets if key in ids]
            if as_json:
                window = _window_after(session, agent, after)
                output = (
                    DropOutput(after=window, dropped=targets)
                    if kind == "dropped"
                    else PinOutput(after=window, **{kind: targets})
                )
                echo_json(redacted_rows(output, [session.bench.session]))
            else:
                verb = {"pinned": "Pinned", "dropped": "Dropped", "kept": "Unpinned"}[kind]
                now = f"the window now has {after.after.total:,} tokens"
                echo(clip(f"{verb} {plural(len(targets), 'message')}; {now}.", width()))


def _window_after(session: OpenSession, agent: str, after: Preview) -> _WindowAfter:
    return _WindowAfter(
        session=session.bench.id,
        agent=agent,
        total=after.after.total,
        valid=after.valid,
        problems=list(map(str, after.problems)),
    )


def ids_of_words(preview: Preview, words: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that words name: ids, their prefixes, numbers, ranges. Raises UsageError for a word without a
    match.
    """
    window, numbers = preview.base, preview.session.numbers
    numbers_by_id = {key: numbers.get(key) for key in window.ids}
    ids: dict[str, None] = {}
    for word in words:
        ids |= dict.fromkeys(_ids_of_word(word, numbers_by_id, len(numbers)))
    return tuple(ids)


def _ids_of_word(word: str, numbers: dict[str, int | None], last_number: int) -> list[str]:
    """Return the ids for one word. A number of the log never matches as a prefix, even if its message is not in the
    window.
    """
    if word in numbers:
        return [word]
    match = RANGE.fullmatch(word)
    if match and (first := int(match[1])) <= last_number:
        last = int(match[2] or first)
        if ids := [key for key, number in numbers.items() if number is not None and first <= number <= last]:
            return ids
        matches = []
    else:
        matches = [key for key in numbers if key.startswith(word)]
    if len(matches) == 1:
        return matches
    if matches:
        raise UsageError(f"{len(matches):,} messages have an id that begins with {word!r}. Give a longer prefix.")
    raise UsageError(f"There is no message {word!r} in this window. inspector show lists messages by number.")
