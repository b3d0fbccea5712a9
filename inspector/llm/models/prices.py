"""What tokens cost, in dollars per million: of a model by any of its names, and of a call by its usage.

Four sources: a person's own prices, the table of requirement 3, genai-prices, and the table's default. The id that
stands for most of a model's name wins; where two stand for as much of it, the source that was named first. So a price
for gpt-4o is never billed to gpt-4o-mini. A person's own id also wins for every date of its model.

Cache prices come from the source where it lists them. A price without them takes their shares from the same model's
listed price, else from what its provider usually asks. Where nothing is known, cached tokens are billed as fresh ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, NamedTuple

from inspector.core.conversation import Usage
from inspector.core.json_objects import Dollars, json_object
from inspector.core.text import dollars
from inspector.llm.models.catalog import (
    MAX_NAME_LENGTH,
    Charge,
    ListEntry,
    find_entry,
    long_context_charges,
    longest,
    maker_entry,
    names_of,
    strip_version,
)
from inspector.llm.models.overrides import Rates, check_rates, own_prices
from inspector.llm.models.profiles import profile

_Source = Literal["user", "requirement", "genai-prices", "default"]
_CacheSource = Literal["listed", "scaled", "usual", "none"]
"""How cache prices are known. listed: by the source. scaled: the listed shares of another price for the same model.
usual: the provider's usual shares. none: not at all, so cached tokens are billed like fresh ones.
"""

MILLION = 1_000_000
PRICING: Mapping[str, Rates] = {
    "gpt-4o": {"input": 2.50, "output": 10.00},
    "gpt-4o-mini": {"input": 0.15, "output": 0.60},
    "claude-3-5-sonnet-20241022": {"input": 3.00, "output": 15.00},
    "claude-3-5-haiku-20241022": {"input": 0.80, "output": 4.00},
    "gemini-1.5-flash": {"input": 0.075, "output": 0.30},
    "gemini-1.5-pro": {"input": 1.25, "output": 5.00},
    "default": {"input": 0.55, "output": 2.19},
}
"""Requirement 3's table. `default` is for models whose price nobody knows."""
_DEFAULT = "default"
_USUAL_SHARES: Mapping[str, tuple[float, float]] = {
    "anthropic": (0.1, 1.25),
    "openai": (0.5, 1.0),
    "gemini": (0.25, 1.0),
    "deepseek": (0.1, 1.0),
}
"""By family of models: what a token costs that is read from the cache, and one that is written to it, as shares of a
fresh one's price. Anthropic's for the cache of five minutes."""
_HOUR_SHARE = 2.0
"""What a token costs that is written to Anthropic's cache of an hour, as a share of a fresh one's price."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Prices for requests of more than `above` input tokens; they hold for all of the request's tokens."""

    above: int
    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float | None = None


@json_object(keys="model source note", about="Whose prices are meant.")
@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, and where they come from."""

    input: float
    """Of a token that is sent fresh."""
    output: float
    cache_read: float
    cache_write: float
    model: str = ""
    """The id that matched."""
    source: _Source = "user"
    cache: _CacheSource = "listed"
    tiers: tuple[Tier, ...] = ()
    """Other prices for larger requests, the smallest first."""
    provider: str = ""
    """Whose price it is, as far as genai-prices says so."""
    note: str = ""
    """What to know about it, without a full stop: for an unknown model, that the default is used."""
    cache_write_1h: float | None = None
    """Of a token that is written to the cache for an hour; None where that costs what any write does."""

    def at(self, tokens: int) -> Price:
        """The price for a request of so many input tokens."""
        for tier in reversed(self.tiers):
            if tokens > tier.above:
                return replace(
                    self,
                    input=tier.input,
                    output=tier.output,
                    cache_read=tier.cache_read,
                    cache_write=tier.cache_write,
                    cache_write_1h=tier.cache_write_1h,
                    tiers=(),
                )
        return replace(self, tiers=()) if self.tiers else self

    @property
    def caches(self) -> bool:
        """Whether reading from the cache is cheaper than sending again."""
        return self.cache_read < self.input


@json_object(
    keys="input cache_read cache_write cache_write_1h output output_estimated surcharge summaries recalls",
)
@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars, by what they are paid for; the parts add up to the cost."""

    input: Annotated[Dollars, "for tokens that were sent fresh"] = 0.0
    output: Annotated[Dollars, "for output as it was reported"] = 0.0
    cache_read: Annotated[Dollars, "for tokens that were read from the cache"] = 0.0
    cache_write: Annotated[Dollars, "for tokens that were written to the cache of five minutes, or to the only one"] = (
        0.0
    )
    cache_write_1h: Annotated[Dollars, "for tokens that were written to the cache of an hour"] = 0.0
    surcharge: Annotated[Dollars, "what the price of long requests adds to these"] = 0.0
    output_estimated: Annotated[Dollars, "for output that was not reported, or not to its end: an estimate"] = 0.0
    summaries: Annotated[Dollars, "for summaries that a compression asked for, by the session's model"] = 0.0
    recalls: Annotated[
        Dollars, "for calls that would have fetched from the archive what had not come back by itself"
    ] = 0.0

    @property
    def total(self) -> Dollars:
        sent = self.input + self.cache_read + self.cache_write + self.cache_write_1h
        return sent + self.output + self.output_estimated + self.surcharge + self.summaries + self.recalls

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.cache_write_1h + other.cache_write_1h,
            self.surcharge + other.surcharge,
            self.output_estimated + other.output_estimated,
            self.summaries + other.summaries,
            self.recalls + other.recalls,
        )


