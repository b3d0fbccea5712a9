"""Open a long session in a helper process, so that no thread of the app is blocked by reading, counting and storing."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from multiprocessing.connection import Connection

from inspector.core.processes import begin_worker, block_interrupts, start_tracker
from inspector.library.bench.file_extracts import FileExtracts
from inspector.library.bench.stored_extracts import StoredExtracts
from inspector.library.opening.opening_steps import Step, StepOpener
from inspector.library.opening.session_refs import OpenError
from inspector.library.opening.step_serialization import StepReader, StepWriter, UnsuitableError
from inspector.store import ImportCancelledError, Store, StoreError

_POLL_INTERVAL = 0.1
"""Seconds between two checks for a cancellation."""
_NICENESS = 5
"""Increase of the helper's niceness, so that the app has priority on machines with few processors."""
_LOST = "The process that counts this session has ended. Counting continues in the app, which may respond slowly."


def helper_steps(opener: StepOpener, target: str, is_cancelled: Callable[[], bool]) -> Iterator[Step]:
    """Yield the steps of opening a target in a process that ends with this iterator.

    If the last step (`Step()`) is missing, the caller has to continue by itself: the helper met an error that will
    occur again, or ended unexpectedly, which a note reports.

    Args:
        opener: Opener to run in the helper.
        target: Target to open.
        is_cancelled: Called regularly; cancels the opening when it returns True.

    Raises:
        ImportCancelledError: If `is_cancelled` returned True.
        StoreError: If stored plans cannot be read.
    """
    context = multiprocessing.get_context("spawn")
    start_tracker()
    receiver, sender = context.Pipe(duplex=False)
    path = None if opener.store is None else opener.store.path
    copy = opener.with_store(None)
    process = context.Process(target=_serve, args=(copy, path, target, sender), daemon=True)
    with receiver:
        try:
            with sender, block_interrupts():
                process.start()
        except OSError:  # too many processes or open files
            yield Step(activity="counting", notes=(_LOST,))
            return
        try:
            yield from StepReader(opener.store, opener.limit).steps(_frames(receiver, is_cancelled))
            process.join()
            if process.exitcode:
                yield Step(activity="counting", notes=(_LOST,))
        finally:
            process.kill()
            process.join()


def _frames(receiver: Connection, is_cancelled: Callable[[], bool]) -> Iterator[bytes]:
    """Yield the frames from the helper until it ends. Raise ImportCancelledError if cancelled."""
    while True:
        while not receiver.poll(_POLL_INTERVAL):
            if is_cancelled():
                raise ImportCancelledError("the opening was cancelled")
        try:
            yield receiver.recv_bytes()
        except (EOFError, OSError):  # between two frames or inside one
            return


def _serve(opener: StepOpener, path: str | None, target: str, sender: Connection) -> None:
    """Run a helper: take the steps of an opener and send them."""
    begin_worker()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the terminal belongs to the app
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    writer = StepWriter()
    try:
        with nullcontext() if path is None else Store(path) as store:
            extracts: StoredExtracts | FileExtracts | None = None
            for step in opener.with_store(store).steps(target):
                extracts = step.bench.extracts if step.bench else extracts
                if step == Step() and opener.keeps and extracts is not None:
                    extracts.fill()  # before the last step, after which the app ends the helper
                for frame in writer.frames(step):
                    sender.send_bytes(frame)
    except (OpenError, StoreError, UnsuitableError):  # the app runs into the same error and reports it
        return
