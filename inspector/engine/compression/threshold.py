"""Thresholds: the size above which a window is compressed.

A threshold is "40000" (tokens of the whole window), "60%" (of the model's window), "+20000" (tokens beyond the part of
this session that no strategy can remove: prompt, tools and first task) or "adaptive" (follows the session as it grows).
A number of tokens is a plain `int`. The value in tokens depends on the session: `scale_of` measures a session, and
`resolve_threshold` applies the scale.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inspector.core.conversation import MAIN, Session
from inspector.core.text import clip
from inspector.engine.window import DEFAULT_THRESHOLD, REPLY_PRIMER, Window, at_turn
from inspector.llm.tokens import Sizes

LEAST, MOST = 1, 100_000_000
"""Minimum and maximum threshold in tokens."""
_FIRST, _FIRST_ROOM, _MAX_AT_FIRST = 0.4, 10_000, 0.8
"""Initial adaptive threshold: a fraction of the window, or a number of tokens beyond the fixed part if that is more.

The third value is the fraction of the window that it never exceeds.
"""
_MAX_QUOTED = 60
"""Maximum number of columns of user input that an error message quotes."""
_FORMS = re.compile(
    r"(\d++(?:\.\d++)?)\s*+%|(\+|-|net\b)?\s*+(\d{1,3}(?:,\d{3})++|\d[\d_]*+)", re.ASCII | re.IGNORECASE
)
"""A threshold as a user types it: "60%", "40,000", "+20000", "net 20000"."""


@dataclass(frozen=True, slots=True)
class Share:
    """A percentage of the model's window, with at most two decimals.

    Raises:
        ValueError: The percentage is not between 1 and 100.
    """

    percent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "percent", round(float(self.percent), 2))
        if not 1 <= self.percent <= 100:
            raise ValueError(f"a share of the model's window must be between 1% and 100%, not {self}")

    def __str__(self) -> str:
        return f"{self.percent:g}%"


@dataclass(frozen=True, slots=True)
class Net:
    """Tokens beyond the part that no strategy can remove.

    Raises:
        ValueError: The number is out of range.
    """

    tokens: int

    def __post_init__(self) -> None:
        if not LEAST <= self.tokens <= MOST:
            raise ValueError(f"tokens above the protected part must be between {LEAST:,} and {MOST:,}, not {self}")

    def __str__(self) -> str:
        return f"+{self.tokens}"


@dataclass(frozen=True, slots=True)
class Adaptive:
    """A threshold that follows the session as it grows: see `inspector.engine.compression.adaptive`."""

    def __str__(self) -> str:
        return "adaptive"


ADAPTIVE = Adaptive()
FIRST_CALLS = 4
"""Number of replies from which the growth of a session can be measured."""

Threshold = int | Share | Net | Adaptive
"""Tokens, or a rule to compute them for a session. `parse_threshold` reads either from text."""


DOCUMENTED: Mapping[str, Threshold] = {"aggressive": 30_000, "balanced": 40_000, "conservative": 60_000}
"""Thresholds of the documented presets."""
FITTED: Mapping[str, Threshold] = {"early": Net(20_000), "steady": Share(40), "late": Share(80)}
"""Thresholds of the presets that follow the session."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Measurements of a session that its thresholds depend on, in tokens."""

    window: int
    """Context window of the model; 0 if unknown."""
    floor: int
    """Part that no strategy can remove: system prompt and tools, including unrecorded parts, and the first task."""


def scale_of(session: Session, sizes: Sizes, agent: str = MAIN, limit: int = 0) -> Scale:
    """Return the scale of an agent's session, from its first request.

    Args:
        session: The recorded session.
        sizes: Token counts of the session's messages.
        agent: Name of the agent.
        limit: Context window of the model in tokens; that of the session's model by default.
    """
    window = at_turn(session, sizes, 1, agent, limit)
    return window_scale(window, min(sizes.unrecorded, sizes.prompt))


def window_scale(window: Window, unrecorded: int = 0) -> Scale:
    """Return the scale of a session.

    Args:
        window: One of its windows.
        unrecorded: Tokens of its prompt that are in no message.
    """
    stays = {*window.system, *([] if window.task is None else [window.task])}
    floor = window.sizes.tools + unrecorded + REPLY_PRIMER + sum(window.tokens[place] for place in stays)
    return Scale(window.limit, floor)


def resolve_threshold(threshold: Threshold, scale: Scale | None) -> int:
    """Return a threshold in tokens of the whole window.

    A share of an unknown window is the default threshold. An adaptive threshold has its initial value, before the
    growth of the session is known.

    Args:
        threshold: A number of tokens, a share, tokens beyond the floor, or the adaptive threshold.
        scale: Window and floor of the session; None if they are unknown.

    Raises:
        ValueError: The threshold depends on the session and `scale` is None.
    """
    if isinstance(threshold, int):
        return threshold
    if scale is None:
        raise ValueError(f"The threshold {threshold} depends on the session and is not a number of tokens.")
    if isinstance(threshold, Net):
        return scale.floor + threshold.tokens
    if isinstance(threshold, Adaptive):
        first = max(int(scale.window * _FIRST), scale.floor + _FIRST_ROOM)
        return min(first, int(scale.window * _MAX_AT_FIRST)) if scale.window else scale.floor + DEFAULT_THRESHOLD
    return max(LEAST, int(scale.window * threshold.percent / 100)) if scale.window else DEFAULT_THRESHOLD


def parse_threshold(text: str, name: str = "threshold") -> Threshold:
    """Return the threshold in a text.

    Args:
        text: "60%", "+20000", "adaptive" or a number of tokens.
        name: Name of the setting, for the error message.

    Raises:
        ValueError: The text is not a threshold. The message lists the valid forms.
    """
    if text.strip().lower() == str(ADAPTIVE):
        return ADAPTIVE
    match = _FORMS.fullmatch(text.strip())
    if match is None:
        forms = f"a number from {LEAST:,} to {MOST:,}, a share such as 60%, tokens on top such as +20000, or adaptive"
        raise ValueError(f"{name} must be {forms}, not {clip(repr(text), _MAX_QUOTED)}")
    share, sign, tokens = match.groups()
    digits = (share or tokens).replace(",", "").replace("_", "")
    if sign == "-" or len(digits) > len(str(MOST)) or not LEAST <= float(digits) <= MOST:
        raise ValueError(f"{name} must be between {LEAST:,} and {MOST:,}, not {clip(text, _MAX_QUOTED)}")
    if share:
        return Share(float(digits))
    return Net(int(digits)) if sign else int(digits)


def threshold_text(threshold: Threshold) -> str:
    """Return a threshold as it is displayed: "40,000", "60%", "+20,000"."""
    if isinstance(threshold, Net):
        return f"+{threshold.tokens:,}"
    return f"{threshold:,}" if isinstance(threshold, int) else str(threshold)


def describe_threshold(threshold: Threshold, scale: Scale | None = None) -> str:
    """Return a threshold in words.

    Args:
        threshold: Tokens, a share of the window, or tokens in addition to the protected part.
        scale: Sizes of the session, to add the threshold in tokens; None if unknown.
    """
    if isinstance(threshold, int):
        return f"{threshold:,} tokens"
    if isinstance(threshold, Adaptive):
        first = f", {resolve_threshold(threshold, scale):,} at first" if scale else ""
        return f"adaptive{first}"
    words = f"{threshold} of the window" if isinstance(threshold, Share) else f"{threshold.tokens:,} tokens net"
    return words + (f", {resolve_threshold(threshold, scale):,} here" if scale else "")
