"""When to compress, with which strategy, and when not to.

The threshold, the target, the minimum progress and the number of attempts belong here rather than to a strategy. A
`Policy` is plain data. A `Trigger` is the state between messages, and answers in constant time.
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
    """Check that a value is an integer within bounds.

    Args:
        name: Name of the value, for the message.
        value: The value, of any type.
        low: Minimum.
        high: Maximum.

    Raises:
        ValueError: The value is not an integer or out of bounds.
    """
    if not _is_number(value, Integral) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number {_bounds(low, high)}, not {describe_value(value)}.")


def check_number(name: str, value: Any, low: float, high: float = inf) -> None:
    """Check that a value is a number within bounds.

    Args:
        name: Name of the value, for the message.
        value: The value, of any type.
        low: Minimum.
        high: Maximum.

    Raises:
        ValueError: The value is not a number or out of bounds.
    """
    if not _is_number(value, Real) or not low <= value <= high:
        raise ValueError(f"{name} must be a number {_bounds(low, high)}, not {describe_value(value)}.")


def check_switch(name: str, value: Any) -> None:
    """Check that a value is True or False.

    Raises:
        ValueError: The value is not a bool.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {describe_value(value)}.")


def _check_strategy(name: Any) -> None:
    """Raise ValueError if there is no strategy with this name."""
    if name not in STRATEGIES:
        raise ValueError(f"There is no strategy {describe_value(name)}. Strategies: {', '.join(STRATEGIES)}.")


def _fit_settings(strategy: str, settings: Any) -> dict[str, Any]:
    """Return settings as a strategy expects them. Numbers can be given as texts. Raises ValueError."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"The settings of {strategy} must be a mapping, not {describe_value(settings)}.")
    names = {setting.name: setting for setting in STRATEGIES[strategy].knobs}
    if unknown := sorted(map(str, settings.keys() - names.keys())):
        names_text = ", ".join(sorted(names)) or "none"
        raise ValueError(f"{strategy} has no setting {unknown[0]!r}. Settings: {names_text}.")
    return {name: _setting(names[name], value) for name, value in settings.items()}


def _setting(knob: Knob, value: Any) -> Any:
    """Return a setting as its knob expects it. Raises ValueError."""
    if isinstance(knob.default, str) and not isinstance(value, str):
        raise ValueError(f"{knob.name} must be text, not {describe_value(value)}.")
    if type(knob.default) is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return knob.parse(as_text(value))
    except ValueError as error:
        raise ValueError(f"{str(error).rstrip('.')}.") from None


def _is_number(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _bounds(low: float, high: float) -> str:
    return f"of at least {low:,}" if high == inf else f"from {low:,} to {high:,}"


def describe_value(value: Any) -> str:
    """Return a short text for a value as it was given."""
    return f"{value:,}" if type(value) is int else quote(repr(value), most=60)


_WAIT = 0.25
"""Growth of the window, as a fraction, before the next attempt after giving up."""
_MAX_WAIT_GROWTH = 16
"""Maximum of this growth, which doubles with each further unsuccessful attempt."""


@dataclass(frozen=True)
class Policy:
    """When and how a memory is compressed. Tokens are those of the whole window.

    Raises:
        ValueError: A value is invalid. The message is one sentence.
    """

    strategy: str = "sliding_window"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the strategy. Missing ones start with the value for the window."""
    threshold: int = DEFAULT_THRESHOLD
    """Windows above this size are compressed."""
    target: int = 0
    """Size to reach, below the threshold; 0 for half of the threshold."""
    enabled: bool = True
    limit: int = 0
    """Maximum tokens of a request; 0 for no limit.

    If a window exceeds it, fewer of the newest messages are kept word for word than the settings say.
    """
    minimum_progress: float = 0.1
    """Plans that remove less than this fraction of the window are not applied, unless they reach the target."""
    give_up: int = 3
    """Number of consecutive unsuccessful attempts before it waits longer and longer."""
    preserve_system: bool = True
    """False if system messages can be removed."""
    adapts: bool = False
    """True if threshold and target follow the session from their initial values."""

    def __post_init__(self) -> None:
        _check_strategy(self.strategy)
        object.__setattr__(self, "settings", _fit_settings(self.strategy, self.settings))
        for name, low in (("threshold", 1), ("target", 0), ("limit", 0), ("give_up", 1)):
            check_integer(name, getattr(self, name), low)
        for name in ("enabled", "preserve_system"):
            check_switch(name, getattr(self, name))
        check_number("minimum_progress", self.minimum_progress, 0, 0.99)
        if self.target >= self.threshold:
            raise ValueError(f"The target, {self.target:,} tokens, must be below the threshold, {self.threshold:,}.")

    @classmethod
    def of(cls, preset: Preset, scale: Scale | None = None, **more: Any) -> Policy:
        """Return the policy described by a preset.

        Args:
            preset: The preset.
            scale: Scale of the session, for thresholds that depend on it.
            more: Further fields of the policy, which take precedence.

        Raises:
            ValueError: A value is invalid, or the threshold depends on the session and `scale` is None.
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
        """Tokens that must be added before the next compression if the last one did not reach the target."""
        return (self.threshold - self.aim + 1) // 2

    @property
    def own_settings(self) -> dict[str, Any]:
        """Settings for the strategy, including the target if it has one."""
        budgets = {knob.name: knob.clamp(self.aim) for knob in STRATEGIES[self.strategy].knobs if knob.role == "target"}
        return budgets | dict(self.settings)

    def choices(self, total: int, fixed: int = 0) -> Iterator[dict[str, Any]]:
        """Yield the settings to try, best first: the policy's own and, above the limit, tighter ones.

        If no target was requested, the target is at least the fixed part plus a quarter of the threshold, or plus half
        of the rest if that is less. Half of a threshold that is barely above the fixed part could only be reached by
        removing everything else.

        Args:
            total: Tokens of the window.
            fixed: Tokens that remain under any target.
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
        """Return True if a compression should be applied: it saves enough, or reaches the target.

        Args:
            before: Tokens of the window now.
            after: Tokens of the compressed window.
        """
        savings = before - after
        return savings > 0 and (savings >= self.minimum_progress * before or after <= self.aim)


