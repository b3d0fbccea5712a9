"""Old messages are archived; what has to do with the current request comes back as memory. Requirement 1.

The plan only says what leaves. What comes back is worked out anew for every request (`compression/recalls.py`) by the
settings that the plan carries, and goes again with the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from inspector.engine.strategies.fitting import note_excess
from inspector.engine.strategies.knobs import knob, recent_knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.recent import recent
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window

_SHARE = 0.5
"""Of the tokens that a window may take, the part that what comes back may take at most."""
_STEP = 500


@dataclass(frozen=True)
class VectorSwapSettings:
    keep_last: int = recent_knob(10, "How many of the newest messages stay in the window.")
    k: int = knob(5, "How many of the archived come back, the most relevant to the request.", low=0, high=1_000, step=1)
    recall: int = knob(
        2_000, "Tokens that what comes back may take, all together; 0: nothing does.", low=0, high=200_000, step=100
    )
    excerpt: int = knob(2_000, "Characters of each that come back, at most.", low=100, high=200_000, step=100)
    max_tokens: int = knob(
        2_000_000,
        "Tokens that the whole window may take, with what comes back; fewer of the newest stay where it is less.",
        low=0,
        high=2_000_000,
        step=_STEP,
        fit=lambda window: window.total + _STEP / 2,
        role="bound",
    )


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How much comes back of what was archived."""

    k: int
    """Groups of messages."""
    tokens: int
    excerpt: int
    """Characters of each, at most."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RecallSettings:
        """What some values of the strategy's settings come to; what is not named, or no number, has its default."""
        settings = VectorSwapSettings(**{name: values[name] for name in _NAMES if type(values.get(name)) is int})
        return cls(settings.k, _recall_budget(settings), settings.excerpt)

    @property
    def is_on(self) -> bool:
        return self.k > 0 and self.tokens > 0


_NAMES = tuple(asdict(VectorSwapSettings()))


def vector_swap(window: Window, settings: VectorSwapSettings, _services: Services) -> Plan:
    """Groups leave whole. Where the newest do not fit beside what comes back, the oldest of them leave too."""
    builder = PlanBuilder(window)
    newest = recent(window, settings.keep_last)
    candidates = builder.candidates()
    older = [members for members in candidates if members[0] not in newest]
    builder.archive(chain.from_iterable(older), f"older than the newest {settings.keep_last:,} messages")
    if settings.max_tokens < window.total:
        rest = [members for members in candidates if members[0] in newest]
        budget = _recall_budget(settings)
        left = builder.total
        archived = sum(builder.weights(older))
        reason = f"does not fit into {settings.max_tokens:,} tokens with what comes back"
        for members, weight in zip(rest, builder.weights(rest), strict=True):
            if left + min(budget, archived) <= settings.max_tokens:
                break
            builder.archive(members, reason)
            left, archived = left - weight, archived + weight
    builder.keep_rest(f"among the newest {settings.keep_last:,} messages")
    note_excess(builder, settings.max_tokens)
    return builder.finish("vector_swap", settings)


def _recall_budget(settings: VectorSwapSettings) -> int:
    """Tokens that what comes back may take, so that the window keeps within its own."""
    return min(settings.recall, int(_SHARE * settings.max_tokens)) if settings.k else 0
