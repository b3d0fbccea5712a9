from inspector.engine.work_state.block_text import (
    item_text as item_text,
    state_block as state_block,
    without_block as without_block,
)
from inspector.engine.work_state.call_effects import effects_of as effects_of
from inspector.engine.work_state.consequence_kinds import (
    CONSEQUENCES as CONSEQUENCES,
    Consequence as Consequence,
    ConsequenceKind as ConsequenceKind,
)
from inspector.engine.work_state.consequences import (
    consequences_of as consequences_of,
    rule_breaks as rule_breaks,
)
from inspector.engine.work_state.effect_values import CallEffects as CallEffects
from inspector.engine.work_state.fates import StateFate as StateFate, fates_of as fates_of
from inspector.engine.work_state.instruction_rules import rules_of_instruction as rules_of_instruction
from inspector.engine.work_state.inventions import is_recorded as is_recorded
from inspector.engine.work_state.message_steps import steps_of as steps_of
from inspector.engine.work_state.reversed_changes import follows_new_value as follows_new_value
from inspector.engine.work_state.state_fold import advance as advance, fold as fold
from inspector.engine.work_state.state_items import (
    ACTORS as ACTORS,
    FATES as FATES,
    PARTS as PARTS,
    Actor as Actor,
    Fate as Fate,
    StateItem as StateItem,
    StatePart as StatePart,
    WorkState as WorkState,
)
from inspector.engine.work_state.work_history import Transition as Transition, WorkHistory as WorkHistory
