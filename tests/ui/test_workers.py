"""Jobs in threads: what one worked on goes with it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
from textual.app import App

from inspector.ui.workers.jobs import ScreenJobs


class Subject:
    """Something large that a job works on."""


def begin_latest(app: App[None], job: Callable[[], int], results: list[int]) -> None:
    ScreenJobs(app.screen).latest("group", results.append).ask(job)


def begin_other(app: App[None], job: Callable[[], int], results: list[int]) -> None:
    ScreenJobs(app.screen).start("group", lambda report: report(job()), results.append, lambda _: None)


@pytest.mark.parametrize("begin", [begin_latest, begin_other])
async def test_what_a_job_worked_on_goes_before_anybody_looks_for_garbage(
    begin: Callable[[App[None], Callable[[], int], list[int]], None],
) -> None:
    app: App[None] = App()
    results: list[int] = []
    async with app.run_test() as pilot:
        subject = Subject()
        trace = weakref.ref(subject)
        gc.disable()
        try:
            begin(app, lambda held=subject: len([held]), results)  # type: ignore[misc]
            del subject
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert results == [1]
            assert trace() is None
        finally:
            gc.enable()
