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
    from inspector.compression.engine import Attempt, Compaction, CompressionEngine, empty_plan, stand_in_summary
    from inspector.compression.fit import describe_misfit, fit_notice, misfit
    from inspector.compression.policy import Policy, check_integer, check_number, check_switch, describe_value
    from inspector.compression.presets import (
        BUILT_IN,
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
        thresholds_of,
        unknown_settings,
    )
    from inspector.compression.presets.environment import CONFIG
    from inspector.compression.presets.user import table_of
    from inspector.compression.recalls import ArchivedGroups, Recall, fits, place_of, recall, recall_in, with_recall
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
    from inspector.compression.threshold import (
        ADAPTIVE,
        Adaptive,
        Net,
        Scale,
        Share,
        Threshold,
        describe_threshold,
        parse_threshold,
        resolve_threshold,
        scale_of,
        threshold_text,
        window_scale,
    )

__all__ = [
    "ADAPTIVE",
    "BUILT_IN",
    "CONFIG",
    "FIELDS",
    "FITTING",
    "NONE",
    "PRESETS",
    "RECORDED",
    "RESERVED_NAMES",
    "Adaptive",
    "ArchivedGroups",
    "Attempt",
    "BreakEven",
    "Compaction",
    "Composition",
    "CompressionEngine",
    "Net",
    "Policy",
    "Preset",
    "PresetError",
    "Recall",
    "Savings",
    "SavingsLedger",
    "Scale",
    "Share",
    "StrategyChoice",
    "Threshold",
    "ThresholdKnob",
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
    "describe_misfit",
    "describe_threshold",
    "describe_value",
    "empty_plan",
    "find",
    "find_complaints",
    "fit_notice",
    "fits",
    "is_words",
    "load",
    "memory_preset",
    "memory_settings",
    "memory_value",
    "misfit",
    "outcomes",
    "own_path",
    "parse_threshold",
    "place_of",
    "recall",
    "recall_in",
    "remove_scope",
    "resolve_threshold",
    "save",
    "save_scope",
    "scale_of",
    "stand_in_summary",
    "summary_calls",
    "table_of",
    "threshold_text",
    "thresholds_of",
    "unknown_settings",
    "value_text",
    "window_scale",
    "with_recall",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.compression.choice": (
            "StrategyChoice choice_for is_words value_text Composition composition outcomes"
        ),
        "inspector.compression.engine": "Attempt Compaction CompressionEngine empty_plan stand_in_summary",
        "inspector.compression.fit": "describe_misfit fit_notice misfit",
        "inspector.compression.policy": "Policy check_number check_switch check_integer describe_value",
        "inspector.compression.presets": (
            "BUILT_IN FIELDS FITTING NONE UnknownPresetError PRESETS Preset PresetError RECORDED RESERVED_NAMES as_env "
            "find load memory_preset memory_settings memory_value all_presets own_path remove_scope save save_scope "
            "ThresholdKnob thresholds_of unknown_settings find_complaints"
        ),
        "inspector.compression.presets.environment": "CONFIG",
        "inspector.compression.presets.user": "table_of",
        "inspector.compression.recalls": "ArchivedGroups Recall fits place_of recall recall_in with_recall",
        "inspector.compression.savings": (
            "BreakEven Savings SavingsLedger cached_prefix call_entry calls_cost compression_entry compute_savings "
            "summary_calls"
        ),
        "inspector.compression.threshold": (
            "ADAPTIVE Adaptive Net Scale Share Threshold describe_threshold parse_threshold resolve_threshold scale_of "
            "threshold_text window_scale"
        ),
    },
)
