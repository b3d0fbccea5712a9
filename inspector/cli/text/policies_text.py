"""Presets, prices and reported usage as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.analysis.replay import CacheLifetime, ReportedUsage
from inspector.cli.text.window_text import notice_lines
from inspector.core.text import clip, dollars, listed, plural
from inspector.engine.compression import Preset, Scale, fit_notice, threshold_text, thresholds_of
from inspector.llm.models import Cost, Price

_PARTS = (
    ("input", "uncached input"),
    ("cache_read", "read from the cache"),
    ("cache_write", "written to the cache"),
    ("cache_write_1h", "written to the cache for an hour"),
    ("output", "output"),
    ("output_estimated", "output beyond the reported tokens (estimate)"),
    ("surcharge", "surcharge for long requests"),
    ("summaries", "summaries"),
    ("recalls", "re-fetched content"),
)


def parts_text(parts: Cost) -> str:
    """Return the parts of a cost in a clause. Empty if the cost is zero."""
    amounts = ((getattr(parts, name), words) for name, words in _PARTS)
    return ", ".join(f"{dollars(amount)} {words}" for amount, words in amounts if amount)


def cache_text(lifetime: CacheLifetime) -> str:
    """Return the assumed lifetime of the prompt cache in simulated rows, in a sentence."""
    if lifetime.always_warm or not lifetime.seconds:
        return f"Simulated costs: {lifetime.reason}."
    minutes = plural(lifetime.seconds // 60, "minute")
    return f"Simulated costs: the cache keeps {minutes} by the recorded times; {lifetime.reason}."


def price_text(price: Price, summaries: bool = False) -> str:
    """Return the source of the price, and whether `summaries` are billed, in one or two sentences."""
    models = [model for model in price.models if model != "default"]
    caches = "its prompt cache" if len(models) == 1 else "their prompt caches, each call by its own model"
    words = [f"Prices of {listed(models)}, with and without {caches}."] if models else []
    words += [f"{price.note[:1].upper()}{price.note[1:]}."] if price.note else []
    words += ["Summaries are billed as if the model of the next call wrote them."] if summaries else []
    return " ".join(words)


def reported_text(usage: ReportedUsage | None) -> Iterator[str]:
    """Yield the provider's reported usage of the recorded calls in one sentence. Empty if it reported none."""
    if usage is None:
        return
    calls = plural(usage.calls, "call")
    if usage.unreported:
        calls = f"{usage.calls:,} of {plural(usage.calls + usage.unreported, 'call')}"
    cached = f", {usage.cache_read:,} from the cache" if usage.cache_read else ""
    tokens = f"{usage.sent:,} tokens sent{cached}, {usage.answered:,} received, at most {usage.peak:,} in one call"
    yield f"The recording's own calls, as reported: {calls}, {tokens}; {dollars(usage.cost)}{_by_model(usage)}."


def _by_model(usage: ReportedUsage) -> str:
    """Return the cost of each model in parentheses. Empty if all calls went to one model."""
    if len(usage.by_model) < 2:
        return ""
    return f" ({', '.join(f'{dollars(paid)} for {clip(model, 40)}' for model, paid in usage.by_model.items())})"


def policy_text(preset: Preset) -> str:
    """Return a preset on one line: its strategy, its threshold and its fixed settings."""
    if not preset.enabled:
        return preset.about or "switched off"
    settings = [f"{key} {value}" for key, value in preset.values().items()]
    return " · ".join([preset.strategy, f"threshold {threshold_text(preset.threshold)}", *settings])


def fit_lines(scale: Scale, presets: Iterable[Preset]) -> Iterator[str]:
    """Return the presets that do not fit a session. Empty if all do."""
    return notice_lines(fit_notice(scale, thresholds_of(presets)))
