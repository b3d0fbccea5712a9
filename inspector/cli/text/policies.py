"""Presets, prices and reported usage in words."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.compression import Preset
from inspector.models import Price
from inspector.replay import Reported
from inspector.text import dollars, plural


def price_text(found: Price, summaries: bool = False) -> str:
    """Whose price is meant, and whether `summaries` are billed, in a sentence or two."""
    priced = f"Priced as {found.model}, with its prompt cache and without." + (f" {found.note}." if found.note else "")
    if found.source == "default":
        priced = f"{found.note}."
    return priced + (" Summaries are billed as if this model had written them." if summaries else "")


def reported_text(found: Reported | None) -> Iterator[str]:
    """What the provider reported of the recorded calls, in one sentence; nothing where nothing was reported."""
    if found is None:
        return
    calls = plural(found.calls, "call")
    if found.unreported:
        calls = f"{found.calls:,} of {plural(found.calls + found.unreported, 'call')}"
    cached = f", {found.cache_read:,} of them from the cache" if found.cache_read else ""
    sent = f"{found.sent:,} tokens sent{cached}, {found.answered:,} answered, {found.peak:,} at most in one call"
    yield f"The recording's own calls, as reported: {calls}, {sent}; {dollars(found.cost)} at this price."


def policy_text(preset: Preset) -> str:
    """A preset in one line: its strategy, its threshold, and the settings that it fixes."""
    if not preset.enabled:
        return preset.about or "switched off"
    settings = [f"{key} {value}" for key, value in preset.given().items()]
    return " · ".join([preset.strategy, f"threshold {preset.threshold:,}", *settings])
