"""What genai-prices lists: what models cost at which provider, and how large their context windows are.

One model goes by many names: gateways put providers before it ("openrouter/anthropic/…", "us.anthropic.…"), and
providers put dates and versions behind it. What is left without either is the model's own name.

It is offline and maintained, and takes 0.1 to 0.4 s and some 30 MB to load, so it is imported by the first question
that is asked of it. Its own look-up takes the first rule that fits; here the rule that fits most of the name wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import MatchLogic, ModelInfo, ModelPrice, Provider, TieredPrices


_BEFORE = re.compile(r"^(?:.*/)?(?:[a-z-]+\.)*(?=.)")
"""Folders of gateways, and vendors with a dot behind them; never "claude-3."."""
_VERSION = re.compile(
    r"""(?: -(?:\d{4}-\d\d-\d\d|\d\d-\d{4}|\d{6,8}|\d{3,4})   # a date, or the figures of a month or a build
          | (?<=-\d{8})-v\d+ | -v\d+(?=:) | :\d+               # Bedrock's
          | @(?:\d+|default|latest)
          | -(?:latest|preview(?:-\d\d-\d\d)?|exp)
        ){1,9}$""",
    re.VERBOSE,
)
"""What stands behind a name; no model has more than a few of these."""
_COMPACT = re.compile(r"(?<=-)(20\d\d)(\d\d)(\d\d)$")
_LARGE = "[1m]"
"""Stands behind a name that asks for a context window of a million."""
MAX_NAME_LENGTH = 200
"""Characters of a name that are read; no model's is longer, and a recording may hold anything."""
FOLDERS = 4
"""Words with a slash that are read before a name, from the last."""


@lru_cache(maxsize=4096)
def names_of(model: str) -> tuple[str, ...]:
    """Every name that a recorded one may be listed under, in small letters, the fullest first; none for no name."""
    full = model.strip()[:MAX_NAME_LENGTH].lower().replace(_LARGE, "")
    return tuple(dict.fromkeys(name for name in _variants(full) if name))


def _variants(full: str) -> Iterator[str]:
    """The name behind each of its prefixes; the same with its date set apart; the same without any version."""
    pieces = full.split("/")[-FOLDERS - 1 :]
    names = [full, *("/".join(pieces[start:]) for start in range(len(pieces))), own_name(full)]
    yield from names
    yield from (_COMPACT.sub(r"\1-\2-\3", name) for name in names)
    yield from (strip_version(name) for name in names)


@lru_cache(maxsize=8192)
def own_name(name: str) -> str:
    """The name without what stands before it: "us.anthropic.claude-3-5-sonnet-v2:0" is a "claude-3-5-sonnet-v2:0"."""
    return _BEFORE.sub("", name, count=1)


def strip_version(name: str) -> str:
    """The name without a date or a version behind it."""
    return _VERSION.sub("", name)


def match_length(key: str, name: str) -> int:
    """How many characters of a model's name an id of a price list stands for; 0 when it is another model's.

    An id stands for itself, for the same name with something behind it, and for the same name with another date. The
    longest id is to win: gpt-4o stands for six characters of gpt-4o-mini, and gpt-4o-mini for all of them.
    """
    key = key.lower()
    if name.startswith(key):
        rest = name[len(key) :]
        return 0 if rest and (rest[0].isalnum() or _decimal(key, rest)) else len(key)
    short = strip_version(key)
    return len(short) if short == strip_version(name) else 0


def _decimal(key: str, rest: str) -> bool:
    """Whether a number would be cut in two: gpt-4 is no beginning of gpt-4.1."""
    return key[-1:].isdigit() and rest[0] == "." and rest[1:2].isdigit()


def longest(ids: Iterable[str], names: Iterable[str]) -> tuple[str, str, int]:
    """The id that stands for most of any of these names; that name; and how many characters. Empty when none does."""
    names = tuple(names)
    matches = ((key, name, match_length(key, name)) for key in ids for name in names)
    return max((match for match in matches if match[2]), key=lambda match: match[2], default=("", "", 0))


