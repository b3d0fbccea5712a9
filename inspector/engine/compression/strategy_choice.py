"""The user's choice of a compression: a strategy, its settings, and the preset they come from.

A composition is a pipeline under edit: its stages in order, with their settings, and the common target.
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
    """A strategy with its settings. Both front ends preview it, change it, and save it as a preset."""

    strategy: str
    settings: Mapping[str, Any]
    """Settings by name. Missing ones start with the value for the window."""
    preset: Preset | None = None
    """The chosen preset; None for a bare strategy."""
    knob: int = 0
    """Index in `knobs` of the current knob."""
    by_knob: bool = False
    """True if the user selected a knob, so that its description is shown."""
    scale: Scale | None = None
    """Scale for the preset's threshold. Required if the threshold depends on the session."""

    @property
    def name(self) -> str:
        """Name of the preset, or of the bare strategy."""
        return self.preset.name if self.preset else self.strategy

    @property
    def threshold(self) -> int:
        """Tokens above which a window is compressed."""
        return resolve_threshold(self.preset.threshold, self.scale) if self.preset else DEFAULT_THRESHOLD

    def is_due(self, tokens: int) -> bool:
        """Return True if a window of this size should be compressed. A bare strategy has no threshold."""
        return self.preset is None or self.preset.due(tokens, self.scale)

    def idle(self, tokens: int) -> str:
        """Return a sentence with the reason why the preset does not compress a window of this size, or ""."""
        if self.preset is None or self.is_due(tokens):
            return ""
        reason = f"{tokens:,} tokens do not exceed its threshold of {self.threshold:,}"
        if not self.preset.enabled:
            reason = "it is disabled"
        return f"The preset {self.preset.name} does not compress: {reason}."

    def draft(self, window: Window, services: Services | None = None, force: bool = False) -> Plan:
        """Return the plan for a window.

        If the preset does not compress the window, the plan changes nothing and its note gives the reason.

        Args:
            window: The window to compress.
            services: Services for the strategy; new ones by default.
            force: True to ignore the threshold.
        """
        if force or not (reason := self.idle(window.total)):
            plan = draft_plan(window, self.strategy, self.settings, services)
            return replace(plan, preset=self.preset.name) if self.preset else plan
        fates = (KEPT,) * len(window.messages)
        return Plan(self.strategy, self.settings, window.ids, fates, turn=window.turn, note=reason)

    def with_value(self, name: str, value: Any) -> StrategyChoice:
        """Return the choice with another value of one setting."""
        return replace(self, settings={**self.settings, name: value})

    def as_preset(self, name: str, threshold: Threshold) -> Preset:
        """Return the strategy and its settings as a preset."""
        return Preset(name, threshold, strategy=self.strategy).with_values(self.settings)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return STRATEGIES[self.strategy].knobs

    @property
    def current_knob(self) -> Knob | None:
        """The selected knob; None if the strategy has none."""
        return self.knobs[self.knob] if self.knobs else None

    @property
    def about(self) -> str:
        """Description of the strategy, or of the selected knob."""
        knob = self.current_knob
        return f"{knob.name}: {knob.doc}" if self.by_knob and knob else STRATEGIES[self.strategy].about

    @property
    def has_changes(self) -> bool:
        """True if a setting differs from the preset's value."""
        values = self.preset.values() if self.preset else {}
        return any(self.settings[name] != value for name, value in values.items() if name in self.settings)

    @property
    def composes(self) -> bool:
        """True if the current knob is the stages of a pipeline, which have their own panel."""
        knob = self.current_knob
        return self.strategy == "pipeline" and knob is not None and knob.name == "stages"

    def turn_knob(self, steps: int) -> StrategyChoice:
        """Return the choice with the current knob moved by `steps`. Text settings cannot be moved."""
        knob = self.current_knob
        if knob is None or is_free_text(knob):
            return self
        return self.with_value(knob.name, knob.move(self.settings[knob.name], steps))

    def next_knob(self, step: int) -> StrategyChoice:
        """Return the choice with another knob selected."""
        return replace(self, knob=(self.knob + step) % max(1, len(self.knobs)), by_knob=True)


