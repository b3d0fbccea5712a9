"""One visit of the served app: a process that ends with its page and with its server."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from textual_serve.app_service import AppService

from inspector.core.limits import limit

SERVER_PIPE = "INSPECTOR_SERVER_PIPE"
"""Environment variable with the file descriptor of a pipe that closes when the visit or the server ends."""
_MIN_WIDTH, _MIN_HEIGHT = 20, 6
"""Minimum size of a terminal in cells. A page can ask for any size, and drawing takes memory for every cell."""
_STOP_TIMEOUT = 2.0
"""Seconds that the app has to quit by itself after its page has closed."""


def bounded_size(width: Any, height: Any) -> tuple[int, int]:
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
        width, height = bounded_size(width, height)
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
        await super().set_terminal_size(*bounded_size(width, height))

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
