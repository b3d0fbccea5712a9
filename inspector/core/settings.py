"""User settings of the app, saved in a TOML file in the user's configuration directory."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from inspector.core.text import lock_folder, make_private_folder, write_whole


def settings_path() -> Path:
    """Return the path of the settings file.

    It is the value of the environment variable INSPECTOR_SETTINGS if set, or else `settings.toml` in the user's
    configuration directory.
    """
    if named := os.environ.get("INSPECTOR_SETTINGS"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "settings.toml"


def load_settings(path: Path | None = None) -> dict[str, Any]:
    """Return all saved settings, or an empty dict if the file is missing or cannot be read."""
    try:
        return read_settings(path or settings_path())
    except (OSError, ValueError):
        return {}


def read_settings(path: Path) -> dict[str, Any]:
    """Return the settings in a file, or an empty dict if it does not exist.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not valid TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from error


def save_setting(name: str, value: str | int | bool, path: Path | None = None) -> None:
    """Save one setting and keep the rest of the file, with its comments. Nothing changes if this raises.

    Args:
        name: Name of the setting.
        value: Value of the setting.
        path: The settings file. Default: `settings_path()`.

    Raises:
        OSError: The file cannot be read or written.
        ValueError: The file is not valid TOML.
    """
    import tomli_w

    path = path or settings_path()
    make_private_folder(path.parent)
    with lock_folder(path.parent):
        settings = read_settings(path)
        if name in settings and settings[name] == value:
            return
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        settings[name] = value
        text = _with_line(old, name, tomli_w.dumps({name: value}))
        write_whole(path, text if _parse(text) == settings else tomli_w.dumps(settings))


# A setting with a value on one line, and the comment after it: `theme = "nord"  # at night`.
_LINE = re.compile(
    r"""^[ \t]*(?P<name>[\w-]+)[ \t]*=[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w.+-]+)(?P<comment>[ \t]*(?:\#.*)?)$""",
    re.M,
)
_TABLE = re.compile(r"^[ \t]*\[", re.M)


def _with_line(text: str, name: str, line: str) -> str:
    """Return the text of a settings file with a setting replaced, or added after the last one above the tables.

    The result can be wrong if a value has several lines, so the caller compares its meaning.

    Args:
        text: Text of the file.
        name: Name of the setting.
        line: The setting and its value, with a line break.
    """
    table = _TABLE.search(text)
    end = table.start() if table else len(text)
    if match := next((match for match in _LINE.finditer(text, 0, end) if match["name"] == name), None):
        return text[: match.start()] + line.rstrip() + match["comment"] + text[match.end() :]
    lines = text[:end].splitlines(keepends=True)
    count = max((number for number, row in enumerate(lines, 1) if row.strip() and row.lstrip()[0] != "#"), default=0)
    before = "".join(lines[:count] if count or table else lines)
    if before and not before.endswith("\n"):
        before += "\n"
    return before + line + text[len(before) :]


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None
