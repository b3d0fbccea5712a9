"""The `Jobs` and the `Host` of a controller without an app: jobs run, and their results come, when the test says so."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from textual.message import Message
from textual.notifications import SeverityLevel

T = TypeVar("T")


class RecordingHost:
    """Keeps the notices and messages of a controller."""

    def __init__(self) -> None:
        self.notices: list[tuple[str, SeverityLevel]] = []
        self.messages: list[Message] = []

    def notify(self, message: str, *, severity: SeverityLevel = "information", timeout: float | None = None) -> None:
        self.notices.append((message, severity))

    def post_message(self, message: Message) -> None:
        self.messages.append(message)


class ManualLatest(Generic[T]):
    """One job at a time until its result is delivered; of those asked for meanwhile, the newest."""

    def __init__(self, jobs: ManualJobs, group: str, then: Callable[[T], None]) -> None:
        self.jobs = jobs
        self.then = then
        self.is_running = False
        self.newest: Callable[[], T] | None = None

    def ask(self, job: Callable[[], T], at_once: bool = False) -> None:
        self.newest = job
        if not self.is_running:
            self.begin()

    def begin(self) -> None:
        job, self.newest = self.newest, None
        if job is not None:
            self.is_running = True
            self.jobs.waiting.append(partial(self.run, job))

    def run(self, job: Callable[[], T]) -> None:
        self.jobs.results.append(partial(self.finish, job()))

    def finish(self, result: T) -> None:
        self.is_running = False
        self.then(result)
        self.begin()


class ManualJobs:
    """Jobs that wait until the test runs them, and results that wait until it delivers them."""

    def __init__(self) -> None:
        self.waiting: deque[Callable[[], None]] = deque()
        self.results: deque[Callable[[], None]] = deque()

    def latest(self, group: str, then: Callable[[T], None]) -> ManualLatest[T]:
        return ManualLatest(self, group, then)

    def start(
        self,
        group: str,
        job: Callable[[Callable[[T], object]], object],
        then: Callable[[T], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        def run() -> None:
            try:
                job(lambda result: self.results.append(partial(then, result)))
            except Exception as error:  # given to the controller, as in the app
                self.results.append(partial(on_failure, error))

        self.waiting.append(run)

    def run(self) -> None:
        """Run all jobs, also those that are started meanwhile."""
        while self.waiting:
            self.waiting.popleft()()

    def deliver(self) -> None:
        while self.results:
            self.results.popleft()()

    def finish(self) -> None:
        """Run and deliver until nothing is left."""
        while self.waiting or self.results:
            self.run()
            self.deliver()
