"""A program's own memory settings as a preset: `MEMORY_*` variables, and the lines of its `.aloop/config` file.

The environment wins over the file. Both may say as little as they like; the rest stands at the documented defaults.
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
_QUOTES = re.compile(r"""(["'])(.*?)\1\s*(?:#.*)?$""")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


@dataclass(frozen=True, slots=True)
class _Setting:
    """A value as it is written, and where."""

    text: str
    place: str


def memory_preset(environ: Mapping[str, str], directory: Path) -> Preset:
    """The preset that an environment and the `.aloop/config` of a directory make. Raises PresetError."""
    settings = memory_settings(environ, directory)
    return Preset(
        ENVIRONMENT,
        **{knob.name: _variable_value(knob, settings) for knob in FIELDS if _variable_of(knob.name) in settings},
    )


def memory_value(field: str, environ: Mapping[str, str], directory: Path) -> Any:
    """One value of `memory_preset`, by the name of its field. Raises PresetError where that one does not fit."""
    settings = memory_settings(environ, directory)
    if _variable_of(field) not in settings:
        return getattr(Preset, field)
    return _variable_value(next(knob for knob in FIELDS if knob.name == field), settings)


def _variable_value(knob: Knob, settings: Mapping[str, _Setting]) -> Any:
    """The value that a variable sets. Raises PresetError."""
    variable = _variable_of(knob.name)
    setting = settings[variable]
    text = setting.text.lower() if knob.choices else setting.text
    return fit(replace(knob, name=variable), text, setting.place)


def _variable_of(field: str) -> str:
    return next(variable for variable, name in VARIABLES.items() if name == field)


def memory_settings(environ: Mapping[str, str], directory: Path) -> dict[str, _Setting]:
    """Those of the variables that are set, by name; what is set to nothing is not. Raises PresetError."""
    settings = dict(_config_lines(directory / CONFIG))
    settings |= {name: _Setting(environ[name].strip(), "The environment") for name in VARIABLES if name in environ}
    return {name: setting for name, setting in settings.items() if setting.text}


def unknown_settings(environ: Mapping[str, str], directory: Path) -> list[str]:
    """A sentence for each name that looks like one of these settings and is none, so that nothing comes of it."""
    try:
        lines = (directory / CONFIG).read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [(match[1], f"{directory / CONFIG}, line {number:,}") for number, match in _matches(lines)]
    names += [(name, "The environment") for name in environ]
    names_text = ", ".join(VARIABLES)
    return [
        f"{place}: there is no setting {name}, so it is passed over; there are {names_text}."
        for name, place in names
        if name not in VARIABLES and (name.startswith("MEMORY_COMPRESSION_") or name.upper() in VARIABLES)
    ]


def _matches(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for number, line in enumerate(lines, 1):
        if match := _LINE.match(line):
            yield number, match


def _config_lines(path: Path) -> Iterator[tuple[str, _Setting]]:
    """The settings of memory in a file of KEY=VALUE lines; none where there is no file. All else in it is passed over.

    Raises PresetError for a file that cannot be read, and for a line about memory that gives no value.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        reason = error.strerror or error
        raise PresetError(f"{path} could not be read ({reason}): mend it or move it away.") from error
    for number, match in _matches(text.splitlines()):
        if match[1] not in VARIABLES:
            continue
        place = f"{path}, line {number:,}"
        if not match[2]:
            raise PresetError(f"{place}: a setting is written {match[1]}=VALUE.")
        yield match[1], _Setting(_without_quotes(match[3].rstrip()), place)


def _without_quotes(text: str) -> str:
    """A value without its quotes, or without the comment behind it."""
    if match := _QUOTES.match(text):
        return match[2].strip()
    return _COMMENT.sub("", text).strip()


def as_env(preset: Preset) -> dict[str, str]:
    """A preset as the variables that `memory_preset` reads. Further settings of its strategy have no variable."""
    return {variable: as_text(getattr(preset, field)) for variable, field in VARIABLES.items()}
