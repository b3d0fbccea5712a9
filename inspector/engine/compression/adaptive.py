"""A threshold that follows the session: how fast it grows, what its cache and its summaries cost, and the window.

A window that is compressed when it has T tokens comes down to K + ρx, where K stays whatever happens (prompt, tools,
task, the newest messages), x more have come in since, and ρ is the share of them that a summary takes. So T = K +
(1 + ρ)x. It grows by g tokens a call, so one compression serves x/g calls. Beside the new tokens, which cost the same
anyway, such a call costs on average, with r the price of a token that is read from the cache:

    carrying        r·(K + ρx + x/2)          the window, half way between two compressions
    compressing     A·g/x                     what a compression costs whatever its size, shared by its calls

A is what has to be paid for each compression: writing to the cache again what stays behind the prefix that nothing
changes, (w - r)·(K - P); the instructions and headings of a summary that a model writes; and `_RELAPSE` calls that the
agent needs to find again what it was made to forget, r·K + w·g each. What a summary costs for each token that it reads
is the same for every x, for each token is summarised once. The sum is least where its two parts that depend on x are
equal, as with the size of an order and the cost of a store room:

    x = sqrt(A·g / (r·(1/2 + ρ)))

It is no less than `_MIN_CALLS` calls bring, and T no more than `_MAX_THRESHOLD_SHARE` of the window. Without a cache,
r and w are the price of a fresh token: carrying is dear, and it compresses earlier.

It is worked out again right after a compression, when the cache is broken already, and before the first one whenever
the number of calls has doubled. A change of less than a tenth is not made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

from inspector.engine.compression.policy import Policy
from inspector.engine.compression.threshold import FIRST_CALLS
from inspector.engine.strategies import STRATEGIES
from inspector.llm.models import Price

_RELAPSE = 8.0
"""Calls that are reckoned for what an agent finds again after a compression, or does without. docs/presets.md says how
it was chosen."""
_MIN_CALLS = 8
"""Calls between two compressions, at least."""
_MAX_THRESHOLD_SHARE = 0.8
"""Of the window, the most that a threshold may be: the rest is for the reply, and for counts that are estimates."""
_INSTRUCTIONS, _HEADINGS = 500, 150
"""Tokens that a request for a summary has beside what it is to summarise, and a summary beside what it says."""
_MIN_CHANGE_SHARE = 0.1
"""Share of a threshold below which a change is not made."""


@dataclass(frozen=True, slots=True)
class GrowthRate:
    """What is known of a session when its threshold is worked out. All in tokens."""

    calls: int
    """Replies so far."""
    per_call: float
    """By which the log has grown with each."""
    floor: int
    """The prefix that nothing changes: tools, prompt and first task."""
    stays: int
    """What a compression leaves whatever happens, the prefix among it."""
    window: int
    """The most that may be sent; 0 where that is not known."""


def adapt(policy: Policy, growth: GrowthRate, price: Price, target: int = 0) -> tuple[Policy, str]:
    """The policy with the threshold and the target that suit a session, and why, in one sentence.

    `target` is the one that was asked for; 0 for none. Where the policy suits well enough, it stays as it is, and the
    sentence is empty.
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
    sizes = f"{growth.stays:,} stay and each call adds {round(growth.per_call):,}"
    words = f"It compresses above {threshold:,} tokens: {sizes}, "
    if is_capped:
        words += f"and {_MAX_THRESHOLD_SHARE:.0%} of the window of {growth.window:,} is the most."
    elif size > best:
        words += f"and it is not to compress more often than every {_MIN_CALLS} calls."
    else:
        calls, worth = round(size / growth.per_call), round((again + summary + relapse) / max(rates.cache_read, 1e-9))
        words += (
            f"and a compression costs as much as carrying {worth:,} tokens through one call, so that one in {calls:,} "
            "calls is cheapest."
        )
    return replace(policy, threshold=threshold, target=target), words
