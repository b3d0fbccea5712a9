"""Pictures of the screen: new files that nobody else can read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.ui.app import InspectorApp
from inspector.ui.terminal_app import save_screenshot
from tests.driving import Opening, settled


async def test_a_picture_is_a_new_file_and_private(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    monkeypatch.chdir(folder)
    async with running() as pilot:
        assert isinstance(pilot.app, InspectorApp)
        for number in (1, 2):
            pilot.app.action_picture()
            await settled(pilot)
            files = sorted(folder.iterdir())
            assert len(files) == number
            told = [note.message for note in pilot.app._notifications]
            assert any(told == [f"Written: {file}"] for file in files)
    assert all("<svg" in file.read_text() and "@font-face" not in file.read_text() for file in files)
    if os.name != "nt":
        assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 2


def test_a_picture_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    assert save_screenshot("<svg/>", tmp_path / "nowhere").startswith("Cannot write the picture: ")
