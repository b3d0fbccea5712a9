"""Describe the cost of sending a window, and when a compression of it breaks even.

Runs in a worker after the window is displayed, because the first price lookup imports a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inspector.core.conversation import Usage
from inspector.core.text import dollars, plural
from inspector.engine.compression import BreakEven, Savings, calls_cost, compute_savings, summary_calls
from inspector.engine.window import Window
from inspector.library.bench.workbench import Preview
from inspector.llm.models import MILLION, Price, price_of
from inspector.llm.tokens import mark


@dataclass(frozen=True, slots=True)
class Money:
    """Costs of a preview."""

    preview: Preview
    """Preview that the costs belong to. They are meaningless for any other."""
    now: str
    """Cost of sending the window once."""
    then: str = ""
    """Cost of sending it once with the plan being tried; "" without one."""
    writing: str = ""
    """Expected cost of a summary by the configured model; "" if no model would write one."""
    price: Price | None = None
    savings: Savings | None = None
    """Figures of the savings, if a plan is tried that changes anything."""
    lines: tuple[str, ...] = ()
    """Lines for the side column: when the plan breaks even, and a warning if the price is uncertain."""


def money_of(preview: Preview, writer: str = "", calls: Sequence[Usage] = ()) -> Money:
    """Return the costs of a preview.

    Args:
        preview: Preview to price.
        writer: Model that writes summaries, or could write them.
        calls: Usage of the model for this plan. If empty, the summary has cost nothing, and its cost is predicted.
    """
    try:
        price = price_of(preview.recorded.context.model)
        rates = price_of(writer) if writer else price
    except ValueError as problem:
        return Money(preview, "", lines=(str(problem),))
    now = _dollars(preview.before, price)
    note = _short_note(price)
    plan = preview.plan
    if plan is None or not plan.alters:
        return Money(preview, now, price=price, lines=tuple(filter(None, [note])))
    would = summary_calls(preview.before, plan) if writer and not calls else ()
    savings = compute_savings(preview.before, preview.after, price, calls, rates)
    lines = [_pays_back(savings.break_even, price)]
    if calls:
        lines.append(f"the summary cost {dollars(savings.compression_cost)}")
    writing = dollars(calls_cost(would, rates)) if would else ""
    then = _dollars(preview.after, price)
    return Money(preview, now, then, writing, price, savings, tuple(filter(None, [*lines, note])))


def input_price(window: Window) -> float | None:
    """Return the dollars for sending one token of a window without a cache; None if no price is configured."""
    try:
        return price_of(window.context.model).at(window.total).input / MILLION
    except ValueError:
        return None


def _dollars(window: Window, price: Price) -> str:
    """Return the cost of sending a window once without a cache."""
    rough = any(mark(size.certainty) for size in window.breakdown.values())
    return ("≈" if rough else "") + dollars(window.total * price.at(window.total).input / MILLION)


def _pays_back(even: BreakEven, price: Price) -> str:
    """Describe when the plan breaks even, with and without the prompt cache."""
    cached, uncached = calls_until(even.calls), calls_until(even.calls_uncached)
    if not price.caches or cached == uncached:
        return f"breaks even {uncached}"
    return f"breaks even {cached}, without a cache {uncached.removesuffix(' calls').removesuffix(' call')}"


def calls_until(calls: float | None) -> str:
    """Return a number of calls as text: "in 21 calls"."""
    if calls is None:
        return "never"
    number = max(round(calls), calls > 0)
    return "immediately" if number == 0 else f"in {plural(number, 'call')}"


def _short_note(price: Price) -> str:
    """Return a note on the origin of the price if the user needs to know it."""
    if price.source == "default":
        return f"by a default price: {price.note.partition(',')[0]}"
    return price.note
