"""What there is to open, and opening it: paths, sessions in the store, and what agents left on this machine.

A person names a session by a *target*: a path; `path#3`, the third session of a file that holds several; or the id of
a stored session, or the beginning of one. Listing reads what it lists; nothing here changes a source, and nothing is
put into the store unless it is asked for. The store is a convenience: without it all works but plans and search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.library.checking import problem_turns
    from inspector.library.cost import Money, money_of, rounded
    from inspector.library.listing import Entry, given_entries, list_entries
    from inspector.library.loading import Step
    from inspector.library.opening import (
        ImportOutcome,
        Library,
        OpenSession,
        known_counts,
        sized,
        store_plan,
        stored_plans,
        unstore_plan,
        with_stored_plans,
    )
    from inspector.library.outputs import Obstacle, Outputs
    from inspector.library.plan_stack import Layer, did, layers
    from inspector.library.provenance import Origin, maker, origin, speaker, summary_of
    from inspector.library.targets import OpenError, Tell, find_stored, many, place_of, resolve
    from inspector.library.workbench import Preview, RefusedError, Workbench, allowed

__all__ = [
    "Entry",
    "ImportOutcome",
    "Layer",
    "Library",
    "Money",
    "Obstacle",
    "OpenError",
    "OpenSession",
    "Origin",
    "Outputs",
    "Preview",
    "RefusedError",
    "Step",
    "Tell",
    "Workbench",
    "allowed",
    "did",
    "find_stored",
    "given_entries",
    "known_counts",
    "layers",
    "list_entries",
    "maker",
    "many",
    "money_of",
    "origin",
    "place_of",
    "problem_turns",
    "resolve",
    "rounded",
    "sized",
    "speaker",
    "store_plan",
    "stored_plans",
    "summary_of",
    "unstore_plan",
    "with_stored_plans",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.library.checking": "problem_turns",
        "inspector.library.cost": "Money money_of rounded",
        "inspector.library.listing": "Entry given_entries list_entries",
        "inspector.library.loading": "Step",
        "inspector.library.opening": (
            "ImportOutcome Library OpenSession known_counts sized store_plan stored_plans unstore_plan "
            "with_stored_plans"
        ),
        "inspector.library.outputs": "Obstacle Outputs",
        "inspector.library.plan_stack": "Layer did layers",
        "inspector.library.provenance": "Origin maker origin speaker summary_of",
        "inspector.library.targets": "OpenError Tell find_stored many place_of resolve",
        "inspector.library.workbench": "Preview RefusedError Workbench allowed",
    },
)
