"""How a window is to be compressed, as a command line says it: a strategy, a pipeline's stages, or a preset."""

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
    help='A stage of a pipeline, such as "trim_outputs longest=1000"; may be repeated, cheapest loss first.',
)
_preset_option = click.option(
    "--preset", metavar="NAME", help="When and how to compress; see inspector presets. --set changes single settings."
)
_force_option = click.option(
    "--force", is_flag=True, help="Compress below a preset's threshold too, and replace the file that --out names."
)


class _ThresholdType(click.ParamType[Threshold]):
    """A threshold in any of its forms."""

    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Threshold:
        try:
            return parse_threshold(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


def threshold_option(help: str) -> Callable[[Command], Command]:
    """`--threshold`, handed on as a `threshold`, None without it."""
    forms = 'Tokens, "60%" of the model\'s window, "+20000" beyond what always stays, or "adaptive".'
    return click.option("--threshold", type=_ThresholdType(), metavar="SIZE", help=f"{help} {forms}")


def strategy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to compress; the command is handed them as a `choice`, None without any, and `force`."""

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
            raise UsageError(
                "--force belongs to --preset or --out: without them there is nothing that it would overrule."
            )
        if preset:
            choice: StrategyChoice | None = _preset_choice(preset, strategy, assignments, stages, presets_file)
        else:
            choice = _strategy_choice(strategy, assignments, stages)
        return command(*args, choice=choice, force=force, **rest)

    for option in (_force_option, read_presets_file, _preset_option, stage_option, set_option, strategy_option):
        with_choice = option(with_choice)
    return with_choice


def _strategy_choice(strategy: str | None, assignments: Sequence[str], stages: Sequence[str]) -> StrategyChoice | None:
    """A strategy as it was named; stages name the pipeline."""
    if stages:
        if strategy not in (None, PIPELINE):
            raise UsageError(f"--stage makes a pipeline, and --strategy says {strategy}: leave one of them out.")
        if any(word.partition("=")[0].strip() == "stages" for word in assignments):
            raise UsageError("--stage and --set stages=… say the same: leave one of them out.")
        strategy, assignments = PIPELINE, [*assignments, f"stages={'; '.join(stages)}"]
    settings = strategy_settings(strategy, assignments)
    return None if strategy is None else StrategyChoice(strategy, settings)


def _preset_choice(
    name: str, strategy: str | None, assignments: Sequence[str], stages: Sequence[str], file: Path | None
) -> StrategyChoice:
    if strategy or stages:
        raise UsageError("--preset names a strategy already: leave --strategy and --stage out, or the preset.")
    preset = preset_named(name, file)
    return StrategyChoice(preset.strategy, preset.values() | strategy_settings(preset.strategy, assignments), preset)


def preset_named(name: str, file: Path | None, more: Sequence[Preset] = ()) -> Preset:
    """The preset of a name; `more` are presets that there are beside those of `file` and those that come with us.

    Raises UsageError where there is none, and PresetError for a file that cannot be read.
    """
    others = {preset.name: preset for preset in more}
    if name in others:
        return others[name]
    try:
        return find(name, file)
    except UnknownPresetError as error:
        names = [*error.names, *others]
        raise UsageError(
            f"There is no preset {name!r}; there are: {', '.join(names)}.{did_you_mean(name, names)}"
        ) from error
