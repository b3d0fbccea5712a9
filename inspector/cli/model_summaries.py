"""Summaries by a model on the command line: asked for with --model, told of while they come, stopped by Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import click

from inspector.cli.command_errors import UsageError
from inspector.cli.output import clear_progress, show_progress

if TYPE_CHECKING:
    from inspector.core.conversation import Usage
    from inspector.engine.strategies import Services
    from inspector.engine.summaries import ModelSummariser

model_option = click.option(
    "--model",
    "by_model",
    is_flag=True,
    help="Have the summary written by the model that INSPECTOR_MODEL names; otherwise it is read out of the text.",
)


@dataclass(frozen=True)
class Writer:
    """Who writes the summaries of one command: a model, or nobody, and then they are read out of the text."""

    summariser: ModelSummariser | None = None

    @property
    def services(self) -> Services:
        """What strategies are given."""
        from inspector.engine.strategies import Services

        return Services(summarise=self.summariser) if self.summariser else Services()

    @property
    def model(self) -> str:
        """Empty where nobody writes."""
        return self.summariser.settings.model if self.summariser else ""

    @property
    def calls(self) -> tuple[Usage, ...]:
        """What the model took, as one call; nothing where none was asked."""
        usage = self.summariser.usage if self.summariser else None
        return (usage,) if usage else ()

    @property
    def account(self) -> str:
        """What the model took, or that it was not asked, in one sentence; empty where none was to be asked."""
        if self.summariser is None:
            return ""
        name, usage = self.summariser.settings.label, self.summariser.usage
        if usage is None:
            return f"{name} was not asked: there was nothing to summarise."
        return f"{name} has read {usage.input:,} tokens and written {usage.output:,}."


@contextmanager
def writer(by_model: bool) -> Iterator[Writer]:
    """Whoever is to write summaries. Raises UsageError where a model is wanted and none is set up."""
    if not by_model:
        yield Writer()
        return
    from inspector.engine.summaries import MODEL_VARIABLES, ModelSummariser

    cancel = Event()
    try:
        summariser = ModelSummariser.from_environ(os.environ, cancel)
    except ValueError as problem:
        raise UsageError(str(problem)) from problem
    if summariser is None:
        raise UsageError(f"No model is set up: {MODEL_VARIABLES}.")
    summariser.progress = _ModelProgress(summariser.settings.label[:40])
    try:
        yield Writer(summariser)
    finally:
        cancel.set()
        clear_progress()


@dataclass(frozen=True)
class _ModelProgress:
    """A line on a terminal that says how far the model is; nothing where nobody watches."""

    model: str

    def __call__(self, count: int, total: int) -> None:
        show_progress(f"{self.model}: {count:,} of about {total:,} tokens")
