from inspector.library.agent_hooks.agent_status import (
    STATUS_FIELDS as STATUS_FIELDS,
    print_status_line as print_status_line,
)
from inspector.library.agent_hooks.hook_entry import HOOK_SECONDS as HOOK_SECONDS, run_hook as run_hook
from inspector.library.agent_hooks.hook_events import answer_in_time as answer_in_time
from inspector.library.agent_hooks.hook_limits import (
    HookLimits as HookLimits,
    largest_event as largest_event,
    limited_output as limited_output,
)
from inspector.library.agent_hooks.hook_log import hook_failures as hook_failures, log_failure as log_failure
from inspector.library.agent_hooks.hook_work import work_detached as work_detached
from inspector.library.agent_setup.checkup import Installation as Installation, installations as installations
from inspector.library.agent_setup.setup_record import (
    FileAction as FileAction,
    SettingsChange as SettingsChange,
    apply_changes as apply_changes,
    kept_members as kept_members,
    planned_changes as planned_changes,
    read_record as read_record,
)
from inspector.library.agent_setup.tool_plans import ToolPlan as ToolPlan, tool_plan as tool_plan
from inspector.library.bench.agent_notes import (
    Notes as Notes,
    NotesError as NotesError,
    line_diff as line_diff,
    notes_file as notes_file,
    read_notes as read_notes,
)
from inspector.library.bench.cost import Money as Money, input_price as input_price, money_of as money_of
from inspector.library.bench.exports import (
    EXPORT_FORMS as EXPORT_FORMS,
    Export as Export,
)
from inspector.library.bench.handoffs import (
    EXPORTS_AND_HANDOFF as EXPORTS_AND_HANDOFF,
    HANDOFF as HANDOFF,
    MIN_HANDOFF_TOKENS as MIN_HANDOFF_TOKENS,
    Handoff as Handoff,
    export_as as export_as,
    export_form_after as export_form_after,
)
from inspector.library.bench.injection import (
    BUDGET as BUDGET,
    LIMIT as LIMIT,
    InjectionDraft as InjectionDraft,
    draft_injection as draft_injection,
    draft_memories as draft_memories,
    request_of as request_of,
)
from inspector.library.bench.kept_losses import kept_value as kept_value, recorded_losses as recorded_losses
from inspector.library.bench.kept_replays import kept_replay as kept_replay
from inspector.library.bench.lost_facts import LostFacts as LostFacts, count_lost_facts as count_lost_facts
from inspector.library.bench.plan_stack import (
    Layer as Layer,
    PlanStacks as PlanStacks,
    describe_fates as describe_fates,
    layers as layers,
)
from inspector.library.bench.provenance import (
    Origin as Origin,
    maker as maker,
    origin as origin,
    speaker as speaker,
    summary_of as summary_of,
)
from inspector.library.bench.redacted import redacted_preview as redacted_preview
from inspector.library.bench.session_bookmarks import SessionBookmarks as SessionBookmarks
from inspector.library.bench.suggestions import (
    Suggestion as Suggestion,
    Suggestions as Suggestions,
    find_suggestions as find_suggestions,
)
from inspector.library.bench.tier_rows import (
    TIERS as TIERS,
    MemoryMoveError as MemoryMoveError,
    MemoryRow as MemoryRow,
    TierName as TierName,
    TierRows as TierRows,
    age_of as age_of,
    entry_row as entry_row,
    list_tiers as list_tiers,
    place_of_entry as place_of_entry,
    promote_messages as promote_messages,
    tier_of_rows as tier_of_rows,
)
from inspector.library.bench.turn_validity import accepted_problems as accepted_problems, problem_turns as problem_turns
from inspector.library.bench.workbench import (
    TAKEN as TAKEN,
    Preview as Preview,
    RefusedError as RefusedError,
    Workbench as Workbench,
    draft_manual_plan as draft_manual_plan,
    windows_as_preview as windows_as_preview,
)
from inspector.library.bench.write_policy import Outputs as Outputs
from inspector.library.capture.capture_search import with_capture as with_capture
from inspector.library.capture.live_archive import LiveArchive as LiveArchive, live_archive as live_archive
from inspector.library.capture.live_preset import LivePreset as LivePreset
from inspector.library.capture.loopback import RecordingError as RecordingError
from inspector.library.capture.preset_log import PresetLog as PresetLog, PresetResult as PresetResult
from inspector.library.capture.preset_switch import PresetSwitch as PresetSwitch
from inspector.library.capture.receiver import receive as receive
from inspector.library.capture.recorded_run import (
    RecordedRun as RecordedRun,
    record_command as record_command,
)
from inspector.library.capture.session_join import join_capture as join_capture
from inspector.library.listing.discovery import (
    AgentFolder as AgentFolder,
    agent_folders as agent_folders,
    knows_tool as knows_tool,
    tool_names as tool_names,
)
from inspector.library.listing.earlier_session import (
    EarlierSession as EarlierSession,
    find_earlier_session as find_earlier_session,
)
from inspector.library.listing.fleet_columns import (
    columns_of_group as columns_of_group,
    group_name as group_name,
    short_tokens as short_tokens,
    stats_cell as stats_cell,
    trend_line as trend_line,
)
from inspector.library.listing.fleet_stats import (
    MAX_WORST as MAX_WORST,
    BudgetPeriod as BudgetPeriod,
    FleetStats as FleetStats,
    costs_by_period as costs_by_period,
    days_of_age as days_of_age,
    first_day as first_day,
    fleet_sentence as fleet_sentence,
    fleet_stats as fleet_stats,
    period_of as period_of,
)
from inspector.library.listing.keep_schedule import KeepSchedule as KeepSchedule, keep_schedule as keep_schedule
from inspector.library.listing.listing_totals import (
    ListingTotals as ListingTotals,
    shared_text as shared_text,
    totals_of as totals_of,
)
from inspector.library.listing.quick_metadata import read_headline as read_headline, working_folder as working_folder
from inspector.library.listing.samples import (
    FIRST_SAMPLE as FIRST_SAMPLE,
    SAMPLES as SAMPLES,
    sample_place as sample_place,
    sample_targets as sample_targets,
)
from inspector.library.listing.session_columns import (
    SESSION_COLUMNS as SESSION_COLUMNS,
    is_due as is_due,
    needs_details as needs_details,
    sort_entries as sort_entries,
)
from inspector.library.listing.session_details import (
    SessionDetails as SessionDetails,
    session_details as session_details,
)
from inspector.library.listing.session_listing import (
    Entry as Entry,
    detailed_entry as detailed_entry,
    distinctions as distinctions,
    found_beside as found_beside,
    found_entries as found_entries,
    in_order as in_order,
    list_entries as list_entries,
    target_entries as target_entries,
)
from inspector.library.listing.session_search import (
    SearchProgress as SearchProgress,
    SessionHit as SessionHit,
    search_sessions as search_sessions,
)
from inspector.library.listing.tool_deletion import SOON as SOON
from inspector.library.mcp_server.protocol_frames import serve_standard_streams as serve_standard_streams
from inspector.library.mcp_server.tool_answers import call_tool as call_tool
from inspector.library.opening.imports import ImportOutcome as ImportOutcome, import_targets as import_targets
from inspector.library.opening.joined_storing import JoinedStoring as JoinedStoring
from inspector.library.opening.loading import (
    LARGE_SESSION_BYTES as LARGE_SESSION_BYTES,
    Opener as Opener,
    exact_sizes as exact_sizes,
    known_counts as known_counts,
)
from inspector.library.opening.opening_steps import Step as Step
from inspector.library.opening.removing import remove_session as remove_session
from inspector.library.opening.rollup_saving import (
    backfill_rollups as backfill_rollups,
    save_followed as save_followed,
    save_recorded as save_recorded,
)
from inspector.library.opening.session_library import Library as Library, OpenSession as OpenSession
from inspector.library.opening.session_refs import (
    TRANSIENT as TRANSIENT,
    OpenError as OpenError,
    capture_of as capture_of,
    files_in as files_in,
    find_session_id as find_session_id,
    place_of as place_of,
    read_file as read_file,
    resolve as resolve,
)
from inspector.library.team.pushing import (
    PushOptions as PushOptions,
    PushOutcome as PushOutcome,
    push_sessions as push_sessions,
    stored_ids as stored_ids,
)
