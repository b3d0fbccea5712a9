from inspector.engine.compression.presets.environment import (
    as_env as as_env,
    memory_preset as memory_preset,
    memory_settings as memory_settings,
    memory_value as memory_value,
    unknown_settings as unknown_settings,
)
from inspector.engine.compression.presets.preset import (
    BUILT_IN as BUILT_IN,
    ENVIRONMENT as ENVIRONMENT,
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
    thresholds_of as thresholds_of,
)
from inspector.engine.compression.presets.user import (
    all_presets as all_presets,
    find as find,
    find_complaints as find_complaints,
    load as load,
    own_path as own_path,
    remove as remove,
    remove_scope as remove_scope,
    save as save,
    save_scope as save_scope,
)
