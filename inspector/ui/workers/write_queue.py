"""Changes to the store, made one after the other in a thread of their own, in the order in which they were asked for.

Nothing that a person has done is lost: a change that fails is told and the next one is made, and the app does not end
before the last one has been written.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.store import Store

_Change = Callable[["Store"], object]


class WriteQueue:
    """A queue with one worker. `failed` hears of errors, in the worker's thread."""

    def __init__(self, store: Store | None, failed: Callable[[Exception], None]) -> None:
        self.store = store
        self.failed = failed
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def add(self, change: _Change) -> None:
        """Make a change soon. Without a store nothing is kept."""
        if self.store is not None:
            self.worker.submit(self.make, self.store, change)

    def make(self, store: Store, change: _Change) -> None:
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
