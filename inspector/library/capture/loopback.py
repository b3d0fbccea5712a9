"""Runs a server on this machine until an interrupt."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeVar

from inspector.core.errors import InspectorError
from inspector.core.gc_tuning import rare_gc

_Server = TypeVar("_Server")


class RecordingError(InspectorError):
    """Raised if a program cannot be recorded, or nothing can be received."""


@asynccontextmanager
async def opened(server: AbstractAsyncContextManager[_Server]) -> AsyncIterator[_Server]:
    """Run a server while the context is entered.

    Raises:
        RecordingError: Its port cannot be used.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(rare_gc())
        try:
            running = await stack.enter_async_context(server)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else error
            raise RecordingError(f"The port cannot be used ({reason}): choose another with --port.") from error
        yield running
