"""Table of strategies by name: description, cost, function and settings.

A new built-in strategy is one more entry of `_OWN`. Other distributions register theirs at the entry point
`inspector.strategies`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from inspector.core.plugins import PluginError, Registry, load_target
from inspector.engine.strategies.knobs import Knob, Role, knobs
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window

Cost = Literal["free", "lossy", "needs a model"]
Reduction = Literal["summarise", "drop", "clear results", "trim results", "clear thinking", "other"]
"""Treatment of removed content, if other frameworks have an equivalent."""


COSTS: Mapping[Cost, str] = {
    "free": "removes duplicates, old reasoning, or content that can be retrieved",
    "lossy": "removes content without calling a model",
    "needs a model": "summarises, with a model or extractively",
}
"""Description of each cost, lowest first."""


@dataclass(frozen=True)
class Strategy:
    """A strategy as it is offered: description, cost, function and settings."""

    function: str | Callable[[Window, Any, Services], Plan]
    """Makes a plan from a window, settings and services; or its location as `module:name`."""
    settings_type: str | type
    """Frozen dataclass of the settings; or its location as `module:name`."""
    cost: Cost
    about: str
    """One-line description for the picker."""
    kind: Reduction = "other"
    peculiar: str = ""
    """Behaviour that no other framework has, omitted when a preset is exported to one."""
    is_stage: bool = True
    """True if it can be a stage of a pipeline."""

    @cached_property
    def plan(self) -> Callable[[Window, Any, Services], Plan]:
        """The function that makes a plan."""
        return load_target(self.function) if isinstance(self.function, str) else self.function

    @cached_property
    def settings(self) -> type:
        """The dataclass of the settings."""
        return load_target(self.settings_type) if isinstance(self.settings_type, str) else self.settings_type

    @cached_property
    def knobs(self) -> tuple[Knob, ...]:
        """The settings as knobs, in field order."""
        return knobs(self.settings)

    def setting(self, role: Role) -> str:
        """Return the name of the setting with a role, or ""."""
        return next((knob.name for knob in self.knobs if knob.role == role), "")


def _own(target: str, settings: str, cost: Cost, about: str, **more: Any) -> Strategy:
    module = f"inspector.engine.strategies.{target.partition(':')[0]}"
    return Strategy(f"{module}:{target.partition(':')[2]}", f"{module}:{settings}", cost, about, **more)


_OWN: Mapping[str, Strategy] = {
    "dedupe": _own(
        "dedupe:dedupe",
        "DedupeSettings",
        "free",
        "keeps only the newest of repeated readings",
    ),
    "clear_thinking": _own(
        "clear_thinking:clear_thinking",
        "ClearThinkingSettings",
        "free",
        "drops the thinking of earlier turns",
        kind="clear thinking",
    ),
    "vector_swap": _own(
        "vector_swap:vector_swap",
        "VectorSwapSettings",
        "free",
        "archives old messages and retrieves relevant ones",
    ),
    "trim_outputs": _own(
        "trim_outputs:trim_outputs",
        "TrimOutputsSettings",
        "lossy",
        "cuts long tool outputs to their head and tail",
        kind="trim results",
    ),
    "mask_observations": _own(
        "mask_observations:mask_observations",
        "MaskObservationsSettings",
        "lossy",
        "replaces old tool results by one-line placeholders",
        kind="clear results",
        peculiar="placeholders with the name of the tool and the size of its result",
    ),
    "clear_tool_uses": _own(
        "clear_tool_uses:clear_tool_uses",
        "ClearToolUsesSettings",
        "lossy",
        "clears old tool results like providers' context editing",
        kind="clear results",
    ),
    "importance": _own(
        "importance:importance",
        "ImportanceSettings",
        "lossy",
        "keeps the messages with the highest scores that fit",
        kind="drop",
        peculiar="scores: the newest messages are kept instead of the most important ones",
    ),
    "token_window": _own(
        "token_window:token_window",
        "TokenWindowSettings",
        "lossy",
        "keeps the newest messages that fit a token limit",
        kind="drop",
    ),
    "fifo": _own(
        "fifo:fifo",
        "FifoSettings",
        "lossy",
        "drops the oldest messages above a maximum count",
        kind="drop",
    ),
    "deletion": _own(
        "deletion:deletion",
        "DeletionSettings",
        "lossy",
        "keeps the newest messages and drops the rest",
        kind="drop",
    ),
    "head_tail": _own(
        "head_tail:head_tail",
        "HeadTailSettings",
        "lossy",
        "keeps the beginning and the end, removes the middle",
        kind="drop",
        peculiar="the first messages: head_tail keeps them verbatim",
    ),
    "amortized": _own(
        "amortized:amortized",
        "AmortizedSettings",
        "lossy",
        "removes half of the messages at a limit, so it runs rarely",
        kind="drop",
        peculiar="counting messages and removing half of them at once",
    ),
    "sliding_window": _own(
        "sliding_window:sliding_window",
        "SlidingWindowSettings",
        "needs a model",
        "keeps the newest messages and summarises the rest",
        kind="summarise",
    ),
    "selective": _own(
        "selective:selective",
        "SelectiveSettings",
        "needs a model",
        "keeps important messages and summarises the rest",
        kind="summarise",
        peculiar="tool calls, errors and marked messages: selective keeps them verbatim",
    ),
    "summarize_half": _own(
        "summarize_half:summarize_half",
        "SummarizeHalfSettings",
        "needs a model",
        "summarises the older half until the window fits",
        kind="summarise",
        peculiar="half of the messages: messages of half the threshold's tokens are kept",
    ),
    "auto": _own(
        "auto:auto",
        "AutoSettings",
        "needs a model",
        "chooses sliding_window, selective or deletion for the session",
        kind="summarise",
        peculiar="the choice of sliding_window, selective or deletion for the session",
    ),
    "pipeline": _own(
        "pipeline:pipeline",
        "PipelineSettings",
        "needs a model",
        "runs several strategies in order until the window fits",
        is_stage=False,
    ),
}
"""Built-in strategies in display order: by cost, lowest first."""


def _checked_strategy(_name: str, strategy: Any) -> Strategy:
    """Return a plugin's strategy after loading its parts. Raises PluginError if it is invalid."""
    if not isinstance(strategy, Strategy):
        raise PluginError(f"it is not a Strategy of inspector.engine.strategies but {type(strategy).__name__}")
    if strategy.cost not in COSTS:
        raise PluginError(f"its cost is {strategy.cost!r}; it must be one of {', '.join(COSTS)}")
    if not callable(strategy.plan):
        raise PluginError("its function is not callable")
    if undocumented := [knob.name for knob in strategy.knobs if not knob.doc]:
        raise PluginError(f"settings without a description: {', '.join(undocumented)}")
    return strategy


STRATEGIES: Registry[Strategy] = Registry("inspector.strategies", _OWN, _checked_strategy)
"""All strategies by name, plugins last."""
