"""Presets, prices and reported usage in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.analysis.replay import CacheLifetime, ReportedUsage
from inspector.cli.text.window_text import notice_lines
from inspector.core.text import dollars, plural
from inspector.engine.compression import Preset, Scale, fit_notice, threshold_text, thresholds_of
from inspector.llm.models import Cost, Price

_PARTS = (
    ("input", "sent fresh"),
    ("cache_read", "read from the cache"),
    ("cache_write", "written to it"),
    ("cache_write_1h", "written to it for an hour"),
    ("output", "answered"),
    ("output_estimated", "answered beyond what was reported, an estimate"),
    ("surcharge", "more for long requests"),
    ("summaries", "for summaries"),
    ("recalls", "for what did not come back by itself"),
)


def parts_text(parts: Cost) -> str:
    """What a cost is paid for, in a clause; empty where it is nothing."""
    amounts = ((getattr(parts, name), words) for name, words in _PARTS)
    return ", ".join(f"{dollars(amount)} {words}" for amount, words in amounts if amount)


def cache_text(lifetime: CacheLifetime) -> str:
    """How long the cache of the simulated rows keeps what a call sent, in a sentence."""
    if lifetime.always_warm:
        return f"Simulated costs: {lifetime.reason}."
    minutes = plural(lifetime.seconds // 60, "minute")
    return f"Simulated costs: the cache keeps {minutes} by the recorded times; {lifetime.reason}."


def price_text(price: Price, summaries: bool = False) -> str:
    """Whose price is meant, and whether `summaries` are billed, in a sentence or two."""
    words = f"Priced as {price.model}, with its prompt cache and without." + (f" {price.note}." if price.note else "")
    if price.source == "default":
        words = f"{price.note}."
    return words + (" Summaries are billed as if this model had written them." if summaries else "")


def reported_text(usage: ReportedUsage | None) -> Iterator[str]:
    """What the provider reported of the recorded calls, in one sentence; nothing where nothing was reported."""
    if usage is None:
        return
    calls = plural(usage.calls, "call")
    if usage.unreported:
        calls = f"{usage.calls:,} of {plural(usage.calls + usage.unreported, 'call')}"
    cached = f", {usage.cache_read:,} of them from the cache" if usage.cache_read else ""
    tokens = f"{usage.sent:,} tokens sent{cached}, {usage.answered:,} answered, {usage.peak:,} at most in one call"
    yield f"The recording's own calls, as reported: {calls}, {tokens}; {dollars(usage.cost)} at this price."


def policy_text(preset: Preset) -> str:
    """A preset in one line: its strategy, its threshold, and the settings that it fixes."""
    if not preset.enabled:
        return preset.about or "switched off"
    settings = [f"{key} {value}" for key, value in preset.values().items()]
    return " · ".join([preset.strategy, f"threshold {threshold_text(preset.threshold)}", *settings])


def fit_lines(scale: Scale, presets: Iterable[Preset]) -> Iterator[str]:
    """Which of some presets do not fit a session; nothing where all do."""
    return notice_lines(fit_notice(scale, thresholds_of(presets)))
