"""Servers on this machine, for programs and browsers on it alone."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_BACKLOG = 512
_MAX_FILES = 8_192
"""Files that a process can open, where the system does not state it."""
_SILENT_SECONDS = 30.0
"""Longest time after which a connection without a request is closed."""


def answering(answer: _Handler, most: int) -> web.Application:
    """Return an application that answers all requests.

    Args:
        answer: Returns the response to a request.
        most: Maximum number of bytes of a body that is read as a whole.
    """
    app = web.Application(client_max_size=most)
    app.router.add_route("*", "/{path:.*}", answer)
    return app


@asynccontextmanager
async def listening(
    app: web.Application, port: int, most_sockets: int, host: str = "127.0.0.1", **options: Any
) -> AsyncIterator[int]:
    """Serve an application on the loopback address while the context is entered, which gives the port.

    Connections above the limit are closed at once, and those that do not send the head of a request within half a
    minute. The limit is lower if the process can open few files, so that there are always some left.

    Args:
        app: Answers the requests.
        port: Port; 0 for any that is free.
        most_sockets: Maximum number of connections.
        host: A loopback address.
        options: Further options of `aiohttp.web.AppRunner`.

    Raises:
        OSError: The port cannot be used.
    """
    heard: set[object] = set()

    @web.middleware
    async def hear(request: web.Request, handler: _Handler) -> web.StreamResponse:
        heard.add(request.protocol)
        return await handler(request)

    app.middlewares.insert(0, hear)
    runner = web.AppRunner(app, access_log=None, logger=_quiet_log(), **options)
    await runner.setup()
    assert runner.server is not None
    server = runner.server
    files = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 0
    files = files if files > 0 else _MAX_FILES
    most_sockets = min(most_sockets, max(files // 4, files // 2 - 64))
    backlog = min(_BACKLOG, files // 8)  # so many are accepted before the first is refused

    def protocol() -> asyncio.BaseProtocol:
        return server() if len(server.connections) < most_sockets else _Refused()

    try:
        sockets = await asyncio.get_running_loop().create_server(protocol, host, port, backlog=backlog)
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


def interruption() -> asyncio.Event:
    """Return an event that is set by an interrupt, from now on."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    return stop
