from inspector.store.agent_sessions import (
    AGENT_FORMAT as AGENT_FORMAT,
    EARLIER as EARLIER,
    AgentSession as AgentSession,
    AgentSessions as AgentSessions,
    plan_values as plan_values,
)
from inspector.store.backups import backups_of as backups_of
from inspector.store.bookmark_rows import Bookmark as Bookmark, Bookmarks as Bookmarks
from inspector.store.connections import StaleError as StaleError, default_path as default_path
from inspector.store.copies import save_backup as save_backup
from inspector.store.damage import (
    DamagedError as DamagedError,
    LostError as LostError,
    StoreError as StoreError,
    UnwritableError as UnwritableError,
)
from inspector.store.entries import Entries as Entries
from inspector.store.experiment_rows import Experiment as Experiment
from inspector.store.extract_file import ExtractFile as ExtractFile
from inspector.store.importing import ImportCancelledError as ImportCancelledError, ImportResult as ImportResult
from inspector.store.integrity import SessionCheck as SessionCheck, StoreCheck as StoreCheck, check_store as check_store
from inspector.store.journal import Journal as Journal
from inspector.store.memory_entries import (
    MEMORY_KINDS as MEMORY_KINDS,
    STORED_TIERS as STORED_TIERS,
    Memory as Memory,
    MemoryFilter as MemoryFilter,
    MemoryKind as MemoryKind,
    MemorySize as MemorySize,
    StoredTierName as StoredTierName,
    expiry_of as expiry_of,
)
from inspector.store.memory_search import (
    MemoryRetrieval as MemoryRetrieval,
    MemorySearch as MemorySearch,
    estimate_tokens as estimate_tokens,
)
from inspector.store.repairing import Repair as Repair, repair_store as repair_store
from inspector.store.rollup_rows import Rollup as Rollup, RollupPart as RollupPart
from inspector.store.rollup_totals import (
    ROLLUP_GROUPS as ROLLUP_GROUPS,
    GroupSession as GroupSession,
    RollupGroup as RollupGroup,
    RollupPeriod as RollupPeriod,
    StatsRow as StatsRow,
)
from inspector.store.serialization import STORED_CAPTURE as STORED_CAPTURE
from inspector.store.session_reader import SessionRow as SessionRow, StoreBody as StoreBody
from inspector.store.session_removal import SessionContent as SessionContent
from inspector.store.session_store import (
    MAX_LISTED as MAX_LISTED,
    SessionStore as SessionStore,
    SessionTotals as SessionTotals,
)
from inspector.store.socket_deadlines import socket_deadline as socket_deadline
from inspector.store.sqlite_store import Store as Store
from inspector.store.team_removal import TeamRemovals as TeamRemovals, rewriting as rewriting
from inspector.store.team_schema import TEAM_ROLES as TEAM_ROLES, TeamRole as TeamRole
from inspector.store.team_setup import TeamChange as TeamChange, team_add as team_add, team_init as team_init
from inspector.store.team_store import TeamStore as TeamStore
from inspector.store.team_writer import TeamSession as TeamSession, TeamWriter as TeamWriter
from inspector.store.transcripts import TranscriptKey as TranscriptKey, Transcripts as Transcripts
from inspector.store.word_search import Hit as Hit
