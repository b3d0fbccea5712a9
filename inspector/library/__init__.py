"""What there is to open, and opening it: paths, sessions in the store, and what agents left on this machine.

A person names a session by a *target*: a path; `path#3`, the third session of a file that holds several; or the id of
a stored session, or the beginning of one. Listing reads what it lists; nothing here changes a source, and nothing is
put into the store unless it is asked for. The store is a convenience: without it all works but plans and search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.library.bookmarks import BookmarkShelf
    from inspector.library.checking import problem_turns, taken_problems
    from inspector.library.cost import Money, money_of
    from inspector.library.discovery import AgentFolder, agent_folders
    from inspector.library.exports import EXPORT_FORMS, Export, export_form_after
    from inspector.library.imports import ImportOutcome, import_targets
    from inspector.library.injection import (
        BUDGET,
        LIMIT,
        InjectionDraft,
        draft_injection,
        draft_memories,
        request_of,
    )
    from inspector.library.library import Library, OpenSession
    from inspector.library.listing import (
        ORIGINS,
        Entry,
        distinctions,
        folder_of,
        found_beside,
        found_entries,
        in_order,
        list_entries,
        target_entries,
    )
    from inspector.library.loading import LONG, Opener, exact_sizes, known_counts, with_absolute_path
    from inspector.library.lost_facts import LostFacts, count_lost_facts
    from inspector.library.memories import (
        TIERS,
        MemoryMoveError,
        MemoryRow,
        TierName,
        TierRows,
        age_of,
        entry_row,
        entry_rows,
        list_tiers,
        log_rows,
        place_of_entry,
        promote_messages,
        tier_of_rows,
        working_rows,
    )
    from inspector.library.notes import Notes, NotesError, NotesVersion, line_diff, notes_file, read_notes
    from inspector.library.outputs import Outputs
    from inspector.library.places import knows_tool, tool_names
    from inspector.library.plan_stack import Layer, PlanStacks, describe_fates, layers
    from inspector.library.provenance import Origin, maker, origin, speaker, summary_of
    from inspector.library.redacted import redacted_preview
    from inspector.library.remedies import Remedies, Remedy, find_remedies
    from inspector.library.samples import FIRST_SAMPLE, SAMPLES, sample_place, sample_targets
    from inspector.library.searching import SearchProgress, SessionHit, search_sessions
    from inspector.library.steps import Step
    from inspector.library.targets import TRANSIENT, OpenError, Tell, find_session_id, place_of, read_file, resolve
    from inspector.library.workbench import TAKEN, Preview, RefusedError, Workbench, plan_by_hand

__all__ = [
    "BUDGET",
    "EXPORT_FORMS",
    "FIRST_SAMPLE",
    "LIMIT",
    "LONG",
    "ORIGINS",
    "SAMPLES",
    "TAKEN",
    "TIERS",
    "TRANSIENT",
    "AgentFolder",
    "BookmarkShelf",
    "Entry",
    "Export",
    "ImportOutcome",
    "InjectionDraft",
    "Layer",
    "Library",
    "LostFacts",
    "MemoryMoveError",
    "MemoryRow",
    "Money",
    "Notes",
    "NotesError",
    "NotesVersion",
    "OpenError",
    "OpenSession",
    "Opener",
    "Origin",
    "Outputs",
    "PlanStacks",
    "Preview",
    "RefusedError",
    "Remedies",
    "Remedy",
    "SearchProgress",
    "SessionHit",
    "Step",
    "Tell",
    "TierName",
    "TierRows",
    "Workbench",
    "age_of",
    "agent_folders",
    "count_lost_facts",
    "describe_fates",
    "distinctions",
    "draft_injection",
    "draft_memories",
    "entry_row",
    "entry_rows",
    "exact_sizes",
    "export_form_after",
    "find_remedies",
    "find_session_id",
    "folder_of",
    "found_beside",
    "found_entries",
    "import_targets",
    "in_order",
    "known_counts",
    "knows_tool",
    "layers",
    "line_diff",
    "list_entries",
    "list_tiers",
    "log_rows",
    "maker",
    "money_of",
    "notes_file",
    "origin",
    "place_of",
    "place_of_entry",
    "plan_by_hand",
    "problem_turns",
    "promote_messages",
    "read_file",
    "read_notes",
    "redacted_preview",
    "request_of",
    "resolve",
    "sample_place",
    "sample_targets",
    "search_sessions",
    "speaker",
    "summary_of",
    "taken_problems",
    "target_entries",
    "tier_of_rows",
    "tool_names",
    "with_absolute_path",
    "working_rows",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.library.bookmarks": "BookmarkShelf",
        "inspector.library.checking": "problem_turns taken_problems",
        "inspector.library.cost": "Money money_of",
        "inspector.library.exports": "EXPORT_FORMS Export export_form_after",
        "inspector.library.imports": "ImportOutcome import_targets",
        "inspector.library.injection": ("BUDGET LIMIT InjectionDraft draft_injection draft_memories request_of"),
        "inspector.library.library": "Library OpenSession",
        "inspector.library.discovery": "AgentFolder agent_folders",
        "inspector.library.listing": (
            "ORIGINS Entry distinctions folder_of found_beside found_entries in_order list_entries target_entries"
        ),
        "inspector.library.samples": "FIRST_SAMPLE SAMPLES sample_place sample_targets",
        "inspector.library.searching": "SearchProgress SessionHit search_sessions",
        "inspector.library.loading": "LONG Opener exact_sizes known_counts with_absolute_path",
        "inspector.library.lost_facts": "LostFacts count_lost_facts",
        "inspector.library.memories": (
            "TIERS MemoryMoveError MemoryRow TierName TierRows age_of entry_row entry_rows list_tiers log_rows "
            "place_of_entry promote_messages tier_of_rows working_rows"
        ),
        "inspector.library.steps": "Step",
        "inspector.library.notes": "Notes NotesError NotesVersion line_diff notes_file read_notes",
        "inspector.library.outputs": "Outputs",
        "inspector.library.places": "knows_tool tool_names",
        "inspector.library.plan_stack": "Layer PlanStacks describe_fates layers",
        "inspector.library.redacted": "redacted_preview",
        "inspector.library.remedies": "Remedies Remedy find_remedies",
        "inspector.library.provenance": "Origin maker origin speaker summary_of",
        "inspector.library.targets": "TRANSIENT OpenError Tell find_session_id place_of read_file resolve",
        "inspector.library.workbench": "TAKEN Preview RefusedError Workbench plan_by_hand",
    },
)
