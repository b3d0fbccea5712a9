"""Prices and context windows from genai-prices, by provider and model.

A model has many names: gateways prepend providers ("openrouter/anthropic/…", "us.anthropic.…"), and providers append
dates and versions. The name without prefixes is called the model's own name.

The look-up of genai-prices uses the first rule that matches; this module uses the rule that matches most of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from inspector.llm.models.price_list import (
    ListedModel,
    Rate,
    Seller,
    is_match,
    match_reach,
    rate_above,
    sellers,
    tier_starts,
)

_BEFORE = re.compile(r"^(?:.*/)?(?:[a-z-]+\.)*(?=.)")
"""Gateway folders and dotted vendor prefixes of a name, but not "claude-3."."""
# e.g. "-2024-08-06", "-20240620-v1:0", "@latest"
_VERSION = re.compile(
    r"""(?: -(?:\d{4}-\d\d-\d\d|\d\d-\d{4}|\d{6,8}|\d{3,4})   # a date, or the figures of a month or a build
          | (?<=-\d{8})-v\d+ | -v\d+(?=:) | :\d+               # Bedrock's
          | @(?:\d+|default|latest)
          | -(?:latest|preview(?:-\d\d-\d\d)?|exp)
        ){1,9}$""",
    re.VERBOSE,
)
"""Dates and versions at the end of a name. The repetition is bounded, since real names have only a few."""
_COMPACT = re.compile(r"(?<=-)(20\d\d)(\d\d)(\d\d)$")
_LARGE = "[1m]"
"""Suffix of a name that requests a context window of one million tokens."""
MAX_NAME_LENGTH = 200
"""Maximum number of characters of a model name that are read, since a recording can contain anything."""
FOLDERS = 4
"""Maximum number of slash-separated words in front of a name that are read, starting from the last."""


@lru_cache(maxsize=4096)
def names_of(model: str) -> tuple[str, ...]:
    """Return the lower-case names that a model can be listed under, most complete first; () for an empty name."""
    full = model.strip()[:MAX_NAME_LENGTH].lower().replace(_LARGE, "")
    return tuple(dict.fromkeys(name for name in _variants(full) if name))


def _variants(full: str) -> Iterator[str]:
    """Yield a name without each of its prefixes, then with its date separated by hyphens, then without versions."""
    pieces = full.split("/")[-FOLDERS - 1 :]
    names = [full, *("/".join(pieces[start:]) for start in range(len(pieces))), own_name(full)]
    yield from names
    yield from (_COMPACT.sub(r"\1-\2-\3", name) for name in names)
    yield from (strip_version(name) for name in names)


@lru_cache(maxsize=8192)
def own_name(name: str) -> str:
    """Return a name without its prefixes: "claude-3-5-sonnet-v2:0" for "us.anthropic.claude-3-5-sonnet-v2:0"."""
    return _BEFORE.sub("", name, count=1)


def strip_version(name: str) -> str:
    """Return a name without dates and versions at its end."""
    return _VERSION.sub("", name)


def match_length(key: str, name: str) -> int:
    """Return how many characters of a model name the id in a price list matches, or 0 if it is another model.

    An id matches the same name, a longer name that continues after a separator, and the same name with another date.
    The caller picks the longest match: for gpt-4o-mini, the id gpt-4o matches six characters and gpt-4o-mini all of
    them.
    """
    key = key.lower()
    if name.startswith(key):
        rest = name[len(key) :]
        return 0 if rest and (rest[0].isalnum() or _decimal(key, rest)) else len(key)
    short = strip_version(key)
    return len(short) if short == strip_version(name) else 0


def _decimal(key: str, rest: str) -> bool:
    """Return True if the split is inside a number: gpt-4 is not a prefix of gpt-4.1."""
    return key[-1:].isdigit() and rest[0] == "." and rest[1:2].isdigit()


def longest(ids: Iterable[str], names: Iterable[str]) -> tuple[str, str, int]:
    """Return the id that matches the most characters of any name, that name, and the number of characters.

    Returns:
        Id, name and length of the match, or ("", "", 0) if no id matches.
    """
    names = tuple(names)
    matches = ((key, name, match_length(key, name)) for key in ids for name in names)
    return max((match for match in matches if match[2]), key=lambda match: match[2], default=("", "", 0))


_MAKERS = (
    *("anthropic", "openai", "google", "deepseek", "mistral", "x-ai"),
    *("moonshotai", "zai", "minimax", "cohere", "meta", "zhipuai"),
)
"""Providers that sell their own models. Their price is used unless another provider is named."""
_ALIASES = {"fireworks_ai": "fireworks", "together_ai": "together", "azure_ai": "azure", "z-ai": "zai"}
# e.g. "us.anthropic.claude-3-haiku", "bedrock/amazon.nova-pro"
_BEDROCK = re.compile(
    r"(?:^|/)(?:(?:us|eu|apac|au|jp|ca|global)\.)?"
    r"(?:anthropic|amazon|meta|mistral|cohere|deepseek|openai|qwen|moonshotai?|minimax|nvidia|google|zai)\."
)
_FREE = ":free"


@dataclass(frozen=True, slots=True)
class Charge:
    """Prices in dollars per million tokens. A cache price is None if it is not listed."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None

    @property
    def caches(self) -> bool:
        """True if any cache price is listed."""
        return self.cache_read is not None or self.cache_write is not None

    def with_cache_shares_of(self, other: Charge) -> Charge:
        """Return this charge with the cache prices of another one, scaled by the ratio of the input prices."""
        scale = self.input / other.input
        cache_read = None if other.cache_read is None else other.cache_read * scale
        write = None if other.cache_write is None else other.cache_write * scale
        hour = None if other.cache_write_1h is None else other.cache_write_1h * scale
        return Charge(self.input, self.output, cache_read, write, hour)

    def scaled(self, input: float, output: float) -> Charge:
        """Return this charge with input and cache prices multiplied by `input`, and the output price by `output`."""
        cached = (self.cache_read, self.cache_write, self.cache_write_1h)
        return Charge(
            self.input * input, self.output * output, *(None if price is None else price * input for price in cached)
        )


