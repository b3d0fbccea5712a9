"""One job at a time in a thread, and of those asked for meanwhile only the newest.

A knob that is held down asks for a plan thirty times a second. Starting thirty threads would make every key wait for
all of them; this makes it wait for none, and the screen always ends at the newest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from textual.dom import DOMNode

from inspector.core.crash import failure_sentence

T = TypeVar("T")


def is_closing(node: DOMNode) -> bool:
    """Whether a screen or widget is being taken apart, or has been: it may have lost its widgets already."""
    return node._pruning or node._closing or node._closed


class OneCall:
    """A function that is called once, and holds nothing from then on.

    Textual's worker, its task and its context hold each other until somebody looks for garbage, which in an app with
    a long session comes seldom: with the function they would hold every bench that was ever worked on.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def __call__(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class LatestOnly(Generic[T]):
    """Runs jobs of one kind for a screen or widget; `then` gets each result on the app's own thread."""

    def __init__(self, owner: DOMNode, group: str, then: Callable[[T], None]) -> None:
        self.owner = owner
        self.group = group
        self.then = then
        self.next_job: Callable[[], T] | None = None
        self.is_running = False

    @property
    def listens(self) -> bool:
        """Whether there is anybody to give a result to: what is being closed may have lost its widgets already."""
        return self.owner.is_attached and not is_closing(self.owner)

    def ask(self, job: Callable[[], T]) -> None:
        """Run `job` soon; forget an older one that has not begun."""
        self.next_job = job
        if not self.is_running:
            self.begin()

    def begin(self) -> None:
        job, self.next_job = self.next_job, None
        if job is None:
            return
        self.is_running = True

        def work() -> None:
            try:
                result = job()
            except Exception as error:  # shown to the person in a sentence: a failed job must not end the app
                self.hand_over(self.fail, error)
            else:
                self.hand_over(self.finish, result)

        self.owner.run_worker(OneCall(work), thread=True, group=self.group, exit_on_error=False)

    def hand_over(self, handler: Callable[[Any], None], value: Any) -> None:
        """Call `handler` on the app's thread, unless the app has gone meanwhile."""
        try:
            if self.listens:
                self.owner.app.call_from_thread(handler, value)
        except RuntimeError:  # no loop, or no app, to hand it to
            self.is_running = False

    def finish(self, result: T) -> None:
        self.is_running = False
        try:
            if self.listens:
                self.then(result)
        except Exception as error:  # told, for nobody waits for this call
            self.owner.app.notify(failure_sentence(error), severity="error")
        finally:
            self.begin()

    def fail(self, error: Exception) -> None:
        self.is_running = False
        if self.listens:
            self.owner.app.notify(failure_sentence(error), severity="error")
        self.begin()
