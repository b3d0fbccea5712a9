"""Presets: when to compress, how, and how much. Three come with the project, the others are the person's own.

The person's own lie in one TOML file, a table for each. A program's `MEMORY_*` settings are a preset too, read from
the environment and from a `.aloop/config` file. The names of the three, "environment", "none" and "recorded" always
mean the same: nobody's own preset may carry one of them.
"""

from __future__ import annotations

from inspector.compression.presets.environment import as_env, memory_preset, memory_settings, strangers
from inspector.compression.presets.preset import (
    ENVIRONMENT,
    FIELDS,
    NONE,
    PRESETS,
    RECORDED,
    RESERVED,
    NoSuchPreset,
    Preset,
    PresetError,
)
from inspector.compression.presets.user import find, load, offered, own_path, remove, removing, save, saving, unread

__all__ = [
    "ENVIRONMENT",
    "FIELDS",
    "NONE",
    "PRESETS",
    "RECORDED",
    "RESERVED",
    "NoSuchPreset",
    "Preset",
    "PresetError",
    "as_env",
    "find",
    "load",
    "memory_preset",
    "memory_settings",
    "offered",
    "own_path",
    "remove",
    "removing",
    "save",
    "saving",
    "strangers",
    "unread",
]
