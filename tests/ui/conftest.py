"""The app in a test: no colour settings from outside, no blinking cursor, a store in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import _wait
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.library import Library
from inspector.ui.app import InspectorApp
from tests.driving import LatePainting, Opening, Writer, settled
from tests.samples_once import read_samples_once

GLANCE = 0.004
"""Seconds between two looks at whether the app is idle. Textual's own 0.02 is most of what these tests would take."""
RULES: dict[tuple[Any, ...], list[RuleSet]] = {}
"""What the stylesheets of all apps in this process were read to, with their colours."""
_read = Stylesheet._parse_rules


def read_once(
    sheet: Stylesheet,
    css: str,
    read_from: CSSLocation,
    is_default_rules: bool = False,
    tie_breaker: int = 0,
    scope: str = "",
) -> list[RuleSet]:
    """The rules of a source: as the sheet keeps them, else as the first app with the same colours read them."""
    source = (css, read_from, is_default_rules, tie_breaker, scope)
    if source not in sheet._parse_cache:
        coloured = (*source, frozenset(sheet._variables.items()))
        if coloured not in RULES:
            RULES[coloured] = _read(sheet, *source)
        sheet._parse_cache[source] = RULES[coloured]
    return sheet._parse_cache[source]


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where an export goes that is not named otherwise
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "presets.toml"))
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(Stylesheet, "_parse_rules", read_once)
    monkeypatch.setattr(Compositor, "render_update", lambda *args, **facts: LatePainting.render_update(*args, **facts))
    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", GLANCE)
    monkeypatch.setattr(_wait, "SLEEP_IDLE", GLANCE / 10)
    read_samples_once(monkeypatch)


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
