"""Changes to the store, made one after the other in a thread of their own, in the order in which they were asked for.

Nothing that a person has done is lost: a change that fails is told and the next one is made, and the app does not end
before the last one has been written.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from inspector.library import with_stored_plans
from inspector.store import Store, StoreError
from inspector.workbench import Workbench

Change = Callable[[Store], object]
NEVER = -1
"""A version that no stack has: what is stored for it is refused."""


def stack_change(
    bench: Workbench, change: Callable[[Store, Workbench], None], failed: Callable[[Workbench], None]
) -> Change:
    """A change of a bench's stored stack. Where it fails, `failed` gets a bench with what the store has instead.

    Whatever else is asked for on the same bench was made for a stack that the store does not have, and fails too.
    """

    def attempt(store: Store) -> None:
        try:
            change(store, bench)
        except Exception:
            bench.versions.update(dict.fromkeys(bench.session.agents, NEVER))
            with suppress(StoreError):
                failed(with_stored_plans(bench, store, bench.stored))
            raise

    return attempt


class Changes:
    """A queue with one worker. `failed` hears of errors, in the worker's thread."""

    def __init__(self, store: Store | None, failed: Callable[[Exception], None]) -> None:
        self.store = store
        self.failed = failed
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def add(self, change: Change) -> None:
        """Make a change soon. Without a store nothing is kept."""
        if self.store is not None:
            self.worker.submit(self.make, self.store, change)

    def make(self, store: Store, change: Change) -> None:
        try:
            change(store)
        except Exception as error:  # told to the person; the changes behind it are still made
            self.failed(error)

    def wait(self) -> None:
        """Until everything asked for so far is written."""
        self.worker.submit(lambda: None).result()

    def close(self) -> None:
        """Write what is left, and end."""
        self.worker.shutdown(wait=True)
