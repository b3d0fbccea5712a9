"""When a context is compressed, and how: policy, engine, presets, savings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.compression.choice import (
        Composition,
        StrategyChoice,
        choice_for,
        composition,
        is_words,
        outcomes,
        value_text,
    )
    from inspector.compression.engine import Attempt, Compaction, CompressionEngine, empty_plan
    from inspector.compression.policy import Policy, check_integer, check_number, check_switch, describe_value
    from inspector.compression.presets import (
        FIELDS,
        NONE,
        PRESETS,
        RECORDED,
        RESERVED_NAMES,
        Preset,
        PresetError,
        UnknownPresetError,
        all_presets,
        as_env,
        find,
        find_complaints,
        load,
        memory_preset,
        memory_settings,
        memory_value,
        own_path,
        remove_scope,
        save,
        save_scope,
        unknown_settings,
    )
    from inspector.compression.presets.environment import CONFIG
    from inspector.compression.presets.user import table_of
    from inspector.compression.savings import (
        BreakEven,
        Savings,
        SavingsLedger,
        cached_prefix,
        call_entry,
        calls_cost,
        compression_entry,
        compute_savings,
        summary_calls,
    )

__all__ = [
    "CONFIG",
    "FIELDS",
    "NONE",
    "PRESETS",
    "RECORDED",
    "RESERVED_NAMES",
    "Attempt",
    "BreakEven",
    "Compaction",
    "Composition",
    "CompressionEngine",
    "Policy",
    "Preset",
    "PresetError",
    "Savings",
    "SavingsLedger",
    "StrategyChoice",
    "UnknownPresetError",
    "all_presets",
    "as_env",
    "cached_prefix",
    "call_entry",
    "calls_cost",
    "check_integer",
    "check_number",
    "check_switch",
    "choice_for",
    "composition",
    "compression_entry",
    "compute_savings",
    "describe_value",
    "empty_plan",
    "find",
    "find_complaints",
    "is_words",
    "load",
    "memory_preset",
    "memory_settings",
    "memory_value",
    "outcomes",
    "own_path",
    "remove_scope",
    "save",
    "save_scope",
    "summary_calls",
    "table_of",
    "unknown_settings",
    "value_text",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.compression.choice": (
            "StrategyChoice choice_for is_words value_text Composition composition outcomes"
        ),
        "inspector.compression.engine": "Attempt Compaction CompressionEngine empty_plan",
        "inspector.compression.policy": "Policy check_number check_switch check_integer describe_value",
        "inspector.compression.presets": (
            "FIELDS NONE UnknownPresetError PRESETS Preset PresetError RECORDED RESERVED_NAMES as_env find load "
            "memory_preset memory_settings memory_value all_presets own_path remove_scope save save_scope "
            "unknown_settings find_complaints"
        ),
        "inspector.compression.presets.environment": "CONFIG",
        "inspector.compression.presets.user": "table_of",
        "inspector.compression.savings": (
            "BreakEven Savings SavingsLedger cached_prefix call_entry calls_cost compression_entry compute_savings "
            "summary_calls"
        ),
    },
)
