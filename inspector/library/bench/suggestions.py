"""Which strategy would take what out of a window, message by message: what leaves, without anything being applied."""

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
"""Strategies that are asked, those that lose least first."""
_WORTH = 0.05
"""Share of a node from which on a strategy is worth naming."""
_SUFFICIENT_SHARE = 0.5
"""Share of the largest saving from which on one that loses less is named in its place."""


@json_object("Remedy")
@dataclass(frozen=True)
class Suggestion:
    """A strategy that would take something out."""

    strategy: str
    tokens: Annotated[Tokens, "that would leave"]


@dataclass(frozen=True)
class Suggestions:
    """What each strategy would take out of each message of a window."""

    savings: Mapping[str, Mapping[str, int]]
    """By strategy, by the id of a message: tokens."""

    def for_node(self, node: Node) -> Suggestion | None:
        """The strategy to name for a part of the window: the one that takes most out of it, or loses less and nearly
        as much. For what was read again that is the one that takes out readings that say the same. None where none
        takes anything worth a word."""
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
    """Tokens of what was read again, in a node without parts."""
    return 0 if node.children else sum(repeat.wasted for repeat in node.repeats)


def find_suggestions(bench: Workbench, turn: int | None = None, agent: str = MAIN) -> Suggestions:
    """Preview every candidate with the settings that it begins with when it is tried on.

    Takes as long as the strategies do; for a thread.
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
