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
    "free": "what leaves was said twice, only thought, or can be found again",
    "lossy": "something is left out, and no model is asked",
    "needs a model": "a summary is written, by a model or out of the text itself",
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
        "what was read twice is kept once, the newest time",
    ),
    "clear_thinking": _own(
        "clear_thinking:clear_thinking",
        "ClearThinkingSettings",
        "free",
        "thinking of earlier turns is dropped whole",
        kind="clear thinking",
    ),
    "vector_swap": _own(
        "vector_swap:vector_swap",
        "VectorSwapSettings",
        "free",
        "old messages are archived, the relevant ones come back",
    ),
    "trim_outputs": _own(
        "trim_outputs:trim_outputs",
        "TrimOutputsSettings",
        "lossy",
        "long tool outputs are cut to their head and tail",
        kind="trim results",
    ),
    "mask_observations": _own(
        "mask_observations:mask_observations",
        "MaskObservationsSettings",
        "lossy",
        "old tool results become a line that says what was there",
        kind="clear results",
        peculiar="placeholders that say which tool answered, and how much",
    ),
    "clear_tool_uses": _own(
        "clear_tool_uses:clear_tool_uses",
        "ClearToolUsesSettings",
        "lossy",
        "old tool results are cleared, as providers' context editing does",
        kind="clear results",
    ),
    "importance": _own(
        "importance:importance",
        "ImportanceSettings",
        "lossy",
        "what scores highest stays, as much as fits",
        kind="drop",
        peculiar="scores: the newest stay here, not what matters most",
    ),
    "token_window": _own(
        "token_window:token_window",
        "TokenWindowSettings",
        "lossy",
        "the newest that fit into a number of tokens stay",
        kind="drop",
    ),
    "fifo": _own(
        "fifo:fifo",
        "FifoSettings",
        "lossy",
        "the oldest are dropped until few enough are left",
        kind="drop",
    ),
    "deletion": _own(
        "deletion:deletion",
        "DeletionSettings",
        "lossy",
        "the newest stay, everything older is dropped",
        kind="drop",
    ),
    "head_tail": _own(
        "head_tail:head_tail",
        "HeadTailSettings",
        "lossy",
        "the beginning and the end stay, what lies between leaves",
        kind="drop",
        peculiar="the first messages: head_tail keeps them word for word",
    ),
    "amortized": _own(
        "amortized:amortized",
        "AmortizedSettings",
        "lossy",
        "at a limit half is forgotten at once, so that it is rarely done",
        kind="drop",
        peculiar="counting messages, and forgetting half of them at once",
    ),
    "sliding_window": _own(
        "sliding_window:sliding_window",
        "SlidingWindowSettings",
        "needs a model",
        "the newest stay, everything older becomes one summary",
        kind="summarise",
    ),
    "selective": _own(
        "selective:selective",
        "SelectiveSettings",
        "needs a model",
        "what matters stays, the rest becomes one summary",
        kind="summarise",
        peculiar="tool calls, errors and important words: selective keeps them word for word",
    ),
    "summarize_half": _own(
        "summarize_half:summarize_half",
        "SummarizeHalfSettings",
        "needs a model",
        "the older half becomes one summary, until it fits",
        kind="summarise",
        peculiar="half of the messages: so many tokens stay as half of the threshold",
    ),
    "auto": _own(
        "auto:auto",
        "AutoSettings",
        "needs a model",
        "sliding_window, selective or deletion, as the session suggests",
        kind="summarise",
        peculiar="the choice among sliding_window, selective and deletion by what the session looks like",
    ),
    "pipeline": _own(
        "pipeline:pipeline",
        "PipelineSettings",
        "needs a model",
        "several strategies in a row, until the window fits",
        is_stage=False,
    ),
}
"""Built-in strategies in display order: by cost, lowest first."""


def _checked_strategy(_name: str, strategy: Any) -> Strategy:
    """Return a plugin's strategy after loading its parts. Raises PluginError if it is invalid."""
    if not isinstance(strategy, Strategy):
        raise PluginError(f"it is no Strategy of inspector.engine.strategies, but {type(strategy).__name__}")
    if strategy.cost not in COSTS:
        raise PluginError(f"its cost is {strategy.cost!r}; a cost is one of {', '.join(COSTS)}")
    if not callable(strategy.plan):
        raise PluginError("its function cannot be called")
    if undocumented := [knob.name for knob in strategy.knobs if not knob.doc]:
        raise PluginError(f"settings without a description: {', '.join(undocumented)}")
    return strategy


STRATEGIES: Registry[Strategy] = Registry("inspector.strategies", _OWN, _checked_strategy)
"""All strategies by name, plugins last."""
