"""Costs and savings of a compression, and the number of calls after which it breaks even.

Four quantities are kept apart, because sums of them are misleading: tokens removed from the window now; tokens that
later calls do not send; tokens and dollars spent on the summary; and tokens written to the prompt cache again, because
a cached prefix is only valid up to the first message that changed.

A window of C tokens becomes one of K, of which a prefix of P is still cached. Making the summary reads R tokens and
writes S. Let r, w and o be the prices of a cached token, of a token written to the cache and of an output token,
relative to an uncached input token. Let i be the price of a token the summariser reads: 1, or r if its request starts
with the cached conversation. The compression breaks even after

    N = (w·(K-P) + i·R + o·S) / (r·(C-K))  calls.

Without a cache, nothing is rewritten, and i and r are 1. For a strategy without a model, R = S = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from inspector.core.conversation import Usage
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.core.text import plural
from inspector.engine.window import Plan, Window
from inspector.llm.models import MILLION, Price, cost


@json_object(keys="cached=calls from_cache=calls_cached uncached=calls_uncached")
@dataclass(frozen=True, slots=True)
class BreakEven:
    """Number of calls after which a compression breaks even.

    None if it never does, because later calls are not cheaper. 0 if it costs nothing and saves something.
    """

    calls: Annotated[float | None, "with the prompt cache, the summary written by a separate call"]
    calls_cached: Annotated[float | None, "with the prompt cache, the summary written by a call that reads from it"]
    calls_uncached: Annotated[float | None, "without a prompt cache"]
    cost_now: float
    """Cost of the compression in dollars in the first case: the summary and the rewritten part of the cache."""
    saved_per_call: float
    """Dollars by which each later call is cheaper, with the prompt cache."""

    def __str__(self) -> str:
        """Return the three cases in one sentence without a full stop."""
        if self.calls is None and self.calls_uncached is None:
            return "it never breaks even"
        if self.calls is None and self.calls_cached is None:
            return f"it never breaks even with a prompt cache, and {_after(self.calls_uncached)} without one"
        if self.calls == self.calls_cached == self.calls_uncached == 0:
            return "it breaks even immediately"
        from_cache = f", {_after(self.calls_cached)} if the summary is written from the cache"
        return (
            f"it breaks even {_after(self.calls)}{'' if self.calls == self.calls_cached else from_cache}, "
            f"{_after(self.calls_uncached)} without a prompt cache"
        )


def _after(calls: float | None) -> str:
    """Return a number of calls in words: `after 21 calls`."""
    if calls is None:
        return "never"
    number = max(round(calls), calls > 0)
    return "immediately" if number == 0 else f"after {plural(number, 'call')}"


def break_even(before: int, after: int, price: Price, calls: Sequence[Usage] = (), *, prefix: int = 0) -> BreakEven:
    """Return the number of calls after which a smaller window breaks even.

    For example, summarising 100,000 tokens into 2,000: `break_even(100_000, 30_000, price, [Usage(100_000, 2_000)])`.

    Args:
        before: Tokens of the window before the compression.
        after: Tokens of the window after it.
        price: Price of the conversation's model, also used for the summariser.
        calls: Calls of the summariser; empty if no model was used.
        prefix: Tokens at the start of the window that did not change.
    """
    return balance(before, after, price, calls, price, prefix)


def balance(before: int, after: int, price: Price, calls: Sequence[Usage], summariser: Price, prefix: int) -> BreakEven:
    """Like `break_even`, with a separate price for the summariser.

    Args:
        before: Tokens of the window before the compression.
        after: Tokens of the window after it.
        price: Price of the conversation's model.
        calls: Calls of the summariser; empty if no model was used.
        summariser: Price of the summariser's model.
        prefix: Tokens at the start of the window that did not change.
    """
    then, now = price.at(before), price.at(after)
    fresh = [Usage(call.input, call.output) for call in calls]
    cached_calls = [Usage(call.input, call.output, cache_read=call.input) for call in calls]
    rewrite_cost = max(0, after - prefix) * now.cache_write / MILLION if price.caches else 0.0
    per_call = (before * then.cache_read - after * now.cache_read) / MILLION
    per_call_uncached = (before * then.input - after * now.input) / MILLION
    summary_cost = calls_cost(fresh, summariser)
    return BreakEven(
        calls=_ratio(rewrite_cost + summary_cost, per_call),
        calls_cached=_ratio(rewrite_cost + calls_cost(cached_calls, summariser), per_call),
        calls_uncached=_ratio(summary_cost, per_call_uncached),
        cost_now=rewrite_cost + summary_cost,
        saved_per_call=per_call,
    )


def calls_cost(calls: Sequence[Usage], price: Price) -> float:
    """Return the cost of model calls in dollars."""
    return sum(cost(price, call).total for call in calls)


def _ratio(cost: float, per_call: float) -> float | None:
    if per_call <= 0:
        return None
    return cost / per_call


@json_object(
    keys="compression_input compression_output compression_cost rewritten rewrite_cost per_call_cost per_call_uncached"
    " break_even"
)
@dataclass(frozen=True, slots=True)
class Savings:
    """Savings and costs of one compression. Tokens are those of the conversation's model, money is in dollars."""

    before: int
    after: int
    kept: int
    """Tokens at the start of the window that did not change and are still cached."""
    compression_input: Annotated[Tokens, "sent to the summariser; 0 without a model"]
    compression_output: Annotated[Tokens, "of the summary"]
    """Tokens written by the summariser. The summary is also part of `after`."""
    compression_cost: Dollars
    rewrite_cost: Annotated[Dollars, "additional cost compared with reading them from the cache"]
    per_call_cost: Annotated[Dollars, "saved by each later call, with the prompt cache"]
    per_call_uncached: Annotated[Dollars, "the same without a prompt cache"]
    break_even: BreakEven

    @property
    def gross(self) -> int:
        """Tokens removed from the window, less the summary. Each later call sends this many fewer."""
        return self.before - self.after

    @property
    def rewritten(
        self,
    ) -> Annotated[Tokens, "written to the cache again after a change before them"]:
        return self.after - self.kept

    @property
    def net(self) -> int:
        """Tokens removed less the tokens read to make the summary."""
        return self.gross - self.compression_input


