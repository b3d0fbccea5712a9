"""`TokenTracker`: counts messages for any provider, and adds up the usage of calls and its cost.

Prices are those of `inspector.llm.models.prices`, unless `PRICING` contains the model:

    PRICING["your-model-name"] = {"input": 1.00, "output": 4.00}    # dollars per million tokens
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Literal

from inspector.core.conversation import Message, Usage
from inspector.core.text import dollars
from inspector.engine.compression import SavingsLedger
from inspector.llm.models import (
    CHARS_PER_TOKEN,
    MILLION,
    NOTHING,
    PRICING as DOCUMENTED_PRICING,
    Cost,
    Price,
    add_usage,
    cost,
    own_prices,
    price_of,
    profile,
)
from inspector.llm.providers import dialect_of_message, wire_of
from inspector.llm.tokens import FRAME, CharsCounter, Counter, TokenizerCounter, count_message, count_parts
from inspector.memory.message_adapter import as_message, block_as_dict

PRICING: dict[str, dict[str, float]] = {model: dict(rates) for model, rates in DOCUMENTED_PRICING.items()}
"""Dollars per million tokens, by model: `input`, `output` and, if known, `cache_read` and `cache_write`."""
_LETTERS = {"anthropic": CHARS_PER_TOKEN["anthropic"], "gemini": 4.0, "google": 4.0}
"""Characters to a token at providers whose tokenizer is not public."""
_UNKNOWN_LETTERS = 4.0
_NEARLY_SPENT = 0.8
"""Share of a budget from which it is nearly spent."""
_BUCKET = 1_000
"""Tokens per bucket: usage is added up by the size of the request, because some prices depend on it."""

_UsageByModel = dict[tuple[str, int], Usage]
"""Total usage of calls by model and by the size of the request, in buckets."""


@dataclass(frozen=True, slots=True)
class _BudgetStatus:
    """The spent part of a budget."""

    state: Literal["none", "ok", "near", "over"]
    share: float
    """Share of the budget that is closest to its limit; 0 without a budget."""
    text: str
    """One sentence; empty without a budget."""


class TokenTracker:
    """Adds up the usage of an agent's calls. Must not be used by several threads at once.

    Negative counts raise ValueError.

    Args:
        model: Model of calls for which a method names no other.
        budget_cost: Budget in US dollars. It stops nothing; `check_budget` reports the spent part.
        budget_tokens: Budget in tokens, input and output together.
    """

    PRICING: ClassVar[dict[str, dict[str, float]]] = PRICING
    """The table of this module. Entries added to either are in both."""

    def __init__(self, model: str = "", *, budget_cost: float | None = None, budget_tokens: int | None = None) -> None:
        self.model = model
        self.budget_cost = budget_cost
        self.budget_tokens = budget_tokens
        self.reset()

    def reset(self) -> None:
        """Reset all totals and keep the budget."""
        self.calls: _UsageByModel = {}
        self.summaries: _UsageByModel = {}
        self.ledger = SavingsLedger()
        """Savings of compressions, without the usage of their summaries."""
        self._unpriced_tokens = 0
        """Saved tokens without a value in dollars."""
        self._last: dict[str, int] = {}

    def values(self) -> dict[str, Any]:
        """Return the tracked totals as JSON values, for `add_values`."""
        calls, summaries = (
            [[model, bucket, *astuple(usage)] for (model, bucket), usage in usages.items()]
            for usages in (self.calls, self.summaries)
        )
        return {
            "calls": calls,
            "summaries": summaries,
            "ledger": asdict(self.ledger),
            "unpriced": self._unpriced_tokens,
        }

    def add_values(self, values: Mapping[str, Any]) -> None:
        """Add the `values` of another tracker. Raises KeyError, TypeError or ValueError for any other mapping."""
        for usages, rows in ((self.calls, values["calls"]), (self.summaries, values["summaries"])):
            for model, bucket, *counts in rows:
                self._add(usages, str(model), Usage(*counts), int(bucket))
        self.ledger += SavingsLedger(**values["ledger"])
        self._unpriced_tokens += int(values["unpriced"])

    # counting

    def count_message_tokens(self, message: Any, provider: str = "", model: str = "") -> int:
        """Return the tokens of a message.

        OpenAI's are counted exactly, including the frame around the message. Anthropic's are estimated at 3.5
        characters per token and Gemini's at 4, for the text only.

        Args:
            message: A dictionary, an `LLMMessage` or a similar object, a message of the log, or a text.
            provider: Name of the provider; by default that of the model.
            model: Name of the model.

        Returns:
            At least 1.
        """
        counter = self.counter_for(provider, model or self.model)
        if isinstance(message, Message):
            tokens = count_message(message, counter)
        else:
            raw = _raw_of(message)
            dialect = dialect_of_message(raw)
            wire = wire_of(dialect)
            name = str(raw.get("name") or "")
            tokens = count_parts(wire.parse(raw), wire.role(raw), name, dialect, counter)
        return max(1, tokens - FRAME if isinstance(counter, CharsCounter) else tokens)

    def count_messages_tokens(self, messages: Iterable[Any], provider: str = "", model: str = "") -> int:
        """Return the tokens of several messages, each as by `count_message_tokens`."""
        return sum(self.count_message_tokens(message, provider, model) for message in messages)

    @staticmethod
    def counter_for(provider: str, model: str) -> Counter:
        """Return the token counter for a provider or, if none is given, for the provider of the model."""
        model_profile = profile(model)
        maker = provider.strip().lower() or model_profile.family
        if maker in _LETTERS:
            return CharsCounter(_LETTERS[maker])
        if maker in ("openai", "azure") or model_profile.exact:
            return TokenizerCounter(model_profile.encoding)
        return CharsCounter(_UNKNOWN_LETTERS)

    # adding up

    def add_usage(self, usage: Usage, model: str = "") -> None:
        """Add the usage that the provider reported for a call of `model`, by default that of the tracker."""
        self._last[model or self.model] = self._add(self.calls, model, usage)

    def add_input_tokens(self, tokens: int, model: str = "", *, cache_read: int = 0, cache_write: int = 0) -> None:
        """Add the input of a call. Raises ValueError for negative counts.

        Args:
            tokens: Input tokens, including those read from or written to the cache.
            model: Name of the model; by default that of the tracker.
            cache_read: Tokens read from the cache.
            cache_write: Tokens written to the cache.
        """
        self.add_usage(Usage(tokens, 0, cache_read, cache_write), model)

    def add_output_tokens(self, tokens: int, model: str = "") -> None:
        """Add output tokens to the last call of `model`, by default that of the tracker."""
        self._add(self.calls, model, Usage(0, tokens), self._last.get(model or self.model, 0))

    def add_compression_savings(self, tokens: int) -> None:
        """Add the tokens that one compression saved, with those of its summary already subtracted."""
        if tokens < 0:
            raise ValueError(f"a compression that is kept cannot save {tokens} tokens")
        self.ledger += SavingsLedger(compressions=1, gross_saved=tokens, avoided_tokens=tokens)
        self._unpriced_tokens += tokens

    def add_savings(self, part: SavingsLedger) -> None:
        """Add the savings of compressions, counted at each call, and their value in dollars.

        Costs of summaries are not included; use `add_compression_cost`.
        """
        self.ledger += replace(part, compression_input=0, compression_output=0, compression_cost=0.0)

    def add_compression_cost(self, tokens: int, output: int = 0, model: str = "") -> None:
        """Add the usage of a summary, which must not be added by other methods too. Raises ValueError below 0.

        The tokens read are subtracted from the savings. Those written only add to the cost, because the summary is in
        the window and the savings exclude it already.

        Args:
            tokens: Tokens read to write the summary.
            output: Tokens of the summary.
            model: Name of the model that wrote it; by default that of the tracker.
        """
        self._add(self.summaries, model, Usage(tokens, output))

    def _add(self, usages: _UsageByModel, model: str, usage: Usage, bucket: int | None = None) -> int:
        if min(usage.input, usage.output, usage.cache_read, usage.cache_write) < 0:
            raise ValueError(f"a call cannot take fewer than 0 tokens: {usage}")
        size = max(0, usage.input - 1) // _BUCKET if bucket is None else bucket
        key = (model or self.model, size)
        usages[key] = add_usage(usages.get(key, NOTHING), usage)
        return size

    # tokens

    @property
    def total_input_tokens(self) -> int:
        """All tokens that were sent, cached ones included."""
        return sum(usage.input for usage in self.calls.values())

    @property
    def total_output_tokens(self) -> int:
        """All tokens that models wrote."""
        return sum(usage.output for usage in self.calls.values())

    @property
    def used_tokens(self) -> int:
        """Everything that was sent and written, without the making of summaries."""
        return self.total_input_tokens + self.total_output_tokens

    @property
    def total_tokens(self) -> int:
        """Tokens that would have been sent and received without compression: actual tokens plus savings."""
        return self.used_tokens + self.compression_savings

    @property
    def compression_count(self) -> int:
        """Compressions whose savings were added."""
        return self.ledger.compressions

    @property
    def compression_savings(self) -> int:
        """Tokens that compressions saved, their summaries already subtracted."""
        return self.ledger.avoided_tokens

    @property
    def compression_cost(self) -> int:
        """Tokens that were read to make summaries."""
        return self.summary_usage.input

    @property
    def summary_usage(self) -> Usage:
        """The total usage of making summaries."""
        return reduce(add_usage, self.summaries.values(), NOTHING)

    def get_net_savings(self) -> int:
        """Return the tokens that compressions saved, minus those read to write summaries. It may be negative."""
        return self.compression_savings - self.compression_cost

    def get_savings_percentage(self) -> float:
        """Return the net savings as a percentage of the tokens without compression, at most 100.

        0 if nothing was tracked; 15,678 of 45,234 is 34.7.
        """
        return percentage(self.get_net_savings(), self.total_tokens)

    # money

    def price(self, model: str = "") -> Price:
        """Return the dollars per million tokens of a model.

        `note` reports an unknown price, for which the default is used. Raises ValueError for an invalid price in
        `PRICING`.
        """
        overrides = {name: rates for name, rates in self.PRICING.items() if rates != DOCUMENTED_PRICING.get(name)}
        if not overrides:
            return price_of(model or self.model)
        return price_of(model or self.model, overlay={**own_prices()[0], **overrides})

    def calculate_cost(
        self, model: str = "", input_tokens: int | None = None, output_tokens: int | None = None
    ) -> float:
        """Return the cost of a call in dollars.

        Args:
            model: Name of the model; by default that of the tracker.
            input_tokens: Input tokens; by default all tracked ones, as if `model` had read them.
            output_tokens: Output tokens; by default all tracked ones.
        """
        price = self.price(model)
        total = self._cost_at(self.calls, price)
        input_cost = total.total - total.output
        if input_tokens is not None:
            input_cost = cost(price, Usage(input_tokens, 0)).total
        output_cost = (
            total.output if output_tokens is None else output_tokens * price.at(input_tokens or 0).output / MILLION
        )
        return input_cost + output_cost

    def get_total_cost(self, model: str = "") -> float:
        """Return the dollars of all tracked tokens and summaries, each at its own model's price.

        `model` is used for tokens that were added without one.
        """
        return self._cost_at_own_prices(self.calls, model).total + self.get_compression_cost(model)

    def get_compression_cost(self, model: str = "") -> float:
        """Return the cost of summaries in dollars."""
        return self._cost_at_own_prices(self.summaries, model).total

    def get_net_cost(self, model: str = "") -> float:
        """Return the dollars that compressions saved, minus their cost. It may be negative.

        Savings without a given value count at the average price of the tokens sent so far, including cached ones.
        """
        return self.get_avoided_cost(model) - self.get_compression_cost(model) - self.ledger.rewrite_cost

    def get_avoided_cost(self, model: str = "") -> float:
        """Return the dollars that compressions saved, before their cost."""
        tokens = self.total_input_tokens
        total = self._cost_at_own_prices(self.calls, model)
        token_price = (total.total - total.output) / tokens if tokens else self.price(model).input / MILLION
        return self.ledger.avoided_cost + self._unpriced_tokens * token_price

    def _cost_at_own_prices(self, usages: _UsageByModel, model: str) -> Cost:
        """Return the cost of each model's calls at its own price."""
        total = Cost()
        for name in {name for name, _ in usages}:
            own = {key: usage for key, usage in usages.items() if key[0] == name}
            total += self._cost_at(own, self.price(name or model))
        return total

    def _cost_at(self, usages: _UsageByModel, price: Price) -> Cost:
        """Return the cost of all calls at one price, in the tier of each call's size."""
        total = Cost()
        for (_, bucket), usage in usages.items():
            total += cost(price.at(bucket * _BUCKET + 1), usage)
        return total

    # all of it

    def check_budget(self, model: str = "") -> _BudgetStatus:
        """Return the spent share of the budget, including summaries; of two budgets, the one that is spent further."""
        shares = []
        if self.budget_cost is not None:
            amount = self.get_total_cost(model)
            shares.append((_share_of(amount, self.budget_cost), f"{dollars(amount)} of {dollars(self.budget_cost)}"))
        if self.budget_tokens is not None:
            tokens = self.used_tokens + self.summary_usage.input + self.summary_usage.output
            shares.append((_share_of(tokens, self.budget_tokens), f"{tokens:,} of {self.budget_tokens:,} tokens"))
        if not shares:
            return _BudgetStatus("none", 0.0, "")
        share, text = max(shares)
        if share > 1:
            return _BudgetStatus("over", share, f"The budget is overspent: {text}.")
        return _BudgetStatus(
            "near" if share >= _NEARLY_SPENT else "ok", share, f"{text} of the budget is spent, {share:.0%}."
        )

    def get_summary(self, model: str = "") -> dict[str, Any]:
        """Return all totals. Tokens are counts, costs are dollars; `notes` are sentences about them.

        `used_tokens` is the sum of input and output, `total_tokens` the same without compression.
        """
        names = {name or model for name, _ in (*self.calls, *self.summaries)} or {model or self.model}
        notes = (self.price(name).note for name in sorted(names))
        return {
            "total_input_tokens": self.total_input_tokens,
            "total_output_tokens": self.total_output_tokens,
            "used_tokens": self.used_tokens,
            "total_tokens": self.total_tokens,
            "total_cost": self.get_total_cost(model),
            "compression_count": self.compression_count,
            "compression_savings": self.compression_savings,
            "compression_cost_tokens": self.compression_cost,
            "compression_cost": self.get_compression_cost(model),
            "net_savings": self.get_net_savings(),
            "savings_percentage": self.get_savings_percentage(),
            "net_cost": self.get_net_cost(model),
            "budget": self.check_budget(model).state,
            "notes": [note for note in dict.fromkeys(notes) if note],
        }


def percentage(part: int, whole: int) -> float:
    """Return `part` as a percentage of `whole`; 0 if `whole` is 0."""
    return 100 * part / whole if whole > 0 else 0.0


def _share_of(amount: float, budget: float) -> float:
    """Return the spent share of a budget. If the budget is 0, any amount exceeds it."""
    if budget > 0:
        return amount / budget
    return float("inf") if amount > 0 else 0.0


def _raw_of(message: Any) -> dict[str, Any]:
    """Return a message in any form as a raw message."""
    raw = dict(message) if isinstance(message, Mapping) else as_message(message, "user").to_dict()
    content = raw.get("content")
    if isinstance(content, list | tuple):
        raw["content"] = [block_as_dict(block) for block in content]
    return raw
