"""Jobs in threads: what one worked on goes with it."""

from __future__ import annotations

import asyncio
import gc
import threading
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


async def test_a_quick_job_has_its_result_at_once_unless_an_older_job_runs() -> None:
    app: App[None] = App()
    results: list[str] = []
    begun, goes_on = threading.Event(), threading.Event()

    def slow() -> str:
        begun.set()
        goes_on.wait()
        return "slow"

    async with app.run_test() as pilot:
        jobs = ScreenJobs(app.screen).latest("group", results.append)
        jobs.ask(lambda: "quick", at_once=True)
        assert results == ["quick"]
        jobs.ask(slow)
        await asyncio.to_thread(begun.wait)
        jobs.ask(lambda: "later", at_once=True)
        assert results == ["quick"]
        goes_on.set()
        while len(results) < 3:
            await app.workers.wait_for_complete()
            await pilot.pause()
        assert results == ["quick", "slow", "later"]


async def test_a_quick_job_that_fails_is_reported_like_one_in_a_thread() -> None:
    app: App[None] = App()
    results: list[int] = []

    def fail() -> int:
        raise FileNotFoundError(2, "No such file", "gone.jsonl")

    async with app.run_test() as pilot:
        ScreenJobs(app.screen).latest("group", results.append).ask(fail, at_once=True)
        await pilot.pause()
        assert results == []
        assert [notice.severity for notice in app._notifications] == ["error"]