def compute_savings(
    before: Window, after: Window, price: Price, calls: Sequence[Usage] = (), summariser: Price | None = None
) -> Savings:
    """Return the savings and costs of continuing with the window `after` instead of `before`.

    Args:
        before: Window before the compression.
        after: Window after it.
        price: Price of the conversation's model.
        calls: Calls of the summariser, including failed ones; empty if no model was used. For a preview, use
            `summary_calls`.
        summariser: Price of the summariser's model; `price` if None.
    """
    summariser = summariser or price
    then, now = price.at(before.total), price.at(after.total)
    prefix = cached_prefix(before, after)
    extra = now.cache_write - now.cache_read if price.caches else 0.0
    break_even_calls = balance(before.total, after.total, price, calls, summariser, prefix)
    return Savings(
        before=before.total,
        after=after.total,
        kept=prefix,
        compression_input=sum(call.input for call in calls),
        compression_output=sum(call.output for call in calls),
        compression_cost=calls_cost(calls, summariser),
        rewrite_cost=(after.total - prefix) * extra / MILLION,
        per_call_cost=break_even_calls.saved_per_call,
        per_call_uncached=(before.total * then.input - after.total * now.input) / MILLION,
        break_even=break_even_calls,
    )


def cached_prefix(before: Window, after: Window) -> int:
    """Return the tokens that are still in a prompt cache: those up to the first message that changed.

    Args:
        before: Window of the previous request, which is cached.
        after: Window of the next request.

    Returns:
        Tokens of `after`, including tools and unrecorded tokens, which precede all messages.
    """
    if before.messages == after.messages:
        return after.total
    pairs = zip(before.messages, after.messages, after.tokens, strict=False)
    same = takewhile(lambda pair: pair[0] is pair[1], pairs)
    head = after.sizes.tools + after.unrecorded
    return min(after.total, head + sum(tokens for _, _, tokens in same))


def summary_calls(before: Window, plan: Plan, instructions: int = 0) -> tuple[Usage, ...]:
    """Return the calls that a model would need to write a plan's summaries, for a preview with placeholder summaries.

    Args:
        before: Window before the plan.
        plan: The plan. Each summary takes one call that reads the messages it replaces.
        instructions: Tokens of the instructions in each call.
    """
    sizes = dict(zip(before.ids, before.tokens, strict=True))
    return tuple(
        Usage(
            instructions + sum(sizes.get(name, 0) for name in plan.sources(summary.id)),
            before.sizes.measure(summary),
        )
        for summary in plan.summaries
    )


@dataclass(frozen=True, slots=True)
class SavingsLedger:
    """Running totals of compressions. Ledgers of different sessions, or of parts of one session, can be added."""

    compressions: int = 0
    gross_saved: int = 0
    """Tokens removed from the window, counted once at the time of removal."""
    avoided_tokens: int = 0
    """Removed tokens that calls did not send, counted at each call."""
    avoided_cost: float = 0.0
    compression_input: int = 0
    compression_output: int = 0
    compression_cost: float = 0.0
    cache_rewritten: int = 0
    rewrite_cost: float = 0.0
    """Additional cost of rewritten tokens compared with reading them from the cache."""

    @property
    def net_cost(self) -> float:
        """Dollars saved in total; negative until the compressions break even."""
        return self.avoided_cost - self.compression_cost - self.rewrite_cost

    def __add__(self, other: SavingsLedger) -> SavingsLedger:
        return SavingsLedger(
            self.compressions + other.compressions,
            self.gross_saved + other.gross_saved,
            self.avoided_tokens + other.avoided_tokens,
            self.avoided_cost + other.avoided_cost,
            self.compression_input + other.compression_input,
            self.compression_output + other.compression_output,
            self.compression_cost + other.compression_cost,
            self.cache_rewritten + other.cache_rewritten,
            self.rewrite_cost + other.rewrite_cost,
        )


def compression_entry(savings: Savings, caches: bool = True) -> SavingsLedger:
    """Return the ledger entry of one compression.

    Args:
        savings: Savings of the compression.
        caches: False if there is no prompt cache, so that none is written again.
    """
    return SavingsLedger(
        compressions=1,
        gross_saved=savings.gross,
        compression_input=savings.compression_input,
        compression_output=savings.compression_output,
        compression_cost=savings.compression_cost,
        cache_rewritten=savings.rewritten if caches else 0,
        rewrite_cost=savings.rewrite_cost if caches else 0.0,
    )


def call_entry(full_total: int, total: int, price: Price, caches: bool = True) -> SavingsLedger:
    """Return the ledger entry of one call after a compression, including the first one.

    New content since the previous call is excluded from both sizes, because it costs the same either way.

    Args:
        full_total: Tokens that would have been sent without compression.
        total: Tokens that were sent.
        price: Price of the conversation's model.
        caches: True if there is a prompt cache.
    """
    then, now = price.at(full_total), price.at(total)
    full, short = (then.cache_read, now.cache_read) if caches else (then.input, now.input)
    return SavingsLedger(avoided_tokens=full_total - total, avoided_cost=(full_total * full - total * short) / MILLION)
