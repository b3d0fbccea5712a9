"""Servers on this machine that run until an interrupt."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeVar

from aiohttp import web

from inspector.core.errors import InspectorError
from inspector.core.gc_tuning import rare_gc
from inspector.core.limits import limit

_Server = TypeVar("_Server")
_BACKLOG = 512
_SILENT_SECONDS = 30.0
"""Longest time after which a connection without a request is closed."""


class RecordingError(InspectorError):
    """Raised if a program cannot be recorded, or nothing can be received."""


@asynccontextmanager
async def listening(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]], port: int, most: int, **options: Any
) -> AsyncIterator[int]:
    """Answer all requests on the loopback address while the context is entered, which gives the port.

    Connections above the limit `capture_sockets` are closed at once, and those that do not send the head of a request
    within half a minute.

    Args:
        answer: Returns the response to a request.
        port: Port; 0 for any that is free.
        most: Maximum number of bytes of a body that is read as a whole.
        options: Further options of `aiohttp.web.AppRunner`.

    Raises:
        OSError: The port cannot be used.
    """
    heard: set[object] = set()

    async def answer_heard(request: web.Request) -> web.StreamResponse:
        heard.add(request.protocol)
        return await answer(request)

    app = web.Application(client_max_size=most)
    app.router.add_route("*", "/{path:.*}", answer_heard)
    runner = web.AppRunner(app, access_log=None, logger=_quiet_log(), auto_decompress=False, **options)
    await runner.setup()
    assert runner.server is not None
    server, most_sockets = runner.server, limit("capture_sockets")

    def protocol() -> asyncio.BaseProtocol:
        return server() if len(server.connections) < most_sockets else _Refused()

    try:
        sockets = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", port, backlog=_BACKLOG)
        watch = asyncio.create_task(_close_silent(server, heard))
        try:
            yield sockets.sockets[0].getsockname()[1]
        finally:
            watch.cancel()
            sockets.close()
    finally:
        await runner.cleanup()


def _quiet_log() -> logging.Logger:
    """Return a logger that writes nothing: the terminal belongs to the recorded program."""
    logger = logging.getLogger(__name__)
    logger.handlers, logger.propagate = [logging.NullHandler()], False
    return logger


class _Refused(asyncio.Protocol):
    """A connection that is closed at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close the connection."""
        if isinstance(transport, asyncio.Transport):
            transport.abort()


async def _close_silent(server: web.Server, heard: set[object]) -> None:
    """Close connections that have sent no request since they were found at two checks."""
    earlier: set[object] = set()
    while True:
        await asyncio.sleep(_SILENT_SECONDS / 2)
        connections = server.connections
        heard.intersection_update(connections)
        silent = [one for one in connections if one not in heard]
        for one in silent:
            if one in earlier:
                one.force_close()
        earlier = set(silent)


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


def interruption() -> asyncio.Event:
    """Return an event that is set by an interrupt, from now on."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    return stop