_MAKERS = (
    *("anthropic", "openai", "google", "deepseek", "mistral", "x-ai"),
    *("moonshotai", "zai", "minimax", "cohere", "meta", "zhipuai"),
)
"""Those who sell models of their own: their price is the price of a model unless another seller is named."""
_ALIASES = {"fireworks_ai": "fireworks", "together_ai": "together", "azure_ai": "azure", "z-ai": "zai"}
_BEDROCK = re.compile(
    r"(?:^|/)(?:(?:us|eu|apac|au|jp|ca|global)\.)?"
    r"(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|moonshotai?|minimax|nvidia|google|zai)\."
)
_FREE = ":free"


@dataclass(frozen=True, slots=True)
class Charge:
    """Dollars per million tokens; None for a cache price that is not listed."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None

    @property
    def caches(self) -> bool:
        """Whether a cache price is listed."""
        return self.cache_read is not None or self.cache_write is not None

    def with_cache_shares_of(self, other: Charge) -> Charge:
        """The same with the cache prices of another charge, in the same shares of the input's."""
        scale = self.input / other.input
        cache_read = None if other.cache_read is None else other.cache_read * scale
        write = None if other.cache_write is None else other.cache_write * scale
        hour = None if other.cache_write_1h is None else other.cache_write_1h * scale
        return Charge(self.input, self.output, cache_read, write, hour)

    def scaled(self, input: float, output: float) -> Charge:
        """So many times the price: of all that is sent, and of what is answered."""
        cached = (self.cache_read, self.cache_write, self.cache_write_1h)
        return Charge(
            self.input * input, self.output * output, *(None if price is None else price * input for price in cached)
        )


_LONG_CONTEXT: Mapping[str, tuple[int, float, float]] = {
    "claude-sonnet-4-0": (200_000, 2.0, 1.5),
    "claude-sonnet-4-5": (200_000, 2.0, 1.5),
}
"""Models that cost more above a size of the request, where the list does not say so for a seller: that size, and how
many times as much what is sent and what is answered cost. See https://docs.anthropic.com/en/docs/about-claude/pricing.
"""


def long_context_charges(model: str, charge: Charge) -> list[tuple[int, Charge]]:
    """What a model, by its maker's id, costs in long requests: from how many tokens on, and how much."""
    if model not in _LONG_CONTEXT:
        return []
    above, times_input, times_output = _LONG_CONTEXT[model]
    return [(above, charge.scaled(times_input, times_output))]


@dataclass(frozen=True)
class ListEntry:
    """A model of the list, as one provider sells it."""

    id: str
    provider: str
    length: int
    """How many characters of the model's own name it stands for."""
    is_certain: bool
    """Whether the provider was named, or makes the model; else it is one of several who sell it."""
    info: ModelInfo

    def charges(self, at: datetime) -> list[tuple[int, Charge]]:
        """What a call cost at that time: from how many input tokens on, and how much. The first holds from 0."""
        prices = self.info.get_prices(at)
        return [(start, _charge(prices, start)) for start in _starts(prices)]


def _charge(prices: ModelPrice, start: int) -> Charge:
    """The prices for requests of more than `start` tokens."""

    def rate(price: object) -> float | None:
        if price is None:
            return None
        tiers = [tier.price for tier in getattr(price, "tiers", ()) if tier.start <= start]
        return float((tiers or [getattr(price, "base", price)])[-1])

    return Charge(
        rate(prices.input_mtok) or 0.0,
        rate(prices.output_mtok) or 0.0,
        rate(prices.cache_read_mtok),
        rate(prices.cache_write_mtok),
        rate(getattr(prices, "cache_write_1h_mtok", None)),
    )


def _starts(prices: ModelPrice) -> list[int]:
    """Sizes of a request above which it costs more (or less), from 0."""
    kinds: list[TieredPrices | object] = [
        prices.input_mtok,
        prices.output_mtok,
        prices.cache_read_mtok,
        prices.cache_write_mtok,
        getattr(prices, "cache_write_1h_mtok", None),
    ]
    return sorted({0, *(tier.start for price in kinds for tier in getattr(price, "tiers", ()))})


