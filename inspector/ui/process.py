"""Run the app as a process, and end it when the user quits, when it is interrupted and when it fails."""

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

from inspector.core.crash import error_message
from inspector.core.gc_tuning import freeze_gc
from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.depths import terminal_depth
from inspector.ui.hints import HintBook
from inspector.ui.last_place import PlaceKeeper, last_place_path, load_last_place

if TYPE_CHECKING:
    from inspector.ui.terminal_app import TerminalApp

_EXIT_TIMEOUT = 0.8
"""Seconds that the app has to end by itself after a signal or a failure."""
_SWITCH = 0.0005
"""Seconds that a busy thread can run on while a key waits (`sys.setswitchinterval`).

Drawing a row reads the file several times and waits for the interpreter after each read. With the default of 5 ms, a
page took a second while another thread was computing.
"""
_STDIN, _STDERR = 0, 2
_HANG_UP = getattr(signal, "SIGHUP", signal.SIGTERM)
"""Signal for a closed terminal; Windows has no SIGHUP."""
_THREAD_TIMEOUT = 0.6
"""Seconds that the process has to end; without a limit, busy threads would delay it indefinitely."""


def run_app(
    targets: Sequence[str], db: Path, limit: int, with_tour: bool = False, is_fresh: bool = False, team: str = ""
) -> int:
    """Run the app until the user quits.

    The app also runs without a usable store, with a warning. The process ends soon after this returns or raises, even
    if threads are still computing.

    Args:
        targets: Paths, `path#n` or stored session IDs.
        db: File of the store.
        limit: Context window in tokens that overrides the models' own; 0 keeps theirs.
        with_tour: True to list the sample sessions and start the tour.
        is_fresh: True to begin with the library, and not with the last session, if there are no targets.
        team: Address of a team's store to read sessions from.

    Returns:
        The exit status: 0, or 128 plus the number of the signal that ended the app.

    Raises:
        Exception: The unexpected failure that ended the app, raised once the terminal has been restored.
    """
    sys.setswitchinterval(_SWITCH)
    path = last_place_path(db)
    last = None if targets or with_tour or is_fresh or team else load_last_place(path)
    with Library(db, team=team) as library:
        app = InspectorApp(
            [last.target] if last else targets, library, limit, ending=_end_by_force, depth=terminal_depth()
        )
        app.hints = HintBook()
        if not team:
            app.places = PlaceKeeper(path, last)
        app.call_later(app.call_after_refresh, _collect_garbage)
        if with_tour:
            app.call_later(app.call_after_refresh, app.run_action, "screen.demo")
        _warn_later(app, library.warning)
        loop, threads = asyncio.new_event_loop(), ThreadPoolExecutor(thread_name_prefix="job")
        loop.set_default_executor(threads)
        try:
            with _ending_on_signals(app, loop):
                app.run(loop=loop)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            if app.failure is None:  # otherwise the forced end reports the failure and must not be interrupted
                _end_soon(app.return_code or 0)
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0


def _warn_later(app: InspectorApp, warning: str) -> None:
    if warning:
        app.call_later(app.notify, warning, severity="warning")


def _collect_garbage() -> None:
    """Enable garbage collection from the first frame on, except for objects loaded before it."""
    freeze_gc()
    gc.enable()


@contextmanager
def _ending_on_signals(app: TerminalApp, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Quit the app on a signal or when the terminal closes, by force if the app does not respond."""

    def end(number: int, _: object = None) -> None:
        _end_by_force(app, 128 + number)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(app.leave, 128 + number)

    handlers = {
        number: signal.signal(number, end)
        for number in (signal.SIGINT, signal.SIGTERM, _HANG_UP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    for wait in (_wait_for_hang_up, _wait_for_server):
        threading.Thread(target=wait, args=(partial(end, _HANG_UP),), daemon=True).start()
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _wait_for_hang_up(end: Callable[[], None]) -> None:
    """Call `end` when the terminal closes: under nohup no signal reports it, and the app would keep running."""
    if not hasattr(select, "poll") or not os.isatty(_STDIN):
        return
    poll = select.poll()
    poll.register(_STDIN, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        end()


def _wait_for_server(end: Callable[[], None]) -> None:
    """Call `end` when the page or the server that this app was started for has ended."""
    descriptor = os.environ.get("INSPECTOR_SERVER_PIPE", "")
    if descriptor.isdecimal():
        with suppress(OSError):
            os.read(int(descriptor), 1)  # nothing is written: it returns when the other end closes
        end()


def _end_by_force(app: TerminalApp, code: int) -> None:
    """End the process after a short delay unless the app has ended. The store is complete: it is written at once.

    Writing to a terminal that has closed can block forever, so the terminal is restored in a separate thread.
    """

    def restore() -> None:
        with suppress(Exception):  # the terminal may have closed
            app.restore_terminal()

    def end() -> None:
        time.sleep(_EXIT_TIMEOUT)
        restoring = threading.Thread(target=restore, daemon=True)
        restoring.start()
        restoring.join(_EXIT_TIMEOUT)
        if app.failure is not None:
            with suppress(OSError):
                os.write(_STDERR, f"{error_message(app.failure)}\n".encode(errors="backslashreplace"))
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()


def _end_soon(code: int) -> None:
    """End the process after a short delay, even if threads are still computing.

    The store's own thread has ended by then, so no change is lost.
    """

    def end() -> None:
        time.sleep(_THREAD_TIMEOUT)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()
