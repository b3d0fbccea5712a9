"""What a person tries on: a strategy with the values of its knobs, and the preset that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.compression.presets import Preset
from inspector.strategies import STRATEGIES, Knob, starting
from inspector.window import DEFAULT_THRESHOLD, Window


@dataclass(frozen=True)
class Trial:
    """A strategy being tried on, with the values of its knobs and the one that `+` and `-` move."""

    strategy: str
    values: Mapping[str, Any]
    knob: int = 0
    preset: str = ""
    """The name of the preset that it was begun with; empty where a bare strategy was picked."""
    preset_values: Mapping[str, Any] = field(default_factory=dict)
    """What that preset sets."""

    by_knob: bool = False
    """Whether a knob was chosen by hand, so that it is the knob that is explained."""
    threshold: int = DEFAULT_THRESHOLD
    """Tokens above which the preset compresses."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return STRATEGIES[self.strategy].knobs

    @property
    def chosen(self) -> Knob | None:
        """The knob that the keys move; None where the strategy has none."""
        return self.knobs[self.knob] if self.knobs else None

    @property
    def told(self) -> str:
        """What there is to say: of the strategy, or of the knob once one was chosen."""
        knob = self.chosen
        return f"{knob.name}: {knob.doc}" if self.by_knob and knob else STRATEGIES[self.strategy].about

    @property
    def changed(self) -> bool:
        """Whether a knob stands elsewhere than its preset put it."""
        return any(self.values.get(name) != value for name, value in self.preset_values.items())

    @property
    def composes(self) -> bool:
        """Whether the chosen knob is a pipeline's row of stages, which has a panel of its own."""
        return self.strategy == "pipeline" and self.chosen is not None and self.chosen.name == "stages"

    def moved(self, steps: int) -> Trial:
        """With the chosen knob turned. Words cannot be turned, only written."""
        knob = self.chosen
        if knob is None or is_words(knob):
            return self
        return self.set(knob.name, knob.moved(self.values[knob.name], steps))

    def set(self, name: str, value: Any) -> Trial:
        """With another value of one knob."""
        return replace(self, values={**self.values, name: value})

    def next(self, step: int) -> Trial:
        """With another knob chosen."""
        return replace(self, knob=(self.knob + step) % max(1, len(self.knobs)), by_knob=True)


def is_words(knob: Knob) -> bool:
    """Whether a setting is a free text, which is written and not turned."""
    return isinstance(knob.default, str) and not knob.choices


def begun(pick: Preset | str, window: Window) -> Trial:
    """What was picked, a preset or the name of a strategy, as it begins on a window."""
    return _begin_preset(pick, window) if isinstance(pick, Preset) else begin(pick, window)


def begin(strategy: str, window: Window) -> Trial:
    """A strategy with its knobs where they suit a window."""
    return Trial(strategy, starting(STRATEGIES[strategy].settings, window))


def _begin_preset(preset: Preset, window: Window) -> Trial:
    """A preset's strategy with its knobs where the preset puts them, the others where they suit a window."""
    trial = begin(preset.strategy, window)
    values = {name: value for name, value in preset.given().items() if name in trial.values}
    return replace(
        trial,
        values={**trial.values, **values},
        preset=preset.name,
        preset_values=values,
        threshold=preset.threshold,
    )


def shown(value: Any) -> str:
    """A knob's value as it is printed."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
