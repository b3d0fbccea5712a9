"""What is in the context: sections, budget, atomic groups, plans and what they do to a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.window.cursor import WindowCursor, at_turn
    from inspector.window.diff import Change, Span, diff_windows, word_diff
    from inspector.window.groups import OpenCalls, call_names, group, live_calls
    from inspector.window.merging import merge_plans
    from inspector.window.plan import (
        BY_HAND,
        INJECTION,
        KEPT,
        LEAVE_KINDS,
        REWRITE_KINDS,
        UNPINNED,
        Fate,
        FateKind,
        Injection,
        Plan,
        Score,
        apply,
        archived_ids,
        by_hand,
        inject,
        renumber_summaries,
        view,
        with_messages,
    )
    from inspector.window.sections import (
        DEFAULT_THRESHOLD,
        REPLY_PRIMER,
        SECTIONS,
        SYSTEM_SHARE,
        GrowingTimeline,
        Section,
        SizeChange,
        Timeline,
        TokenBudget,
        compute_timeline,
        section_of,
    )
    from inspector.window.window import Window, blemishes, faults, problem_at, problems, refusals_in, size_problems

__all__ = [
    "BY_HAND",
    "DEFAULT_THRESHOLD",
    "INJECTION",
    "KEPT",
    "LEAVE_KINDS",
    "REPLY_PRIMER",
    "REWRITE_KINDS",
    "SECTIONS",
    "SYSTEM_SHARE",
    "UNPINNED",
    "Change",
    "Fate",
    "FateKind",
    "GrowingTimeline",
    "Injection",
    "OpenCalls",
    "Plan",
    "Score",
    "Section",
    "SizeChange",
    "Span",
    "Timeline",
    "TokenBudget",
    "Window",
    "WindowCursor",
    "apply",
    "archived_ids",
    "at_turn",
    "blemishes",
    "by_hand",
    "call_names",
    "compute_timeline",
    "diff_windows",
    "faults",
    "group",
    "inject",
    "live_calls",
    "merge_plans",
    "problem_at",
    "problems",
    "refusals_in",
    "renumber_summaries",
    "section_of",
    "size_problems",
    "view",
    "with_messages",
    "word_diff",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.window.cursor": "WindowCursor at_turn",
        "inspector.window.diff": "Change Span diff_windows word_diff",
        "inspector.window.groups": "OpenCalls call_names group live_calls",
        "inspector.window.merging": "merge_plans",
        "inspector.window.plan": (
            "BY_HAND INJECTION REWRITE_KINDS LEAVE_KINDS KEPT UNPINNED Fate FateKind Injection Plan Score apply "
            "archived_ids by_hand inject renumber_summaries view with_messages"
        ),
        "inspector.window.sections": (
            "DEFAULT_THRESHOLD REPLY_PRIMER SECTIONS SYSTEM_SHARE GrowingTimeline Section SizeChange Timeline "
            "TokenBudget compute_timeline section_of"
        ),
        "inspector.window.window": "Window blemishes faults problem_at problems refusals_in size_problems",
    },
)
