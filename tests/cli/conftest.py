"""Every command here runs with a store, presets, a home and agents' folders of its own, in a terminal of 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import chat, written
from tests.samples_once import read_samples_once


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "store" / "inspector.db"))
    monkeypatch.setenv("INSPECTOR_PRESETS", str(tmp_path / "settings" / "presets.toml"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("COLUMNS", "80")
    read_samples_once(monkeypatch)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A chat request with tools: a file to look at."""
    return written(tmp_path / "log.json", chat())
