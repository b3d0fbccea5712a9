"""What a person has chosen for the app, kept from one start to the next in a TOML file of the settings folder."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from inspector.files import write_whole


def settings_path() -> Path:
    """The file: the environment variable INSPECTOR_SETTINGS, else `settings.toml` in the user's settings folder."""
    if named := os.environ.get("INSPECTOR_SETTINGS"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("inspector", appauthor=False) / "settings.toml"


def load_settings(path: Path | None = None) -> dict[str, Any]:
    """Every setting that was ever chosen. A file that is missing or cannot be read holds none."""
    try:
        return tomllib.loads((path or settings_path()).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def save_setting(name: str, value: str | int | bool, path: Path | None = None) -> None:
    """Keep one setting beside the others. Raises OSError where the file cannot be written."""
    import tomli_w

    path = path or settings_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, tomli_w.dumps({**load_settings(path), name: value}))
