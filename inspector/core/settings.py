"""User settings of the app, saved in a TOML file in the user's configuration directory."""

from __future__ import annotations

import os
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
    """Save one setting and keep the others. Nothing changes if this raises.

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
        settings = {**read_settings(path), name: value}
        write_whole(path, tomli_w.dumps(settings))
