"""The app stands on sessions that are hardly any: every screen opens, and every key does what it can.

With SEARCH=1 all of them are tried, with more keys.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.calling import written
from tests.cli.odd_sessions import ODD
from tests.driving import Opening, press

EVERYTHING = "SEARCH" in os.environ
NAMES = list(ODD) if EVERYTHING else ["empty"]
KEYS = {
    "2": "home left enter escape c s enter + x escape ! escape e escape",
    "3": "right r enter escape",
    "4": "down + enter escape",
}
MORE = {
    "2": "C l escape o escape a u p p d u n t escape w escape m escape > tab v escape ? escape",
    "3": "s escape f escape space space end",
    "4": "v escape c escape m w escape e escape f escape",
    "1": "down up enter",
}


@pytest.mark.parametrize("name", NAMES)
async def test_every_screen_stands_on_it(
    running: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path / f"{name}.{'jsonl' if isinstance(ODD[name], list) else 'json'}", ODD[name])
    async with running(file) as pilot:
        said: list[str] = []
        monkeypatch.setattr(pilot.app, "notify", lambda message, **_: said.append(message))
        for keys in (KEYS, MORE) if EVERYTHING else (KEYS,):
            for mode, words in keys.items():
                await press(pilot, mode, *words.split())
        assert pilot.app.is_running
    assert [sentence for sentence in said if "went wrong" in sentence] == []