@lru_cache(maxsize=1024)
def find_entry(model: str, provider: str = "") -> ListEntry | None:
    """The entry with a price that stands for most of a model's name: at the provider that is named (here or before the
    model's name), else at the model's maker, else wherever it is sold. None when nobody lists it.
    """
    return _find(model, provider, with_price=True)


@lru_cache(maxsize=1024)
def maker_entry(model: str) -> ListEntry | None:
    """The same at those who make models, whoever else is named."""
    entry = _find(own_name(model.strip()[:MAX_NAME_LENGTH].lower()), "", with_price=True)
    return entry if entry and entry.provider in _MAKERS else None


@lru_cache(maxsize=1024)
def context_window(model: str) -> tuple[str, int] | None:
    """The id of an entry that stands for the model and tells its context window, and that window in tokens."""
    entry = _find(model, "", with_price=False)
    return (entry.id, entry.info.context_window) if entry and entry.info.context_window else None


def _find(model: str, provider: str, *, with_price: bool) -> ListEntry | None:
    """`with_price` asks for an entry with a price, else for one with a context window."""
    from genai_prices.data_snapshot import get_snapshot

    names = names_of(model)
    everyone = sorted(get_snapshot().providers, key=lambda seller: (seller.id != "openrouter", "_" in seller.id))
    hints = [seller for hint in _hints(model, provider) if (seller := _seller_of(hint, everyone))]
    makers = [seller for maker in _MAKERS for seller in everyone if seller.id == maker]
    for sellers, certain in (*(([seller], True) for seller in hints), (makers, True), (everyone, False)):
        entries = (entry for entry in _entries_of(sellers, names, certain) if _useful(entry.info, with_price))
        if best := max(entries, key=lambda entry: entry.length, default=None):
            return best
    return None


def _hints(model: str, provider: str) -> Iterator[str]:
    """Words that may name the provider: what was said, and what stands before the model's name."""
    if provider:
        yield provider
    if _BEDROCK.search(model[:MAX_NAME_LENGTH].lower()):
        yield "bedrock"
    yield from model[:MAX_NAME_LENGTH].lower().split("/")[-FOLDERS - 1 : -1]


def _seller_of(hint: str, everyone: Sequence[Provider]) -> Provider | None:
    hint = _ALIASES.get(hint.strip().lower(), hint.strip().lower())
    for seller in everyone:
        if seller.id == hint:
            return seller
    return next((seller for seller in everyone if seller.provider_match and seller.provider_match.is_match(hint)), None)


def _entries_of(sellers: Iterable[Provider], names: Sequence[str], is_certain: bool) -> Iterator[ListEntry]:
    for seller in sellers:
        for info in seller.models:
            own = own_name(info.id.lower())
            fits = [_reach(info.match, name) for name in names if info.is_match(name)]
            if fits or own in names:
                length = min(max(fits, default=len(own)), len(own_name(names[0])), len(own))
                yield ListEntry(info.id, seller.id, length, is_certain, info)


def _useful(info: ModelInfo, with_price: bool) -> bool:
    if not with_price:
        return bool(info.context_window)
    if info.id.endswith(_FREE):
        return True
    prices = [info.prices] if not isinstance(info.prices, list) else [price.prices for price in info.prices]
    return bool(prices) and all(price.input_mtok is not None for price in prices)


def _reach(rule: MatchLogic, name: str) -> int:
    """How many characters of a name a rule that fits it speaks of."""
    from genai_prices import types

    if not rule.is_match(name):
        return 0
    match rule:
        case types.ClauseStartsWith(starts_with=text) | types.ClauseEndsWith(ends_with=text):
            return len(text)
        case types.ClauseContains(contains=text):
            return len(text)
        case types.ClauseOr(or_=rules) | types.ClauseAnd(and_=rules):
            return max((_reach(inner, name) for inner in rules), default=0)
        case _:
            return len(name)
