"""Suggest strategies for parts of a window, from the messages each would remove, without applying anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from inspector.analysis.usage_breakdown import Node
from inspector.core.conversation import MAIN
from inspector.core.json_objects import Tokens, json_object
from inspector.engine.compression import choice_for
from inspector.library.bench.workbench import Workbench

CANDIDATES: Sequence[str] = (
    "dedupe",
    "clear_thinking",
    "trim_outputs",
    "mask_observations",
    "clear_tool_uses",
    "sliding_window",
)
"""Strategies that are tried, the least destructive first."""
_WORTH = 0.05
"""Share of a node from which a strategy is suggested."""
_SUFFICIENT_SHARE = 0.5
"""Share of the largest saving from which a less destructive strategy is preferred."""


@json_object("Remedy")
@dataclass(frozen=True)
class Suggestion:
    """Tokens that a strategy would remove from a part of the window."""

    strategy: str
    tokens: Annotated[Tokens, "that would leave"]


@dataclass(frozen=True)
class Suggestions:
    """Tokens that each strategy would remove from each message of a window."""

    savings: Mapping[str, Mapping[str, int]]
    """Tokens by strategy and message id."""

    def for_node(self, node: Node) -> Suggestion | None:
        """Return the best strategy for a part of the window; None if no strategy saves enough.

        This is the least destructive strategy that saves nearly as much as the best one. For repeated reads it is the
        one that removes duplicates.
        """
        rows = [
            Suggestion(strategy, sum(savings.get(message, 0) for message in node.messages))
            for strategy, savings in self.savings.items()
        ]
        most = max((row.tokens for row in rows), default=0)
        if most <= _WORTH * node.tokens or not most:
            return None
        enough = _SUFFICIENT_SHARE * (_wasted(node) or most)
        return next(
            row for row in rows if row.tokens >= (enough if row.strategy == "dedupe" else _SUFFICIENT_SHARE * most)
        )


def _wasted(node: Node) -> int:
    """Return the tokens of repeated reads in a node without parts."""
    return 0 if node.children else sum(repeat.wasted for repeat in node.repeats)


def find_suggestions(bench: Workbench, turn: int | None = None, agent: str = MAIN) -> Suggestions:
    """Preview every candidate with its initial settings. As slow as the strategies, so call it in a thread.

    Args:
        bench: Open session.
        turn: Turn of the window; None for the current one.
        agent: Agent of the window.
    """
    savings: dict[str, dict[str, int]] = {}
    window = bench.preview(turn, agent).base
    for strategy in CANDIDATES:
        choice = choice_for(strategy, window, bench.scale(agent))
        preview = bench.preview(turn, agent, strategy, choice.settings)
        sizes = dict(zip(preview.after.ids, preview.after.tokens, strict=True))
        before = zip(preview.before.ids, preview.before.tokens, strict=True)
        savings[strategy] = {
            name: tokens - sizes.get(name, 0) for name, tokens in before if tokens > sizes.get(name, 0)
        }
    return Suggestions(savings)
