"""Whether settings can be meant. Everything here raises ValueError with a sentence that says what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Integral, Real
from typing import Any

from inspector.compression.presets.preset import as_text
from inspector.strategies import STRATEGIES, Knob
from inspector.summaries import quote


def check_whole(name: str, value: Any, low: int, high: float = inf) -> None:
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


def check_strategy(name: Any) -> None:
    """Refuse what is not the name of a strategy."""
    if name not in STRATEGIES:
        raise ValueError(f"There is no strategy {describe_value(name)}; the strategies are {', '.join(STRATEGIES)}.")


def fit_settings(strategy: str, settings: Any) -> dict[str, Any]:
    """Settings of a strategy as it wants them. Numbers may be given as texts."""
    if not isinstance(settings, Mapping):
        raise ValueError(f"The settings of {strategy} are names with values, not {describe_value(settings)}.")
    known = {setting.name: setting for setting in STRATEGIES[strategy].knobs}
    if unknown := sorted(map(str, settings.keys() - known.keys())):
        offered = ", ".join(sorted(known)) or "none"
        raise ValueError(f"{strategy} has no setting {unknown[0]!r}; its settings are: {offered}.")
    return {name: _setting(known[name], value) for name, value in settings.items()}


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
