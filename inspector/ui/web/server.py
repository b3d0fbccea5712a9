"""Serves the app to browsers on this machine, each visit a process of its own.

Whoever reaches the server reads every session and may press every key. So it listens on the loopback interface alone,
answers only requests that name it as such, and lets no page from elsewhere connect: a browser opens connections to
this machine for any page that asks. Its own page fetches nothing from anywhere else.
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
"""Seconds that open pages have for ending, once the server is asked to."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src {address}; frame-ancestors 'none'"
)
"""What the page may load: nothing from anywhere else, whatever a script of it asks for."""


class LocalServer(Server):
    """textual-serve's server with a page of our own, for this machine only."""

    def __init__(self, words: Sequence[str], port: int) -> None:
        """`words` are the command of the app."""
        super().__init__(_command_line(words), host=HOST, port=port, title="Inspector", templates_path=_FOLDER)

    def run(self, on_progress: Callable[[str], None]) -> None:
        """Serve until an interrupt; `on_progress` hears the address. Raises OSError where the port is taken."""
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
        """Without the words of textual-serve, which come before the port is known to be free."""

    @web.middleware
    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Refuse what does not come from a page of this server; let its own page load nothing from elsewhere."""
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
    """A command for the shell of this system, which takes each word as it is."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
