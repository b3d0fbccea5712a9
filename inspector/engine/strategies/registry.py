"""The strategies that look at a window once, by their names, with what each costs; a new one is one more entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.engine.strategies import (
    amortized,
    auto,
    clear_thinking,
    clear_tool_uses,
    dedupe,
    deletion,
    fifo,
    head_tail,
    importance,
    mask_observations,
    selective,
    sliding_window,
    summarize_half,
    token_window,
    trim_outputs,
    vector_swap,
)
from inspector.engine.strategies.knobs import Knob, Role, knobs
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window

Cost = Literal["free", "lossy", "needs a model"]
Reduction = Literal["summarise", "drop", "clear results", "trim results", "clear thinking", "other"]
"""What a strategy does to what leaves, as far as other frameworks do the same."""


COSTS: Mapping[Cost, str] = {
    "free": "what leaves was said twice, only thought, or can be found again",
    "lossy": "something is left out, and no model is asked",
    "needs a model": "a summary is written, by a model or out of the text itself",
}
"""What a strategy costs, the mildest first."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy as it is offered: what it does, what it costs, its settings and the function itself."""

    plan: Callable[[Window, Any, Services], Plan]
    settings: type
    cost: Cost
    about: str
    """What it does, in one line for the picker."""
    kind: Reduction = "other"
    peculiar: str = ""
    """What of it no other framework has: left out where a preset is written for one."""

    def setting(self, role: Role) -> str:
        """The name of the setting with a role; empty where none has it."""
        return next((knob.name for knob in self.knobs if knob.role == role), "")

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return knobs(self.settings)


STAGES: dict[str, Strategy] = {
    "dedupe": Strategy(
        dedupe.dedupe,
        dedupe.DedupeSettings,
        "free",
        "what was read twice is kept once, the newest time",
        kind="other",
    ),
    "clear_thinking": Strategy(
        clear_thinking.clear_thinking,
        clear_thinking.ClearThinkingSettings,
        "free",
        "thinking of earlier turns is dropped whole",
        kind="clear thinking",
    ),
    "vector_swap": Strategy(
        vector_swap.vector_swap,
        vector_swap.VectorSwapSettings,
        "free",
        "old messages are archived, the relevant ones come back",
        kind="other",
    ),
    "trim_outputs": Strategy(
        trim_outputs.trim_outputs,
        trim_outputs.TrimOutputsSettings,
        "lossy",
        "long tool outputs are cut to their head and tail",
        kind="trim results",
    ),
    "mask_observations": Strategy(
        mask_observations.mask_observations,
        mask_observations.MaskObservationsSettings,
        "lossy",
        "old tool results become a line that says what was there",
        kind="clear results",
        peculiar="placeholders that say which tool answered, and how much",
    ),
    "clear_tool_uses": Strategy(
        clear_tool_uses.clear_tool_uses,
        clear_tool_uses.ClearToolUsesSettings,
        "lossy",
        "old tool results are cleared, as providers' context editing does",
        kind="clear results",
    ),
    "importance": Strategy(
        importance.importance,
        importance.ImportanceSettings,
        "lossy",
        "what scores highest stays, as much as fits",
        kind="drop",
        peculiar="scores: the newest stay here, not what matters most",
    ),
    "token_window": Strategy(
        token_window.token_window,
        token_window.TokenWindowSettings,
        "lossy",
        "the newest that fit into a number of tokens stay",
        kind="drop",
    ),
    "fifo": Strategy(
        fifo.fifo,
        fifo.FifoSettings,
        "lossy",
        "the oldest are dropped until few enough are left",
        kind="drop",
    ),
    "deletion": Strategy(
        deletion.deletion,
        deletion.DeletionSettings,
        "lossy",
        "the newest stay, everything older is dropped",
        kind="drop",
    ),
    "head_tail": Strategy(
        head_tail.head_tail,
        head_tail.HeadTailSettings,
        "lossy",
        "the beginning and the end stay, what lies between leaves",
        kind="drop",
        peculiar="the first messages: head_tail keeps them word for word",
    ),
    "amortized": Strategy(
        amortized.amortized,
        amortized.AmortizedSettings,
        "lossy",
        "at a limit half is forgotten at once, so that it is rarely done",
        kind="drop",
        peculiar="counting messages, and forgetting half of them at once",
    ),
    "sliding_window": Strategy(
        sliding_window.sliding_window,
        sliding_window.SlidingWindowSettings,
        "needs a model",
        "the newest stay, everything older becomes one summary",
        kind="summarise",
    ),
    "selective": Strategy(
        selective.selective,
        selective.SelectiveSettings,
        "needs a model",
        "what matters stays, the rest becomes one summary",
        kind="summarise",
        peculiar="tool calls, errors and important words: selective keeps them word for word",
    ),
    "summarize_half": Strategy(
        summarize_half.summarize_half,
        summarize_half.SummarizeHalfSettings,
        "needs a model",
        "the older half becomes one summary, until it fits",
        kind="summarise",
        peculiar="half of the messages: so many tokens stay as half of the threshold",
    ),
    "auto": Strategy(
        auto.auto,
        auto.AutoSettings,
        "needs a model",
        "sliding_window, selective or deletion, as the session suggests",
        kind="summarise",
        peculiar="the choice among sliding_window, selective and deletion by what the session looks like",
    ),
}
"""Those that may be a stage of a pipeline: all but the pipeline itself."""
