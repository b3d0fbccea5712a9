"""Summaries written by a model on the command line: requested with --model, shown as progress, stopped by Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import click

from inspector.cli.command_errors import UsageError
from inspector.cli.output import clear_progress, show_progress, warn

if TYPE_CHECKING:
    from inspector.core.conversation import Usage
    from inspector.engine.strategies import Services
    from inspector.engine.summaries import ModelSummariser

model_option = click.option(
    "--model",
    "by_model",
    is_flag=True,
    help="Let the model that INSPECTOR_MODEL names write the summary. Without it, summaries are extractive.",
)


@dataclass(frozen=True)
class Writer:
    """Source of a command's summaries: a model, or extraction from the text without one."""

    summariser: ModelSummariser | None = None

    @property
    def services(self) -> Services:
        """Services for strategies."""
        from inspector.engine.strategies import Services

        return Services(summarise=self.summariser) if self.summariser else Services()

    @property
    def model(self) -> str:
        """Name of the model. Empty without a model."""
        return self.summariser.settings.model if self.summariser else ""

    @property
    def calls(self) -> tuple[Usage, ...]:
        """Usage of all requests to the model, as one call. None if there were none."""
        usage = self.summariser.usage if self.summariser else None
        return (usage,) if usage else ()

    @property
    def account(self) -> str:
        """Usage of the model in one sentence, or the reason why it was not called. Empty without a model."""
        if self.summariser is None:
            return ""
        name, usage = self.summariser.settings.label, self.summariser.usage
        if usage is None:
            return f"{name} was not called: there was nothing to summarise."
        return f"{name} read {usage.input:,} tokens and wrote {usage.output:,}."


@contextmanager
def writers(by_model: bool, names: Sequence[str]) -> Iterator[list[Writer]]:
    """Return a writer for each requested model.

    Args:
        by_model: True to request the model that INSPECTOR_MODEL names.
        names: Names of other models at the same endpoint.

    Raises:
        UsageError: No model is set up.
    """
    with ExitStack() as stack:
        own = [stack.enter_context(writer(True))] if by_model else []
        yield [*own, *(stack.enter_context(writer(True, name)) for name in dict.fromkeys(names))]


@contextmanager
def writer(by_model: bool, name: str = "") -> Iterator[Writer]:
    """Return the writer of summaries.

    Args:
        by_model: True to request a model.
        name: Name of the model; the one that INSPECTOR_MODEL names if empty.

    Raises:
        UsageError: A model is requested and none is set up.
    """
    if not by_model:
        yield Writer()
        return
    from inspector.engine.summaries import MODEL_VARIABLES, ModelSummariser

    cancel = Event()
    try:
        summariser = ModelSummariser.from_environ({**os.environ, **({"INSPECTOR_MODEL": name} if name else {})}, cancel)
    except ValueError as problem:
        raise UsageError(str(problem)) from problem
    if summariser is None:
        raise UsageError(f"No model is set up: {MODEL_VARIABLES}.")
    summariser.progress = _ModelProgress(summariser.settings.label[:40])
    warn(f"Messages to summarise are sent to {summariser.settings.place} ({summariser.settings.label}).")
    try:
        yield Writer(summariser)
    finally:
        cancel.set()
        clear_progress()


@dataclass(frozen=True)
class _ModelProgress:
    """Line on a terminal that shows the model's progress. Silent if standard error is not a terminal."""

    model: str

    def __call__(self, count: int, total: int) -> None:
        show_progress(f"{self.model}: {count:,} of about {total:,} tokens")
