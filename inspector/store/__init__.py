"""The store: one SQLite file that holds every imported session, the plans made for it, and what outlives it.

Three tiers of memory lie in it, each as a view for people: `session_tier` is the whole log, which never changes;
`working_tier` is what is in each agent's window now, the log seen through the stored plans; `persistent_tier` is what
was archived, summarised or remembered, and stays when its session is removed.

Importing this package loads neither sqlite-utils nor anything else that is slow.
"""

from __future__ import annotations

from inspector.store.connections import StaleError, default_path
from inspector.store.damage import DamagedError, StoreError
from inspector.store.importing import Added, Cancelled
from inspector.store.plans import Stack
from inspector.store.reading import SessionRow
from inspector.store.searching import Hit, Memory
from inspector.store.store import Store

__all__ = [
    "Added",
    "Cancelled",
    "DamagedError",
    "Hit",
    "Memory",
    "SessionRow",
    "Stack",
    "StaleError",
    "Store",
    "StoreError",
    "default_path",
]
