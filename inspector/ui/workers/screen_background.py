"""Threads and notices for the controller of a screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from textual.screen import Screen

from inspector.ui.workers.background import Severity

T = TypeVar("T")


class ScreenBackground:
    """A `Background` whose jobs are workers of a screen, and whose results are messages to it."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen

    def start(self, job: Callable[[], None], group: str) -> None:
        self._screen.run_worker(job, thread=True, group=group, exit_on_error=False)

    def deliver(self, handler: Callable[[T], None], value: T) -> None:
        self._screen.call_later(handler, value)

    def notify(self, message: str, *, severity: Severity = "information") -> None:
        self._screen.notify(message, severity=severity)
