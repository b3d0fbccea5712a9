"""A threshold that follows the session: its growth, the cost of its cache and its summaries, and the window.

A window that is compressed at T tokens shrinks to K + ρx. K is the fixed part (prompt, tools, task, newest messages), x
the tokens added since the last compression, and ρ the size of a summary as a fraction of its source. So T = K + (1 +
ρ)x. If the window grows by g tokens per call, one compression serves x/g calls. Apart from the new tokens, which cost
the same anyway, such a call costs on average, with r the price of a token read from the cache:

    carrying        r·(K + ρx + x/2)          the window halfway between two compressions
    compressing     A·g/x                     the fixed cost of a compression, shared by its calls

A consists of the cost of writing the part after the unchanged prefix to the cache again, (w - r)·(K - P); the
instructions and headings of a summary, if a model writes it; and `_RELAPSE` calls in which the agent re-fetches lost
content, r·K + w·g each. The cost of a summary per source token does not depend on x, because each token is summarised
once. The sum is minimal where its two parts that depend on x are equal, as in the economic order quantity:

    x = sqrt(A·g / (r·(1/2 + ρ)))

x is at least the growth of `_MIN_CALLS` calls, and T at most `_MAX_THRESHOLD_SHARE` of the window. Without a cache, r
and w are the price of an uncached token: carrying is expensive, so compression happens earlier.

The threshold is recomputed directly after a compression, when the cache is invalid anyway, and before the first
compression each time the number of calls has doubled. Changes of less than a tenth are not applied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

from inspector.engine.compression.policy import Policy
from inspector.engine.compression.threshold import FIRST_CALLS
from inspector.engine.strategies import STRATEGIES
from inspector.llm.models import Price

_RELAPSE = 8.0
"""Calls to charge for content that the agent re-fetches or misses after a compression; see docs/presets.md."""
_MIN_CALLS = 8
"""Minimum number of calls between two compressions."""
_MAX_THRESHOLD_SHARE = 0.8
"""Maximum threshold as a fraction of the window. The rest is for the reply and for errors of estimated counts."""
_INSTRUCTIONS, _HEADINGS = 500, 150
"""Tokens that a summary request and a summary have in addition to their content."""
_MIN_CHANGE_SHARE = 0.1
"""Minimum change of a threshold, as a fraction of it."""


@dataclass(frozen=True, slots=True)
class GrowthRate:
    """Measurements of a session from which its threshold is computed, in tokens."""

    calls: int
    """Number of replies so far."""
    per_call: float
    """Average growth of the log per reply."""
    floor: int
    """Unchanging prefix: tools, prompt and first task."""
    stays: int
    """Part that remains after any compression, including the prefix."""
    window: int
    """Maximum tokens of a request; 0 if unknown."""


def adapt(policy: Policy, growth: GrowthRate, price: Price, target: int = 0) -> tuple[Policy, str]:
    """Return the policy with a threshold and target that suit a session, and a sentence with the reason.

    If the current policy is close enough, it is returned unchanged with an empty sentence.

    Args:
        policy: The current policy.
        growth: Measurements of the session.
        price: Price of the conversation's model.
        target: Requested target in tokens; 0 for none.
    """
    if growth.calls < FIRST_CALLS or growth.per_call <= 0:
        return policy, ""
    ratio = float(policy.settings.get("ratio", 0.3))
    rates = price.at(policy.threshold)
    again = (rates.cache_write - rates.cache_read) * max(0, growth.stays - growth.floor)
    writes = STRATEGIES[policy.strategy].cost == "needs a model"
    summary = rates.input * _INSTRUCTIONS + rates.output * _HEADINGS if writes else 0.0
    relapse = _RELAPSE * (rates.cache_read * growth.stays + rates.cache_write * growth.per_call)
    least = _MIN_CALLS * growth.per_call
    best = sqrt((again + summary + relapse) * growth.per_call / (max(rates.cache_read, 1e-9) * (0.5 + ratio)))
    size = max(best, least)
    most = int(growth.window * _MAX_THRESHOLD_SHARE) if growth.window else 0
    threshold = int(growth.stays + (1 + ratio) * size)
    is_capped = 0 < most < threshold
    threshold = max(most if is_capped else threshold, 2)
    target = target or int(growth.stays + ratio * size)
    target = max(1, min(target, threshold * 3 // 4 if is_capped else threshold - 1))
    if abs(threshold - policy.threshold) < _MIN_CHANGE_SHARE * policy.threshold and policy.target:
        return policy, ""
    sizes = f"{growth.stays:,} are protected and each call adds {round(growth.per_call):,}"
    words = f"It compresses above {threshold:,} tokens: {sizes}, "
    if is_capped:
        words += f"and {_MAX_THRESHOLD_SHARE:.0%} of the window of {growth.window:,} is the maximum."
    elif size > best:
        words += f"and it compresses at most every {_MIN_CALLS} calls."
    else:
        calls, worth = round(size / growth.per_call), round((again + summary + relapse) / max(rates.cache_read, 1e-9))
        words += (
            f"and a compression costs as much as sending {worth:,} tokens once, so compressing every {calls:,} "
            "calls is cheapest."
        )
    return replace(policy, threshold=threshold, target=target), words
