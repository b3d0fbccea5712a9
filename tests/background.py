"""A `Background` without an app: jobs run when the test says so, and their results come when it says so."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from inspector.ui.workers.background import Severity

T = TypeVar("T")


class ManualBackground:
    """Keeps the jobs and the results that are still to be delivered."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []
        self.results: list[Callable[[], None]] = []
        self.notices: list[tuple[str, Severity]] = []

    def start(self, job: Callable[[], None], group: str) -> None:
        self.jobs.append(job)

    def deliver(self, handler: Callable[[T], None], value: T) -> None:
        self.results.append(partial(handler, value))

    def notify(self, message: str, *, severity: Severity = "information") -> None:
        self.notices.append((message, severity))

    def run_jobs(self) -> None:
        """Run all jobs, also those that are started meanwhile."""
        while self.jobs:
            self.jobs.pop(0)()

    def deliver_results(self) -> None:
        while self.results:
            self.results.pop(0)()

    def finish(self) -> None:
        """Run and deliver until nothing is left."""
        while self.jobs or self.results:
            self.run_jobs()
            self.deliver_results()
