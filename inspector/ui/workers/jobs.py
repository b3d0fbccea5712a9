"""Work in the background for controllers, which know no screen.

A controller takes a `Jobs` and a `Host`. In the app these are a `ScreenJobs` and the screen itself; a test gives it
jobs that run when the test says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from textual.app import App
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen

from inspector.ui.workers.latest import LatestOnly

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
    def running(self) -> bool: ...

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
        failed: Callable[[Exception], None],
    ) -> None:
        """Run a job that has any number of results.

        It is called with a function that takes each of them and does not wait; `then` gets them in their order, and
        `failed` the exception that the job ends with, if it does.
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
        failed: Callable[[Exception], None],
    ) -> None:
        def report(result: T) -> None:
            self.screen.call_later(then, result)

        def work() -> None:
            try:
                job(report)
            except Exception as error:  # given to the controller: a failed job must not end the app
                self.screen.call_later(failed, error)

        self.screen.run_worker(work, thread=True, group=group, exit_on_error=False)
