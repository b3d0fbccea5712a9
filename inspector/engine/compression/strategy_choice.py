"""A person's choice of how to compress: a strategy, its settings, and the preset that they come from.

A composition is a pipeline that a person edits: its stages in order, each with its settings, and their common target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.engine.compression.presets import Preset
from inspector.engine.compression.threshold import Scale, Threshold, resolve_threshold
from inspector.engine.strategies import (
    STRATEGIES,
    Knob,
    PipelineSettings,
    Services,
    Stage,
    draft_plan,
    format_stages,
    initial_values,
    parse_stages,
    passes,
    value_for,
)
from inspector.engine.window import DEFAULT_THRESHOLD, KEPT, Plan, Window


@dataclass(frozen=True)
class StrategyChoice:
    """A strategy with its settings. Both front ends try it on a window, change it, and save it as a preset."""

    strategy: str
    settings: Mapping[str, Any]
    """By name; what is missing starts as it suits the window."""
    preset: Preset | None = None
    """The preset that was chosen; None where a bare strategy was."""
    knob: int = 0
    """Which of `knobs` the keys change."""
    by_knob: bool = False
    """Whether a knob was chosen by hand, so that it is the knob that is explained."""
    scale: Scale | None = None
    """By what the preset's threshold is measured; it has to be there for one that depends on the session."""

    @property
    def name(self) -> str:
        """The name of the preset, or of the bare strategy."""
        return self.preset.name if self.preset else self.strategy

    @property
    def threshold(self) -> int:
        """Tokens above which a window is compressed."""
        return resolve_threshold(self.preset.threshold, self.scale) if self.preset else DEFAULT_THRESHOLD

    def is_due(self, tokens: int) -> bool:
        """Whether a window of so many tokens is to be compressed. A bare strategy has no threshold."""
        return self.preset is None or self.preset.due(tokens, self.scale)

    def idle(self, tokens: int) -> str:
        """Why the preset leaves a window of so many tokens alone, in one sentence; empty where it does not."""
        if self.preset is None or self.is_due(tokens):
            return ""
        reason = f"{tokens:,} tokens are not above its threshold of {self.threshold:,}"
        if not self.preset.enabled:
            reason = "it is switched off"
        return f"By the preset {self.preset.name} there is nothing to do: {reason}."

    def draft(self, window: Window, services: Services | None = None, force: bool = False) -> Plan:
        """The plan for a window; one that changes nothing, with the reason, where the preset leaves the window alone.

        With `force` the threshold does not count.
        """
        if force or not (reason := self.idle(window.total)):
            return draft_plan(window, self.strategy, self.settings, services)
        fates = (KEPT,) * len(window.messages)
        return Plan(self.strategy, self.settings, window.ids, fates, turn=window.turn, note=reason)

    def with_value(self, name: str, value: Any) -> StrategyChoice:
        """The choice with another value of one setting."""
        return replace(self, settings={**self.settings, name: value})

    def as_preset(self, name: str, threshold: Threshold) -> Preset:
        """The strategy and its settings as a preset of another name."""
        return Preset(name, threshold, strategy=self.strategy).with_values(self.settings)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return STRATEGIES[self.strategy].knobs

    @property
    def current_knob(self) -> Knob | None:
        """The knob that the keys change; None where the strategy has none."""
        return self.knobs[self.knob] if self.knobs else None

    @property
    def about(self) -> str:
        """The description of the strategy, or of the knob once one was chosen."""
        knob = self.current_knob
        return f"{knob.name}: {knob.doc}" if self.by_knob and knob else STRATEGIES[self.strategy].about

    @property
    def has_changes(self) -> bool:
        """Whether a setting has another value than the preset gives it."""
        values = self.preset.values() if self.preset else {}
        return any(self.settings[name] != value for name, value in values.items() if name in self.settings)

    @property
    def composes(self) -> bool:
        """Whether the current knob is a pipeline's row of stages, which has a panel of its own."""
        knob = self.current_knob
        return self.strategy == "pipeline" and knob is not None and knob.name == "stages"

    def turn_knob(self, steps: int) -> StrategyChoice:
        """The choice with the current knob some notches further. A text has no notches."""
        knob = self.current_knob
        if knob is None or is_words(knob):
            return self
        return self.with_value(knob.name, knob.move(self.settings[knob.name], steps))

    def next_knob(self, step: int) -> StrategyChoice:
        """The choice with another knob as the current one."""
        return replace(self, knob=(self.knob + step) % max(1, len(self.knobs)), by_knob=True)


