"""Runs one job at a time in a thread, and of the jobs requested meanwhile only the newest.

A knob that is held down requests a plan thirty times a second. With thirty threads every key would wait for all of
them. With this class it waits for none, and the screen always ends with the newest result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from textual.dom import DOMNode

from inspector.core.crash import error_message

T = TypeVar("T")


def is_closing(node: DOMNode) -> bool:
    """Return True if a screen or widget is closing or closed, so that its widgets may be missing."""
    return node._pruning or node._closing or node._closed


class OneCall:
    """A function that is called once and then released.

    Textual's worker, its task and its context reference each other until garbage is collected, which is rare in an app
    with a long session. With the function they would keep alive every workbench that was ever used.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def __call__(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class LatestOnly(Generic[T]):
    """Runs jobs of one kind for a screen or widget, and calls `then` with each result on the app's own thread."""

    def __init__(self, owner: DOMNode, group: str, then: Callable[[T], None]) -> None:
        """Create a runner.

        Args:
            owner: Screen or widget that the jobs belong to.
            group: Name of the kind of job.
            then: Called with each result.
        """
        self.owner = owner
        self.group = group
        self.then = then
        self.next_job: Callable[[], T] | None = None
        self.is_running = False

    @property
    def listens(self) -> bool:
        """True if the owner can receive a result: a closing one may have lost its widgets."""
        return self.owner.is_attached and not is_closing(self.owner)

    def ask(self, job: Callable[[], T], at_once: bool = False) -> None:
        """Run a job, and discard an older one that has not started.

        Args:
            job: Returns the result.
            at_once: True for a job that takes less than starting a thread. It runs now unless an older one runs.
        """
        self.next_job = job
        if self.is_running:
            return
        if at_once:
            self.run_now()
        else:
            self.begin()

    def run_now(self) -> None:
        job, self.next_job = self.next_job, None
        assert job is not None
        try:
            result = job()
        except Exception as error:  # shown to the user, as that of a thread
            self.fail(error)
        else:
            self.finish(result)

    def begin(self) -> None:
        job, self.next_job = self.next_job, None
        if job is None:
            return
        self.is_running = True

        def work() -> None:
            try:
                result = job()
            except Exception as error:  # shown to the user: a failed job must not end the app
                self.hand_over(self.fail, error)
            else:
                self.hand_over(self.finish, result)

        self.owner.run_worker(OneCall(work), thread=True, group=self.group, exit_on_error=False)

    def hand_over(self, handler: Callable[[Any], None], value: Any) -> None:
        """Call `handler` on the app's thread, unless the app has ended."""
        try:
            if self.listens:
                self.owner.app.call_from_thread(handler, value)
        except RuntimeError:  # there is no loop or no app to call
            self.is_running = False

    def finish(self, result: T) -> None:
        self.is_running = False
        try:
            if self.listens:
                self.then(result)
        except Exception as error:  # shown, because no caller handles it
            self.owner.app.notify(error_message(error), severity="error")
        finally:
            self.begin()

    def fail(self, error: Exception) -> None:
        self.is_running = False
        if self.listens:
            self.owner.app.notify(error_message(error), severity="error")
        self.begin()
