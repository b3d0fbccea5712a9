"""Thresholds: the size above which a window is compressed, as tokens, as a share, or beyond what always stays.

A threshold is written "40000" (tokens of the whole window), "60%" (of the model's window), "+20000" (tokens beyond
what no strategy can take out of this session: its prompt, its tools and its first task) or "adaptive" (what suits the
session as it grows). A number of tokens is a plain `int`. What a threshold comes to depends on the session: `scale_of`
measures one, `resolve_threshold` applies it.
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
"""Tokens that a threshold may be."""
_FIRST, _FIRST_ROOM, _MAX_AT_FIRST = 0.4, 10_000, 0.8
"""What an adaptive threshold is at first: a share of the window, or tokens beyond what always stays, where that is
more; and the share of the window that it never passes."""
_MAX_QUOTED = 60
"""Columns of what a person wrote that an error repeats."""
_FORMS = re.compile(
    r"(\d++(?:\.\d++)?)\s*+%|(\+|-|net\b)?\s*+(\d{1,3}(?:,\d{3})++|\d[\d_]*+)", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the model's window, in per cent with at most two decimals. Raises ValueError for what is none."""

    percent: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "percent", round(float(self.percent), 2))
        if not 1 <= self.percent <= 100:
            raise ValueError(f"a share of the model's window lies between 1% and 100%; {self} does not")

    def __str__(self) -> str:
        return f"{self.percent:g}%"


@dataclass(frozen=True, slots=True)
class Net:
    """Tokens beyond what no strategy can take out. Raises ValueError for a number that is none."""

    tokens: int

    def __post_init__(self) -> None:
        if not LEAST <= self.tokens <= MOST:
            raise ValueError(f"tokens beyond what always stays lie between {LEAST:,} and {MOST:,}; {self} does not")

    def __str__(self) -> str:
        return f"+{self.tokens}"


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Tokens that follow the session while it grows: see `inspector.engine.compression.adaptive`."""

    def __str__(self) -> str:
        return "adaptive"


ADAPTIVE = Adaptive()
FIRST_CALLS = 4
"""Replies after which it is known how a session grows."""

Threshold = int | Share | Net | Adaptive
"""Tokens, or what a session makes tokens of. As a text (`str`) it is what `parse_threshold` reads."""


DOCUMENTED: Mapping[str, Threshold] = {"aggressive": 30_000, "balanced": 40_000, "conservative": 60_000}
"""Of the documented presets."""
FITTED: Mapping[str, Threshold] = {"early": Net(20_000), "steady": Share(40), "late": Share(80)}
"""Of the presets that follow the session."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the thresholds of one session are measured by, in tokens."""

    window: int
    """The context window of the model; 0 where nobody knows it."""
    floor: int
    """What no strategy can take out: system prompt, tools, what was not recorded of them, and the first task."""


def scale_of(session: Session, sizes: Sizes, agent: str = MAIN, limit: int = 0) -> Scale:
    """The scale of an agent's session, by its first request. `limit` overrides the window of the session's model."""
    window = at_turn(session, sizes, 1, agent, limit)
    return window_scale(window, 0 if session.records_system else min(sizes.unrecorded, sizes.prompt))


def window_scale(window: Window, unrecorded: int = 0) -> Scale:
    """The scale of the session that begins with a window; `unrecorded` tokens of its prompt are in no message."""
    stays = {*window.system, *([] if window.task is None else [window.task])}
    floor = window.sizes.tools + unrecorded + REPLY_PRIMER + sum(window.tokens[place] for place in stays)
    return Scale(window.limit, floor)


def resolve_threshold(threshold: Threshold, scale: Scale | None) -> int:
    """Tokens of the whole window. Where the model's window is not known, a share of it is the default threshold.

    An adaptive one is what it is at first, before anything is known of how the session grows.

    Raises ValueError for one that depends on a session where there is no scale.
    """
    if isinstance(threshold, int):
        return threshold
    if scale is None:
        raise ValueError(f"The threshold {threshold} depends on the session: it is no number of tokens by itself.")
    if isinstance(threshold, Net):
        return scale.floor + threshold.tokens
    if isinstance(threshold, Adaptive):
        first = max(int(scale.window * _FIRST), scale.floor + _FIRST_ROOM)
        return min(first, int(scale.window * _MAX_AT_FIRST)) if scale.window else scale.floor + DEFAULT_THRESHOLD
    return max(LEAST, int(scale.window * threshold.percent / 100)) if scale.window else DEFAULT_THRESHOLD


def parse_threshold(text: str, name: str = "threshold") -> Threshold:
    """A threshold from what a person wrote, for the setting of a name.

    Raises ValueError with a sentence that says what would be right.
    """
    if text.strip().lower() == str(ADAPTIVE):
        return ADAPTIVE
    match = _FORMS.fullmatch(text.strip())
    if match is None:
        forms = f"a number from {LEAST:,} to {MOST:,}, a share such as 60%, tokens on top such as +20000, or adaptive"
        raise ValueError(f"{name} is {forms}, not {clip(repr(text), _MAX_QUOTED)}")
    share, sign, tokens = match.groups()
    digits = (share or tokens).replace(",", "").replace("_", "")
    if sign == "-" or len(digits) > len(str(MOST)) or not LEAST <= float(digits) <= MOST:
        raise ValueError(f"{name} lies between {LEAST:,} and {MOST:,}; {clip(text, _MAX_QUOTED)} does not")
    if share:
        return Share(float(digits))
    return Net(int(digits)) if sign else int(digits)


def threshold_text(threshold: Threshold) -> str:
    """A threshold as it is printed: "40,000", "60%", "+20,000"."""
    if isinstance(threshold, Net):
        return f"+{threshold.tokens:,}"
    return f"{threshold:,}" if isinstance(threshold, int) else str(threshold)


def describe_threshold(threshold: Threshold, scale: Scale | None = None) -> str:
    """A threshold in words, with what it comes to on a session where that is known."""
    if isinstance(threshold, int):
        return f"{threshold:,} tokens"
    if isinstance(threshold, Adaptive):
        first = f", {resolve_threshold(threshold, scale):,} at first" if scale else ""
        return f"a size that follows the session{first}"
    words = f"{threshold} of the window" if isinstance(threshold, Share) else f"{threshold.tokens:,} tokens net"
    return words + (f", {resolve_threshold(threshold, scale):,} here" if scale else "")