class _PriceMatch(NamedTuple):
    """An id of a table that stands for a model."""

    id: str
    rates: Rates
    source: _Source
    rank: int
    """How many characters of the model's name it stands for: all where it is a person's own id for any of its dates."""
    is_exact: bool
    """Whether it stands for the model itself, and not for one whose name only begins like it."""


def price_of(
    model: str, provider: str = "", overlay: Mapping[str, Rates] | None = None, at: datetime | None = None
) -> Price:
    """The price of a model by any of its names. An unknown one has the default price, and a `note` that says so.

    `provider` is who is paid, where it is not the model's maker and its name does not say so ("bedrock", "azure").
    `overlay` stands in for the person's own prices; {} means none. `at` is when the call was made; without it, now.
    Raises ValueError for an overlay whose price of this model cannot be used.
    """
    own, problem = own_prices() if overlay is None else (overlay, "")
    price = _best_price(model, provider, own, at or datetime.now(UTC))
    return replace(price, note="; ".join(filter(None, (price.note, problem)))) if problem else price


def _best_price(model: str, provider: str, own: Mapping[str, Rates], at: datetime) -> Price:
    """The price whose id stands for most of the model's name."""
    entry = find_entry(model, provider)
    tables: tuple[tuple[_Source, Mapping[str, Rates]], ...] = (("user", own), ("requirement", PRICING))
    matches = [match for source, table in tables if (match := _match_in(table, model, source))]
    best = max(matches, key=lambda match: match.rank, default=None)
    if best and (entry is None or best.rank >= entry.length):
        return _from_table(best, model, entry, at)
    return _from_list(entry, maker_entry(model), at) if entry else _by_default(model, own)


def _match_in(table: Mapping[str, Rates], model: str, source: _Source) -> _PriceMatch | None:
    """The longest id of a table that stands for a model. A person's own stands for all dates of its model."""
    names = names_of(model)
    best, name, length = longest((key for key in table if key != _DEFAULT), names)
    if not best:
        return None
    is_exact = strip_version(name) == strip_version(best.lower())
    rank = max(map(len, names)) if source == "user" and is_exact else length
    return _PriceMatch(best, check_rates(best, table[best]), source, rank, is_exact)


def _from_table(match: _PriceMatch, model: str, entry: ListEntry | None, at: datetime) -> Price:
    note = (
        ""
        if match.is_exact
        else f"no price is known for {model.strip()[:MAX_NAME_LENGTH]} itself, so that of {match.id} is used"
    )
    same = entry if entry and entry.length >= len(strip_version(match.id)) else None
    return _with_cache_prices(match.rates, model, same, at, Price(0, 0, 0, 0, match.id, match.source, note=note))


def _by_default(model: str, own: Mapping[str, Rates]) -> Price:
    rates = check_rates(_DEFAULT, own.get(_DEFAULT, PRICING[_DEFAULT]))
    unknown = (
        f"no price is known for {model.strip()[:MAX_NAME_LENGTH]}" if model.strip() else "the model is not recorded"
    )
    used = f"the default of {dollars(rates['input'])} in and {dollars(rates['output'])} out per million tokens is used"
    price = Price(0, 0, 0, 0, _DEFAULT, "default", note=f"{unknown}, so {used}")
    return _with_cache_prices(rates, model, None, datetime.now(UTC), price)


