"""Progress and cancellation of a summary that a model is writing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from inspector.engine import summaries

if TYPE_CHECKING:
    from inspector.core.conversation import Usage
    from inspector.engine.compression import StrategyChoice
    from inspector.engine.summaries import ModelSettings
    from inspector.engine.window import Plan
    from inspector.library import Workbench


@dataclass(frozen=True)
class SummaryInProgress:
    """A running request to a model. Tokens are counted with the window's counter."""

    model: str
    cancel: Event = field(default_factory=Event, compare=False)
    count: int = 0
    total: int = 0

    def at(self, count: int, total: int) -> SummaryInProgress:
        """Return a copy with newer token counts."""
        return replace(self, count=count, total=total)

    @property
    def far(self) -> str:
        """Progress in words."""
        return f"{self.count:,} of about {self.total:,} tokens" if self.total else "reading …"


@dataclass(frozen=True)
class GeneratedSummary:
    """Result of a request: a plan, and the tokens that the model used for it."""

    plan: Plan
    model: str
    usage: Usage

    @property
    def took(self) -> str:
        """Tokens read and written, in words."""
        return f"{self.usage.input:,} tokens read, {self.usage.output:,} written"


def how_to_set_up() -> str:
    """Return instructions for setting up a model, in sentences."""
    variables = summaries.MODEL_VARIABLES
    return f"No model is set up: {variables}, then restart Inspector. Without a model, summaries are extractive."


def model_set_up() -> ModelSettings | None:
    """Return the model that the environment names, or None.

    Raises:
        ValueError: The settings in the environment are invalid; the message is a sentence.
    """
    return summaries.from_environment(os.environ)


def name_of_model() -> str:
    """Return the label of the configured model, or an empty string if none is set up correctly."""
    try:
        settings = model_set_up()
    except ValueError:
        return ""
    return settings.label if settings else ""


def write(
    bench: Workbench,
    turn: int,
    agent: str,
    trial: StrategyChoice,
    settings: ModelSettings,
    writing: SummaryInProgress,
    progress: Callable[[int, int], None],
) -> GeneratedSummary:
    """Draft the plan of a trial with a summary written by a model. Blocks, so call it in a thread.

    Args:
        bench: Workbench of the session.
        turn: Turn whose window is compressed.
        agent: Agent whose window is compressed.
        trial: Strategy and settings.
        settings: Model to ask.
        writing: Request in progress, which can cancel the call.
        progress: Called with the tokens written so far and the expected total.

    Returns:
        The plan and the tokens used. If the request failed, the plan reports it.
    """
    summariser = summaries.ModelSummariser(settings, cancel=writing.cancel, progress=progress)
    preview = bench.preview(turn, agent, trial.strategy, trial.settings, replace(bench.services, summarise=summariser))
    assert preview.plan is not None, "a strategy was named"
    return GeneratedSummary(preview.plan, writing.model, summariser.totals.usage)
