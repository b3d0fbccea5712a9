"""The invariants once more, over the recorded sessions beside the project, where there are any."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, Session
from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.window_diff import diff_windows
from inspector.engine.work_state import without_block
from inspector.formats import UnreadableError, find, load
from inspector.llm.providers import PROVIDERS
from inspector.llm.tokens.sizes import estimate_sizes
from tests.engine.strategies.passes import CHECKS, Pass, Stack, held_for_good
from tests.places import DATA, some_of_each
from tests.refusals import FIRST_ROLE, standing_refusals

MOST_BYTES = 5_000_000
CLOSELY = 12
"""Sessions of each file that everything is tried on: those of one file are alike."""
MANY = 200
"""Sessions of each file that something is tried on."""

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
FILES = some_of_each((path for path in find(DATA) if path.stat().st_size < MOST_BYTES), 3) if DATA.is_dir() else []
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA))[:60])

PARTS = 10 if "SEARCH" in os.environ else 3
"""Windows that are tried of each agent's session, the last of them as it stands at its end."""
Settings = Mapping[str, Any]
PIPELINES = (
    "clear_thinking; dedupe; trim_outputs; mask_observations; sliding_window",
    "dedupe reads=false; clear_tool_uses keep=1 clear_inputs=true; head_tail head=2 tail=4 middle=summarised",
    "vector_swap keep_last=6 k=2; importance",
    "trim_outputs longest=300; selective keep_recent=4; amortized limit=10; deletion keep_recent=1",
)
STACKS: tuple[tuple[tuple[str, Settings], ...], ...] = (
    *(tuple(("sliding_window", {"keep_recent": keep}) for keep in (40, 20, 10, 5, 1)) for _ in range(1)),
    tuple(("selective", {"keep_recent": keep, "target": 200 * keep}) for keep in (30, 20, 10, 5, 0)),
    tuple(("vector_swap", {"keep_last": keep, "k": 3}) for keep in (30, 20, 10, 5, 0)),
    tuple(("summarize_half", {"max_tokens": most}) for most in (50_000, 20_000, 8_000, 2_000, 0)),
    (("dedupe", {}), ("trim_outputs", {"longest": 500}), ("selective", {}), ("auto", {}), ("token_window", {})),
    (("clear_thinking", {}), ("importance", {}), ("vector_swap", {}), ("amortized", {"limit": 8}), ("pipeline", {})),
)
"""Five passes in a row: of one strategy, each time with less to keep, and of several."""


@cache
def sessions(path: Path) -> tuple[Session, ...]:
    try:
        return tuple(load(path)[:MANY])
    except UnreadableError:
        return ()


def windows(session: Session) -> Iterator[Window]:
    """The context as it now stands, and two on the way (with SEARCH=1 nine), of every agent."""
    sizes = estimate_sizes(session)
    for agent in session.agents:
        turns = len(session.turns(agent))
        for turn in sorted({turns * part // PARTS + 1 for part in range(1, PARTS + 1)}):
            yield at_turn(session, sizes, turn, agent)


def choices(name: str) -> list[Settings]:
    """Settings to try: as they start, all at their low ends, and few messages kept."""
    if name == "pipeline":
        return [{}, *({"stages": stages, "target": 0} for stages in PIPELINES)]
    knobs = STRATEGIES[name].knobs
    few = {item.name: 5 for item in knobs if item.name in ("keep_recent", "max_messages", "keep_last", "limit")}
    few |= {item.name: 400 for item in knobs if item.name == "state_tokens"}
    return [{}, {item.name: item.clamp(item.low) for item in knobs if item.high > item.low}, few]


def check(done: Pass, recorded: Window) -> None:
    """What must hold for any pass over a recorded window, or over what passes before it have left."""
    window, after, plan = done.before, done.after, done.plan
    what = (plan.strategy, dict(plan.settings))
    assert after.total <= window.total, what
    assert held_for_good(recorded) <= set(after.messages), what
    assert [m for m in after.messages if m.role == "system"] == [m for m in window.messages if m.role == "system"], what
    assert after.total == sum(size.tokens for size in after.breakdown.values()), what
    gone = {name for name, fate in plan.by_id.items() if fate.leaves}
    assert set(after.ids) == set(window.ids) - gone | {summary.id for summary in plan.summaries}, what
    assert all(fate.reason for fate in plan.fates), what
    blocks = [text.removesuffix(without_block(text)) for text in (summary.text for summary in plan.summaries)]
    assert sum(map(bool, blocks)) <= 1, what
    assert all(window.sizes.counter.count(block) <= 400 for block in blocks), what
    if plan.has_failed:
        assert after.messages == window.messages and plan.note, what
        return
    requests = any(message.role == "user" for message in recorded.messages)
    for provider in CHECKS:
        assert [text for _, text in standing_refusals(after, provider) if requests or text != FIRST_ROLE] == [], (
            what,
            provider,
        )


def exported(window: Window) -> None:
    for provider, refusals in CHECKS.items():
        assert refusals(PROVIDERS[provider].request(window.context, window.messages)) == [], provider


@each_file
def test_every_strategy_keeps_a_recorded_session_sound_and_every_provider_takes_what_is_left(path: Path) -> None:
    for session in sessions(path)[:CLOSELY]:
        requests: dict[tuple[int, ...], Any] = {}
        """The messages that requests have been made of, by which ones they are: many plans come to the same."""
        now = len(session.turns(MAIN)) + 1
        for window in windows(session):
            is_now = window.agent == MAIN and window.turn == now
            for name in STRATEGIES:
                for place, settings in enumerate(choices(name)):
                    result = Pass(window, name, settings)
                    check(result, window)
                    assert len(diff_windows(window, result.after, [result.plan])) == len(window.ids) + len(
                        result.plan.summaries
                    )
                    assert not draft_plan(result.after, name, result.plan.settings).alters, (name, settings)
                    same = tuple(map(id, result.after.messages))
                    if is_now and place >= len(choices(name)) - 2 and same not in requests:
                        requests[same] = result.after.messages
                        exported(result.after)


@each_file
def test_five_compressions_in_a_row_keep_a_recorded_session_sound(path: Path) -> None:
    for session in sessions(path)[:CLOSELY]:
        for window in windows(session):
            for moves in STACKS:
                stack = Stack(window)
                for name, settings in moves:
                    check(stack.put(name, settings), window)
                    known = {message.id for message in stack.now.messages if message.kind == "summary"}
                    assert known or not any(message.kind == "summary" for message in window.messages)
                exported(stack.now)


@each_file
def test_all_sessions_of_a_file_can_be_compressed(path: Path) -> None:
    for session in sessions(path)[CLOSELY:]:
        window = at_turn(session, estimate_sizes(session))
        for name in STRATEGIES:
            result = Pass(window, name, choices(name)[-1])
            check(result, window)
            assert not draft_plan(result.after, name, result.plan.settings).alters, name


def test_some_of_them_could_be_read() -> None:
    assert any(len(session.turns(MAIN)) > 20 for path in FILES for session in sessions(path))
