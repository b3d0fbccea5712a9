"""A summary that a model is writing: how far it is, and how it is stopped."""

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
    """A request to a model, from its start to its end. Tokens are as the window's counter has them."""

    model: str
    cancel: Event = field(default_factory=Event, compare=False)
    count: int = 0
    total: int = 0

    def at(self, count: int, total: int) -> SummaryInProgress:
        """The same, further on."""
        return replace(self, count=count, total=total)

    @property
    def far(self) -> str:
        """Progress in words."""
        return f"{self.count:,} of about {self.total:,} tokens" if self.total else "it reads …"


@dataclass(frozen=True)
class GeneratedSummary:
    """The result of a request: a plan, and the tokens that the model took for it."""

    plan: Plan
    model: str
    usage: Usage

    @property
    def took(self) -> str:
        """The tokens read and written, in words."""
        return f"{self.usage.input:,} tokens read, {self.usage.output:,} written"


def how_to_set_up() -> str:
    """What to do where no model is set up, in sentences."""
    variables = summaries.MODEL_VARIABLES
    return (
        f"No model is set up. {variables}; then start Inspector again. Until then summaries are read out of the text."
    )


def model_set_up() -> ModelSettings | None:
    """The model that the environment names. Raises ValueError, with a sentence, for settings that are none."""
    return summaries.from_environment(os.environ)


def name_of_model() -> str:
    """The name of the model that could write summaries, for a line; empty where none is set up."""
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
    """Draft the plan of a trial with the model's summary in it, in a thread. Where it fails, the plan says so."""
    summariser = summaries.ModelSummariser(settings, cancel=writing.cancel, progress=progress)
    preview = bench.preview(turn, agent, trial.strategy, trial.settings, replace(bench.services, summarise=summariser))
    assert preview.plan is not None, "a strategy was named"
    return GeneratedSummary(preview.plan, writing.model, summariser.totals.usage)
