"""Apply strategies in order, lowest loss first, until the window fits."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from inspector.engine.strategies.fitting import describe_excess
from inspector.engine.strategies.knobs import Knob, knob, parse_settings, target_knob
from inspector.engine.strategies.plan_builder import PlanBuilder, unchanged_plan
from inspector.engine.strategies.registry import STRATEGIES
from inspector.engine.strategies.services import Services
from inspector.engine.strategies.state_keeping import with_state
from inspector.engine.window import Plan, Window, apply, merge_plans

_DEFAULT = "clear_thinking; dedupe; trim_outputs; mask_observations; sliding_window"
_STAGES = re.compile(r"""(?:[^;'"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*"|['"\\])+""", re.DOTALL)
"""Text between semicolons, except semicolons in quotes: `dedupe`, `fifo max_messages=20`."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One strategy of a pipeline, with the settings given for it. All others have their defaults."""

    name: str
    settings: Mapping[str, Any]


def parse_stages(text: str) -> tuple[Stage, ...]:
    """Return the stages in a text such as "dedupe; trim_outputs longest=1000".

    Raises:
        ValueError: A stage or setting is invalid. The message is one sentence.
    """
    stages = tuple(_parse_stage(words) for words in _STAGES.findall(text) if words.strip())
    if not stages:
        raise ValueError('a pipeline needs stages, such as "dedupe; trim_outputs longest=1000; sliding_window"')
    return stages


def _parse_stage(text: str) -> Stage:
    """Return the stage in a text: a name and KEY=VALUE pairs, quoted if they contain spaces. Raises ValueError."""
    try:
        name, *words = shlex.split(text)
    except ValueError as fault:
        raise ValueError(f"invalid stage {text.strip()!r}: {fault}") from None
    stages = [stage for stage in STRATEGIES if STRATEGIES[stage].is_stage]
    if name not in stages:
        raise ValueError(f"there is no stage {name!r}; stages: {', '.join(stages)}")
    pairs = [word.partition("=") for word in words]
    if wrong := next((key for key, sign, _ in pairs if not sign), None):
        raise ValueError(f"settings of the stage {name} must be KEY=VALUE, not {wrong!r}")
    try:
        return Stage(name, parse_settings(STRATEGIES[name].settings, {key: value for key, _, value in pairs}))
    except ValueError as fault:
        raise ValueError(f"in the stage {name}: {fault}") from None


def format_stages(stages: Iterable[Stage]) -> str:
    """Return the text from which `parse_stages` reads these stages."""
    return "; ".join(
        " ".join([stage.name, *(f"{key}={shlex.quote(_format_value(value))}" for key, value in stage.settings.items())])
        for stage in stages
    )


def _format_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class PipelineSettings:
    stages: str = knob(
        _DEFAULT, "Strategies with their settings, in order, separated by semicolons.", check=parse_stages
    )
    target: int = target_knob("Tokens of the window below which no further stage runs.")


def pipeline(window: Window, settings: PipelineSettings, services: Services) -> Plan:
    """Return one plan for all stages that were needed. If a stage fails to make its summary, nothing is changed."""
    steps = list(passes(window, settings, services))
    values = asdict(settings)
    if not steps:
        builder = PlanBuilder(window)
        builder.keep_rest(f"the window does not exceed {settings.target:,} tokens")
        return builder.finish("pipeline", values)
    last, after = steps[-1]
    if last.has_failed:
        return unchanged_plan(window, "pipeline", values, f"stage {last.strategy}: {last.note}")
    plan = merge_plans(window, [plan for plan, _ in steps], "pipeline", values)
    return plan if after.total <= settings.target else replace(plan, note=describe_excess(window, plan, after.total))


def passes(window: Window, settings: PipelineSettings, services: Services) -> Iterator[tuple[Plan, Window]]:
    """Yield the plan of each stage that is needed, and the window after it.

    Args:
        window: The window to compress.
        settings: Stages and target.
        services: Services for the strategies.

    Raises:
        ValueError: A stage is invalid.
    """
    services = replace(services, fit=settings.target)
    for stage in parse_stages(settings.stages):
        if window.total <= settings.target:
            return
        strategy = STRATEGIES[stage.name]
        defaults = {setting.name: value_for(setting, settings.target) for setting in strategy.knobs}
        values = defaults | dict(stage.settings)
        settings_of_stage = strategy.settings(**values)
        plan = strategy.plan(window, settings_of_stage, with_state(window, settings_of_stage, services))
        window = apply(window, plan)
        yield plan, window
        if plan.has_failed:
            return


def value_for(setting: Knob, target: int) -> Any:
    """Return the value of a setting that a stage does not set: the target if it has that role, else the default."""
    return setting.clamp(target) if setting.role == "target" else setting.default
