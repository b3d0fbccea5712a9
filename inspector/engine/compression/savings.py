"""The money of a compression: what it saves, what it costs, and after how many calls it has paid for itself.

Kept apart, because sums of them mislead: tokens that leave the window now; tokens that the calls after it need not
send; tokens and dollars that making the summary took; tokens that are written to the prompt cache again, because a
cached prefix holds only up to the first message that changed.

A window of C tokens becomes one of K, of which a prefix of P is still cached. Making the summary reads R tokens and
writes S. With r, w and o the prices of a cached token, of one written to the cache and of one that the model writes,
all relative to a fresh one's, and i what a token costs that the summariser reads (1, or r where it is asked behind the
conversation itself and finds it cached), the compression has paid for itself after

    N = (w·(K-P) + i·R + o·S) / (r·(C-K))  calls.

Without caching nothing is written again, and i and r are 1. A strategy that asks no model has R = S = 0.
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
    """After how many calls a compression has paid for itself; null where it never does.

    0 where it costs nothing and saves something.
    """

    calls: Annotated[float | None, "with the prompt cache, the summary made by a call of its own"]
    calls_cached: Annotated[float | None, "with the prompt cache, the summary made by a call that reads from it"]
    calls_uncached: Annotated[float | None, "without a prompt cache"]
    cost_now: float
    """Dollars that the compression costs in the first of these cases: the summary and the whole rewritten part."""
    saved_per_call: float
    """Dollars that each later call is cheaper by, with the prompt cache."""

    def __str__(self) -> str:
        """The three cases in one sentence without a full stop."""
        if self.calls is None and self.calls_uncached is None:
            return "it never pays for itself"
        if self.calls is None and self.calls_cached is None:
            return f"it never pays for itself with a prompt cache, and {_after(self.calls_uncached)} without one"
        if self.calls == self.calls_cached == self.calls_uncached == 0:
            return "it pays for itself at once"
        from_cache = f", {_after(self.calls_cached)} if the summary is made from the cache"
        return (
            f"it pays for itself {_after(self.calls)}{'' if self.calls == self.calls_cached else from_cache}, "
            f"{_after(self.calls_uncached)} without a prompt cache"
        )


def _after(calls: float | None) -> str:
    """`after 21 calls`: how long to wait, in words."""
    if calls is None:
        return "never"
    number = max(round(calls), calls > 0)
    return "at once" if number == 0 else f"after {plural(number, 'call')}"


def break_even(before: int, after: int, price: Price, calls: Sequence[Usage] = (), *, prefix: int = 0) -> BreakEven:
    """After how many calls a window that went from `before` to `after` tokens has paid for the change.

    `calls` are the summariser's, at the same price; none where no model was asked. `prefix` is how many tokens at the
    beginning of the window did not change. For the whole window into a summary of 2,000 tokens: break_even(100_000,
    30_000, price, [Usage(100_000, 2_000)]).
    """
    return balance(before, after, price, calls, price, prefix)


def balance(before: int, after: int, price: Price, calls: Sequence[Usage], summariser: Price, prefix: int) -> BreakEven:
    """The same where the summariser has a price of its own."""
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
    """What one compression saves and costs. Tokens are of the window's model; money is dollars."""

    before: int
    after: int
    kept: int
    """Tokens at the beginning of the window that did not change: what is still cached of it."""
    compression_input: Annotated[Tokens, "that the summariser was sent; 0 where no model was asked"]
    compression_output: Annotated[Tokens, "that it wrote"]
    """The summary as it stands in the window is part of `after` already."""
    compression_cost: Dollars
    rewrite_cost: Annotated[Dollars, "what they cost more than if they were still read from the cache"]
    per_call_cost: Annotated[Dollars, "what each later call is cheaper by, with the prompt cache"]
    per_call_uncached: Annotated[Dollars, "the same without a prompt cache"]
    break_even: BreakEven

    @property
    def gross(self) -> int:
        """Tokens that left the window now, the summary subtracted once; each later call sends so many fewer."""
        return self.before - self.after

    @property
    def rewritten(
        self,
    ) -> Annotated[Tokens, "written to the cache again, because something before them changed"]:
        return self.after - self.kept

    @property
    def net(self) -> int:
        """Tokens saved now less those that were read to make the summary."""
        return self.gross - self.compression_input


def compute_savings(
    before: Window, after: Window, price: Price, calls: Sequence[Usage] = (), summariser: Price | None = None
) -> Savings:
    """What it saves and costs to go on with the window `after` in the place of `before`.

    `price` is that of the conversation's model. `calls` are those that the summariser made, failed ones too, at the
    price `summariser` (the same when it is None); none where no model was asked. `summary_calls` gives them for a
    preview.
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
    """Tokens of `after` up to the first message that is not the same as in `before`: what a prompt cache still holds.

    Tools stand before all messages, and so does what the format leaves out of the file.
    """
    if before.messages == after.messages:
        return after.total
    pairs = zip(before.messages, after.messages, after.tokens, strict=False)
    same = takewhile(lambda pair: pair[0] is pair[1], pairs)
    head = after.sizes.tools + (0 if after.context.records_system else after.unrecorded)
    return min(after.total, head + sum(tokens for _, _, tokens in same))


def summary_calls(before: Window, plan: Plan, instructions: int = 0) -> tuple[Usage, ...]:
    """The calls that a model would need to write a plan's summaries, for a preview with a stand-in for them.

    One for each summary: it is sent what the summary covers, and `instructions` tokens.
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
    """The running account of a session's compressions. Accounts add up: of two sessions, or of two parts of one."""

    compressions: int = 0
    gross_saved: int = 0
    """Tokens that left the window, counted once, when they left."""
    avoided_tokens: int = 0
    """Tokens that calls did not send because they had left: counted at each call."""
    avoided_cost: float = 0.0
    compression_input: int = 0
    compression_output: int = 0
    compression_cost: float = 0.0
    cache_rewritten: int = 0
    rewrite_cost: float = 0.0
    """What the rewritten tokens cost more than reading them from the cache would have."""

    @property
    def net_tokens(self) -> int:
        """Tokens avoided less those that were read to make summaries. A summary is subtracted once: at each call it is
        part of what was sent, so its making, `compression_output`, counts in money only.
        """
        return self.avoided_tokens - self.compression_input

    @property
    def net_cost(self) -> float:
        """Dollars saved in all; below 0 while the compressions have not paid for themselves."""
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
    """The account of one compression. Without a prompt cache nothing is written to it again."""
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
    """The account of one call after a compression, the first one too: what was sent, and what would have been.

    Both in tokens, and both without what is new since the call before, which costs the same either way.
    """
    then, now = price.at(full_total), price.at(total)
    full, short = (then.cache_read, now.cache_read) if caches else (then.input, now.input)
    return SavingsLedger(avoided_tokens=full_total - total, avoided_cost=(full_total * full - total * short) / MILLION)