_LONG_CONTEXT: Mapping[str, tuple[int, float, float]] = {
    "claude-sonnet-4-0": (200_000, 2.0, 1.5),
    "claude-sonnet-4-5": (200_000, 2.0, 1.5),
}
"""Models with a surcharge for long requests that genai-prices does not list for every provider.

Values are the number of input tokens above which it applies, and the factors for input and output prices. See
https://docs.anthropic.com/en/docs/about-claude/pricing.
"""


def long_context_charges(model: str, charge: Charge) -> list[tuple[int, Charge]]:
    """Return the surcharged prices of a model for long requests, each with the input tokens above which it applies.

    Args:
        model: The model's id at its maker.
        charge: Prices of short requests.
    """
    if model not in _LONG_CONTEXT:
        return []
    above, times_input, times_output = _LONG_CONTEXT[model]
    return [(above, charge.scaled(times_input, times_output))]


@dataclass(frozen=True)
class ListEntry:
    """A listed model, as sold by one provider."""

    id: str
    provider: str
    length: int
    """Number of characters of the model's own name that the entry matches."""
    is_certain: bool
    """True if the provider was named or makes the model; False if it is one of several that sell it."""
    info: ListedModel

    def charges(self, at: datetime) -> list[tuple[int, Charge]]:
        """Return the prices at a time, each with the input tokens above which it applies. The first applies from 0."""
        rates = self.info.rates_at(at)
        return [(start, _charge(rates, start)) for start in sorted({0, *tier_starts(rates)})]


def _charge(rates: Sequence[Rate], start: int) -> Charge:
    """Return the prices of requests with more than `start` input tokens."""
    fresh, output, *cached = (rate_above(rate, start) for rate in rates)
    return Charge(fresh or 0.0, output or 0.0, *cached)


@lru_cache(maxsize=1024)
def find_entry(model: str, provider: str = "") -> ListEntry | None:
    """Return the entry with a price that matches most of a model's name.

    Args:
        model: Any name of the model. Prefixes in it can name the provider.
        provider: Provider to prefer.

    Returns:
        The entry of the named provider, else of the model's maker, else of any provider; None if no one lists the
        model.
    """
    return _find(model, provider, with_price=True)


@lru_cache(maxsize=1024)
def maker_entry(model: str) -> ListEntry | None:
    """Return the entry of the model's maker, ignoring any named provider, or None if it is not listed."""
    entry = _find(own_name(model.strip()[:MAX_NAME_LENGTH].lower()), "", with_price=True)
    return entry if entry and entry.provider in _MAKERS else None


@lru_cache(maxsize=1024)
def context_window(model: str) -> tuple[str, int] | None:
    """Return the id of a listed model and its context window in tokens, or None if it is not listed."""
    entry = _find(model, "", with_price=False)
    return (entry.id, entry.info.context_window) if entry and entry.info.context_window else None


def _find(model: str, provider: str, *, with_price: bool) -> ListEntry | None:
    """Return the best entry that has a price, or else a context window if `with_price` is False."""
    names = names_of(model)
    everyone = sorted(sellers(), key=lambda seller: (seller.id != "openrouter", "_" in seller.id))
    hints = [seller for hint in _hints(model, provider) if (seller := _seller_of(hint, everyone))]
    makers = [seller for maker in _MAKERS for seller in everyone if seller.id == maker]
    for group, certain in (*(([seller], True) for seller in hints), (makers, True), (everyone, False)):
        entries = (entry for entry in _entries_of(group, names, certain) if _useful(entry.info, with_price))
        if best := max(entries, key=lambda entry: entry.length, default=None):
            return best
    return None


def _hints(model: str, provider: str) -> Iterator[str]:
    """Yield possible names of the provider: the given one, and the prefixes of the model's name."""
    if provider:
        yield provider
    if _BEDROCK.search(model[:MAX_NAME_LENGTH].lower()):
        yield "bedrock"
    yield from model[:MAX_NAME_LENGTH].lower().split("/")[-FOLDERS - 1 : -1]


def _seller_of(hint: str, everyone: Sequence[Seller]) -> Seller | None:
    hint = _ALIASES.get(hint.strip().lower(), hint.strip().lower())
    for seller in everyone:
        if seller.id == hint:
            return seller
    return next((seller for seller in everyone if is_match(seller.rule, hint)), None)


def _entries_of(group: Iterable[Seller], names: Sequence[str], is_certain: bool) -> Iterator[ListEntry]:
    for seller in group:
        for info in seller.models:
            own = own_name(info.id.lower())
            fits = [reach for name in names if (reach := match_reach(info.rule, name))]
            if fits or own in names:
                length = min(max(fits, default=len(own)), len(own_name(names[0])), len(own))
                yield ListEntry(info.id, seller.id, length, is_certain, info)


def _useful(info: ListedModel, with_price: bool) -> bool:
    if not with_price:
        return bool(info.context_window)
    if info.id.endswith(_FREE):
        return True
    return bool(info.prices) and all(rates[0] is not None for _, rates in info.prices)
