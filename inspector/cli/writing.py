"""Summaries by a model on the command line: asked for with --model, told of while they come, stopped by Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import click

from inspector.cli.errors import UsageError
from inspector.cli.output import clear_progress, show_progress
from inspector.text import one_line

if TYPE_CHECKING:
    from inspector.conversation import Usage
    from inspector.strategies import Services
    from inspector.summaries import ModelSummariser

model_option = click.option(
    "--model",
    "by_model",
    is_flag=True,
    help="Have the summary written by the model that INSPECTOR_MODEL names; otherwise it is read out of the text.",
)


@dataclass(frozen=True)
class Writer:
    """Who writes the summaries of one command."""

    aids: Services
    model: str = ""
    """Empty where nobody does: they are read out of the text."""
    summariser: ModelSummariser | None = None

    @property
    def calls(self) -> tuple[Usage, ...]:
        """What the model took, as one call; nothing where none was asked."""
        if self.summariser is None or not self.summariser.totals.calls:
            return ()
        return (self.summariser.totals.usage,)

    @property
    def idle(self) -> str:
        """That a model was to be asked and was not, in one sentence; empty where that is not so."""
        if self.summariser is None or self.calls:
            return ""
        return f"{one_line(self.model)} was not asked: there was nothing to summarise."

    @property
    def took(self) -> str:
        """What it took, in one sentence; empty where nothing was asked of it."""
        if not self.calls:
            return ""
        usage = self.calls[0]
        return f"{one_line(self.model)} has read {usage.input:,} tokens and written {usage.output:,}."


@contextmanager
def writer(by_model: bool) -> Iterator[Writer]:
    """Whoever is to write summaries. Raises UsageError where a model is wanted and none is set up."""
    from inspector.strategies import Services

    if not by_model:
        yield Writer(Services())
        return
    from inspector.summaries import ModelSummariser, from_environment

    try:
        settings = from_environment(os.environ)
    except ValueError as problem:
        raise UsageError(str(problem)) from problem
    if settings is None:
        raise UsageError(
            "No model is set up: INSPECTOR_MODEL names one, OPENAI_API_KEY holds its key, and OPENAI_BASE_URL says"
            " where it is when that is not OpenAI."
        )
    cancel = Event()
    summariser = ModelSummariser(settings, cancel=cancel, progress=Progress(one_line(settings.model)[:40]))
    try:
        yield Writer(Services(summarise=summariser), settings.model, summariser)
    finally:
        cancel.set()
        clear_progress()


@dataclass(frozen=True)
class Progress:
    """A line on a terminal that says how far the model is; nothing where nobody watches."""

    model: str

    def __call__(self, done: int, total: int) -> None:
        show_progress(f"{self.model}: {done:,} of about {total:,} tokens")
