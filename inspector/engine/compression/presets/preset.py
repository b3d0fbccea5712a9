"""The preset type, the built-in presets, and the valid values of their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from inspector.core.errors import InspectorError
from inspector.core.json_objects import Fraction, Settings, json_object
from inspector.engine.compression.threshold import (
    DOCUMENTED,
    FITTED,
    LEAST,
    MOST,
    Adaptive,
    Net,
    Scale,
    Share,
    Threshold,
    parse_threshold,
    resolve_threshold,
)
from inspector.engine.strategies import STRATEGIES, Knob, Strategy, parse_settings


class PresetError(InspectorError, ValueError):
    """A preset is unknown or invalid. The message is one sentence with the location, the problem and valid values."""


class UnknownPresetError(PresetError):
    """No preset has this name."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(f"There is no preset {name!r}. Presets: {', '.join(names)}.")
        self.names = names


@json_object(
    "Policy",
    "strategy threshold ratio keep_recent enabled preserve_system settings",
    about="When and how a preset compresses.",
)
@dataclass(frozen=True)
class Preset:
    """A named memory policy: when to compress, with which strategy and settings."""

    name: str
    threshold: Annotated[
        Threshold,
        'above which a window is compressed: tokens, or as text a share of the model\'s window ("60%") '
        'or tokens above the protected part ("+20000")',
    ] = 40_000
    ratio: Annotated[Fraction, "size of a summary as a share of its source"] = 0.3
    keep_recent: Annotated[int, "messages at the end that are kept verbatim"] = 20
    strategy: str = "sliding_window"
    settings: Settings = field(default_factory=dict)
    """Further settings of the strategy. They take precedence over `ratio` and `keep_recent`."""
    enabled: bool = True
    preserve_system: Annotated[bool, "false if a manager may compress system messages too"] = True
    """False lets a memory manager remove system messages. Strategies by themselves always keep them."""
    about: str = ""

    def values(self) -> dict[str, Any]:
        """Return the settings of its strategy that the preset fixes, by name.

        Raises:
            KeyError: The strategy is unknown.
        """
        names = {knob.name for knob in STRATEGIES[self.strategy].knobs}
        common = {"keep_recent": self.keep_recent, "ratio": self.ratio}
        return {name: value for name, value in common.items() if name in names} | dict(self.settings)

    def with_value(self, name: str, value: Any) -> Preset:
        """Return the preset with another strategy, threshold or setting of its strategy.

        Args:
            name: `strategy`, `threshold`, or the name of a setting.
            value: New value. Another strategy keeps the settings that it has in common.
        """
        if name == "strategy":
            names = {knob.name for knob in STRATEGIES[value].knobs}
            return replace(self, strategy=value, settings={k: v for k, v in self.settings.items() if k in names})
        settings = {key: setting for key, setting in self.settings.items() if key != name}
        if name in ("threshold", "keep_recent", "ratio"):
            return replace(self, settings=settings, **{name: value})
        return replace(self, settings={**settings, name: value})

    def with_values(self, values: Mapping[str, Any]) -> Preset:
        """Return the preset with several values changed as by `with_value`."""
        preset = self
        for name, value in values.items():
            preset = preset.with_value(name, value)
        return preset

    def resolve(self, scale: Scale | None) -> Preset:
        """Return the preset with its threshold in tokens, for sessions of a scale.

        Raises:
            ValueError: The threshold depends on the session and `scale` is None.
        """
        tokens = resolve_threshold(self.threshold, scale)
        return self if tokens is self.threshold else replace(self, threshold=tokens)

    def due(self, tokens: int, scale: Scale | None = None) -> bool:
        """Return True if a window should be compressed.

        Args:
            tokens: Size of the window.
            scale: Sizes of the session, for thresholds that depend on them.

        Raises:
            ValueError: The threshold depends on the session and `scale` is None.
        """
        return self.enabled and tokens > resolve_threshold(self.threshold, scale)


def thresholds_of(presets: Iterable[Preset]) -> dict[str, Threshold]:
    """Return the thresholds of presets by name, without presets that are disabled."""
    return {preset.name: preset.threshold for preset in presets if preset.enabled}


