"""When a memory is compressed, by which strategy, and when it is better left alone.

The threshold, the target, the least progress and the count after which it gives up belong here and not to a strategy.
A `Policy` is plain data; a `Trigger` is the little that has to be remembered between one message and the next, and
answers in constant time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil, inf
from numbers import Integral, Real
from typing import Any

from inspector.engine.compression.presets import Preset
from inspector.engine.compression.presets.preset import as_text
from inspector.engine.compression.threshold import Adaptive, Scale, resolve_threshold
from inspector.engine.strategies import STRATEGIES, Knob
from inspector.engine.summaries import quote
from inspector.engine.window import DEFAULT_THRESHOLD


def check_integer(name: str, value: Any, low: int, high: float = inf) -> None:
    """Refuse what is no whole number of these bounds."""
    if not _is_number(value, Integral) or not low <= value <= high:
        raise ValueError(f"{name} is a whole number {_bounds(low, high)}, not {describe_value(value)}.")


def check_number(name: str, value: Any, low: float, high: float = inf) -> None:
    """Refuse what is no number of these bounds."""
    if not _is_number(value, Real) or not low <= value <= high:
        raise ValueError(f"{name} is a number {_bounds(low, high)}, not {describe_value(value)}.")


def check_switch(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is True or False, not {describe_value(value)}.")


def _check_strategy(name: Any) -> None:
    """Refuse what is not the name of a strategy."""
    if name not in STRATEGIES:
        raise ValueError(f"There is no strategy {describe_value(name)}; the strategies are {', '.join(STRATEGIES)}.")


def _fit_settings(strategy: str, settings: Any) -> dict[str, Any]:
    """Settings of a strategy as it wants them. Numbers may be given as texts."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"The settings of {strategy} are names with values, not {describe_value(settings)}.")
    names = {setting.name: setting for setting in STRATEGIES[strategy].knobs}
    if unknown := sorted(map(str, settings.keys() - names.keys())):
        names_text = ", ".join(sorted(names)) or "none"
        raise ValueError(f"{strategy} has no setting {unknown[0]!r}; its settings are: {names_text}.")
    return {name: _setting(names[name], value) for name, value in settings.items()}


def _setting(knob: Knob, value: Any) -> Any:
    """One setting as its knob wants it."""
    if isinstance(knob.default, str) and not isinstance(value, str):
        raise ValueError(f"{knob.name} is a text, not {describe_value(value)}.")
    if type(knob.default) is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return knob.parse(as_text(value))
    except ValueError as error:
        raise ValueError(f"{str(error).rstrip('.')}.") from None


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _bounds(low: float, high: float) -> str:
    return f"from {low:,} on" if high == inf else f"from {low:,} to {high:,}"


def describe_value(value: Any) -> str:
    """A value as it was given, short."""
    return f"{value:,}" if type(value) is int else quote(repr(value), most=60)


_WAIT = 0.25
"""Growth of the window, as a share of it, before it is tried again once it was given up."""
_MAX_WAIT_LENGTH = 16
"""The same at most: it doubles with every further attempt that comes to nothing."""


