"""What a person has chosen for the app, kept from one start to the next in a TOML file of the settings folder."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from inspector.core.text import lock_folder, make_private_folder, write_whole


def settings_path() -> Path:
    """The file: the environment variable INSPECTOR_SETTINGS, else `settings.toml` in the user's settings folder."""
    if named := os.environ.get("INSPECTOR_SETTINGS"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "settings.toml"


def load_settings(path: Path | None = None) -> dict[str, Any]:
    """Every setting that was ever chosen. A file that is missing or cannot be read holds none."""
    try:
        return _read_settings(path or settings_path())
    except (OSError, ValueError):
        return {}


def _read_settings(path: Path) -> dict[str, Any]:
    """The settings of a file, none where there is no file. Raises OSError and ValueError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from error


def save_setting(name: str, value: str | int | bool, path: Path | None = None) -> None:
    """Keep one setting beside the others. Raises OSError and ValueError, and then changes nothing."""
    import tomli_w

    path = path or settings_path()
    make_private_folder(path.parent)
    with lock_folder(path.parent):
        settings = {**_read_settings(path), name: value}
        write_whole(path, tomli_w.dumps(settings))