PRESETS: dict[str, Preset] = {
    "aggressive": Preset("aggressive", DOCUMENTED["aggressive"], 0.2, 10, about="maximum savings"),
    "balanced": Preset("balanced", DOCUMENTED["balanced"], 0.3, 20, about="documented default"),
    "conservative": Preset(
        "conservative", DOCUMENTED["conservative"], 0.5, 30, "selective", about="preserves more context"
    ),
}
"""The documented presets."""
FITTING: dict[str, Preset] = {
    "early": Preset("early", FITTED["early"], strategy="pipeline", about="compresses first"),
    "steady": Preset("steady", FITTED["steady"], strategy="pipeline", about="compresses in the middle"),
    "late": Preset("late", FITTED["late"], strategy="pipeline", about="compresses last"),
}
"""Presets whose thresholds follow the session. They fit where the documented ones do not. See docs/presets.md."""
BUILT_IN: dict[str, Preset] = PRESETS | FITTING
"""All built-in presets."""
ENVIRONMENT = "environment"
"""Name of the preset formed by a program's own settings."""
NONE = Preset("none", enabled=False, about="no compression")
RECORDED = Preset("recorded", enabled=False, about="the recording itself")
"""Preset under which a session is replayed for comparison."""
RESERVED_NAMES = frozenset((ENVIRONMENT, NONE.name, RECORDED.name))
"""Names that user presets cannot have."""


@dataclass(frozen=True, slots=True)
class ThresholdKnob(Knob):
    """Setting for a threshold. It is parsed in any form and moved in its current form."""

    def parse(self, text: str) -> Threshold:
        return parse_threshold(text, self.name)

    def move(self, value: Any, steps: int) -> Any:
        """Return the value moved by `steps` in its current form; percentages change in steps of five."""
        if isinstance(value, Share):
            return Share(float(replace(_PERCENT, default=1.0).move(value.percent, steps)))
        if isinstance(value, Net):
            return Net(int(Knob.move(self, value.tokens, steps)))
        return value if isinstance(value, Adaptive) else Knob.move(self, value, steps)


_PERCENT = Knob("threshold", "", 1.0, 1, 100, 5)


FIELDS: tuple[Knob, ...] = (
    Knob("strategy", "The strategy.", Preset.strategy, choices=tuple(STRATEGIES)),
    ThresholdKnob(
        "threshold",
        "Tokens above which a window is compressed, or 60%, +20000, adaptive.",
        40_000,
        LEAST,
        MOST,
        1_000,
    ),
    Knob("ratio", "Size of a summary, as a share of its source.", Preset.ratio, 0.01, 0.9, 0.05),
    Knob("keep_recent", "Messages at the end that are kept verbatim.", Preset.keep_recent, 0, 100_000),
    Knob("enabled", "False to disable compression.", Preset.enabled),
    Knob("preserve_system", "True if a manager keeps system messages.", Preset.preserve_system),
)
"""Fields of a preset other than its name, with their valid values."""


def preset_of(name: str, values: Mapping[str, Any], place_of: Callable[[str], str]) -> Preset:
    """Return a preset from the values in a file or command. Unknown keys are ignored.

    Args:
        name: Name of the preset.
        values: Values by key.
        place_of: Returns the location of a key, for messages.

    Raises:
        PresetError: A value is invalid.
    """
    fields: dict[str, Any] = {
        knob.name: fit(knob, values[knob.name], place_of(knob.name)) for knob in FIELDS if knob.name in values
    }
    settings = values.get("settings", {})
    if not isinstance(settings, Mapping):
        raise PresetError(f"{place_of('settings')}: settings must be a table of names and values.")
    strategy = STRATEGIES[fields.get("strategy", Preset.strategy)]
    fields["settings"] = {key: _setting_of(strategy, key, value, place_of) for key, value in settings.items()}
    return Preset(name, about=str(values.get("about", "")), **fields)


def _setting_of(strategy: Strategy, key: str, value: Any, place_of: Callable[[str], str]) -> Any:
    """Return a setting as its strategy expects it. Raises PresetError."""
    try:
        return parse_settings(strategy.settings, {key: as_text(value)})[key]
    except ValueError as error:
        raise PresetError(f"{place_of(key)}: {error}.") from error


def fit(knob: Knob, value: Any, place: str) -> Any:
    """Return a value as its knob expects it.

    Args:
        knob: The setting.
        value: The value, in any type.
        place: Location of the value, for messages.

    Raises:
        PresetError: The value is invalid.
    """
    try:
        return knob.parse(as_text(value))
    except ValueError as error:
        raise PresetError(f"{place}: {error}.") from error


def as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