@dataclass
class Trigger:
    """State between messages that determines when to attempt the next compression.

    An unsuccessful attempt is not repeated until the window has grown by a tenth, in tokens or in messages. After
    `give_up` attempts it must grow by a quarter, then by a half, and so on, until a large message arrives. So the cost
    of all attempts is constant per message, and few of them call a model.
    """

    policy: Policy
    level: int = 0
    """Tokens that the window must exceed."""
    length: int = 0
    """Alternatively, messages that it must reach; 0 if only tokens count."""
    attempts: int = 0
    """Number of consecutive unsuccessful attempts."""
    gave_up: str = ""
    """Reason for waiting and the condition for the next attempt, in sentences; empty if not waiting."""
    over_limit: bool = False
    """True if the window was already over the limit at the last attempt."""

    def due(self, total: int, length: int) -> bool:
        """Return True if a window of `total` tokens in `length` messages should be compressed now."""
        policy = self.policy
        if not policy.enabled or total <= policy.threshold:
            return False
        growth = total > self.level or 0 < self.length <= length
        return growth or (0 < policy.limit < total and not self.over_limit)

    def adjust(self, policy: Policy) -> None:
        """Change the threshold. Earlier attempts still count."""
        if self.level <= self.policy.threshold:
            self.level = policy.threshold
        self.policy = policy

    def note_success(self, total: int) -> None:
        """Record a compression to `total` tokens. The next one waits for growth, because the rest cannot be removed."""
        self.level = max(self.policy.threshold, total + self.policy.room)
        self.length = self.attempts = 0
        self.gave_up = ""
        self.over_limit = 0 < self.policy.limit < total

    def note_arrival(self, tokens: int, total: int) -> None:
        """Stop waiting after a message of a quarter of the window, so that it can be removed once it is not the newest.

        Args:
            tokens: Tokens of the message.
            total: Tokens of the window with it.
        """
        if self.gave_up and tokens >= _WAIT * total:
            self.level, self.length, self.attempts, self.gave_up = total, 0, 0, ""

    def note_failure(self, total: int, length: int, why: str) -> None:
        """Record an attempt that changed nothing.

        Args:
            total: Tokens of the window.
            length: Messages of the window.
            why: Reason, as a sentence.
        """
        self.attempts += 1
        more = self.attempts - self.policy.give_up
        is_exhausted = more >= 0
        waits = min(_MAX_WAIT_GROWTH, _WAIT * 2 ** min(more, 10))
        growth = 1 + (waits if is_exhausted else max(self.policy.minimum_progress, 0.05))
        self.level = ceil(total * growth)
        self.length = ceil(length * growth)
        self.over_limit = 0 < self.policy.limit < total
        if is_exhausted:
            times = "the last attempt" if self.attempts == 1 else f"the last {self.attempts} attempts"
            again = f"Next attempt above {self.level:,} tokens or {self.length:,} messages."
            self.gave_up = f"Waiting: {times} had no effect. {why} {again}"
