"""Serves the app to browsers on this machine, with a separate process for each visit.

Anyone who reaches the server can read every session and press every key. It therefore listens on the loopback interface
only, answers only requests addressed to it, and rejects connections from other pages: a browser opens connections to
this machine for any page that asks. Its own page loads nothing from other servers.
"""

from __future__ import annotations

import logging
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
_FOLDER = Path(__file__).parent
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_SHUTDOWN_TIMEOUT = 1.0
"""Seconds that open pages have to end after a shutdown is requested."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src {address}; frame-ancestors 'none'"
)
"""Content Security Policy: the page cannot load anything from other servers, even if a script tries to."""


class LocalServer(Server):
    """The server of textual-serve with a custom page, for this machine only."""

    def __init__(self, words: Sequence[str], port: int) -> None:
        """Create the server; `words` are the command line of the app."""
        super().__init__(_command_line(words), host=HOST, port=port, title="Inspector", templates_path=_FOLDER)

    def run(self, on_progress: Callable[[str], None]) -> None:
        """Serve until interrupted, and call `on_progress` with the address once it is ready.

        Raises:
            OSError: The port is in use.
        """
        logging.getLogger("textual-serve").addHandler(logging.NullHandler())
        web.run_app(
            self._make_app(),
            host=self.host,
            port=self.port,
            print=lambda _: on_progress(self.public_url),
            shutdown_timeout=_SHUTDOWN_TIMEOUT,
        )

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self.guard)
        app.router.add_get("/page.js", self.script)
        return app

    async def script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_FOLDER / "page.js")

    async def on_startup(self, app: web.Application) -> None:
        """Suppress the message of textual-serve, which appears before the port is known to be free."""

    @web.middleware
    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Reject requests that do not come from a page of this server, and set a policy for its own page.

        Raises:
            HTTPForbidden: The request has a foreign host or origin, or is a websocket request without an origin.
        """
        places = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        origin = request.headers.get("Origin", "")
        if request.host not in places or (origin and origin not in [f"http://{place}" for place in places]):
            raise web.HTTPForbidden(text="Inspector answers only pages of its own, on this machine.")
        if request.path == "/ws" and not origin:
            raise web.HTTPForbidden(text="Inspector answers only browsers.")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = _POLICY.format(address=f"ws://{HOST}:{self.port}")
            response.headers["Cache-Control"] = "no-store"
        return response


def _command_line(words: Sequence[str]) -> str:
    """Return a command line for this system's shell that passes each word unchanged."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