def _with_cache_prices(rates: Rates, model: str, entry: ListEntry | None, at: datetime, price: Price) -> Price:
    """A price from a table, with cache prices: its own, else by the shares that are listed, or usual."""
    fresh = rates["input"]
    read_share, write_share, source = _shares_of(model, entry, at)
    if {"cache_read", "cache_write"} <= rates.keys():
        source = "listed"
    write = rates.get("cache_write", fresh * write_share)
    return replace(
        price,
        input=fresh,
        output=rates["output"],
        cache_read=rates.get("cache_read", fresh * read_share),
        cache_write=write,
        cache=source,
        cache_write_1h=rates.get("cache_write_1h", _hour_price(model, fresh, write)),
    )


def _hour_price(model: str, fresh: float, write: float) -> float | None:
    """What writing to a cache of an hour costs where nobody lists it: twice a fresh token, at Anthropic."""
    return fresh * _HOUR_SHARE if write > fresh and profile(model).family == "anthropic" else None


def _shares_of(model: str, entry: ListEntry | None, at: datetime) -> tuple[float, float, _CacheSource]:
    """What cached tokens cost in shares of fresh ones: read, written; and how that is known."""
    if entry and (price := _from_list(entry, maker_entry(model), at)).input:
        source: _CacheSource = "none" if price.cache == "none" else "scaled"
        return price.cache_read / price.input, price.cache_write / price.input, source
    if entry is None and (shares := _USUAL_SHARES.get(profile(model).family)):
        return (*shares, "usual")
    return 1.0, 1.0, "none"


def _from_list(entry: ListEntry, maker: ListEntry | None, at: datetime) -> Price:
    """A price of genai-prices.

    Where a seller lists no cache prices, the shares of the maker's own price hold. Where only reading is listed,
    writing to the cache costs what sending does.
    """
    charges = entry.charges(at)
    source: _CacheSource = "listed"
    if not charges[0][1].caches:
        source = "none"
        if maker and maker.info is not entry.info and (own := maker.charges(at)[0][1]).caches and own.input:
            source = "scaled"
            charges = [(above, charge.with_cache_shares_of(own)) for above, charge in charges]
    if maker and len(charges) == 1:
        charges += long_context_charges(maker.id, charges[0][1])
    tiers = [Tier(above, *_prices_of(charge, entry.id)) for above, charge in charges]
    note = "" if entry.is_certain else f"the price is that of {entry.provider}, one of those who sell it"
    first, *rest = tiers
    four = (first.input, first.output, first.cache_read, first.cache_write)
    return Price(
        *four, entry.id, "genai-prices", source, tuple(rest), entry.provider, note, cache_write_1h=first.cache_write_1h
    )


def _prices_of(charge: Charge, model: str) -> tuple[float, float, float, float, float | None]:
    """The prices of a charge; what the cache has part in costs the same as fresh tokens unless it is listed."""
    read = charge.input if charge.cache_read is None else charge.cache_read
    write = charge.input if charge.cache_write is None else charge.cache_write
    hour = charge.cache_write_1h
    return charge.input, charge.output, read, write, _hour_price(model, charge.input, write) if hour is None else hour


def cost(price: Price, usage: Usage, estimated: int = 0) -> Cost:
    """What a call cost, where so many tokens of its output are an estimate.

    The tier of a tiered price is that of everything that was sent; what it adds is told apart.
    """
    if estimated:
        known = cost(price, replace(usage, output=usage.output - estimated))
        return replace(known, output_estimated=cost(price, usage).total - known.total)
    parts = _flat_cost(price, usage)
    if price.tiers and usage.input > price.tiers[0].above:
        return replace(parts, surcharge=_flat_cost(price.at(usage.input), usage).total - parts.total)
    return parts


def _flat_cost(price: Price, usage: Usage) -> Cost:
    """What a call would cost without tiers."""
    written, hour = usage.cache_write - usage.cache_write_1h, price.cache_write_1h
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    return Cost(
        fresh * price.input / MILLION,
        usage.output * price.output / MILLION,
        usage.cache_read * price.cache_read / MILLION,
        written * price.cache_write / MILLION,
        usage.cache_write_1h * (price.cache_write if hour is None else hour) / MILLION,
    )


def cost_of(
    model: str,
    *,
    input: int = 0,
    output: int = 0,
    cache_read: int = 0,
    cache_write: int = 0,
    provider: str = "",
    overlay: Mapping[str, Rates] | None = None,
    at: datetime | None = None,
) -> Cost:
    """What one call of a model cost. `input` is everything that was sent, with what the cache had part in."""
    return cost(price_of(model, provider, overlay, at), Usage(input, output, cache_read, cache_write))
