from inspector.engine.window.groups import (
    OpenCalls as OpenCalls,
    call_names as call_names,
    group as group,
    live_calls as live_calls,
)
from inspector.engine.window.merging import merge_plans as merge_plans
from inspector.engine.window.plan import (
    BY_HAND as BY_HAND,
    KEPT as KEPT,
    LEAVE_KINDS as LEAVE_KINDS,
    REWRITE_KINDS as REWRITE_KINDS,
    UNPINNED as UNPINNED,
    Fate as Fate,
    FateKind as FateKind,
    Injection as Injection,
    Plan as Plan,
    Score as Score,
    apply as apply,
    archived_ids as archived_ids,
    inject as inject,
    manual_plan as manual_plan,
    renumber_summaries as renumber_summaries,
    view as view,
    with_messages as with_messages,
)
from inspector.engine.window.sections import (
    DEFAULT_THRESHOLD as DEFAULT_THRESHOLD,
    REPLY_PRIMER as REPLY_PRIMER,
    SECTIONS as SECTIONS,
    Section as Section,
    TokenBudget as TokenBudget,
    section_of as section_of,
)
from inspector.engine.window.timeline import (
    Fall as Fall,
    GrowingTimeline as GrowingTimeline,
    SizeChange as SizeChange,
    Timeline as Timeline,
    compute_timeline as compute_timeline,
    falls_of as falls_of,
)
from inspector.engine.window.window import (
    Window as Window,
    faults as faults,
    message_faults as message_faults,
    problem_at as problem_at,
    problems as problems,
    refusals_in as refusals_in,
    size_problems as size_problems,
)
from inspector.engine.window.window_cursor import WindowCursor as WindowCursor, at_turn as at_turn
from inspector.engine.window.window_diff import (
    Change as Change,
    Span as Span,
    diff_windows as diff_windows,
    outside_messages as outside_messages,
    word_diff as word_diff,
)
