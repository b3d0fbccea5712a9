"""The statistics of a memory: what its agent's calls took, what compressions saved, and what they cost.

Everything is added up by the `TokenTracker`, so both say the same. Every summary is paid for once, and subtracted from
the savings once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import Usage
from inspector.core.text import one_line
from inspector.engine.compression import Compaction, call_entry, compression_entry, compute_savings, describe_value
from inspector.engine.summaries import USAGE_FIELDS, field_of, parse_usage
from inspector.llm.models import Price
from inspector.memory.token_tracker import TokenTracker


class Account:
    """Costs and savings of a memory.

    Args:
        tracker: Adds up usage. Memories that share it report their sum.
        model: The agent's model, whose prices apply.
        summary_models: Models that write summaries.
        shares: True if others use the tracker too.
    """

    def __init__(
        self, tracker: TokenTracker, model: str = "", summary_models: Sequence[str] = (), *, shares: bool = False
    ) -> None:
        self.tracker = tracker
        self._own = TokenTracker(tracker.model) if shares else tracker
        """What this account alone has added."""
        self._trackers = dict.fromkeys((tracker, self._own))
        self._model = model
        self._summary_models = tuple(name for name in summary_models if name != model)
        self.compressions = 0
        """Those of this account."""
        self.caches = False
        """True if the provider has reported tokens read from its prompt cache."""
        self._price: Price | None = None
        self.recalls = self.recalled_tokens = 0
        self._recalled_for = ""
        """The id of the request that something came back for last."""

    @property
    def price(self) -> Price:
        """The model's, as it was when it was first needed or statistics were last asked for."""
        if self._price is None:
            self._price = self.tracker.price()
        return self._price

    @property
    def billed_price(self) -> Price:
        """The same; without a cache, until the provider has reported that it has one."""
        price = self.price
        return price if self.caches else replace(price, cache_read=price.input, cache_write=price.input, tiers=())

    def add_call(self, usage: Usage, size: int, full_size: int) -> None:
        """Add a model call.

        Args:
            usage: Usage of the call.
            size: Tokens of its context as counted here.
            full_size: Tokens of the context without any compression.
        """
        self.caches = self.caches or usage.cache_read > 0
        entry = call_entry(full_size, size, self.price, self.caches) if full_size > size else None
        for tracker in self._trackers:
            tracker.add_usage(usage)
            if entry:
                tracker.add_savings(entry)

    def add_recall(self, recalled: tuple[str, int] | None) -> int:
        """Note what came back into the context of a call: for which request, and its tokens, which it returns."""
        if recalled is None:
            return 0
        request, tokens = recalled
        self.recalls += request != self._recalled_for
        self.recalled_tokens += tokens
        self._recalled_for = request
        return tokens

    def add_compression(self, compression: Compaction, usages: Iterable[tuple[str, Usage]]) -> None:
        """Add a compression.

        Args:
            compression: Sizes before and after it.
            usages: Calls that wrote its summary, each with the name of the model.
        """
        self.compressions += 1
        savings = compute_savings(compression.before, compression.after, self.price)
        for tracker in self._trackers:
            tracker.add_savings(compression_entry(savings, self.caches))
        self.add_summaries(usages)

    def add_summaries(self, usages: Iterable[tuple[str, Usage]]) -> None:
        """Note what the summarisers' calls took, failed ones included, by their models."""
        for model, usage in usages:
            if usage.input or usage.output:
                name = "" if model == self._model else model
                for tracker in self._trackers:
                    tracker.add_compression_cost(usage.input, usage.output, name)

    def values(self) -> dict[str, Any]:
        """Return the totals of this account as JSON values."""
        recalls = [self.recalls, self.recalled_tokens, self._recalled_for]
        return {
            "compressions": self.compressions, "caches": self.caches, "tracker": self._own.values(), "recalls": recalls
        }  # fmt: skip

    def restore(self, values: Mapping[str, Any]) -> None:
        """Go on from what `values` of another account gave. Raises KeyError, TypeError or ValueError for others."""
        self.compressions, self.caches = int(values["compressions"]), bool(values["caches"])
        recalls, tokens, request = values.get("recalls", (0, 0, ""))
        self.recalls, self.recalled_tokens, self._recalled_for = int(recalls), int(tokens), str(request)
        for tracker in self._trackers:
            tracker.add_values(values["tracker"])

    def stats(self) -> dict[str, Any]:
        """Return the account by the names of `get_stats`, with costs in dollars and shares in percent."""
        self._price = None
        tracker = self.tracker
        ledger, summaries = tracker.ledger, tracker.summary_usage
        return {
            "total_tokens": tracker.total_tokens,
            "used_tokens": tracker.used_tokens,
            "total_input_tokens": tracker.total_input_tokens,
            "total_output_tokens": tracker.total_output_tokens,
            "total_cost": tracker.get_total_cost(),
            "compression_count": ledger.compressions,
            "gross_savings": ledger.gross_saved,
            "avoided_tokens": ledger.avoided_tokens,
            "avoided_cost": tracker.get_avoided_cost(),
            "compression_input_tokens": summaries.input,
            "compression_output_tokens": summaries.output,
            "compression_cost": tracker.get_compression_cost(),
            "cache_rewritten_tokens": ledger.cache_rewritten,
            "cache_rewrite_cost": ledger.rewrite_cost,
            "net_savings": tracker.get_net_savings(),
            "savings_percentage": tracker.get_savings_percentage(),
            "net_cost": tracker.get_net_cost(),
            "recalls": self.recalls,
            "recalled_tokens": self.recalled_tokens,
            "price_note": " ".join(dict.fromkeys(filter(None, (self.price.note, self._summary_note())))),
            "budget": tracker.check_budget().state,
        }

    def _summary_note(self) -> str:
        """Return a note on the price of summaries if another model writes them."""
        return " ".join(dict.fromkeys(self.tracker.price(name).note for name in self._summary_models if name)).strip()


