"""Options that choose a compression: a strategy, the stages of a pipeline, or a preset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from inspector.cli.arguments import strategy_settings
from inspector.cli.command_errors import UsageError, did_you_mean
from inspector.cli.options import Command, read_presets_file, set_option, strategy_option
from inspector.engine.compression import Preset, StrategyChoice, Threshold, UnknownPresetError, find, parse_threshold

PIPELINE = "pipeline"

stage_option = click.option(
    "--stage",
    "stages",
    multiple=True,
    metavar="STAGE",
    help='A stage of a pipeline, such as "trim_outputs longest=1000"; may be repeated, smallest loss first.',
)
_preset_option = click.option(
    "--preset", metavar="NAME", help="The preset; see inspector presets. --set changes single settings."
)
_force_option = click.option(
    "--force", is_flag=True, help="Compress even below the preset's threshold, and overwrite the file of --out."
)


class _ThresholdType(click.ParamType[Threshold]):
    """Parameter type of a threshold in any of its forms."""

    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Threshold:
        try:
            return parse_threshold(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


def threshold_option(help: str) -> Callable[[Command], Command]:
    """Return the option `--threshold`. Its value is passed on as `threshold`, None without it."""
    forms = 'Tokens, "60%" of the model\'s window, "+20000" above the protected part, or "adaptive".'
    return click.option("--threshold", type=_ThresholdType(), metavar="SIZE", help=f"{help} {forms}")


def strategy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a compression. The command receives `choice`, None without any, and `force`."""

    @wraps(command)
    def with_choice(
        *args: Any,
        strategy: str | None,
        assignments: Sequence[str],
        stages: Sequence[str],
        preset: str | None,
        presets_file: Path | None,
        force: bool,
        **rest: Any,
    ) -> Any:
        if force and not (preset or rest.get("out")):
            raise UsageError("--force requires --preset or --out.")
        if preset:
            choice: StrategyChoice | None = _preset_choice(preset, strategy, assignments, stages, presets_file)
        else:
            choice = _strategy_choice(strategy, assignments, stages)
        return command(*args, choice=choice, force=force, **rest)

    for option in (_force_option, read_presets_file, _preset_option, stage_option, set_option, strategy_option):
        with_choice = option(with_choice)
    return with_choice


def _strategy_choice(strategy: str | None, assignments: Sequence[str], stages: Sequence[str]) -> StrategyChoice | None:
    """Return the choice for a named strategy. Stages imply the pipeline."""
    if stages:
        if strategy not in (None, PIPELINE):
            raise UsageError(f"--stage implies a pipeline and cannot be combined with --strategy {strategy}.")
        if any(word.partition("=")[0].strip() == "stages" for word in assignments):
            raise UsageError("--stage cannot be combined with --set stages=….")
        strategy, assignments = PIPELINE, [*assignments, f"stages={'; '.join(stages)}"]
    settings = strategy_settings(strategy, assignments)
    return None if strategy is None else StrategyChoice(strategy, settings)


def _preset_choice(
    name: str, strategy: str | None, assignments: Sequence[str], stages: Sequence[str], file: Path | None
) -> StrategyChoice:
    if strategy or stages:
        raise UsageError("--preset cannot be combined with --strategy or --stage.")
    preset = preset_named(name, file)
    return StrategyChoice(preset.strategy, preset.values() | strategy_settings(preset.strategy, assignments), preset)


def preset_named(name: str, file: Path | None, more: Sequence[Preset] = ()) -> Preset:
    """Return the preset of a name.

    Args:
        name: Name of the preset.
        file: File of the user's presets.
        more: Presets besides those of `file` and the built-in ones.

    Raises:
        UsageError: There is no preset of this name.
        PresetError: The file cannot be read.
    """
    others = {preset.name: preset for preset in more}
    if name in others:
        return others[name]
    try:
        return find(name, file)
    except UnknownPresetError as error:
        names = [*error.names, *others]
        raise UsageError(
            f"There is no preset {name!r}. Presets: {', '.join(names)}.{did_you_mean(name, names)}"
        ) from error
