"""Work in the background for controllers, which know no screen.

A controller takes a `Jobs` and a `Host`. In the app these are a `ScreenJobs` and the screen itself; a test gives it
jobs that run when the test says so.

Python runs one thread at a time, and takes it away from one that computes only every few milliseconds. A key needs the
interpreter many times over; so a job that computes for seconds offers it by itself, often and briefly
(`CooperativeStop`). Changes to the store are made one after the other in a thread of their own (`WriteQueue`): one that
fails is reported and the next one is made, and the app does not end before the last one has been written.
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

from inspector.core.crash import failure_sentence
from inspector.ui.workers.latest import LatestOnly, OneCall

if TYPE_CHECKING:
    from inspector.store import Store

_WORK, _REST = 0.003, 0.0003
"""Seconds of work after which it is offered, and for how long."""


class Stop(Protocol):
    """An event, or whatever else says whether to stop."""

    def is_set(self) -> bool: ...


class CooperativeStop:
    """Asks whether to stop, as often as one likes, and gives way while it is at it."""

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
    """Work in the background: what is done, and the share of it that is done (0 to 1, None where it is unknown)."""

    what: str
    share: float | None = None

    def __str__(self) -> str:
        return self.what if self.share is None else f"{self.what} {self.share:.0%}"


class Latest(Protocol[_T_contra]):
    """Jobs of one kind: one at a time, and of those asked for meanwhile only the newest. `LatestOnly` is one."""

    @property
    def is_running(self) -> bool: ...

    def ask(self, job: Callable[[], _T_contra]) -> None: ...


class Jobs(Protocol):
    """Runs functions in threads and calls back on the thread of the controller."""

    def latest(self, group: str, then: Callable[[T], None]) -> Latest[T]:
        """Jobs of one kind, whose results are given to `then`; a failure is shown to the person."""

    def start(
        self,
        group: str,
        job: Callable[[Callable[[T], object]], object],
        then: Callable[[T], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """Run a job that has any number of results.

        It is called with a function that takes each of them and does not wait; `then` gets them in their order, and
        `on_failure` the exception that the job ends with, if it does.
        """


class Host(Protocol):
    """The screen, as far as its controller needs it: it shows notices and takes messages for the app."""

    def notify(self, message: str, *, severity: SeverityLevel = ..., timeout: float | None = ...) -> None: ...

    def post_message(self, message: Message) -> object: ...


class ScreenJobs:
    """Jobs that belong to a screen, or to the app: what comes after it was closed is dropped."""

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
        def report(result: T) -> None:
            self.screen.call_later(then, result)

        def work() -> None:
            try:
                job(report)
            except Exception as error:  # given to the controller: a failed job must not end the app
                self.screen.call_later(on_failure, error)

        self.screen.run_worker(OneCall(work), thread=True, group=group, exit_on_error=False)


class CancellableJob(ABC, Generic[T]):
    """A job with any number of results, at most one at a time, that can be stopped at any moment.

    What comes of one that was stopped is dropped. `on_end` is called when a job is over, stopped ones included.
    """

    def __init__(self, jobs: Jobs, host: Host, group: str, on_end: Callable[[], None]) -> None:
        self._jobs = jobs
        self._host = host
        self._group = group
        self._on_end = on_end
        self._cancel: Event | None = None
        """Set to stop the job that is going on."""

    @property
    def busy(self) -> bool:
        return self._cancel is not None

    def stop(self) -> bool:
        """Stop the job. False where none is going on."""
        if self._cancel is None:
            return False
        self.close()
        self._end()
        return True

    def close(self) -> None:
        """Stop the job and say nothing: the screen is gone."""
        if self._cancel is not None:
            self._cancel.set()

    @abstractmethod
    def _on_result(self, result: T) -> None:
        """A result of the job that is going on; calls `_end` with the last one."""

    def _sentence_of(self, error: Exception) -> str:
        """What the person reads when a job fails."""
        return failure_sentence(error)

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
    """A queue with one worker. `on_failure` is called with errors, in the worker's thread."""

    def __init__(self, store: Store | None, on_failure: Callable[[Exception], None]) -> None:
        self.store = store
        self.failed = on_failure
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
