"""What a controller needs of the front end: threads for its work, a way back from them, and notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

T = TypeVar("T")
Severity = Literal["information", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Busy:
    """Work in the background: what is done, and the share of it that is done (0 to 1, None where it is unknown)."""

    what: str
    share: float | None = None

    def __str__(self) -> str:
        return self.what if self.share is None else f"{self.what} {self.share:.0%}"


class Background(Protocol):
    """Runs the jobs of a controller. `ScreenBackground` does so for a screen; tests have one without an app."""

    def start(self, job: Callable[[], None], group: str) -> None:
        """Run `job` in a thread. It catches its own exceptions. `group` names jobs of one kind."""

    def deliver(self, handler: Callable[[T], None], value: T) -> None:
        """From a job: call `handler(value)` on the controller's thread, in the order of the calls.

        What comes for a screen that is being closed is dropped.
        """

    def notify(self, message: str, *, severity: Severity = "information") -> None:
        """Show a notice. From the controller's thread."""
