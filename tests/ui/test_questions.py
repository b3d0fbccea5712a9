"""The questions of docs/questions.md: at most three keys lead from the library to the answer on the screen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.library import Library
from inspector.ui.app import InspectorApp
from inspector.ui.screens.sessions import SessionList
from tests.driving import SAMPLES, press, settled
from tests.places import ROOT

PAGE = ROOT / "docs" / "questions.md"
ROW = re.compile(r"\| (?P<question>[^|]+\?) \| `(?P<file>[^`|]+)` \| (?P<keys>(?:`[^`|]+` ?)+)\| (?P<answer>[^|]+) \|")
QUESTIONS = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def test_there_are_eight_and_none_takes_more_than_three_keys() -> None:
    assert len(QUESTIONS) == 8
    assert all(len(re.findall(r"`[^`]+`", row["keys"])) <= 3 for row in QUESTIONS)


def text_of(pilot: Pilot[Any]) -> str:
    """All that is on the screen, each run of spaces as one."""
    strips = pilot.app.screen._compositor.render_strips()
    return " ".join(" ".join(strip.text for strip in strips).split())


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
async def test_the_keys_lead_to_the_answer(library: Library, row: dict[str, str]) -> None:
    app = InspectorApp([str(SAMPLES)], library, look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.screen.query_one(SessionList).go_to(SAMPLES.resolve() / row["file"])
        await press(pilot, *re.findall(r"`([^`]+)`", row["keys"]))
        for words in re.findall(r"“([^”]+)”", row["answer"]):
            assert words in text_of(pilot), text_of(pilot)
