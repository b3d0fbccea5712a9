"""`presets`: named policies of when and how to compress: built-in ones, the user's, and the environment's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from inspector.analysis.export import export_text
from inspector.cli.arguments import strategy_settings
from inspector.cli.command_errors import BAD_INPUT, UsageError
from inspector.cli.interrupts import HeldInterrupt
from inspector.cli.options import json_option, presets_file, set_option
from inspector.cli.output import echo, echo_json, paint, report_on_output_error, warn, width
from inspector.cli.schema.values import Errors, json_output
from inspector.cli.strategy_options import preset_named, threshold_option
from inspector.core.text import clip, lines_of, pad, visible
from inspector.engine.compression import (
    BUILT_IN,
    FIELDS,
    Preset,
    PresetError,
    Threshold,
    as_env,
    find_complaints,
    load,
    memory_preset,
    memory_settings,
    own_path,
    remove_scope,
    save_scope,
    threshold_text,
    unknown_settings,
)

_COMMON = ("keep_recent", "ratio")
"""Settings of a strategy that have their own field in a preset."""
EXPORTS = ("env", "aloop", "toml", "langchain", "strands", "openai-agents", "google-adk", "anthropic")

_Origin = Literal["built-in", "own", "environment"]


@json_output("preset name=preset.name about=preset.about", inline="preset")
class _PresetOutput:
    """A named policy."""

    preset: Preset


@json_output(inline="named")
class ListedPresetOutput:
    """A preset and its source."""

    named: _PresetOutput
    origin: _Origin


@json_output()
class PresetsOutput:
    """All presets."""

    presets: Sequence[ListedPresetOutput]
    path: Annotated[str, "the file of your presets"]
    errors: Errors


@json_output(inline="named", optional="to text")
class PresetShowOutput:
    """A preset; with `--to`, as settings for another program."""

    named: _PresetOutput
    to: str | None = None
    text: str | None = None


@json_output(inline="named")
class PresetSaveOutput:
    """A saved preset."""

    named: _PresetOutput
    path: str
    replaced: Annotated[bool, "true if a preset of this name was replaced"]


@json_output()
class PresetRemoveOutput:
    """The name of a removed preset."""

    removed: str
    path: str


@click.group(invoke_without_command=True)
@presets_file
@json_option
@click.pass_context
def presets(context: click.Context, presets_file: Path | None, as_json: bool) -> int:
    """List presets; show, save and remove your own."""
    if context.invoked_subcommand:
        if presets_file or as_json:
            raise UsageError(f"Put options after the command: inspector presets {context.invoked_subcommand} …")
        return 0
    path = presets_file or own_path()
    rows, errors = _all_presets(path)
    for error in errors:
        warn(error)
    if as_json:
        listed = [ListedPresetOutput(named=_PresetOutput(preset=preset), origin=origin) for preset, origin in rows]
        echo_json(PresetsOutput(presets=listed, path=str(path), errors=errors))
    else:
        echo("\n".join(_preset_table(rows, path)))
    return BAD_INPUT if errors else 0


def _all_presets(path: Path) -> tuple[list[tuple[Preset, _Origin]], list[str]]:
    """Return all presets with their sources, and a sentence for each part that cannot be read."""
    rows: list[tuple[Preset, _Origin]] = [(preset, "built-in") for preset in BUILT_IN.values()]
    errors = []
    try:
        rows += ((preset, "own") for preset in load(path).values())
        for note in find_complaints(path):
            warn(note)
    except PresetError as error:
        errors.append(str(error))
    for note in unknown_settings(os.environ, Path()):
        warn(note)
    try:
        if memory_settings(os.environ, Path()):
            rows.append((memory_preset(os.environ, Path()), "environment"))
    except PresetError as error:
        errors.append(str(error))
    return rows, errors


def _preset_table(rows: Sequence[tuple[Preset, _Origin]], path: Path) -> Iterator[str]:
    yield paint(f"{'preset':<16} {'threshold':>10} {'ratio':>6} {'recent':>7}  strategy", "dim")
    came = "built-in"
    for preset, origin in rows:
        if origin != came:
            title = f"your own, in {path}" if origin == "own" else "MEMORY_… variables and .aloop/config"
            yield paint(f"\n{clip(title, width())}", "dim")
        came = origin
        threshold = threshold_text(preset.threshold)
        row = f"{pad(preset.name, 16)} {threshold:>10} {preset.ratio:>6} {preset.keep_recent:>7,}  "
        words = [preset.strategy, *_assignments_of(preset), *([] if preset.enabled else ["switched off"])]
        about = f" · {preset.about}" if preset.about else ""
        yield paint(row, "strong") + clip(" ".join(words) + about, width() - len(row))


def _assignments_of(preset: Preset) -> list[str]:
    return [f"{key}={value}" for key, value in preset.settings.items()]


@presets.command()
@click.argument("name")
@click.option("--env", "as_variables", is_flag=True, help="As lines for a .aloop/config file.")
@click.option("--to", type=click.Choice(EXPORTS), help="As settings for this program or framework.")
@presets_file
@json_option
def show(name: str, as_variables: bool, to: str | None, presets_file: Path | None, as_json: bool) -> None:
    """Show a preset; "environment" is the preset of the MEMORY_… variables and .aloop/config."""
    preset = preset_named(name, presets_file)
    if to:
        _print_export(preset, to, as_json)
    elif as_json:
        echo_json(PresetShowOutput(named=_PresetOutput(preset=preset)))
    elif as_variables:
        echo("\n".join(f"{variable}={value}" for variable, value in as_env(preset).items()))
        if extras := sorted(preset.settings):
            warn(f"These settings have no variable and are omitted: {', '.join(extras)}.")
    else:
        echo(paint(clip(f"{preset.name}  {preset.about}", width()), "strong"))
        for field in FIELDS:
            value = getattr(preset, field.name)
            echo(_setting_line(field.name, value if field.name != "threshold" else threshold_text(value), field.doc))
        for key, value in preset.settings.items():
            echo(_setting_line(key, value, f"a setting of {preset.strategy}"))


def _print_export(preset: Preset, to: str, as_json: bool) -> None:
    """Print a preset as settings for another program, with a comment for each setting that it does not have."""
    text = export_text(preset, to)
    if as_json:
        echo_json(PresetShowOutput(named=_PresetOutput(preset=preset), to=to, text=text))
    else:
        echo(visible(text.rstrip("\n")))


def _setting_line(name: str, value: Any, about: str) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:,}" if number else str(value).lower() if isinstance(value, bool) else str(value)
    start = f"  {pad(name, 16)} {pad(text, max(14, min(len(text), width() - 40)))}  "
    return start + paint(clip(about, width() - len(start)), "dim")


@presets.command()
@click.argument("name")
@click.option("--strategy", "-s", default="sliding_window", metavar="NAME", help="The strategy.")
@set_option
@threshold_option("Compress above this threshold. Default: 40,000 tokens.")
@click.option("--about", default="", metavar="WORDS", help="A description.")
@presets_file
@json_option
def save(
    name: str,
    strategy: str,
    assignments: Sequence[str],
    threshold: Threshold | None,
    about: str,
    presets_file: Path | None,
    as_json: bool,
) -> None:
    """Save a preset; an existing one of the same name is replaced."""
    values = strategy_settings(strategy, assignments)
    fields: dict[str, Any] = {key: values.pop(key) for key in _COMMON if key in values}
    if threshold:
        fields["threshold"] = threshold
    preset = Preset(name, strategy=strategy, settings=values, about=about, **fields)
    path = presets_file or own_path()
    with HeldInterrupt(), report_on_output_error("Nothing was saved."), save_scope(preset, path) as had_one:
        if as_json:
            echo_json(PresetSaveOutput(named=_PresetOutput(preset=preset), path=str(path), replaced=had_one))
        else:
            echo("\n".join(lines_of(f"{'Replaced' if had_one else 'Saved'}: {name}, in {path}", width())))


@presets.command()
@click.argument("name")
@presets_file
@json_option
def remove(name: str, presets_file: Path | None, as_json: bool) -> None:
    """Remove a preset that you saved."""
    if name in BUILT_IN:
        raise UsageError(f"{name} is built in and cannot be removed.")
    path = presets_file or own_path()
    with HeldInterrupt(), report_on_output_error("Nothing was removed."), remove_scope(name, path) as there:
        if not there:
            raise UsageError(f"There is no preset {name!r} in {path}.")
        if as_json:
            echo_json(PresetRemoveOutput(removed=name, path=str(path)))
        else:
            echo("\n".join(lines_of(f"Removed {name} from {path}", width())))
