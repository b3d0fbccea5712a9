"""Archive old messages, and retrieve those relevant to the current request.

The plan only archives. Retrieval happens for every request separately (`compression/recalls.py`), with the settings
that the plan contains, and its results are removed before the next request.
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
"""Maximum fraction of a window's token budget that retrieved content can use."""
_STEP = 500


@dataclass(frozen=True)
class VectorSwapSettings:
    keep_last: int = recent_knob(10, "Number of newest messages to keep in the window.")
    k: int = knob(
        5,
        "Maximum number of archived messages to retrieve, the most relevant to the request.",
        low=0,
        high=1_000,
        step=1,
    )
    recall: int = knob(
        2_000, "Maximum total tokens of retrieved messages; 0 disables retrieval.", low=0, high=200_000, step=100
    )
    excerpt: int = knob(2_000, "Maximum characters of each retrieved message.", low=100, high=200_000, step=100)
    max_tokens: int = knob(
        2_000_000,
        "Maximum tokens of the window, including retrieved messages; fewer of the newest are kept if necessary.",
        low=0,
        high=2_000_000,
        step=_STEP,
        fit=lambda window: window.total + _STEP / 2,
        role="bound",
    )


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """Limits of the content retrieved from the archive."""

    k: int
    """Number of groups of messages."""
    tokens: int
    excerpt: int
    """Maximum number of characters of each group."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RecallSettings:
        """Return the limits from the strategy's settings. Missing and non-integer values have their default."""
        settings = VectorSwapSettings(**{name: values[name] for name in _NAMES if type(values.get(name)) is int})
        return cls(settings.k, _recall_budget(settings), settings.excerpt)

    @property
    def is_on(self) -> bool:
        """True if anything can be retrieved."""
        return self.k > 0 and self.tokens > 0


_NAMES = tuple(asdict(VectorSwapSettings()))


def vector_swap(window: Window, settings: VectorSwapSettings, _services: Services) -> Plan:
    """Archive older groups, and the oldest of the newest ones if these do not fit together with retrieved content."""
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
        reason = f"does not fit into {settings.max_tokens:,} tokens with retrieved messages"
        for members, weight in zip(rest, builder.weights(rest), strict=True):
            if left + min(budget, archived) <= settings.max_tokens:
                break
            builder.archive(members, reason)
            left, archived = left - weight, archived + weight
    builder.keep_rest(f"among the newest {settings.keep_last:,} messages")
    note_excess(builder, settings.max_tokens)
    return builder.finish("vector_swap", settings)


def _recall_budget(settings: VectorSwapSettings) -> int:
    """Return the tokens that retrieved content can use without exceeding the window's budget."""
    return min(settings.recall, int(_SHARE * settings.max_tokens)) if settings.k else 0
