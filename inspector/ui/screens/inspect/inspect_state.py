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
    """On the bench before a session is opened."""
    empty = Session("", "", "", ())
    return library.Workbench(empty, tokens.estimate_sizes(empty))


@dataclass(frozen=True, eq=False)
class InspectState:
    """Everything that Inspect draws, at one moment.

    `preview`, `timeline`, `money` and `losses` are computed in threads: until the next ones are there, they are those
    of what was chosen before.
    """

    opened: Workbench | None = None
    agent: str = MAIN
    turn: int = 0
    trial: StrategyChoice | None = None
    """The strategy that is tried on."""
    provider: ProviderName | None = None
    """Whose rules the window is held against; None for the session's own provider."""
    preview: Preview | None = None
    timeline: Timeline | None = None
    money: Money | None = None
    losses: LostFacts | None = None
    request: SummaryInProgress | None = None
    """What a model is asked for at the moment."""
    summary: GeneratedSummary | None = None
    """What a model has written: shown in place of a drafted plan until anything else is chosen."""

    @property
    def bench(self) -> Workbench:
        return self.opened or nothing()

    @property
    def stack(self) -> tuple[Plan, ...]:
        """The plans applied to this agent's log, oldest first."""
        return self.bench.plans.get(self.agent, ())

    @property
    def scale(self) -> Scale:
        """What the thresholds of presets are measured by."""
        return self.bench.scale(self.agent)
