"""Pictures of the screen: new files that nobody else can read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.ui.screenshots import save_screenshot
from tests.driving import Opening, settled


async def test_a_picture_is_a_new_file_and_private(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "pictures"))
    async with running() as pilot:
        for number in (1, 2):
            pilot.app.deliver_screenshot("inspector.svg", str(tmp_path / "pictures"))
            await settled(pilot)
            name = "inspector.svg" if number == 1 else "inspector-2.svg"
            told = [note.message for note in pilot.app._notifications]
            assert told == [f"Written: {tmp_path / 'pictures' / name}"]
    files = sorted((tmp_path / "pictures").iterdir())
    assert [file.name for file in files] == ["inspector-2.svg", "inspector.svg"]
    assert all("<svg" in file.read_text() and "@font-face" not in file.read_text() for file in files)
    if os.name != "nt":
        assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 2


def test_a_picture_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = save_screenshot("<svg/>", None, str(tmp_path / "file" / "deeper"))
    assert told.startswith("The picture was not written: ")
