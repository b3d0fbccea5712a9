"""Ask a model on the command line: its options, the consent before the first call, and progress while replies come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from inspector.analysis.asking import (
    AskedCall,
    AskedReply,
    Asker,
    CallEstimate,
    ModelSetupError,
    asked_model,
    asker_of,
)
from inspector.cli.command_errors import CommandError, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.output import clear_progress, is_terminal, show_progress, warn, width
from inspector.cli.redactions import is_redacting
from inspector.core.text import clip, lines_of, one_line
from inspector.engine.summaries import ModelSettings
from inspector.library import OpenSession
from inspector.store import StoreError

_STREAMED, _ONE_LINE = 2_000, 400
"""Characters at the end of a reply that is being written: for lines, and for the progress line."""


def settings_of(model: str | None, api: str | None) -> ModelSettings:
    """Return the model to ask.

    Args:
        model: Name of the model; None for the one that INSPECTOR_MODEL names.
        api: Name of the API; None for the one that INSPECTOR_MODEL_API names.

    Raises:
        UsageError: No model is set up, or a value is invalid.
    """
    try:
        return asked_model(model, api)
    except ModelSetupError as problem:
        raise UsageError(str(problem)) from problem


def asker_for(
    session: OpenSession,
    settings: ModelSettings,
    max_cost: float,
    about: Mapping[str, Any],
    *,
    with_requests: bool = True,
) -> Asker:
    """Return what asks a model, with the replies that are kept with the session.

    Args:
        session: Open session. It is stored if it is not stored yet, unless it is redacted.
        settings: The model.
        max_cost: Dollars that are never exceeded.
        about: Facts that are listed with each experiment.
        with_requests: True to keep requests for export.

    Raises:
        CommandError: The user's own price of the model is invalid.
    """
    store, key = None, ""
    try:
        key = session.bench.store_id if is_redacting() else session.keep()
        store = session.library.required_store if key else None
    except StoreError as error:
        warn(f"Replies are not kept: {error}.")
    if not key and is_redacting():
        warn("Replies are not kept, because the session is redacted and not in the store.")
    try:
        asker = asker_of(settings, about, store, key, max_cost=max_cost, with_requests=with_requests)
    except ModelSetupError as problem:
        raise CommandError(str(problem)) from problem
    asker.limit_hint = " (--max-cost)"
    return asker


def agree(estimate: CallEstimate, max_cost: float, *, yes: bool, redacted: bool = False) -> None:
    """Show what would be sent, and ask for consent.

    Args:
        estimate: Size and price of the calls.
        max_cost: Dollars that are never exceeded.
        yes: True if the user has agreed on the command line.
        redacted: True if secrets were redacted, with or without `--redact`.

    Raises:
        UsageError: No one can be asked.
        CommandError: The user does not agree.
    """
    if not estimate.calls:
        return
    sentence = estimate.sentence(redacted or is_redacting(), max_cost)
    if not yes and not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise UsageError(f"Nothing was sent, because --yes is missing. {sentence}")
    warn(sentence)
    if not yes and not click.confirm("Send it?", default=False, err=True):
        raise CommandError("Nothing was sent.")


@contextmanager
def asking(asker: Asker) -> Iterator[None]:
    """Let an interrupt cancel the calls of the block, so that it can print what has come; the command ends after it."""
    with HeldInterrupt() as held:
        asker.cancel = held.is_set
        try:
            yield
        finally:
            clear_progress()


def replies_of(
    asker: Asker,
    calls: Sequence[AskedCall],
    on_reply: Callable[[AskedCall, AskedReply], None] = lambda *_: None,
    *,
    streams: bool = False,
) -> dict[tuple[str, int], AskedReply]:
    """Make calls and return their replies by context and sample, with the words that arrive as progress.

    Args:
        asker: What asks the model.
        calls: The calls.
        on_reply: Called for each reply as it comes.
        streams: True to show the text of a reply below the progress line while it is written.
    """
    replies: dict[tuple[str, int], AskedReply] = {}
    texts: dict[AskedCall, str] = {}
    for call, event in asker.ask(calls):
        if isinstance(event, AskedReply):
            clear_progress()
            replies[call.label, call.sample] = event
            texts.pop(call, None)
            on_reply(call, event)
            continue
        texts[call] = (texts.get(call, "") + event)[-_STREAMED:]
        source = next(iter(texts)) if streams else call
        words = one_line(f"{len(replies)} of {len(calls)} · {source.label}: ")
        if streams:
            lines = [f"  {line}" for line in lines_of(texts[source], width() - 3)]
            show_progress(clip(words, width() - 1), lines)
        else:
            end = one_line(texts[call][-_ONE_LINE:])[-max(10, width() - len(words) - 2) :]
            show_progress(clip(words + end, width() - 1))
    return replies