@dataclass(frozen=True)
class Policy:
    """What a memory does when it grows too large. Tokens are those of the whole window.

    Raises ValueError with a sentence for what cannot be meant.
    """

    strategy: str = "sliding_window"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the strategy; what is not named starts as it suits the window."""
    threshold: int = DEFAULT_THRESHOLD
    """Above this it compresses."""
    target: int = 0
    """Where it wants to come down to, below the threshold; 0 stands for half of the threshold."""
    enabled: bool = True
    limit: int = 0
    """The most that may ever be sent, 0 for no limit. Where the window passes it, fewer of the newest messages stay
    word for word than the settings say."""
    minimum_progress: float = 0.1
    """A plan that takes less than this share out of the window is not applied."""
    give_up: int = 3
    """Attempts in a row that come to nothing before it waits for longer and longer."""
    preserve_system: bool = True
    """False: system messages may leave like any other."""
    adapts: bool = False
    """Whether threshold and target follow the session from what they are at first."""

    def __post_init__(self) -> None:
        _check_strategy(self.strategy)
        object.__setattr__(self, "settings", _fit_settings(self.strategy, self.settings))
        for name, low in (("threshold", 1), ("target", 0), ("limit", 0), ("give_up", 1)):
            check_integer(name, getattr(self, name), low)
        for name in ("enabled", "preserve_system"):
            check_switch(name, getattr(self, name))
        check_number("minimum_progress", self.minimum_progress, 0, 0.99)
        if self.target >= self.threshold:
            raise ValueError(f"The target, {self.target:,} tokens, has to lie below the threshold, {self.threshold:,}.")

    @classmethod
    def of(cls, preset: Preset, scale: Scale | None = None, **more: Any) -> Policy:
        """The policy that a preset describes on the sessions of one scale; `more` are further fields.

        Raises ValueError, also for a threshold that depends on the session where there is no scale.
        """
        _check_strategy(preset.strategy)
        fields: dict[str, Any] = {
            "strategy": preset.strategy,
            "settings": preset.values(),
            "threshold": more["threshold"] if "threshold" in more else resolve_threshold(preset.threshold, scale),
            "enabled": preset.enabled,
            "preserve_system": preset.preserve_system,
            "adapts": isinstance(preset.threshold, Adaptive),
        }
        return cls(**(fields | more))

    @property
    def aim(self) -> int:
        """The target in tokens."""
        return self.target or self.threshold // 2

    @property
    def room(self) -> int:
        """Tokens that have to come in after a pass before the next one, where the window stayed above the target."""
        return (self.threshold - self.aim + 1) // 2

    @property
    def own_settings(self) -> dict[str, Any]:
        """The settings that its strategy is called with; one that works towards a size is told the target."""
        budgets = {knob.name: knob.clamp(self.aim) for knob in STRATEGIES[self.strategy].knobs if knob.role == "target"}
        return budgets | dict(self.settings)

    def choices(self, total: int, fixed: int = 0) -> Iterator[dict[str, Any]]:
        """The settings to try on a window of `total` tokens, best first: its own and, past the limit, tighter ones.

        `fixed` of them stay whatever the target is. Where no target was asked for, the rest may have a quarter of the
        threshold, or half of what it has: half of a threshold that is hardly above what stays could only be met by
        losing all else.
        """
        settings = self.own_settings
        if not self.target and self.aim < (least := fixed + min(self.threshold // 4, (total - fixed) // 2)):
            knobs = STRATEGIES[self.strategy].knobs
            budgets = {knob.name: knob.clamp(least) for knob in knobs if knob.role == "target"}
            settings |= {name: value for name, value in budgets.items() if name not in self.settings}
        yield settings
        if not 0 < self.limit < total:
            return
        for knob in STRATEGIES[self.strategy].knobs:
            if knob.role == "recent":
                keep = settings.get(knob.name, knob.default)
                while keep > knob.low:
                    keep = knob.clamp(keep // 2)
                    yield {**settings, knob.name: keep}

    def worthwhile(self, before: int, after: int) -> bool:
        """Whether a pass that brings the window from `before` to `after` tokens should be made."""
        savings = before - after
        return savings > 0 and (savings >= self.minimum_progress * before or after <= self.aim)


@dataclass
class Trigger:
    """State between messages that decides when the next compression is attempted.

    An attempt that came to nothing is not repeated before the window has grown by a tenth, in tokens or in messages;
    after `give_up` of them, not before it has grown by a quarter, then by a half, and so on. So attempts cost, all
    together, no more than a constant for each message, and of those for which a model writes there are few.
    """

    policy: Policy
    level: int = 0
    """Tokens that the window has to pass."""
    length: int = 0
    """Or the messages that it has to have; 0 while only tokens matter."""
    attempts: int = 0
    """Attempts in a row that came to nothing."""
    gave_up: str = ""
    """Why it waits before it tries again, and until when, in sentences; empty while it does not."""
    over_limit: bool = False
    """Whether the window was already over the limit when the last attempt was made."""

    def due(self, total: int, length: int) -> bool:
        """Whether a window of `total` tokens in `length` messages should be compressed now."""
        policy = self.policy
        if not policy.enabled or total <= policy.threshold:
            return False
        growth = total > self.level or 0 < self.length <= length
        return growth or (0 < policy.limit < total and not self.over_limit)

    def adjust(self, policy: Policy) -> None:
        """Go by another threshold from now on; what was tried before still counts."""
        if self.level <= self.policy.threshold:
            self.level = policy.threshold
        self.policy = policy

    def note_success(self, total: int) -> None:
        """A pass has left `total` tokens. What it could not take will not go by itself, so some must come in first."""
        self.level = max(self.policy.threshold, total + self.policy.room)
        self.length = self.attempts = 0
        self.gave_up = ""
        self.over_limit = 0 < self.policy.limit < total

    def came_to_nothing(self, total: int, length: int, why: str) -> None:
        """An attempt on a window of `total` tokens in `length` messages has changed nothing."""
        self.attempts += 1
        more = self.attempts - self.policy.give_up
        is_exhausted = more >= 0
        waits = min(_MAX_WAIT_LENGTH, _WAIT * 2 ** min(more, 10))
        growth = 1 + (waits if is_exhausted else max(self.policy.minimum_progress, 0.05))
        self.level = ceil(total * growth)
        self.length = ceil(length * growth)
        self.over_limit = 0 < self.policy.limit < total
        if is_exhausted:
            times = "the last attempt" if self.attempts == 1 else f"the last {self.attempts} attempts"
            again = f"It tries again above {self.level:,} tokens, or with {self.length:,} messages."
            self.gave_up = f"It waits: {times} came to nothing. {why} {again}"
