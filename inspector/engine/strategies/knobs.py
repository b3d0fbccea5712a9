"""Settings of strategies: frozen dataclasses whose fields describe themselves.

A strategy declares each setting once with `knob`. The app's controls, the command line's `--set KEY=VALUE` and the
reference documentation all read it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import ceil, floor
from typing import Any, Literal

from inspector.engine.window import Window

_Fit = Callable[[Window], float]
Role = Literal["", "target", "recent", "bound"]
"""Meaning of a setting for callers that do not know the strategy.

target    tokens of the whole window after the strategy
recent    number of newest messages, results or turns to keep unchanged
bound     tokens of the whole window, only if the user sets it; policies do not change it
"""


@dataclass(frozen=True, slots=True)
class Knob:
    """One setting as it is offered to the user."""

    name: str
    doc: str
    default: Any
    low: float = 0
    high: float = 0
    step: float = 1
    choices: tuple[str, ...] = ()
    fit: _Fit | None = None
    """Default for a given window, for settings without a sensible fixed default."""
    role: Role = ""
    check: Callable[[str], object] | None = None
    """Validates text values. Raises ValueError with a sentence for an invalid one."""

    def initial_value(self, window: Window) -> Any:
        """Return the default for a window."""
        if self.fit is None:
            return self.default
        value = self.fit(window)
        return self.clamp(round(value / self.step) * self.step if value >= self.step else round(value))

    def clamp(self, value: float) -> Any:
        """Return the value limited to the bounds, with the type of the default."""
        value = min(max(value, self.low), self.high)
        return int(value) if isinstance(self.default, int) else round(value, 4)

    def move(self, value: Any, steps: int) -> Any:
        """Return the value moved by `steps` within its bounds. Choices and switches wrap around."""
        if self.choices:
            return self.choices[(self.choices.index(value) + steps) % len(self.choices)]
        if isinstance(self.default, bool):
            return not value if steps % 2 else value
        exact = value / self.step
        notch = floor(exact + 1e-9) if steps > 0 else ceil(exact - 1e-9)
        return self.clamp((notch + steps) * self.step) if steps else value

    def parse(self, text: str) -> Any:
        """Return a value from its text on the command line.

        Raises:
            ValueError: The text is not a valid value. The message says which values are.
        """
        if self.choices:
            if text in self.choices:
                return text
            raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}, not {text!r}")
        if isinstance(self.default, bool):
            return _parse_switch(self.name, text)
        if self.check:
            self.check(text)
        kind = type(self.default)
        try:
            value: Any = kind(text.replace("_", "").replace(",", "")) if kind in (int, float) else text
        except ValueError:
            raise ValueError(f"{self.name} must be a number from {self.low:,} to {self.high:,}, not {text!r}") from None
        if kind in (int, float) and not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must be between {self.low:,} and {self.high:,}, not {text}")
        return value


def _parse_switch(name: str, text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError(f"{name} must be true or false, not {text!r}")


def knob(default: Any, doc: str, **bounds: Any) -> Any:
    """Return a dataclass field for a setting.

    Args:
        default: Default value; its type is the type of the setting.
        doc: Description of the setting.
        bounds: Other fields of `Knob`, for example `low`, `high` and `step`.
    """
    return field(default=default, metadata={"doc": doc} | bounds)


def target_knob(doc: str) -> Any:
    """Return a setting with the role "target": tokens of the whole window, by default half of its current size."""
    return knob(100_000, doc, low=0, high=2_000_000, step=500, fit=lambda window: window.total / 2, role="target")


def recent_knob(default: int, doc: str, high: int = 100_000) -> Any:
    """Return a setting with the role "recent": the number of newest items to keep.

    Args:
        default: Default value.
        doc: Description of the setting.
        high: Maximum value.
    """
    return knob(default, doc, low=0, high=high, step=1, role="recent")


def state_knob() -> Any:
    """Return the setting for the size of the block of state before a summary, which is 0 for none."""
    doc = "Maximum tokens of the state of the work that is put before the summary; 0 for none."
    return knob(0, doc, low=0, high=4_000, step=100)


def knobs(settings: type) -> tuple[Knob, ...]:
    """Return the knobs of a settings dataclass, in field order."""
    return tuple(Knob(setting.name, default=setting.default, **setting.metadata) for setting in fields(settings))


def initial_values(settings: type, window: Window) -> dict[str, Any]:
    """Return the values that a strategy starts with on a window."""
    return {setting.name: setting.initial_value(window) for setting in knobs(settings)}


def parse_settings(settings: type, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of settings from the texts of `KEY=VALUE` options.

    Args:
        settings: Settings class of a strategy.
        texts: Text of each value by the name of its setting.

    Raises:
        ValueError: A key is unknown or a value is invalid. The message is one sentence.
    """
    by_name = {setting.name: setting for setting in knobs(settings)}
    for key in texts:
        if key not in by_name:
            names = ", ".join(by_name) or "none"
            raise ValueError(f"there is no setting {key!r}; settings: {names}")
    return {key: by_name[key].parse(text) for key, text in texts.items()}
