"""A warning, once per opened session, about documented presets that do not fit it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.library import Workbench
    from inspector.ui.workers.jobs import Host, Jobs

_SECONDS = 12.0
"""Seconds to show the warning."""


class FitCheck:
    """Checks a session once all of it has been counted."""

    def __init__(self, jobs: Jobs, host: Host) -> None:
        self._host = host
        self._jobs = jobs.latest("fit", self._on_result)
        self._is_done = False

    def begin(self) -> None:
        """Prepare for another session."""
        self._is_done = False

    def look(self, bench: Workbench, agent: str) -> None:
        """Check the open session. Does nothing if it is incomplete or has been checked already."""
        if not (self._is_done or bench.partial or bench.sizes.is_partial):
            self._is_done = True
            self._jobs.ask(partial(bench.fit_notice, agent))

    def _on_result(self, notice: str) -> None:
        if notice:
            self._host.notify(notice, severity="warning", timeout=_SECONDS)