def is_words(knob: Knob) -> bool:
    """Whether a setting is a free text, which is written and not turned."""
    return isinstance(knob.default, str) and not knob.choices


def choice_for(pick: Preset | str, window: Window, scale: Scale | None = None) -> StrategyChoice:
    """A preset, or a strategy by its name, with a value for every setting: the preset's, or what suits the window.

    `scale` is that of the window's session.
    """
    if isinstance(pick, str):
        return StrategyChoice(pick, initial_values(STRATEGIES[pick].settings, window), scale=scale)
    settings = initial_values(STRATEGIES[pick.strategy].settings, window)
    values = {name: value for name, value in pick.values().items() if name in settings}
    return StrategyChoice(pick.strategy, settings | values, pick, scale=scale)


def value_text(value: Any) -> str:
    """The value of a setting as it is printed."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Composition:
    """The stages of a pipeline and its target, changed by making a new one."""

    stages: tuple[Stage, ...]
    target: int

    @property
    def text(self) -> str:
        """The stages as the setting of the pipeline has them."""
        return format_stages(self.stages)

    def values(self, place: int) -> dict[str, Any]:
        """The value of each setting of a stage, with defaults for those that it does not set."""
        stage = self.stages[place]
        return {knob.name: value_for(knob, self.target) for knob in _knobs(stage)} | dict(stage.settings)

    def choice(self, place: int, knob: int = 0) -> StrategyChoice:
        """A stage as a strategy with its settings."""
        return StrategyChoice(self.stages[place].name, self.values(place), knob=knob)

    def with_settings(self, place: int, values: dict[str, Any]) -> Composition:
        """The composition with those settings of a stage that differ from its defaults."""
        stage = self.stages[place]
        own = {knob.name: value_for(knob, self.target) for knob in _knobs(stage)}
        settings = {name: value for name, value in values.items() if value != own[name] or name in stage.settings}
        return self.with_stage(place, Stage(stage.name, settings))

    def with_stage(self, place: int, stage: Stage) -> Composition:
        return replace(self, stages=(*self.stages[:place], stage, *self.stages[place + 1 :]))

    def with_new_stage(self, place: int, name: str) -> Composition:
        """The composition with a stage behind the one at `place`."""
        return replace(self, stages=(*self.stages[: place + 1], Stage(name, {}), *self.stages[place + 1 :]))

    def without_stage(self, place: int) -> Composition:
        return replace(self, stages=(*self.stages[:place], *self.stages[place + 1 :]))

    def with_stage_moved(self, place: int, by: int) -> Composition:
        """The composition with a stage in the place of its neighbour; the same where there is none."""
        other = place + by
        if not 0 <= other < len(self.stages):
            return self
        stages = list(self.stages)
        stages[place], stages[other] = stages[other], stages[place]
        return replace(self, stages=tuple(stages))


def composition(values: Mapping[str, Any]) -> Composition:
    """The composition that the settings of a pipeline describe. Raises ValueError for stages that are none."""
    return Composition(parse_stages(values["stages"]), values["target"])


def _knobs(stage: Stage) -> tuple[Knob, ...]:
    return STRATEGIES[stage.name].knobs


def outcomes(window: Window, stages: Composition, services: Services | None = None) -> Sequence[tuple[Plan, Window]]:
    """The plan of each stage that is needed and the window behind it; fewer than stages where the target is met."""
    return list(passes(window, PipelineSettings(stages.text, stages.target), services or Services()))
