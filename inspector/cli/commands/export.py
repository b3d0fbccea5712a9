"""`export`: the context as a request that a provider accepts, on standard output or in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import agent_of, check_turn, open_session, strategy_settings
from inspector.cli.errors import CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import (
    agent_option,
    common,
    limit_option,
    out_option,
    set_option,
    strategy_option,
    target,
    to_option,
    turn_option,
)
from inspector.cli.output import as_json as json_text
from inspector.cli.output import say, say_json, warn
from inspector.cli.schema.windows import ExportOutput
from inspector.conversation import ProviderName
from inspector.library import OpenSession, Preview
from inspector.providers import PROVIDERS, export_notes
from inspector.text import plural
from inspector.window import Window, problem_at, refusals_in


@click.command()
@target
@to_option
@turn_option
@agent_option
@limit_option
@strategy_option
@set_option
@click.option("--model", "-m", default="", metavar="NAME", help="The model that the request asks for.")
@out_option
@click.option(
    "--force",
    is_flag=True,
    help="Replace the file that --out names; never a database, a recorded log or an imported file.",
)
@common
def export(
    target: str,
    to: ProviderName | None,
    turn: int | None,
    agent: str | None,
    limit: int,
    strategy: str | None,
    assignments: Sequence[str],
    model: str,
    out: Path | None,
    force: bool,
    db: Path | None,
    as_json: bool,
) -> None:
    """Write a context as the request that would be sent.

    The context is seen through the applied plans, and through --strategy when one is named. Without --to it keeps the
    form in which it was recorded; a model of another provider is left out unless --model names one. What does not fit
    is said, a sentence for each. SESSION is a file, FILE#N, or the id of a stored session.
    """
    values = strategy_settings(strategy, assignments)
    with open_session(target, db, limit) as session:
        agent = agent_of(session, agent)
        check_turn(session, turn, agent)
        check_out(session, out, force)
        preview = session.bench.preview(turn, agent, strategy, values)
        if not preview.after.messages:
            raise CommandError(f"There is nothing to export. {preview.after.emptiness}")
        form = to or preview.after.context.dialect
        request = request_of(preview, form, model)
        notes = _notes(preview, form, request)
        for note in () if as_json else notes:
            warn(note)
        with output_file(session, request, out, force):
            if as_json:
                messages = len(request.get("messages") or request["input"])
                output = ExportOutput(to=form, messages=messages, out=str(out) if out else None, notes=notes)
                if not out:
                    output["request"] = request
                say_json(output)
            elif not out:
                say(json_text(request))
        if out and not as_json:
            warn(f"Written: {out}")


def request_of(preview: Preview, to: ProviderName, model: str = "") -> dict[str, Any]:
    """The window as a request to a provider; `model` is the one to ask for, where it is not the recorded one."""
    context = preview.after.context
    request = PROVIDERS[to].request(replace(context, model=model) if model else context, preview.after.messages)
    return request | {"model": model} if model else request


def _notes(preview: Preview, to: ProviderName, request: dict[str, Any]) -> list[str]:
    """What was put right in a request and what does not fit into it, each a sentence."""
    window = preview.after
    mended = [problem_at(window, place, words) for place, words in refusals_in(window, to)]
    excess = f"It is {window.excess:,} tokens larger than the window of {window.context.model or 'the model'}."
    return [
        *([excess] if window.excess and request.get("model") else []),
        *dict.fromkeys(f"Put right in the request: {problem}" for problem in mended),
        *export_notes(PROVIDERS[to], window.context, window.messages, request),
        *_losses(window),
    ]


def _losses(window: Window) -> Iterator[str]:
    """What is known of a window here that no request has a place for, so that it is gone where one is opened again."""
    if window.unrecorded and not window.context.records_system:
        yield (
            f"Of the prompt and the tools, {window.unrecorded:,} tokens were never recorded: the request is without"
            " them, and smaller by that where it is opened again."
        )
    if abs(window.sizes.factor - 1) >= 0.005:
        yield f"Opened again, it is counted without this session's calibration (×{window.sizes.factor:.2f})."
    kinds = Counter(message.kind for message in window.messages if message.kind in ("summary", "injected"))
    if kinds:
        words = (
            ["1 summary" if kinds["summary"] == 1 else f"{kinds['summary']:,} summaries"] if kinds["summary"] else []
        )
        words += [plural(kinds["injected"], "injected message")] if kinds["injected"] else []
        yield f"A request does not tell {' and '.join(words)} from what the user said."


_ELSEWHERE = "name another file with --out"


def check_out(session: OpenSession, out: Path | None, force: bool) -> None:
    """Raise UsageError where a file is in the way of what is to be written."""
    if out is None:
        return
    try:
        obstacle = session.library.outputs.obstacle(out, session.bench.session.path)
    except OSError as error:
        raise CommandError(_unwritable(out, error)) from error
    if obstacle and obstacle.final:
        raise UsageError(f"{obstacle.text}: {_ELSEWHERE}.")
    if obstacle and not force:
        raise UsageError(f"{obstacle.text}: {_ELSEWHERE}, or replace it with --force.")


@contextmanager
def output_file(session: OpenSession, request: Any, out: Path | None, force: bool) -> Iterator[None]:
    """Write a request to a file when the block ends without an error. Raises CommandError where that cannot be done."""
    if out is None:
        yield
        return
    try:
        with HeldInterrupt(), session.library.outputs.write(out, json_text(request) + "\n", replace=force):
            yield
    except OSError as error:
        raise CommandError(_unwritable(out, error)) from error


def _unwritable(out: Path, error: OSError) -> str:
    return f"{out} could not be written ({error.strerror or error}): {_ELSEWHERE}."
