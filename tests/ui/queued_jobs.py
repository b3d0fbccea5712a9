"""Background work of a controller, done when a test says so: no thread, no screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual.notifications import SeverityLevel

T = TypeVar("T")


class QueuedLatest(Generic[T]):
    """Of the jobs that were asked for before the first is done, only the newest follows it."""

    def __init__(self, queue: list[Callable[[], None]], then: Callable[[T], None]) -> None:
        self.queue = queue
        self.then = then
        self.running = False
        self.waiting: Callable[[], T] | None = None

    def ask(self, job: Callable[[], T]) -> None:
        self.waiting = job
        if not self.running:
            self.begin()

    def begin(self) -> None:
        job, self.waiting = self.waiting, None
        if job is not None:
            self.running = True
            self.queue.append(lambda: self.finish(job))

    def finish(self, job: Callable[[], T]) -> None:
        result = job()
        self.running = False
        self.then(result)
        self.begin()


class QueuedJobs:
    """`run` does one job, `settle` all that there are and what they lead to."""

    def __init__(self) -> None:
        self.queue: list[Callable[[], None]] = []

    def latest(self, group: str, then: Callable[[T], None]) -> QueuedLatest[T]:
        return QueuedLatest(self.queue, then)

    def start(
        self,
        group: str,
        job: Callable[[Callable[[T], object]], object],
        then: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        def work() -> None:
            try:
                job(then)
            except Exception as error:
                failed(error)

        self.queue.append(work)

    def run(self) -> None:
        self.queue.pop(0)()

    def settle(self) -> None:
        while self.queue:
            self.run()


class Notices(list[str]):
    """What a controller has told."""

    def __call__(self, message: str, *, severity: SeverityLevel = "information", timeout: float | None = None) -> None:
        self.append(message)
