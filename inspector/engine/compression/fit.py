"""Check that a preset fits a session: its threshold is within the model's window and well above the fixed part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from inspector.engine.compression.threshold import DOCUMENTED, FITTED, Scale, Threshold, resolve_threshold

Misfit = Literal["", "small", "floor", "window"]
"""Reason why a preset does not fit: a tiny threshold, no room above the fixed part, or one above the model's window."""
_ROOM, _SHARE = 10_000, 4
"""Required tokens between the fixed part and a threshold; for small thresholds, this fraction (1/4) of it is enough."""
_SMALLEST = 1_000
"""Smallest threshold that leaves room for a conversation, whatever is protected."""
_MAX_PRESETS = 3
_ADVICE = ("steady", "early", "late")
"""Presets to recommend; the first that fits is used."""


def misfit(threshold: Threshold, scale: Scale) -> Misfit:
    """Return the reason why a threshold does not fit sessions of a scale, or ""."""
    tokens = resolve_threshold(threshold, scale)
    if 0 < scale.window < tokens:
        return "window"
    if tokens - scale.floor < min(_ROOM, tokens // _SHARE):
        return "floor"
    return "small" if tokens < _SMALLEST else ""


def describe_misfit(threshold: Threshold, scale: Scale) -> str:
    """Return the reason why a threshold does not fit in a few words, or ""."""
    why = misfit(threshold, scale)
    if not why:
        return ""
    if why == "small":
        return f"too low: below {_SMALLEST:,}"
    return f"too low: {scale.floor:,} are protected" if why == "floor" else f"exceeds the window of {scale.window:,}"


def fit_notice(scale: Scale, thresholds: Mapping[str, Threshold] = DOCUMENTED) -> str:
    """Return a sentence that names the presets that do not fit a session, the reason, and one that does; "" if all fit.

    Args:
        scale: Scale of the session.
        thresholds: Thresholds by preset name; those of the documented presets by default.
    """
    reasons = {name: why for name, threshold in thresholds.items() if (why := misfit(threshold, scale))}
    if not reasons:
        return ""
    whys: dict[Misfit, str] = {
        "floor": f"{scale.floor:,} are protected (prompt, tools, first task)",
        "small": f"thresholds below {_SMALLEST:,} leave no room",
        "window": f"the model's window has {scale.window:,}",
    }
    sentences = list[str]()
    for reason in [reason for reason in whys if reason in reasons.values()]:
        names = [name for name, one in reasons.items() if one == reason]
        is_one, above = len(names) == 1, _range([resolve_threshold(thresholds[name], scale) for name in names])
        fits = "" if sentences else "does not fit this session: it " if is_one else "do not fit this session: they "
        does = "compresses" if is_one else "compress"
        sentences.append(f"{_join(_few(names))} {fits}{does} above {above}, but {whys[reason]}")
    return f"{'; '.join(sentences)}; {_advise(scale)}"


def _range(tokens: Iterable[int]) -> str:
    """Return thresholds as text: each of a few, and the range of many."""
    values = sorted(set(tokens))
    words = [f"{value:,}" for value in values]
    text = _join(words) if len(words) <= _MAX_PRESETS else f"{words[0]} to {words[-1]}"
    return f"{text} {'token' if values == [1] else 'tokens'}"


def _advise(scale: Scale) -> str:
    """Return a recommendation of the first preset that fits."""
    best = next((name for name in _ADVICE if not misfit(FITTED[name], scale)), None)
    if best is None:
        return "no preset has room for a conversation."
    return f"{best} fits and compresses above {resolve_threshold(FITTED[best], scale):,}."


def _few(words: Sequence[str]) -> Sequence[str]:
    """Limit a list to a readable length and add the number of omitted words."""
    return words if len(words) <= _MAX_PRESETS else [*words[:_MAX_PRESETS], f"{len(words) - _MAX_PRESETS:,} more"]


def _join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