def is_free_text(knob: Knob) -> bool:
    """Return True if a setting is free text."""
    return isinstance(knob.default, str) and not knob.choices


def choice_for(pick: Preset | str, window: Window, scale: Scale | None = None) -> StrategyChoice:
    """Return a preset or a strategy with a value for every setting.

    Args:
        pick: The preset, or the name of a strategy.
        window: Window that determines initial values.
        scale: Scale of the window's session.
    """
    if isinstance(pick, str):
        return StrategyChoice(pick, initial_values(STRATEGIES[pick].settings, window), scale=scale)
    settings = initial_values(STRATEGIES[pick.strategy].settings, window)
    values = {name: value for name, value in pick.values().items() if name in settings}
    return StrategyChoice(pick.strategy, settings | values, pick, scale=scale)


def value_text(value: Any) -> str:
    """Return the value of a setting as it is displayed."""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclass(frozen=True)
class Composition:
    """The stages of a pipeline and its target. Immutable: each change returns a new composition."""

    stages: tuple[Stage, ...]
    target: int

    @property
    def text(self) -> str:
        """The stages in the form of the pipeline's setting."""
        return format_stages(self.stages)

    def values(self, place: int) -> dict[str, Any]:
        """Return the value of each setting of a stage, including defaults."""
        stage = self.stages[place]
        return {knob.name: value_for(knob, self.target) for knob in _knobs(stage)} | dict(stage.settings)

    def choice(self, place: int, knob: int = 0) -> StrategyChoice:
        """Return a stage as a strategy with its settings."""
        return StrategyChoice(self.stages[place].name, self.values(place), knob=knob)

    def with_settings(self, place: int, values: dict[str, Any]) -> Composition:
        """Return the composition with new settings of a stage, keeping only those that differ from its defaults."""
        stage = self.stages[place]
        own = {knob.name: value_for(knob, self.target) for knob in _knobs(stage)}
        settings = {name: value for name, value in values.items() if value != own[name] or name in stage.settings}
        return self.with_stage(place, Stage(stage.name, settings))

    def with_stage(self, place: int, stage: Stage) -> Composition:
        return replace(self, stages=(*self.stages[:place], stage, *self.stages[place + 1 :]))

    def with_new_stage(self, place: int, name: str) -> Composition:
        """Return the composition with a stage inserted after the one at `place`."""
        return replace(self, stages=(*self.stages[: place + 1], Stage(name, {}), *self.stages[place + 1 :]))

    def without_stage(self, place: int) -> Composition:
        return replace(self, stages=(*self.stages[:place], *self.stages[place + 1 :]))

    def with_stage_moved(self, place: int, by: int) -> Composition:
        """Return the composition with a stage swapped with its neighbour, if there is one."""
        other = place + by
        if not 0 <= other < len(self.stages):
            return self
        stages = list(self.stages)
        stages[place], stages[other] = stages[other], stages[place]
        return replace(self, stages=tuple(stages))


def composition(values: Mapping[str, Any]) -> Composition:
    """Return the composition described by the settings of a pipeline.

    Raises:
        ValueError: A stage is invalid.
    """
    return Composition(parse_stages(values["stages"]), values["target"])


def _knobs(stage: Stage) -> tuple[Knob, ...]:
    return STRATEGIES[stage.name].knobs


def outcomes(window: Window, stages: Composition, services: Services | None = None) -> Sequence[tuple[Plan, Window]]:
    """Return the plan of each stage that is needed and the window after it, until the target is met.

    Args:
        window: The window to compress.
        stages: Stages and target.
        services: Services for the strategies; new ones by default.
    """
    return list(passes(window, PipelineSettings(stages.text, stages.target), services or Services()))
