"""How a window is to be compressed, as a command line says it: a strategy, a pipeline's stages, or a preset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.arguments import chosen
from inspector.cli.errors import UsageError, near
from inspector.cli.options import read_presets_file, set_option, strategy_option

if TYPE_CHECKING:
    from inspector.compression import Preset

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


@dataclass(frozen=True)
class Way:
    """A strategy with the settings that were given for it, and the preset that they come from."""

    strategy: str
    settings: dict[str, Any]
    preset: Preset | None = None
    force: bool = False
    """Compress below the preset's threshold too; replace the file that is to be written."""

    def idle(self, tokens: int) -> str:
        """Why a window of so many tokens is left alone, in one sentence; empty where it is to be compressed."""
        if self.preset is None or self.force or self.preset.due(tokens):
            return ""
        reason = f"{tokens:,} tokens are not above its threshold of {self.preset.threshold:,}"
        if not self.preset.enabled:
            reason = "it is switched off"
        return f"By the preset {self.preset.name} there is nothing to do: {reason}. --force compresses anyway."


def ways(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to compress; the command is handed a `Way`, or None where none of them was given."""

    @wraps(command)
    def asked(
        *args: Any,
        strategy: str | None,
        given: Sequence[str],
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
            way: Way | None = _preset_way(preset, strategy, given, stages, presets_file, force)
        else:
            way = _plain_way(strategy, given, stages, force)
        return command(*args, way=way, **rest)

    for option in (_force_option, read_presets_file, _preset_option, stage_option, set_option, strategy_option):
        asked = option(asked)
    return asked


def _plain_way(strategy: str | None, given: Sequence[str], stages: Sequence[str], force: bool) -> Way | None:
    """A strategy as it was named; stages name the pipeline."""
    if stages:
        if strategy not in (None, PIPELINE):
            raise UsageError(f"--stage makes a pipeline, and --strategy says {strategy}: leave one of them out.")
        if any(word.partition("=")[0].strip() == "stages" for word in given):
            raise UsageError("--stage and --set stages=… say the same: leave one of them out.")
        strategy, given = PIPELINE, [*given, f"stages={'; '.join(stages)}"]
    values = chosen(strategy, given)
    return None if strategy is None else Way(strategy, values, force=force)


def _preset_way(
    name: str, strategy: str | None, given: Sequence[str], stages: Sequence[str], file: Path | None, force: bool
) -> Way:
    if strategy or stages:
        raise UsageError("--preset names a strategy already: leave --strategy and --stage out, or the preset.")
    preset = preset_named(name, file)
    return Way(preset.strategy, preset.given() | chosen(preset.strategy, given), preset, force)


def preset_named(name: str, file: Path | None) -> Preset:
    """The preset of a name. Raises UsageError where there is none, and PresetError for a file that cannot be read."""
    from inspector.compression import NoSuchPreset, find

    try:
        return find(name, file)
    except NoSuchPreset as error:
        raise UsageError(f"{error}{near(name, error.names)}") from error
