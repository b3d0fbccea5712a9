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
    from inspector.compression.engine import Attempt, Compaction, CompressionEngine, untouched
    from inspector.compression.policy import Policy, check_number, check_switch, check_whole, describe_value
    from inspector.compression.presets import (
        FIELDS,
        NONE,
        PRESETS,
        RECORDED,
        RESERVED,
        NoSuchPreset,
        Preset,
        PresetError,
        as_env,
        find,
        load,
        memory_preset,
        memory_settings,
        offered,
        own_path,
        removing,
        save,
        saving,
        strangers,
        unread,
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
    "RESERVED",
    "Attempt",
    "BreakEven",
    "Compaction",
    "Composition",
    "CompressionEngine",
    "NoSuchPreset",
    "Policy",
    "Preset",
    "PresetError",
    "Savings",
    "SavingsLedger",
    "StrategyChoice",
    "as_env",
    "cached_prefix",
    "call_entry",
    "calls_cost",
    "check_number",
    "check_switch",
    "check_whole",
    "choice_for",
    "composition",
    "compression_entry",
    "compute_savings",
    "describe_value",
    "find",
    "is_words",
    "load",
    "memory_preset",
    "memory_settings",
    "offered",
    "outcomes",
    "own_path",
    "removing",
    "save",
    "saving",
    "strangers",
    "summary_calls",
    "table_of",
    "unread",
    "untouched",
    "value_text",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.compression.choice": (
            "StrategyChoice choice_for is_words value_text Composition composition outcomes"
        ),
        "inspector.compression.engine": "Attempt Compaction CompressionEngine untouched",
        "inspector.compression.policy": "Policy check_number check_switch check_whole describe_value",
        "inspector.compression.presets": (
            "FIELDS NONE NoSuchPreset PRESETS Preset PresetError RECORDED RESERVED as_env find load "
            "memory_preset memory_settings offered own_path removing save saving strangers unread"
        ),
        "inspector.compression.presets.environment": "CONFIG",
        "inspector.compression.presets.user": "table_of",
        "inspector.compression.savings": (
            "BreakEven Savings SavingsLedger cached_prefix call_entry calls_cost compression_entry compute_savings "
            "summary_calls"
        ),
    },
)
