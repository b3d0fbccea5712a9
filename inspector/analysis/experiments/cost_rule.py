"""Weigh the cost of a preset against the facts that it loses."""

from __future__ import annotations

COST_RULE = "lowest cost, plus 1% of it for each 1% of the facts lost"


def weigh_cost(cost: float, kept: float) -> float:
    """Return a cost by `COST_RULE`.

    Args:
        cost: Dollars, or dollars relative to another cost.
        kept: Share of the facts that are kept, from 0 to 1.
    """
    return cost * (2 - kept)
