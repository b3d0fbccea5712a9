"""A program's memory settings as a preset: `MEMORY_*` variables and lines of its `.aloop/config` file.

The environment takes precedence over the file. Settings missing from both have the documented defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspector.engine.compression.presets.preset import ENVIRONMENT, FIELDS, Preset, PresetError, as_text, fit
from inspector.engine.strategies import Knob

CONFIG = Path(".aloop", "config")
VARIABLES: dict[str, str] = {
    "MEMORY_ENABLED": "enabled",
    "MEMORY_COMPRESSION_THRESHOLD": "threshold",
    "MEMORY_COMPRESSION_RATIO": "ratio",
    "MEMORY_SHORT_TERM_SIZE": "keep_recent",
    "MEMORY_COMPRESSION_STRATEGY": "strategy",
    "MEMORY_PRESERVE_SYSTEM_PROMPTS": "preserve_system",
}
_LINE = re.compile(r"\s*+(?:export\s++)?([A-Za-z_]\w*+)\s*+(=?)\s*+(.*)$")
"""A KEY=VALUE line, optionally with `export`; group 2 is empty without an equals sign."""
_QUOTES = re.compile(r"""(["'])(.*?)\1\s*(?:#.*)?$""")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


@dataclass(frozen=True, slots=True)
class _Setting:
    """The text of a setting, and its location for messages."""

    text: str
    place: str


def memory_preset(environ: Mapping[str, str], directory: Path) -> Preset:
    """Return the preset formed by an environment and the `.aloop/config` of a directory.

    Args:
        environ: Environment variables, which take precedence over the file.
        directory: Directory that contains `.aloop/config`.

    Raises:
        PresetError: A setting is invalid or the file cannot be read.
    """
    settings = memory_settings(environ, directory)
    return Preset(
        ENVIRONMENT,
        **{knob.name: _variable_value(knob, settings) for knob in FIELDS if _variable_of(knob.name) in settings},
    )


def memory_value(field: str, environ: Mapping[str, str], directory: Path) -> Any:
    """Return one value of `memory_preset`.

    Args:
        field: Name of the preset's field.
        environ: Environment variables.
        directory: Directory with the `.aloop/config` file.

    Raises:
        PresetError: This value is invalid or the file cannot be read.
    """
    settings = memory_settings(environ, directory)
    if _variable_of(field) not in settings:
        return getattr(Preset, field)
    return _variable_value(next(knob for knob in FIELDS if knob.name == field), settings)


def _variable_value(knob: Knob, settings: Mapping[str, _Setting]) -> Any:
    """Return the value set by a variable. Raises PresetError."""
    variable = _variable_of(knob.name)
    setting = settings[variable]
    text = setting.text.lower() if knob.choices else setting.text
    return fit(replace(knob, name=variable), text, setting.place)


def _variable_of(field: str) -> str:
    return next(variable for variable, name in VARIABLES.items() if name == field)


def memory_settings(environ: Mapping[str, str], directory: Path) -> dict[str, _Setting]:
    """Return the variables that are set to a non-empty value, by name.

    Raises:
        PresetError: The file cannot be read, or one of its memory settings has no value.
    """
    settings = dict(_config_lines(directory / CONFIG))
    settings |= {name: _Setting(environ[name].strip(), "The environment") for name in VARIABLES if name in environ}
    return {name: setting for name, setting in settings.items() if setting.text}


def unknown_settings(environ: Mapping[str, str], directory: Path) -> list[str]:
    """Return a sentence for each name that resembles one of these settings and is therefore probably a mistake."""
    try:
        lines = (directory / CONFIG).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [(match[1], f"{directory / CONFIG}, line {number:,}") for number, match in _matches(lines)]
    names += [(name, "The environment") for name in environ]
    names_text = ", ".join(VARIABLES)
    return [
        f"{place}: unknown setting {name}, ignored. Settings: {names_text}."
        for name, place in names
        if name not in VARIABLES and (name.startswith("MEMORY_COMPRESSION_") or name.upper() in VARIABLES)
    ]


def _matches(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(lines, 1):
        if match := _LINE.match(line):
            yield number, match


def _config_lines(path: Path) -> Iterator[tuple[str, _Setting]]:
    """Yield the memory settings in a file of KEY=VALUE lines; nothing if the file does not exist.

    All other lines are ignored. Raises PresetError for an unreadable file and for a memory setting without a value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        reason = error.strerror or error
        raise PresetError(f"Cannot read {path} ({reason}). Repair it or move it away.") from error
    for number, match in _matches(text.splitlines()):
        if match[1] not in VARIABLES:
            continue
        place = f"{path}, line {number:,}"
        if not match[2]:
            raise PresetError(f"{place}: write the setting as {match[1]}=VALUE.")
        yield match[1], _Setting(_without_quotes(match[3].rstrip()), place)


def _without_quotes(text: str) -> str:
    """Return a value without its quotes or its trailing comment."""
    if match := _QUOTES.match(text):
        return match[2].strip()
    return _COMMENT.sub("", text).strip()


def as_env(preset: Preset) -> dict[str, str]:
    """Return a preset as the variables that `memory_preset` reads. Other settings of its strategy have no variable."""
    return {variable: as_text(getattr(preset, field)) for variable, field in VARIABLES.items()}