def statistics(stats: Mapping[str, Any]) -> str:
    """Return the block that is printed at the end of a run, from the values of `get_stats`; safe for a terminal.

    The total is that without compression; savings are a share of it.
    """
    lines = [
        "--- Memory Statistics ---",
        f"Total tokens: {stats['total_tokens']:,}",
        f"Compressions: {stats['compression_count']:,}",
        f"Net savings: {stats['net_savings']:,} tokens ({stats['savings_percentage']:.1f}%)",
        f"Total cost: ${stats['total_cost']:.4f}",
    ]
    if stats.get("failed_compressions"):
        lines.append(
            f"Failed compressions: {stats['failed_compressions']:,} (the last: {one_line(stats['last_error'])})"
        )
    if stats.get("over_limit"):
        lines.append(f"The context takes {stats['current_tokens']:,} tokens, more than max_context_tokens allows.")
    if stats.get("gave_up"):
        lines.append(one_line(stats["gave_up"]))
    return "\n".join(lines)


_REPORTED = ("input", "output", "cache_read", "cache_write")
"""What may be reported of a call. `input` is all that was sent, with what came from the cache and went into it."""


def check_actual_tokens(actual: Any) -> Mapping[str, Any]:
    """Return reported usage by the names of `_REPORTED`, from the same names or the provider's own.

    Raises:
        ValueError: A number or a name is invalid.
    """
    if actual is None:
        return {}
    names = (*_REPORTED, *USAGE_FIELDS)
    counts = actual if isinstance(actual, Mapping) else {name: field_of(actual, name) for name in names}
    _check_counts({name: counts.get(name) for name in names})
    if any(counts.get(name) is not None for name in USAGE_FIELDS):
        usage = parse_usage(actual)
        return {} if usage is None else {name: getattr(usage, name) for name in _REPORTED}
    own = {name: number for name, number in counts.items() if name in _REPORTED}
    _check_names(actual, own)
    return own


def _check_counts(counts: Mapping[str, Any]) -> None:
    """Raise ValueError for an invalid number."""
    for name, number in counts.items():
        if number is not None and not (type(number) is int and number >= 0):
            raise ValueError(f"actual_tokens[{name!r}] is a number of tokens, not {describe_value(number)}.")


def _check_names(actual: Any, own: Mapping[str, Any]) -> None:
    """Raise ValueError for a dictionary with an unknown name, and for an object without usage."""
    if not isinstance(actual, Mapping):
        if all(number is None for number in own.values()):
            raise ValueError(
                f"actual_tokens is a dictionary with {', '.join(_REPORTED)}, not {describe_value(actual)}."
            )
    elif unknown := sorted(map(str, actual.keys() - {*_REPORTED, *USAGE_FIELDS})):
        raise ValueError(f"actual_tokens has no {unknown[0]!r}; it has {', '.join(_REPORTED)}.")


def usage_of_call(actual: Mapping[str, Any], size: int, output: int) -> Usage:
    """Return the usage of a call: the reported numbers, or estimates for missing ones.

    An input smaller than the cached tokens excludes the cache, as in Anthropic's reports.

    Args:
        actual: Reported numbers.
        size: Estimated tokens of the input.
        output: Estimated tokens of the reply.
    """

    def number(name: str, otherwise: int) -> int:
        count = actual.get(name)
        return otherwise if count is None else int(count)

    cache_tokens = number("cache_read", 0) + number("cache_write", 0)
    fresh = number("input", max(size, cache_tokens))
    total = fresh + cache_tokens if cache_tokens > fresh else fresh
    return Usage(total, number("output", output), number("cache_read", 0), number("cache_write", 0))
