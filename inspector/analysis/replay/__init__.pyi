from inspector.analysis.replay.billing import (
    UNKNOWN_LIFETIME as UNKNOWN_LIFETIME,
    Basis as Basis,
    CacheLifetime as CacheLifetime,
)
from inspector.analysis.replay.changed_values import keyed_number as keyed_number
from inspector.analysis.replay.comparison_verdict import (
    NOISE as NOISE,
    ComparisonVerdict as ComparisonVerdict,
    SideTotals as SideTotals,
    judge_sessions as judge_sessions,
)
from inspector.analysis.replay.context_growth import (
    ContextStep as ContextStep,
    advance_to_step as advance_to_step,
    context_steps as context_steps,
    is_compacted as is_compacted,
    repeating_summaries as repeating_summaries,
    uncompacted_session as uncompacted_session,
    uncompacted_sizes as uncompacted_sizes,
)
from inspector.analysis.replay.frames import (
    ByClass as ByClass,
    CompactionEvent as CompactionEvent,
    CompressedAbove as CompressedAbove,
    Frame as Frame,
    InReach as InReach,
    NeededAgain as NeededAgain,
    RecordedSo as RecordedSo,
    Regret as Regret,
    Replay as Replay,
    ReplayCancelled as ReplayCancelled,
    Retained as Retained,
    RetainedFact as RetainedFact,
    only_limit as only_limit,
)
from inspector.analysis.replay.going_on import (
    WorkProbe as WorkProbe,
    WorkProbeKind as WorkProbeKind,
    messages_after as messages_after,
    probes_of as probes_of,
)
from inspector.analysis.replay.log_states import LogStates as LogStates
from inspector.analysis.replay.reads_in_session import (
    SessionReads as SessionReads,
    describe_session_reads as describe_session_reads,
    reads_tree as reads_tree,
    session_reads as session_reads,
)
from inspector.analysis.replay.recorded_needs import RecordedNeeds as RecordedNeeds
from inspector.analysis.replay.repeated_reads import (
    Rate as Rate,
    RepeatedReadRates as RepeatedReadRates,
    count_rereads as count_rereads,
    describe_rereads as describe_rereads,
)
from inspector.analysis.replay.replay_archive import Archive as Archive
from inspector.analysis.replay.replay_comparison import (
    Comparison as Comparison,
    Difference as Difference,
    FactDifference as FactDifference,
    FateDifference as FateDifference,
    Lane as Lane,
    Pair as Pair,
    Side as Side,
    compare_replays as compare_replays,
    comparison_at as comparison_at,
    turns_reached as turns_reached,
)
from inspector.analysis.replay.reported_usage import (
    ReportedUsage as ReportedUsage,
    reported_calls as reported_calls,
)
from inspector.analysis.replay.run import (
    NONE as NONE,
    RECORDED as RECORDED,
    ReplayRun as ReplayRun,
)
from inspector.analysis.replay.state_counts import (
    Judged as Judged,
    StateKept as StateKept,
    SummaryStatement as SummaryStatement,
    WorkQuestions as WorkQuestions,
)
from inspector.analysis.replay.state_kept import StateTally as StateTally
from inspector.analysis.replay.turn_alignment import AlignedTurns as AlignedTurns, TurnActions as TurnActions
