"""`export`: the context as a request that a provider accepts, on standard output or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.errors import Failure, Wrong
from inspector.cli.interrupts import Held
from inspector.cli.options import (
    agent_of,
    agent_option,
    check_turn,
    chosen,
    common,
    limit_option,
    opened,
    out_option,
    set_option,
    strategy_option,
    target,
    to_option,
    turn_option,
)
from inspector.cli.output import as_json as json_text
from inspector.cli.output import say_json, warn

if TYPE_CHECKING:
    from inspector.conversation import Provider
    from inspector.workbench import Preview


@click.command()
@target
@to_option
@turn_option
@agent_option
@limit_option
@strategy_option
@set_option
@out_option
@common
def export(
    target: str,
    to: Provider | None,
    turn: int | None,
    agent: str | None,
    limit: int,
    strategy: str | None,
    given: Sequence[str],
    out: Path | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Write a context as the request that would be sent.

    The context is seen through the applied plans, and through --strategy when one is named. Without --to it keeps the
    form in which it was recorded. SESSION is a file, FILE#N, or the id of a stored session.
    """
    values = chosen(strategy, given)
    with opened(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        preview = session.bench.preview(turn, agent, strategy, values)
        if not preview.after.messages:
            raise Failure(f"The window is empty at turn {preview.after.turn}, so there is nothing to export.")
        form = to or preview.after.session.dialect
        for problem in preview.problems:
            warn(f"Put right in the request: {problem}")
        request = written(preview, form, out) if out else body(preview, form)
        if as_json:
            facts = {
                "to": form,
                "messages": len(request.get("messages") or request["input"]),
                "out": str(out) if out else None,
            }
            say_json(facts if out else facts | {"request": request})
        elif out:
            warn(f"Written: {out}")
        else:
            say_json(request)


def body(preview: Preview, to: Provider) -> dict[str, Any]:
    """The window as a request to a provider."""
    from inspector.formats import request

    return request(preview.after.session, preview.after.messages, to)


def written(preview: Preview, to: Provider, out: Path) -> dict[str, Any]:
    """Write the window to a file, whole or not at all. Raises Wrong for the session's own source; and Failure."""
    from inspector.files import is_source, write_whole
    from inspector.formats import is_log

    source = preview.after.session.path
    if is_source(out, source):
        raise Wrong(f"{out} is the session itself, which is never written to: name another file with --out.")
    if is_log(out):
        raise Wrong(f"{out} holds a recorded log, which is never written to: name another file with --out.")
    found = body(preview, to)
    text = json_text(found) + "\n"
    try:
        with Held():
            write_whole(out, text)
    except OSError as error:
        raise Failure(
            f"{out} could not be written ({error.strerror or error}): name another file with --out."
        ) from error
    return found


COMMANDS = (export,)
