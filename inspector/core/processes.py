"""Worker processes: starting them from a program with threads and a terminal, and ending them with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from multiprocessing import resource_tracker
from multiprocessing.connection import wait as wait_for


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block SIGINT while processes start or end, when it could reach only some of them or be lost."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_tracker() -> None:
    """Start the process that cleans up semaphores if the program is killed, without its warnings.

    The tracker inherits a standard error stream. Textual replaces `sys.stderr` with an object that has no file
    descriptor, so the original stream is passed on.
    """
    sys.warnoptions.append("ignore:resource_tracker")
    try:
        with redirect_stderr(sys.__stderr__):
            resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove("ignore:resource_tracker")


def begin_worker() -> None:
    """Set up a worker process to ignore SIGINT and to end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
