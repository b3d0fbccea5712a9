from inspector.engine.compression.engine import (
    Attempt as Attempt,
    Compaction as Compaction,
    CompressionEngine as CompressionEngine,
    empty_plan as empty_plan,
    stand_in_summary as stand_in_summary,
)
from inspector.engine.compression.fit import (
    Misfit as Misfit,
    describe_misfit as describe_misfit,
    fit_notice as fit_notice,
    misfit as misfit,
)
from inspector.engine.compression.limit import (
    exceeds_limit as exceeds_limit,
    keep_limit as keep_limit,
    limit_results as limit_results,
)
from inspector.engine.compression.policy import (
    Policy as Policy,
    check_integer as check_integer,
    check_number as check_number,
    check_switch as check_switch,
    describe_value as describe_value,
)
from inspector.engine.compression.presets import (
    BUILT_IN as BUILT_IN,
    FIELDS as FIELDS,
    FITTING as FITTING,
    NONE as NONE,
    PRESETS as PRESETS,
    RECORDED as RECORDED,
    RESERVED_NAMES as RESERVED_NAMES,
    Preset as Preset,
    PresetError as PresetError,
    ThresholdKnob as ThresholdKnob,
    UnknownPresetError as UnknownPresetError,
    all_presets as all_presets,
    as_env as as_env,
    find as find,
    find_complaints as find_complaints,
    load as load,
    memory_preset as memory_preset,
    memory_settings as memory_settings,
    memory_value as memory_value,
    own_path as own_path,
    remove_scope as remove_scope,
    save as save,
    save_scope as save_scope,
    thresholds_of as thresholds_of,
    unknown_settings as unknown_settings,
)
from inspector.engine.compression.presets.environment import CONFIG as CONFIG
from inspector.engine.compression.presets.user import table_of as table_of
from inspector.engine.compression.recalls import (
    ArchivedGroups as ArchivedGroups,
    Recall as Recall,
    place_of as place_of,
    recall as recall,
    recall_in as recall_in,
    with_recall as with_recall,
)
from inspector.engine.compression.savings import (
    BreakEven as BreakEven,
    Savings as Savings,
    SavingsLedger as SavingsLedger,
    cached_prefix as cached_prefix,
    call_entry as call_entry,
    calls_cost as calls_cost,
    compression_entry as compression_entry,
    compute_savings as compute_savings,
    summary_calls as summary_calls,
)
from inspector.engine.compression.strategy_choice import (
    Composition as Composition,
    StrategyChoice as StrategyChoice,
    choice_for as choice_for,
    composition as composition,
    is_free_text as is_free_text,
    outcomes as outcomes,
    value_text as value_text,
)
from inspector.engine.compression.threshold import (
    ADAPTIVE as ADAPTIVE,
    Adaptive as Adaptive,
    Net as Net,
    Scale as Scale,
    Share as Share,
    Threshold as Threshold,
    describe_threshold as describe_threshold,
    parse_threshold as parse_threshold,
    resolve_threshold as resolve_threshold,
    scale_of as scale_of,
    threshold_text as threshold_text,
    window_scale as window_scale,
)
