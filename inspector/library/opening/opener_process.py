"""Opening a long session in another process: while that reads, counts and stores, every thread of this one runs on."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from multiprocessing.connection import Connection

from inspector.core.processes import begin_worker, block_interrupts, start_tracker
from inspector.library.bench.stored_extracts import StoredExtracts
from inspector.library.opening.opening_steps import Step, StepOpener
from inspector.library.opening.session_refs import OpenError
from inspector.library.opening.step_serialization import StepReader, StepWriter, UnsuitableError
from inspector.store import ImportCancelledError, Store, StoreError

_POLL_INTERVAL = 0.1
"""Seconds between two looks at whether the opening was cancelled."""
_NICENESS = 5
"""How far the helper stands back behind the app where processors are few."""
_LOST = "The process that counts this session has ended: counting goes on in this one, and keys may answer later."


def helper_steps(opener: StepOpener, target: str, is_cancelled: Callable[[], bool]) -> Iterator[Step]:
    """The steps of opening a target, taken by a process that ends with this iterator.

    Where the last one (`Step()`) does not come, the caller goes on by itself: the helper has met an error that will be
    met again, or it has ended too early, which a note says. Raises ImportCancelledError, and StoreError where stored
    plans cannot be read.
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
        except OSError:  # there are too many processes, or files
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
    """What the helper sends, until it ends. Raises ImportCancelledError."""
    while True:
        while not receiver.poll(_POLL_INTERVAL):
            if is_cancelled():
                raise ImportCancelledError("the opening was cancelled")
        try:
            yield receiver.recv_bytes()
        except (EOFError, OSError):  # between two frames, or in the midst of one
            return


def _serve(opener: StepOpener, path: str | None, target: str, sender: Connection) -> None:
    """The life of a helper: take the steps of an opener, and send them."""
    begin_worker()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the terminal is the app's
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    writer = StepWriter()
    try:
        with nullcontext() if path is None else Store(path) as store:
            extracts: StoredExtracts | None = None
            for step in opener.with_store(store).steps(target):
                extracts = step.bench.extracts if step.bench else extracts
                if step == Step() and opener.keeps and extracts is not None:
                    extracts.fill()  # before the last step, with which the app ends the helper
                for frame in writer.frames(step):
                    sender.send_bytes(frame)
    except (OpenError, StoreError, UnsuitableError):  # the app meets it again, and says it
        return
