"""Replaying over the recorded sessions beside the project, where there are any: no preset makes an invalid frame."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.replay.run import NONE, RECORDED, replay, window_at
from inspector.engine.compression.presets import PRESETS
from inspector.engine.window import at_turn
from inspector.formats import UnreadableError, find, load
from inspector.llm.models.prices import price_of
from inspector.llm.tokens.sizes import estimate_sizes
from tests.places import DATA
from tests.refusals import FIRST_ROLE, standing_refusals

MOST_BYTES = 5_000_000
MANY = 12
"""Sessions of each file that are replayed: those of one file are alike."""
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
FILES = [path for path in find(DATA) if path.stat().st_size < MOST_BYTES] if DATA.is_dir() else []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA))[:60])
def test_no_preset_makes_a_frame_that_a_provider_would_refuse(path: Path) -> None:
    try:
        sessions = load(path)[:MANY]
    except UnreadableError:
        return
    for session in sessions:
        sizes, price = estimate_sizes(session), price_of(session.model)
        for agent in session.agents:
            own = replay(session, sizes, RECORDED, price, agent)
            for turn in {1, own.turns // 2 + 1, own.turns + 1}:
                assert own.frames[turn - 1].total == at_turn(session, sizes, turn, agent).total
            for preset in (NONE, *PRESETS.values()):
                done = replay(session, sizes, preset, price, agent)
                assert done.new_problems == (), (preset.name, done.new_problems[:1])
                assert all(frame.total <= frame.full for frame in done.frames)
                for made in done.compactions[:6]:
                    after = window_at(session, sizes, done, made.turn)
                    refused = [text for _, text in standing_refusals(after, session.dialect) if text != FIRST_ROLE]
                    assert refused == [], (preset.name, made.turn)
