"""The invariants once more, over the recorded sessions beside the project, where there are any."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.conversation import MAIN, Session
from inspector.formats import Unreadable, find, load
from inspector.strategies import STRATEGIES, draft_plan
from inspector.tokens.sizes import quick
from inspector.window.diff import diff
from inspector.window.plan import apply
from inspector.window.validity import OPENING, problems
from inspector.window.window import Window, at_turn

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
MOST_BYTES = 2_500_000
MOST_SESSIONS = 3
"""Taken from each file: the sessions of one file are alike."""

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
FILES = [path for path in find(DATA) if path.stat().st_size < MOST_BYTES] if DATA.is_dir() else []


@cache
def sessions(path: Path) -> tuple[Session, ...]:
    try:
        return tuple(load(path)[:MOST_SESSIONS])
    except Unreadable:
        return ()


def windows(path: Path) -> Iterator[Window]:
    """The context as it now stands, and the one in the middle, of every agent."""
    for session in sessions(path):
        sizes = quick(session)
        for agent in session.agents:
            for turn in {None, len(session.turns(agent)) // 2 + 1}:
                yield at_turn(session, sizes, turn, agent)


def choices(name: str) -> list[dict[str, Any]]:
    """Settings to try: as they start, all at their low ends, and few messages kept."""
    knobs = STRATEGIES[name].knobs
    few = {each.name: 5 for each in knobs if each.name in ("keep_recent", "max_messages")}
    return [{}, {each.name: each.clamp(each.low) for each in knobs if each.high > each.low}, few]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA))[:60])
def test_every_strategy_keeps_a_recorded_session_sound(path: Path) -> None:
    for window in windows(path):
        asked = any(message.role == "user" for message in window.messages)
        for name in STRATEGIES:
            for settings in choices(name):
                plan = draft_plan(window, name, settings)
                after = apply(window, plan)
                refused = [each.text for each in problems(after) if asked or each.text != OPENING]
                assert refused == [], (name, settings)
                assert after.total <= window.total
                stays = [window.messages[place] for place in (window.task, window.request) if place is not None]
                assert all(message in after.messages for message in stays)
                assert len(diff(window, after, [plan])) == len(window.ids) + len(plan.summaries)
                assert not draft_plan(after, name, plan.settings).alters, (name, settings)


def test_some_of_them_could_be_read() -> None:
    assert any(len(session.turns(MAIN)) > 20 for path in FILES for session in sessions(path))
