"""The log as a replay is fed it: Inspect shows on it just the windows that the replay had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.replay.context_growth import uncompacted_session, uncompacted_sizes
from inspector.analysis.replay.run import NONE, replay, window_at
from inspector.core.conversation import Session
from inspector.engine.compression.presets import PRESETS, Preset
from inspector.engine.window import at_turn
from inspector.engine.window.plan import view
from inspector.library import resolve
from inspector.llm.models.prices import Price
from inspector.llm.tokens.sizes import estimate_sizes
from tests.driving import SAMPLES
from tests.generated import Ask, Reply, Summary, recorded, sized

PRICE = Price(1.0, 4.0, 0.1, 1.25)
LONG = "word " * 20


def opened(path: Path) -> Session:
    return resolve(str(path), None).session


@pytest.mark.parametrize("name", ["coding-agent.jsonl", "research.json"])
@pytest.mark.parametrize("preset", [NONE, *PRESETS.values()], ids=lambda preset: preset.name)
def test_the_window_of_every_turn_is_that_of_the_replay(name: str, preset: Preset) -> None:
    session = opened(SAMPLES / name)
    sizes = estimate_sizes(session)
    done = replay(session, sizes, preset, PRICE)
    joined, sizes_of_log = uncompacted_session(session), uncompacted_sizes(session, sizes)
    for frame in done.frames[:: max(1, len(done.frames) // 12)]:
        seen = view(at_turn(joined, sizes_of_log, frame.turn), done.plans)
        meant = window_at(session, sizes, done, frame.turn)
        assert seen.ids == meant.ids and seen.total == meant.total


def test_a_session_that_was_never_compacted_stays_the_very_same() -> None:
    session = opened(SAMPLES / "research.json")
    assert uncompacted_session(session) is session


def test_a_compaction_that_is_undone_takes_its_unrecorded_rest_with_it() -> None:
    session = recorded([Ask(), Reply(), Ask(), Reply(), Summary(fresh=True), Reply(), Ask(), Reply(), Ask()])
    start = next(position for position, message in enumerate(session) if message.kind == "summary")
    count = len(session.messages)
    levels = [700] * start + [900] * (count - start - 2) + [1_000, 300]
    alone = uncompacted_sizes(session, replace(sized(session), levels=levels))
    assert list(alone.levels) == [700] * (count - 2) + [800, 800], "less was sent: something was cleared unseen"
    assert uncompacted_sizes(session, sized(session)).levels == ()


def test_an_unrecorded_rest_is_never_less_than_nothing() -> None:
    """Behind a compaction more of it went than there was before: the context had grown by far more meanwhile."""
    session = recorded([Ask(), Reply(), Summary(fresh=True), Ask(LONG * 40), Reply(), Ask()])
    start = next(position for position, message in enumerate(session) if message.kind == "summary")
    count = len(session.messages)
    levels = [100] * start + [900] + [300] * (count - start - 1)
    alone = uncompacted_sizes(session, replace(sized(session), levels=levels))
    assert alone.levels[-1] == 0 and min(alone.levels) == 0


def test_a_rest_that_becomes_less_while_the_window_grows_stays_as_it_is() -> None:
    session = recorded([Ask(LONG), Reply(LONG), Ask(LONG), Reply(LONG), Ask(LONG)])
    sizes = replace(sized(session), levels=[700, 700, 690, 690, 690])
    assert uncompacted_sizes(session, sizes) is sizes


@pytest.mark.parametrize("name", ["coding-agent.jsonl", "damaged.jsonl", "three-agents.jsonl"])
def test_without_compression_no_window_is_smaller_than_the_one_before(name: str) -> None:
    session = opened(SAMPLES / name)
    totals = [frame.total for frame in replay(session, estimate_sizes(session), NONE, PRICE).frames]
    assert totals == sorted(totals)


def test_positions_and_ids_stay_where_they_are() -> None:
    session = opened(SAMPLES / "coding-agent.jsonl")
    assert session.compactions
    joined = uncompacted_session(session)
    assert [message.id for message in joined] == [message.id for message in session]
    assert not joined.compactions
