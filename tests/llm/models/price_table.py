"""Write the table of prices from the installed genai-prices: `python -m tests.llm.models.price_table`."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices import types
from genai_prices.data_snapshot import get_snapshot

import inspector.llm.models.price_list

TABLE = Path(inspector.llm.models.price_list.__file__).with_suffix(".json")
KEYS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")


def rule_of(rule: Any) -> dict[str, Any]:
    """Return a rule as the table has it; {} for none."""
    match rule:
        case None:
            return {}
        case types.ClauseOr(or_=rules):
            return {"or": [rule_of(inner) for inner in rules]}
        case types.ClauseAnd(and_=rules):
            return {"and": [rule_of(inner) for inner in rules]}
    [(kind, value)] = vars(rule).items()
    return {kind: value}


def rate_of(price: Any) -> Any:
    if price is None:
        return None
    if isinstance(price, types.TieredPrices):
        return [float(price.base), [[tier.start, float(tier.price)] for tier in price.tiers]]
    return float(price)


def condition_of(constraint: Any) -> dict[str, str]:
    match constraint:
        case None:
            return {}
        case types.StartDateConstraint(start_date=since):
            return {"since": since.isoformat()}
    times = (constraint.start_time, constraint.end_time)
    begin, end = (datetime.combine(date(1970, 1, 1), one, one.tzinfo or UTC).astimezone(UTC) for one in times)
    return {"from": begin.time().isoformat(), "to": end.time().isoformat()}


def model_of(info: types.ModelInfo) -> list[Any]:
    listed = info.prices if isinstance(info.prices, list) else [types.ConditionalPrice(prices=info.prices)]
    prices = [
        [condition_of(price.constraint), [rate_of(getattr(price.prices, key, None)) for key in KEYS]]
        for price in listed
    ]
    return [info.id, rule_of(info.match), info.context_window or 0, prices]


def table() -> dict[str, Any]:
    """Return the whole table, with its source and the checksum of its data."""
    providers = [
        [seller.id, rule_of(seller.provider_match), [model_of(info) for info in seller.models]]
        for seller in get_snapshot().providers
    ]
    return {
        "source": "https://github.com/pydantic/genai-prices",
        "version": version("genai-prices"),
        "license": "MIT",
        "sha256": checksum(providers),
        "providers": providers,
    }


def checksum(providers: Any) -> str:
    return hashlib.sha256(json.dumps(providers, separators=(",", ":")).encode()).hexdigest()


def written(value: dict[str, Any]) -> str:
    """Return a table as text, with one line for each model."""
    head = {key: one for key, one in value.items() if key != "providers"}
    sellers = []
    for name, rule, models in value["providers"]:
        rows = ",\n".join(json.dumps(model, separators=(",", ":"), ensure_ascii=False) for model in models)
        sellers.append(f"[{json.dumps(name)},{json.dumps(rule, separators=(',', ':'))},[\n{rows}\n]]")
    return json.dumps(head, indent=1)[:-2] + ',\n "providers": [\n' + ",\n".join(sellers) + "\n]}\n"


if __name__ == "__main__":
    TABLE.write_text(written(table()), "utf-8")
