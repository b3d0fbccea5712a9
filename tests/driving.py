"""Driving the app in tests: waiting until it is done, pressing keys, and a chat to press them on."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from textual._compositor import Compositor
from textual.app import App
from textual.events import Key
from textual.keys import _character_to_key, key_to_character
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import Inspect
from tests.places import SESSIONS

Opening = Callable[..., AbstractAsyncContextManager[Pilot[None]]]
Writer = Callable[[str, Any], Path]
SAMPLES = SESSIONS


class LatePainting:
    """Stands in for the painting of a screen, half of what it takes to answer a key: what nobody looks at is left out.

    What changes is painted once the app has settled, and whenever the whole screen is asked for.
    """

    _paint = Compositor.render_update
    is_due = False

    @classmethod
    def render_update(cls, compositor: Compositor, full: bool = False, **facts: Any) -> RenderableType | None:
        return cls._paint(compositor, full, **facts) if full or cls.is_due else None

    @classmethod
    def paint(cls, app: App[None]) -> None:
        cls.is_due = True
        try:
            with app._context():
                app.screen._compositor_refresh()
        finally:
            cls.is_due = False


async def settled(pilot: Pilot[None], *, paints: bool = True) -> None:
    """Wait until no worker runs, no key is held, and everything has been painted."""
    quiet = 0
    while quiet < 3:  # a worker that ends may lead to another one
        is_busy = any(not worker.is_finished for worker in pilot.app.workers)
        app = pilot.app
        has_keys = isinstance(app, InspectorApp) and app.failure is None and not app.early_keys.is_idle
        quiet = 0 if is_busy or has_keys else quiet + 1
        with suppress(WorkerCancelled):  # its screen was closed, by its own result for example
            await pilot.app.workers.wait_for_complete()
        if isinstance(pilot.app, InspectorApp):
            await asyncio.to_thread(pilot.app.writes.wait)
        await pilot.pause()
    if paints and pilot.app.is_running:
        LatePainting.paint(pilot.app)


async def until(pilot: Pilot[None], holds: Callable[[], object]) -> None:
    """Wait, for a minute at most, for something that comes while a worker runs."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it did not come to be"
        await pilot.pause(0.02)


class Word(str):
    """Characters that are typed in one go, as `press` takes a key."""


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the app has answered the one before it. The answer to the last one is painted."""
    for number, key in enumerate(keys, 1):
        if isinstance(key, Word):
            await burst(pilot, *key)
        else:
            await pilot.press(key)
            await settled(pilot, paints=number == len(keys))


def inspect_screen(pilot: Pilot[None]) -> Inspect:
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, Inspect)
    return screen


def chat(steps: int = 20, words: int = 60) -> dict[str, Any]:
    """A chat request: a task, steps with a tool call each, a second request near the end."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You keep the archive in order. Never delete an original."},
        {"role": "user", "content": "Sort the scans of 1968 into albums, please."},
    ]
    for step in range(steps):
        call = {
            "id": f"call_{step}",
            "type": "function",
            "function": {"name": "list_scans", "arguments": json.dumps({"box": step})},
        }
        messages.append({"role": "assistant", "content": f"Opening box {step}.", "tool_calls": [call]})
        scans = " ".join(f"scan-{step:02}-{number:03}.tif" for number in range(words))
        messages.append({"role": "tool", "tool_call_id": f"call_{step}", "content": scans})
    messages.append({"role": "assistant", "content": "All boxes are listed."})
    messages.append({"role": "user", "content": "Which box holds scan-03-007?"})
    return {"model": "gpt-4o", "messages": messages}


async def burst(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a slow line delivers them: all in one read, none of them answered before the last has come."""
    for key in keys:
        send_key(pilot, key)
    await settled(pilot)


def send_key(pilot: Pilot[None], key: str) -> None:
    """Press a key, by its name or as the character itself, and wait for nothing."""
    driver = pilot.app._driver
    assert driver is not None
    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    event = Key(name, key if len(key) == 1 else key_to_character(name))
    event.set_sender(pilot.app)
    driver.send_message(event)
