from inspector.engine.strategies.draft import draft_plan as draft_plan
from inspector.engine.strategies.fitting import size_that_stays as size_that_stays
from inspector.engine.strategies.knobs import (
    Knob as Knob,
    initial_values as initial_values,
    knob as knob,
    parse_settings as parse_settings,
    recent_knob as recent_knob,
    target_knob as target_knob,
)
from inspector.engine.strategies.pipeline import (
    PipelineSettings as PipelineSettings,
    Stage as Stage,
    format_stages as format_stages,
    parse_stages as parse_stages,
    passes as passes,
    value_for as value_for,
)
from inspector.engine.strategies.plan_builder import PlanBuilder as PlanBuilder
from inspector.engine.strategies.recall_terms import (
    recall_settings as recall_settings,
    retrieval_settings as retrieval_settings,
)
from inspector.engine.strategies.registry import (
    COSTS as COSTS,
    STRATEGIES as STRATEGIES,
    Cost as Cost,
    Reduction as Reduction,
    Strategy as Strategy,
)
from inspector.engine.strategies.services import (
    MessageSearch as MessageSearch,
    Services as Services,
    Summariser as Summariser,
)
from inspector.engine.strategies.signals import WORDS as WORDS, mark_pattern as mark_pattern
from inspector.engine.strategies.strategy_conformance import check_strategy as check_strategy
from inspector.engine.strategies.trim_outputs import trim as trim
from inspector.engine.strategies.vector_swap import RecallSettings as RecallSettings
