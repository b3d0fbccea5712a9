"""The app in a test: no colour settings from outside, no blinking cursor, a store in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import _wait
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.library import Library
from inspector.ui.app import InspectorApp
from tests.driving import Opening, Writer, settled

GLANCE = 0.004
"""Seconds between two looks at whether the app is idle. Textual's own 0.02 is most of what these tests would take."""


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where an export goes that is not named otherwise
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "presets.toml"))
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", GLANCE)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", GLANCE / 10)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(tmp_path / "store.db", required=True) as library:
        yield library


@pytest.fixture
def running(library: Library) -> Opening:
    """Run the app on targets, and hand over the pilot when nothing is going on any more."""

    @asynccontextmanager
    async def run(*targets: Path | str, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
        app = InspectorApp([str(target) for target in targets], library, look_around=False)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            yield pilot

    return run


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Write a value as a JSON file and give back where."""

    def write_json(name: str, value: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return write_json
