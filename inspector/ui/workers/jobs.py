"""Background work for controllers, which are independent of any screen.

A controller receives a `Jobs` and a `Host`. In the app these are a `ScreenJobs` and the screen itself; tests pass jobs
that run on demand.

Python runs one thread at a time, and interrupts a computing thread only every few milliseconds. Handling a key needs
the interpreter many times, so a job that computes for seconds releases it often and briefly (`CooperativeStop`).
Changes to the store are written one after the other in a separate thread (`WriteQueue`). A failed change is reported
before the next one is written, and the app does not end before the last one has been written.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from textual.app import App
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen

from inspector.core.crash import error_message
from inspector.ui.workers.latest import LatestOnly, OneCall

if TYPE_CHECKING:
    from inspector.store import Store

_WORK, _REST = 0.003, 0.0003
"""Seconds of work before the interpreter is released, and seconds of that release."""


class Stop(Protocol):
    """An event, or another object that signals a stop."""

    def is_set(self) -> bool: ...


class CooperativeStop:
    """A stop signal that can be checked often, and that lets other threads run while it is checked."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.rest_time = time.monotonic()

    def is_set(self) -> bool:
        now = time.monotonic()
        if now - self.rest_time > _WORK:
            time.sleep(_REST)
            self.rest_time = time.monotonic()
        return self.stop.is_set()


T = TypeVar("T")
_T_contra = TypeVar("_T_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Busy:
    """Background work: the activity, and its share done from 0 to 1, or None if unknown."""

    what: str
    share: float | None = None

    def __str__(self) -> str:
        return self.what if self.share is None else f"{self.what} {self.share:.0%}"


class Latest(Protocol[_T_contra]):
    """Jobs of one kind that run one at a time; of waiting ones only the newest is kept. `LatestOnly` implements it."""

    @property
    def is_running(self) -> bool: ...

    def ask(self, job: Callable[[], _T_contra], at_once: bool = False) -> None: ...


class Jobs(Protocol):
    """Runs functions in threads, and calls back on the controller's thread."""

    def latest(self, group: str, then: Callable[[T], None]) -> Latest[T]:
        """Return a runner for jobs of one kind. Results are passed to `then`; a failure is shown to the user."""

    def start(
        self,
        group: str,
        job: Callable[[Callable[[T], object]], object],
        then: Callable[[T], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """Run a job with any number of results.

        Args:
            group: Name of the kind of job.
            job: Called with a function that delivers a result without waiting.
            then: Called with each result, in order.
            on_failure: Called with the exception if the job raises one.
        """


class Host(Protocol):
    """The screen as its controller sees it: it shows notices and receives messages for the app."""

    def notify(self, message: str, *, severity: SeverityLevel = ..., timeout: float | None = ...) -> None: ...

    def post_message(self, message: Message) -> object: ...


class ScreenJobs:
    """Jobs that belong to a screen or to the app. Results after it has closed are dropped."""

    def __init__(self, screen: Screen[Any] | App[Any]) -> None:
        self.screen = screen

    def latest(self, group: str, then: Callable[[T], None]) -> LatestOnly[T]:
        return LatestOnly(self.screen, group, then)

    def start(
        self,
        group: str,
        job: Callable[[Callable[[T], object]], object],
        then: Callable[[T], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """Run a job in a worker of the screen. See `Jobs.start`."""

        def report(result: T) -> None:
            self.screen.call_later(then, result)

        def work() -> None:
            try:
                job(report)
            except Exception as error:  # passed to the controller: a failed job must not end the app
                self.screen.call_later(on_failure, error)

        self.screen.run_worker(OneCall(work), thread=True, group=group, exit_on_error=False)


class CancellableJob(ABC, Generic[T]):
    """A job with any number of results that runs at most once at a time and can be stopped at any moment.

    Results of a stopped job are dropped. `on_end` is called after every job, including stopped ones.
    """

    def __init__(self, jobs: Jobs, host: Host, group: str, on_end: Callable[[], None]) -> None:
        """Create a job that has not started.

        Args:
            jobs: Runs the job in a thread.
            host: Shows failures.
            group: Name of the kind of job.
            on_end: Called after every job.
        """
        self._jobs = jobs
        self._host = host
        self._group = group
        self._on_end = on_end
        self._cancel: Event | None = None
        """Set to stop the running job."""

    @property
    def busy(self) -> bool:
        return self._cancel is not None

    def stop(self) -> bool:
        """Stop the job. Return False if none is running."""
        if self._cancel is None:
            return False
        self.close()
        self._end()
        return True

    def close(self) -> None:
        """Stop the job without calling `on_end`, because the screen has closed."""
        if self._cancel is not None:
            self._cancel.set()

    @abstractmethod
    def _on_result(self, result: T) -> None:
        """Handle a result of the running job, and call `_end` with the last one."""

    def _sentence_of(self, error: Exception) -> str:
        """Return the sentence to show when a job fails."""
        return error_message(error)

    def _start(self, cancel: Event, job: Callable[[Callable[[T], object]], object]) -> None:
        """Run a job that ends soon after `cancel` is set."""
        self._cancel = cancel
        self._jobs.start(self._group, job, partial(self._on_result_of, cancel), partial(self._fail_of, cancel))

    def _end(self) -> None:
        self._cancel = None
        self._on_end()

    def _on_result_of(self, cancel: Event, result: T) -> None:
        if cancel is self._cancel:
            self._on_result(result)

    def _fail_of(self, cancel: Event, error: Exception) -> None:
        if cancel is self._cancel:
            self._end()
            self._host.notify(self._sentence_of(error), severity="error")


_Change = Callable[["Store"], object]


class WriteQueue:
    """Writes changes to the store in one thread. `on_failure` is called with errors in that thread."""

    def __init__(self, store: Store | None, on_failure: Callable[[Exception], None]) -> None:
        self.store = store
        self.failed = on_failure
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    def add(self, change: _Change) -> None:
        """Queue a change. Without a store nothing is saved."""
        if self.store is not None:
            self.worker.submit(self.make, self.store, change)

    def make(self, store: Store, change: _Change) -> None:
        try:
            change(store)
        except Exception as error:  # reported; later changes are still made
            self.failed(error)

    def wait(self) -> None:
        """Wait until all queued changes have been written."""
        self.worker.submit(lambda: None).result()

    def close(self) -> None:
        """Write all queued changes, and end the thread."""
        self.worker.shutdown(wait=True)
