"""Whether a preset fits a session: its threshold lies within the model's window and well above what always stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from inspector.compression.presets import FITTING, PRESETS, Preset
from inspector.compression.threshold import Scale, resolve_threshold

Misfit = Literal["", "floor", "window"]
"""Why a preset does not fit: too little lies between what always stays and its threshold, or its threshold is above
the model's window."""
_ROOM, _SHARE = 10_000, 4
"""Tokens that have to lie between what always stays and a threshold; of a small one, a share of it is enough."""
_MOST = 3
_ADVICE = ("steady", "early", "late")
"""What is advised, the first that fits."""


def misfit(preset: Preset, scale: Scale) -> Misfit:
    """Why a preset does not fit sessions of a scale; empty where it does, or compresses nothing."""
    if not preset.enabled:
        return ""
    threshold = resolve_threshold(preset.threshold, scale)
    if 0 < scale.window < threshold:
        return "window"
    return "floor" if threshold - scale.floor < min(_ROOM, threshold // _SHARE) else ""


def describe_misfit(preset: Preset, scale: Scale) -> str:
    """Why a preset does not fit, in a few words; empty where it does."""
    why = misfit(preset, scale)
    if not why:
        return ""
    return f"does not fit: {scale.floor:,} always stay" if why == "floor" else f"does not fit into {scale.window:,}"


def fit_notice(scale: Scale, presets: Iterable[Preset] = tuple(PRESETS.values())) -> str:
    """Which of some presets do not fit a session, why, and one that does, in one sentence; empty where all fit."""
    presets = list(presets)
    low = [preset for preset in presets if misfit(preset, scale) == "floor"]
    high = [preset for preset in presets if misfit(preset, scale) == "window"]
    unfit = [*low, *high]
    if not unfit:
        return ""
    does = "does not fit here: it compresses" if len(unfit) == 1 else "do not fit here: they compress"
    tokens = dict.fromkeys(f"{resolve_threshold(preset.threshold, scale):,}" for preset in unfit)
    reasons = [f"{scale.floor:,} can never be taken out (prompt, tools, first task)"] if low else []
    reasons += [f"the model's window has {scale.window:,}"] if high else []
    return (
        f"{_join(_shorten([preset.name for preset in unfit]))} {does} above {_join(_shorten(list(tokens)))} tokens, "
        f"but {' and '.join(reasons)}; {_advise(scale)}"
    )


def _advise(scale: Scale) -> str:
    """The first that fits of the presets that follow the session."""
    best = next((FITTING[name] for name in _ADVICE if not misfit(FITTING[name], scale)), None)
    if best is None:
        return "no preset leaves room for a conversation."
    return f"{best.name} fits, above {resolve_threshold(best.threshold, scale):,}."


def _shorten(words: Sequence[str]) -> Sequence[str]:
    """As many as can be read at a glance, and how many more there are."""
    return words if len(words) <= _MOST else [*words[:_MOST], f"{len(words) - _MOST:,} more"]


def _join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
