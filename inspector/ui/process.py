"""The app as a process: how it ends when it quits, when it is interrupted, and when it fails."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.crash import failure_sentence
from inspector.core.gc_tuning import freeze_gc
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.depths import terminal_depth
from inspector.ui.hints import HintBook

if TYPE_CHECKING:
    from inspector.ui.terminal_app import TerminalApp

_EXIT_TIMEOUT = 0.8
"""Seconds that the app has for ending by itself after a signal or a failure."""
_SWITCH = 0.0005
"""Seconds that a thread which computes may run on while a key waits. Drawing a row reads the file some times, and waits
anew after each of them: with the usual 5 ms, a page took a second while something was computed."""
_STDIN, _STDERR = 0, 2
_HANG_UP = getattr(signal, "SIGHUP", signal.SIGTERM)
"""Windows has none."""
_THREAD_TIMEOUT = 0.6
"""Seconds that the process has for its end: threads that compute would hold it up as long as they like."""


def run_app(targets: Sequence[str], db: Path, limit: int, with_tour: bool = False) -> int:
    """Run the app until the person quits, and give back the exit status: 0, or 128 and the signal that ended it.

    `with_tour` lists the sample sessions too, and leads through them.
    Without a usable store it runs all the same, and says so. An exception that nobody foresaw is raised again when the
    terminal is as it was before. The process ends soon after, whatever its threads still compute.
    """
    sys.setswitchinterval(_SWITCH)
    with Library(db) as library:
        app = InspectorApp(targets, library, limit, ending=_end_by_force, depth=terminal_depth())
        app.hints = HintBook()
        app.call_later(app.call_after_refresh, _collect_garbage)
        if with_tour:
            app.call_later(app.call_after_refresh, app.run_action, "screen.demo")
        if library.warning:
            app.call_later(app.notify, library.warning, severity="warning")
        loop, threads = asyncio.new_event_loop(), ThreadPoolExecutor(thread_name_prefix="job")
        loop.set_default_executor(threads)
        try:
            with _ending_on_signals(app, loop):
                app.run(loop=loop)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            if app.failure is None:  # else the end by force tells of it, and must not be cut off in between
                _end_soon(app.return_code or 0)
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0


def _collect_garbage() -> None:
    """From the first frame on; what was loaded for it stays, and is never looked through."""
    freeze_gc()
    gc.enable()


@contextmanager
def _ending_on_signals(app: TerminalApp, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """While the app runs, signals and a closed terminal end it in order; without order where it does not answer."""

    def end(number: int, _: object = None) -> None:
        _end_by_force(app, 128 + number)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(app.leave, 128 + number)

    handlers = {
        number: signal.signal(number, end)
        for number in (signal.SIGINT, signal.SIGTERM, _HANG_UP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    threading.Thread(target=_wait_for_hang_up, args=(partial(end, _HANG_UP),), daemon=True).start()
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _wait_for_hang_up(end: Callable[[], None]) -> None:
    """Call `end` when the terminal has closed: under nohup no signal tells, and the app would run on."""
    if not hasattr(select, "poll") or not os.isatty(_STDIN):
        return
    poll = select.poll()
    poll.register(_STDIN, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        end()


def _end_by_force(app: TerminalApp, code: int) -> None:
    """End the process in a moment, unless the app has ended by then. What is stored is whole: it is written at once."""

    def end() -> None:
        time.sleep(_EXIT_TIMEOUT)
        with suppress(OSError):  # the terminal may have closed
            app.restore_terminal()
        if app.failure is not None:
            os.write(_STDERR, f"{failure_sentence(app.failure)}\n".encode(errors="backslashreplace"))
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()


def _end_soon(code: int) -> None:
    """See to it that the process ends though threads compute what nobody wants any more.

    The store's own thread has ended by then: nothing that a person has done is still to be written.
    """

    def end() -> None:
        time.sleep(_THREAD_TIMEOUT)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()
