"""What there is to open, and opening it: paths, sessions in the store, and what agents left on this machine.

A person names a session by a *target*: a path; `path#3`, the third session of a file that holds several; or the id of
a stored session, or the beginning of one. Listing reads what it lists; nothing here changes a source, and nothing is
put into the store unless it is asked for. The store is a convenience: without it all works but plans and search.
"""

from __future__ import annotations

from inspector.library.listing import Entry, given_entries, listing
from inspector.library.opening import (
    Library,
    Opened,
    TakenIn,
    known_counts,
    sized,
    store_plan,
    stored_plans,
    unstore_plan,
    with_stored_plans,
)
from inspector.library.outputs import Obstacle, Outputs
from inspector.library.targets import NotOpened, Tell, find_stored, place_of, resolve

__all__ = [
    "Entry",
    "Library",
    "NotOpened",
    "Obstacle",
    "Opened",
    "Outputs",
    "TakenIn",
    "Tell",
    "find_stored",
    "given_entries",
    "known_counts",
    "listing",
    "place_of",
    "resolve",
    "sized",
    "store_plan",
    "stored_plans",
    "unstore_plan",
    "with_stored_plans",
]
