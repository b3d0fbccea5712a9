"""A pipeline in the making: its stages in order, each with its settings, and the target that they work towards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspector.compression.choice import StrategyChoice
from inspector.strategies import (
    STRATEGIES,
    Knob,
    Services,
    Settings,
    Stage,
    format_stages,
    parse_stages,
    passes,
    value_for,
)
from inspector.window import Plan, Window


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
        fixed = {name: value for name, value in values.items() if value != own[name] or name in stage.settings}
        return self.replaced(place, Stage(stage.name, fixed))

    def replaced(self, place: int, stage: Stage) -> Composition:
        return replace(self, stages=(*self.stages[:place], stage, *self.stages[place + 1 :]))

    def added(self, place: int, name: str) -> Composition:
        """The composition with a stage behind the one at `place`."""
        return replace(self, stages=(*self.stages[: place + 1], Stage(name, {}), *self.stages[place + 1 :]))

    def removed(self, place: int) -> Composition:
        return replace(self, stages=(*self.stages[:place], *self.stages[place + 1 :]))

    def moved(self, place: int, by: int) -> Composition:
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
    return list(passes(window, Settings(stages.text, stages.target), services or Services()))
