"""What a window costs to send, and when a compression of it has paid for itself, in words.

Made in a worker, and only once a window is on the screen: looking up the first price imports a table.
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
    """The money of a preview."""

    preview: Preview
    """What it was worked out for: beside another one it says nothing."""
    now: str
    """What sending the window once costs."""
    then: str = ""
    """The same with the plan that is tried; empty while none is."""
    writing: str = ""
    """What it would cost to have the summary written by the model that is set up; empty where none would write."""
    price: Price | None = None
    savings: Savings | None = None
    """The numbers behind it, where a plan is tried that changes anything."""
    lines: tuple[str, ...] = ()
    """For the column beside the list: when the plan has paid for itself, and where the price is doubtful."""


def money_of(preview: Preview, writer: str = "", calls: Sequence[Usage] = ()) -> Money:
    """The money of a preview.

    `writer` is the model that writes summaries, or could; `calls` are those that it made for this very plan. Without
    them the summary has cost nothing, and what it would cost is foreseen.
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
        lines.append(f"the summary has cost {dollars(savings.compression_cost)}")
    writing = dollars(calls_cost(would, rates)) if would else ""
    then = _dollars(preview.after, price)
    return Money(preview, now, then, writing, price, savings, tuple(filter(None, [*lines, note])))


def _dollars(window: Window, price: Price) -> str:
    """What sending a window once costs, nothing of it cached."""
    rough = any(mark(size.certainty) for size in window.breakdown.values())
    return ("≈" if rough else "") + dollars(window.total * price.at(window.total).input / MILLION)


def _pays_back(even: BreakEven, price: Price) -> str:
    """When the plan has paid for itself, with the prompt cache and without."""
    cached, uncached = calls_until(even.calls), calls_until(even.calls_uncached)
    if not price.caches or cached == uncached:
        return f"pays back {uncached}"
    return f"pays back {cached}, uncached {uncached.removesuffix(' calls').removesuffix(' call')}"


def calls_until(calls: float | None) -> str:
    """How long to wait: "in 21 calls"."""
    if calls is None:
        return "never"
    number = max(round(calls), calls > 0)
    return "at once" if number == 0 else f"in {plural(number, 'call')}"


def _short_note(price: Price) -> str:
    """Where the price comes from, when that has to be known."""
    if price.source == "default":
        return f"by a default price: {price.note.partition(',')[0]}"
    return price.note
