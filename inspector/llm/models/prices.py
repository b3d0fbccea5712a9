"""Prices of tokens, in dollars per million, and the cost of model calls.

There are four sources: the user's own prices, the built-in table, genai-prices, and the default of the table. The id
that matches most of the model's name wins; ties go to the source that comes first. A price for gpt-4o is therefore
never used for gpt-4o-mini. An id in the user's prices also matches all dated versions of its model.

Cache prices are taken from the same source if it lists them. Otherwise they are derived from the listed price of the
same model, or from the provider's usual ratio. If neither is known, cached tokens are billed as uncached ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Literal, NamedTuple

from inspector.core.conversation import Message, Usage
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
"""Source of the cache prices.

listed  the source of the price
scaled  the ratios of another listed price of the same model
usual   the provider's usual ratios
none    unknown, so cached tokens are billed as uncached ones
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
"""Built-in price table. `default` applies to models without a known price."""
_DEFAULT = "default"
_USUAL_SHARES: Mapping[str, tuple[float, float]] = {
    "anthropic": (0.1, 1.25),
    "openai": (0.5, 1.0),
    "gemini": (0.25, 1.0),
    "deepseek": (0.1, 1.0),
}
"""Prices of reading from and writing to the cache, relative to an uncached token, by model family.

For Anthropic, these are the prices of the five-minute cache.
"""
_HOUR_SHARE = 2.0
"""Price of writing to Anthropic's one-hour cache, relative to an uncached token."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Prices of requests with more than `above` input tokens. They apply to all tokens of such a request."""

    above: int
    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float | None = None


@json_object(keys="model source note", about="Source of a price.")
@dataclass(frozen=True, slots=True)
class Price:
    """Prices in dollars per million tokens, and their source."""

    input: float
    """Price of an uncached input token."""
    output: float
    cache_read: float
    cache_write: float
    model: str = ""
    """Id that matched the model."""
    source: _Source = "user"
    cache: _CacheSource = "listed"
    tiers: tuple[Tier, ...] = ()
    """Prices of larger requests, in ascending order of size."""
    provider: str = ""
    """Provider that charges this price, if it is from genai-prices."""
    note: str = ""
    """Caveat for the user, without a final period; for example, that the default is used for an unknown model."""
    cache_write_1h: float | None = None
    """Price of writing to a one-hour cache; None if it is the same as `cache_write`."""

    def at(self, tokens: int) -> Price:
        """Return the price of a request with this number of input tokens."""
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
        """True if a cached token is cheaper than an uncached one."""
        return self.cache_read < self.input

    def of(self, reply: Message) -> Price:
        """Return the price of the call that a reply came from. Only a `SessionPrice` distinguishes calls."""
        return self

    @property
    def models(self) -> tuple[str, ...]:
        """Ids of the price table that the calls are billed by."""
        return (self.model,)


@json_object(keys="model source note", about="Source of a price.")
@dataclass(frozen=True, slots=True)
class SessionPrice(Price):
    """Price of a session's model, with the prices of the calls that are billed by another one."""

    by_call: Mapping[str, Price] = field(default_factory=dict)
    """Prices of calls to other models, or at times with another price, by the id of each reply."""

    def of(self, reply: Message) -> Price:
        return self.by_call.get(reply.id, self)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.model, *(price.model for price in self.by_call.values()))))


_SMALLEST_PART = 0.0005
"""Dollars below which a part of a cost is not worth a mention."""


@json_object(
    keys="input cache_read cache_write cache_write_1h output output_estimated surcharge summaries recalls",
)
@dataclass(frozen=True, slots=True)
class Cost:
    """Cost in dollars, by category. The fields add up to `total`."""

    input: Annotated[Dollars, "for uncached input tokens"] = 0.0
    output: Annotated[Dollars, "for reported output"] = 0.0
    cache_read: Annotated[Dollars, "for tokens read from the cache"] = 0.0
    cache_write: Annotated[Dollars, "for tokens written to the five-minute cache, or the only one"] = 0.0
    cache_write_1h: Annotated[Dollars, "for tokens written to the one-hour cache"] = 0.0
    surcharge: Annotated[Dollars, "surcharge for long requests"] = 0.0
    output_estimated: Annotated[Dollars, "for output that was not fully reported (estimate)"] = 0.0
    summaries: Annotated[Dollars, "for summaries of compressions, written by the model of the next call"] = 0.0
    recalls: Annotated[Dollars, "for extra calls to re-fetch archived content"] = 0.0

    @property
    def total(self) -> Dollars:
        sent = self.input + self.cache_read + self.cache_write + self.cache_write_1h
        return sent + self.output + self.output_estimated + self.surcharge + self.summaries + self.recalls

    def estimates(self, reported: float | None = None) -> dict[str, float]:
        """Return the dollars of the parts that were not reported, by name, without those of no account.

        Args:
            reported: Dollars for the reported usage. The rest of the total is the cost of calls without a report. None
                to leave these out.
        """
        parts = {"unreported output": self.output_estimated, "summaries": self.summaries}
        if reported is not None:
            parts["unreported calls"] = self.total - reported - sum(parts.values())
        return {name: part for name, part in parts.items() if part >= _SMALLEST_PART}

    def describe_estimates(self, reported: float | None = None) -> str:
        """Describe `estimates` with the same argument: "≈$0.28 unreported output, ≈$0.79 summaries"; "" if none."""
        return ", ".join(f"≈{dollars(part)} {name}" for name, part in self.estimates(reported).items())

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
    """An id in a price table that matches a model."""

    id: str
    rates: Rates
    source: _Source
    rank: int
    """Number of matched characters. For a user's id that matches any date of the model, this is the full length."""
    is_exact: bool
    """True if the id is this model in any version, rather than a prefix of its name."""


