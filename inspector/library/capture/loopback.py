"""Servers on this machine that run until an interrupt."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar

from aiohttp import web

from inspector.core.errors import InspectorError

_Server = TypeVar("_Server")


class RecordingError(InspectorError):
    """Raised if a program cannot be recorded, or nothing can be received."""


@asynccontextmanager
async def listening(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], port: int, most: int, **options: Any
) -> AsyncIterator[int]:
    """Answer all requests on the loopback address while the context is entered, which gives the port.

    Args:
        answer: Returns the response to a request.
        port: Port; 0 for any that is free.
        most: Maximum number of bytes of a body that is read as a whole.
        options: Further options of `aiohttp.web.AppRunner`.

    Raises:
        OSError: The port cannot be used.
    """
    app = web.Application(client_max_size=most)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, auto_decompress=False, **options)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@asynccontextmanager
async def opened(server: AbstractAsyncContextManager[_Server]) -> AsyncIterator[_Server]:
    """Run a server while the context is entered.

    Raises:
        RecordingError: Its port cannot be used.
    """
    async with AsyncExitStack() as stack:
        try:
            running = await stack.enter_async_context(server)
        except OSError as error:
            reason = error.strerror or error
            raise RecordingError(f"The port cannot be used ({reason}): choose another with --port.") from error
        yield running


def interruption() -> asyncio.Event:
    """Return an event that is set by an interrupt, from now on."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    return stop
