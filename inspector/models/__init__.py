"""What is known of models: names, context windows, encodings, prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.models.encodings import RECIPES, EncodingName, load_count, load_encoding
    from inspector.models.overrides import own_prices
    from inspector.models.prices import MILLION, PRICING, Cost, Price, cost, price_of
    from inspector.models.profiles import CHARS_PER_TOKEN, ModelProfile, limit_above, limit_of, profile
    from inspector.models.usage_cost import (
        NOTHING,
        SessionCost,
        add_usage,
        calls_of,
        session_cost,
        session_price,
        time_of,
        whole_output,
    )

__all__ = [
    "CHARS_PER_TOKEN",
    "MILLION",
    "NOTHING",
    "PRICING",
    "RECIPES",
    "Cost",
    "EncodingName",
    "ModelProfile",
    "Price",
    "SessionCost",
    "add_usage",
    "calls_of",
    "cost",
    "limit_above",
    "limit_of",
    "load_count",
    "load_encoding",
    "own_prices",
    "price_of",
    "profile",
    "session_cost",
    "session_price",
    "time_of",
    "whole_output",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.models.encodings": "EncodingName RECIPES load_count load_encoding",
        "inspector.models.overrides": "own_prices",
        "inspector.models.prices": "Cost MILLION PRICING Price cost price_of",
        "inspector.models.profiles": "CHARS_PER_TOKEN ModelProfile limit_above limit_of profile",
        "inspector.models.usage_cost": (
            "NOTHING SessionCost add_usage calls_of session_cost session_price time_of whole_output"
        ),
    },
)
