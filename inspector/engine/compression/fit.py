"""Check that a preset fits a session: its threshold is within the model's window and well above the fixed part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    does = "does not fit this session: it compresses" if len(reasons) == 1 else "do not fit this session: they compress"
    tokens = dict.fromkeys(f"{resolve_threshold(thresholds[name], scale):,}" for name in reasons)
    whys = [f"{scale.floor:,} are protected (prompt, tools, first task)"] if "floor" in reasons.values() else []
    whys += [f"thresholds below {_SMALLEST:,} leave no room"] if "small" in reasons.values() else []
    whys += [f"the model's window has {scale.window:,}"] if "window" in reasons.values() else []
    return (
        f"{_join(_few(list(reasons)))} {does} above {_join(_few(list(tokens)))} tokens, "
        f"but {' and '.join(whys)}; {_advise(scale)}"
    )


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
