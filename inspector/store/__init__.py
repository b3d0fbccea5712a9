"""The store: one SQLite file that holds every imported session, the plans made for it, and what outlives it.

Three tiers of memory lie in it, each as a view for people: `session_tier` is the whole log, which never changes;
`working_tier` is what is in each agent's window now, the log seen through the stored plans; `persistent_tier` is what
was archived, summarised or remembered, and stays when its session is removed. `session_memory` is what a session keeps
beside its log, its state and what it has retrieved, and goes with it.

Importing this package loads neither sqlite-utils nor anything else that is slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.store.agent_sessions import AGENT_FORMAT, AGENT_RECORD, AgentSession, AgentSessions, plan_values
    from inspector.store.bookmarks import Bookmark, Bookmarks
    from inspector.store.checking import SessionCheck, StoreCheck, check_store
    from inspector.store.connections import StaleError, default_path
    from inspector.store.copies import save_backup
    from inspector.store.damage import DamagedError, StoreError
    from inspector.store.entries import Entries
    from inspector.store.importing import ImportCancelledError, ImportResult
    from inspector.store.journal import Journal
    from inspector.store.memories import (
        MEMORY_KINDS,
        STORED_TIERS,
        Memory,
        MemoryFilter,
        MemoryKind,
        MemorySize,
        StoredTierName,
        expiry_of,
    )
    from inspector.store.memory_search import MemoryRetrieval, MemorySearch, estimate_tokens
    from inspector.store.plans import Stack
    from inspector.store.reading import SessionRow, StoreBody
    from inspector.store.repairing import Repair, repair_store
    from inspector.store.searching import Hit
    from inspector.store.store import Store

__all__ = [
    "AGENT_FORMAT",
    "AGENT_RECORD",
    "MEMORY_KINDS",
    "STORED_TIERS",
    "AgentSession",
    "AgentSessions",
    "Bookmark",
    "Bookmarks",
    "DamagedError",
    "Entries",
    "Hit",
    "ImportCancelledError",
    "ImportResult",
    "Journal",
    "Memory",
    "MemoryFilter",
    "MemoryKind",
    "MemoryRetrieval",
    "MemorySearch",
    "MemorySize",
    "Repair",
    "SessionCheck",
    "SessionRow",
    "Stack",
    "StaleError",
    "Store",
    "StoreBody",
    "StoreCheck",
    "StoreError",
    "StoredTierName",
    "check_store",
    "default_path",
    "estimate_tokens",
    "expiry_of",
    "plan_values",
    "repair_store",
    "save_backup",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.store.agent_sessions": "AGENT_FORMAT AGENT_RECORD AgentSession AgentSessions plan_values",
        "inspector.store.bookmarks": "Bookmark Bookmarks",
        "inspector.store.journal": "Journal",
        "inspector.store.checking": "SessionCheck StoreCheck check_store",
        "inspector.store.connections": "StaleError default_path",
        "inspector.store.copies": "save_backup",
        "inspector.store.damage": "DamagedError StoreError",
        "inspector.store.entries": "Entries",
        "inspector.store.importing": "ImportResult ImportCancelledError",
        "inspector.store.memories": (
            "MEMORY_KINDS STORED_TIERS Memory MemoryFilter MemoryKind MemorySize StoredTierName expiry_of"
        ),
        "inspector.store.memory_search": "MemoryRetrieval MemorySearch estimate_tokens",
        "inspector.store.plans": "Stack",
        "inspector.store.reading": "SessionRow StoreBody",
        "inspector.store.repairing": "Repair repair_store",
        "inspector.store.searching": "Hit",
        "inspector.store.store": "Store",
    },
)
