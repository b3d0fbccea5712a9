"""The state of Inspect: one immutable record of everything that it draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from inspector import library
from inspector.core.conversation import MAIN, ProviderName, Session
from inspector.llm import tokens
from inspector.ui.summary_progress import GeneratedSummary, SummaryInProgress

if TYPE_CHECKING:
    from inspector.engine.compression import Scale, StrategyChoice
    from inspector.engine.window import Plan, Timeline
    from inspector.library import LostFacts, Money, Preview, Workbench


@cache
def nothing() -> Workbench:
    """Return the empty workbench that is used before a session is opened."""
    empty = Session("", "", "", ())
    return library.Workbench(empty, tokens.estimate_sizes(empty))


@dataclass(frozen=True, eq=False)
class InspectState:
    """Everything that Inspect draws, at one moment.

    `preview`, `timeline`, `money` and `losses` are computed in threads. Until new ones are ready, they are those of the
    previous choice.
    """

    opened: Workbench | None = None
    agent: str = MAIN
    turn: int = 0
    trial: StrategyChoice | None = None
    """Strategy being tried."""
    provider: ProviderName | None = None
    """Provider whose rules the window is checked against; None for the session's own."""
    preview: Preview | None = None
    timeline: Timeline | None = None
    money: Money | None = None
    losses: LostFacts | None = None
    request: SummaryInProgress | None = None
    """Running request to a model."""
    summary: GeneratedSummary | None = None
    """Summary written by a model, shown in place of a drafted plan until another choice is made."""

    @property
    def bench(self) -> Workbench:
        return self.opened or nothing()

    @property
    def stack(self) -> tuple[Plan, ...]:
        """Plans applied to this agent's log, oldest first."""
        return self.bench.plans.get(self.agent, ())

    @property
    def scale(self) -> Scale:
        """Sizes that the thresholds of presets are relative to."""
        return self.bench.scale(self.agent)
