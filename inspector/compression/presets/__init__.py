"""Presets: when to compress, how, and how much. Some come with the project, the others are the person's own.

The person's own lie in one TOML file, a table for each. A program's `MEMORY_*` settings are a preset too, read from
the environment and from a `.aloop/config` file. The names of the built-in ones, "environment", "none" and "recorded"
always mean the same: nobody's own preset may carry one of them.
"""

from __future__ import annotations

from inspector.compression.presets.environment import (
    as_env,
    memory_preset,
    memory_settings,
    memory_value,
    unknown_settings,
)
from inspector.compression.presets.preset import (
    BUILT_IN,
    ENVIRONMENT,
    FIELDS,
    FITTING,
    NONE,
    PRESETS,
    RECORDED,
    RESERVED_NAMES,
    Preset,
    PresetError,
    ThresholdKnob,
    UnknownPresetError,
    thresholds_of,
)
from inspector.compression.presets.user import (
    all_presets,
    find,
    find_complaints,
    load,
    own_path,
    remove,
    remove_scope,
    save,
    save_scope,
)

__all__ = [
    "BUILT_IN",
    "ENVIRONMENT",
    "FIELDS",
    "FITTING",
    "NONE",
    "PRESETS",
    "RECORDED",
    "RESERVED_NAMES",
    "Preset",
    "PresetError",
    "ThresholdKnob",
    "UnknownPresetError",
    "all_presets",
    "as_env",
    "find",
    "find_complaints",
    "load",
    "memory_preset",
    "memory_settings",
    "memory_value",
    "own_path",
    "remove",
    "remove_scope",
    "save",
    "save_scope",
    "thresholds_of",
    "unknown_settings",
]
