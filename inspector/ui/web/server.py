"""Serves the app to browsers on this machine, with a separate process for each visit.

Whoever gets a page of this server can read every session and press every key. The server therefore listens on the
loopback interface only, and answers only requests that carry its secret: the printed address contains a random token,
and the first page sets a cookie with it. It also rejects requests that are addressed to another host and connections
from other pages, because a browser opens connections to this machine for any page that asks. Its own page loads
nothing from other servers.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from inspector.core.limits import limit
from inspector.core.local_server import interruption, listening

HOST = "127.0.0.1"
_FOLDER = Path(__file__).parent
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_SHUTDOWN_TIMEOUT = 1.0
"""Seconds that open pages have to end after a shutdown is requested."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src {addresses}; frame-ancestors 'none'"
)
"""Content Security Policy: the page cannot load anything from other servers, even if a script tries to."""
SERVER_PIPE = "INSPECTOR_SERVER_PIPE"
"""Environment variable with the file descriptor of a pipe that closes when the visit or the server ends."""
_MIN_WIDTH, _MIN_HEIGHT = 20, 6
"""Minimum size of a terminal in cells. A page can ask for any size, and drawing takes memory for every cell."""
_STOP_TIMEOUT = 2.0
"""Seconds that the app has to quit by itself after its page has closed."""


class LocalServer(Server):
    """The server of textual-serve with a custom page, for this machine and for the holder of its token only.

    Args:
        words: Command line of the app.
        port: Port to listen on.
    """

    def __init__(self, words: Sequence[str], port: int) -> None:
        super().__init__(" ".join(words), host=HOST, port=port, title="Inspector", templates_path=_FOLDER)
        self.token = secrets.token_urlsafe(24)
        self._words = words
        self._cookie = f"inspector_{port}"
        self._places = [f"{name}:{port}" for name in (HOST, "localhost")]
        self._visits: set[web.WebSocketResponse] = set()

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"{self.public_url}/?token={self.token}"

    def run(self, on_ready: Callable[[str], None]) -> None:
        """Serve until interrupted, and call `on_ready` with the address.

        Raises:
            OSError: The port is in use.
        """
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())
        with suppress(KeyboardInterrupt):
            asyncio.run(self._listen(on_ready))

    async def _listen(self, on_ready: Callable[[str], None]) -> None:
        app, stop = await self._make_app(), interruption()
        sockets = limit("page_sockets")
        async with listening(app, self.port, sockets, self.host, shutdown_timeout=_SHUTDOWN_TIMEOUT):
            on_ready(self.address)
            await stop.wait()

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self.guard)
        app.router.add_get("/page.js", self.script)
        return app

    async def script(self, request: web.Request) -> web.FileResponse:
        """Return the script of the page."""
        return web.FileResponse(_FOLDER / "page.js")

    async def on_startup(self, app: web.Application) -> None:
        """Suppress the message of textual-serve, which appears before the port is known to be free."""

    async def on_shutdown(self, app: web.Application) -> None:
        """Close all pages, so that their apps end."""
        for visit in list(self._visits):
            await visit.close()

    @web.middleware
    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Reject requests without the token and requests of other pages, and set a policy for the page.

        Raises:
            HTTPForbidden: The request has a foreign host or origin or no token, or is a websocket without an origin.
        """
        self._reject_strangers(request)
        has_token = self._is_token(request.query.get("token", ""))
        if not has_token and not self._is_token(request.cookies.get(self._cookie, "")):
            raise web.HTTPForbidden(text="Open the complete address that inspector serve printed, including its token.")
        response = await handler(request)
        if not response.prepared:
            addresses = " ".join(f"ws://{place}" for place in self._places)
            response.headers["Content-Security-Policy"] = _POLICY.format(addresses=addresses)
            response.headers["Cache-Control"] = "no-store"
            response.headers["Referrer-Policy"] = "no-referrer"
            if has_token:
                response.set_cookie(self._cookie, self.token, httponly=True, samesite="Strict", path="/")
        return response

    def _reject_strangers(self, request: web.Request) -> None:
        origin = request.headers.get("Origin", "").lower()
        if request.host.lower() not in self._places or (origin and origin not in map("http://{}".format, self._places)):
            raise web.HTTPForbidden(text="Inspector only accepts requests from its own pages on this machine.")
        if request.path == "/ws" and not origin:
            raise web.HTTPForbidden(text="Inspector only accepts requests from browsers.")

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run an app for a page until either ends.

        Raises:
            HTTPServiceUnavailable: Too many pages are open.
        """
        most = limit("pages")  # each has an app that may hold a large session in memory
        if len(self._visits) >= most:
            raise web.HTTPServiceUnavailable(text=f"{most} pages are open. Close one first.")
        page = web.WebSocketResponse(heartbeat=15, max_msg_size=limit("page_message"))
        self._visits.add(page)
        visit = Visit(
            self._words,
            write_bytes=page.send_bytes,
            write_str=page.send_str,
            close=page.close,
            download_manager=self.download_manager,
        )
        try:
            await page.prepare(request)
            await visit.start(*_bounded_size(request.query.get("width"), request.query.get("height")))
            with suppress(ConnectionError, ValueError, TypeError, LookupError, AssertionError):  # whatever a page sends
                await self._process_messages(page, visit)
        finally:
            self._visits.discard(page)
            await visit.stop()
        return page


def _bounded_size(width: Any, height: Any) -> tuple[int, int]:
    """Return the nearest size in cells that an app is drawn in; 80 by 24 for values that are not numbers."""
    try:
        columns, rows = int(width), int(height)
    except (TypeError, ValueError, OverflowError):
        columns, rows = 80, 24
    return min(max(columns, _MIN_WIDTH), limit("terminal_width")), min(max(rows, _MIN_HEIGHT), limit("terminal_height"))


class Visit(AppService):
    """The process of one page, started without a shell.

    Args:
        words: Command line of the app.
        services: Callbacks to the page, as `AppService` takes them.
    """

    def __init__(self, words: Sequence[str], **services: Any) -> None:
        super().__init__(" ".join(words), **services)
        self._words = words
        self._pipe = -1

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        width, height = _bounded_size(width, height)
        environment = self._build_environment(width=width, height=height)
        descriptors: tuple[int, ...] = ()
        if sys.platform != "win32":
            watched, self._pipe = os.pipe()
            environment[SERVER_PIPE] = str(watched)
            descriptors = (watched,)
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, pass_fds=descriptors
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        assert process.stdin is not None
        self._stdin = process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        await super().set_terminal_size(*_bounded_size(width, height))

    async def stop(self) -> None:
        """Ask the app to quit, and kill it if it does not."""
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(super().stop(), _STOP_TIMEOUT)
        finally:
            self._task = None
            if self._pipe >= 0:
                os.close(self._pipe)
                self._pipe = -1
            if self._process is not None:
                if self._process.stdin is not None:
                    self._process.stdin.close()
                with suppress(ProcessLookupError, TimeoutError):
                    if self._process.returncode is None:
                        self._process.kill()
                    await asyncio.wait_for(self._process.wait(), _STOP_TIMEOUT)
