"""What is in the window at a turn has one answer: of the app, a replay, its engine and a comparison.

That the store agrees, `test_store_tiers` says.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.replay.context_growth import uncompacted_session, uncompacted_sizes
from inspector.analysis.replay.paired_walk import Lane, PairedWalk, message_key
from inspector.analysis.replay.run import NONE, RECORDED, ReplayRun, window_at
from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.compression import recall_in, with_recall
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.strategies import STRATEGIES, Services
from inspector.engine.window import SECTIONS, Window, at_turn, view
from inspector.formats import load
from inspector.library import Workbench
from inspector.llm.models.prices import Price
from inspector.llm.tokens import Sizes, estimate_sizes
from tests.driving import SAMPLES
from tests.generated import conversations, sized

PRICE = Price(1.0, 4.0, 0.1, 1.25)
LEAN = replace(PRESETS["balanced"], threshold=6_000)
SWAP = Preset("swap", 6_000, strategy="vector_swap", settings={"keep_last": 10})
SESSIONS = sorted(path for path in SAMPLES.iterdir() if path.suffix in (".jsonl", ".json"))


def contents(window: Window) -> tuple[object, ...]:
    """All that tells one window of a session from another. Summaries are told by what they say."""
    messages = [said(message) for message in window.messages]
    return messages, window.turn, window.tokens, window.unrecorded, window.reported, window.had_messages


def said(message: Message) -> tuple[object, ...]:
    return message.id, message.role, message.kind, message.text


def check_every_turn(session: Session, sizes: Sizes, preset: Preset, agent: str = MAIN) -> None:
    """Replay a session, and hold every window against those that the other parts of the program build."""
    run = ReplayRun(session, sizes, preset, PRICE, agent)
    windows = [(frame, with_recall(run.engine.window(), frame.back)) for frame in run.frames()]
    done = run.replay()
    log, log_sizes = session, sizes
    if preset != RECORDED:
        log, log_sizes = uncompacted_session(session), uncompacted_sizes(session, sizes)
    bench = Workbench(log, log_sizes, {agent: done.plans})
    lane = Lane(session, sizes, done)
    walk = PairedWalk(lane, lane, message_key(lane, lane), (1, 1))
    for (frame, window), (side, _) in zip(windows, walk.sides, strict=True):
        recorded = at_turn(log, log_sizes, frame.turn, agent)
        seen = view(recorded, done.plans)
        expected = contents(with_recall(seen, recall_in(recorded, seen, done.plans, Services())))
        assert contents(window) == expected
        assert contents(window_at(session, sizes, done, frame.turn)) == expected
        assert contents(bench.preview(frame.turn, agent).before) == expected
        assert side is not None and [said(message) for message in side.messages] == expected[0]
        assert frame.sections == tuple(window.breakdown[name].tokens for name in SECTIONS)
        assert len(side.keys) == frame.messages == len(window.messages)


def presets() -> st.SearchStrategy[Preset]:
    drawn = st.builds(
        Preset, st.just("drawn"), st.integers(60, 900), st.just(0.3), st.integers(0, 4), st.sampled_from([*STRATEGIES])
    )
    return st.sampled_from([NONE, RECORDED]) | drawn


@given(conversations(most=14), presets())
def test_all_windows_of_a_generated_session_agree(session: Session, preset: Preset) -> None:
    for agent in session.agents:
        check_every_turn(session, sized(session), preset, agent)


@cache
def loaded(path: Path) -> tuple[Session, ...]:
    return tuple(load(path))


@pytest.mark.parametrize("preset", [RECORDED, NONE, LEAN, SWAP], ids=lambda preset: preset.name)
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_all_windows_of_a_sample_session_agree(path: Path, preset: Preset) -> None:
    for session in loaded(path)[:3]:
        for agent in session.agents[:2]:
            check_every_turn(session, estimate_sizes(session), preset, agent)