def price_of(
    model: str, provider: str = "", overlay: Mapping[str, Rates] | None = None, at: datetime | None = None
) -> Price:
    """Return the price of a model.

    Args:
        model: Any name of the model. For an unknown model the default price is returned, with a `note`.
        provider: Provider that is paid ("bedrock", "azure"), if it is neither the maker nor part of the name.
        overlay: Prices that replace the user's own file; {} means none.
        at: Time of the call. Default: now.

    Raises:
        ValueError: The overlay contains an invalid price for this model.
    """
    own, problem = own_prices() if overlay is None else (overlay, "")
    price = _best_price(model, provider, own, at or datetime.now(UTC))
    return replace(price, note="; ".join(filter(None, (price.note, problem)))) if problem else price


def _best_price(model: str, provider: str, own: Mapping[str, Rates], at: datetime) -> Price:
    """Return the price whose id matches most of the model's name."""
    entry = find_entry(model, provider)
    tables: tuple[tuple[_Source, Mapping[str, Rates]], ...] = (("user", own), ("requirement", PRICING))
    matches = [match for source, table in tables if (match := _match_in(table, model, source))]
    best = max(matches, key=lambda match: match.rank, default=None)
    if best and (entry is None or best.rank >= entry.length):
        return _from_table(best, model, entry, at)
    return _from_list(entry, maker_entry(model), at) if entry else _by_default(model, own)


def _match_in(table: Mapping[str, Rates], model: str, source: _Source) -> _PriceMatch | None:
    """Return the longest matching id of a table, or None. Ids of the user's prices match all dates of their model."""
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
        else f"no price is known for {model.strip()[:MAX_NAME_LENGTH]}, so that of {match.id} is used"
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
    """Complete a price from a table with cache prices: its own, or else by listed or usual ratios."""
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
    """Return the price of writing to a one-hour cache if it is not listed: twice an input token for Anthropic."""
    return fresh * _HOUR_SHARE if write > fresh and profile(model).family == "anthropic" else None


def _shares_of(model: str, entry: ListEntry | None, at: datetime) -> tuple[float, float, _CacheSource]:
    """Return the relative prices of reading from and writing to the cache, and their source."""
    if entry and (price := _from_list(entry, maker_entry(model), at)).input:
        source: _CacheSource = "none" if price.cache == "none" else "scaled"
        return price.cache_read / price.input, price.cache_write / price.input, source
    if entry is None and (shares := _USUAL_SHARES.get(profile(model).family)):
        return (*shares, "usual")
    return 1.0, 1.0, "none"


def _from_list(entry: ListEntry, maker: ListEntry | None, at: datetime) -> Price:
    """Return the price of a genai-prices entry.

    If the provider lists no cache prices, the maker's ratios are used. If only cache reads are listed, writing to the
    cache costs as much as uncached input.
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
    note = "" if entry.is_certain else f"the price is that of {entry.provider}, one of its providers"
    first, *rest = tiers
    four = (first.input, first.output, first.cache_read, first.cache_write)
    return Price(
        *four, entry.id, "genai-prices", source, tuple(rest), entry.provider, note, cache_write_1h=first.cache_write_1h
    )


def _prices_of(charge: Charge, model: str) -> tuple[float, float, float, float, float | None]:
    """Return the five prices of a charge. Unlisted cache prices are those of uncached tokens."""
    read = charge.input if charge.cache_read is None else charge.cache_read
    write = charge.input if charge.cache_write is None else charge.cache_write
    hour = charge.cache_write_1h
    return charge.input, charge.output, read, write, _hour_price(model, charge.input, write) if hour is None else hour


def cost(price: Price, usage: Usage, estimated: int = 0) -> Cost:
    """Return the cost of a call.

    Args:
        price: Price of the model. Its tier is chosen by the number of input tokens, and shown as `surcharge`.
        usage: Tokens of the call.
        estimated: Number of tokens in `usage.output` that are an estimate.
    """
    if estimated:
        known = cost(price, replace(usage, output=usage.output - estimated))
        return replace(known, output_estimated=cost(price, usage).total - known.total)
    parts = _flat_cost(price, usage)
    if price.tiers and usage.input > price.tiers[0].above:
        return replace(parts, surcharge=_flat_cost(price.at(usage.input), usage).total - parts.total)
    return parts


def _flat_cost(price: Price, usage: Usage) -> Cost:
    """Return the cost of a call at the lowest tier."""
    written, hour = usage.cache_write - usage.cache_write_1h, price.cache_write_1h
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    return Cost(
        fresh * price.input / MILLION,
        usage.output * price.output / MILLION,
        usage.cache_read * price.cache_read / MILLION,
        written * price.cache_write / MILLION,
        usage.cache_write_1h * (price.cache_write if hour is None else hour) / MILLION,
    )
