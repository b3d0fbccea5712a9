"""The keeper once more, fed with the recorded sessions beside the project, where there are any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.compression.engine import CompressionEngine
from inspector.engine.compression.policy import Policy
from inspector.engine.compression.presets import BUILT_IN
from inspector.engine.compression.threshold import Scale
from inspector.engine.window.plan import Fate
from inspector.engine.window.window import message_faults
from inspector.formats import UnreadableError, find, load
from inspector.llm.tokens.sizes import estimate_sizes
from tests.places import DATA
from tests.refusals import FIRST_ROLE, standing_refusals

MOST_BYTES = 2_500_000

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
FILES = [path for path in find(DATA) if path.stat().st_size < MOST_BYTES] if DATA.is_dir() else []


def fed(session: Session, policy: Policy) -> Iterator[CompressionEngine]:
    """A keeper after each compression of a session, and at its end."""
    sizes = estimate_sizes(session)
    keeper = CompressionEngine(policy, session.context, sizes)
    for message, tokens in zip(session.messages, sizes.tokens, strict=True):
        if message.agent == MAIN:
            keeper.append(message, tokens)
            if keeper.due and keeper.compress():
                yield keeper
    yield keeper


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA))[:60])
def test_a_recorded_session_is_kept_sound_under_every_preset(path: Path) -> None:
    try:
        session = load(path)[0]
    except UnreadableError as error:
        pytest.skip(str(error))
    whole = sum(estimate_sizes(session).tokens)
    for preset in BUILT_IN.values():
        policy = Policy.of(preset, Scale(40_000, 1_000))
        policy = replace(policy, threshold=max(1_000, min(policy.threshold, whole // 4)))
        for keeper in fed(session, policy):
            context = keeper.context()
            refused = {words for _, words in standing_refusals(context, session.dialect)}
            assert refused - {FIRST_ROLE} == set(), preset.name
            assert keeper.total == keeper.window().total
            assert stays(keeper) <= set(context.messages)
            assert lost(keeper) == set()


def stays(keeper: CompressionEngine) -> set[Message]:
    """The task and the current request, where a provider takes them as they are."""
    log = keeper.full_window()
    flawed = {None, *message_faults(log)}
    return {log.messages[place] for place in {log.task, log.request} - flawed if place is not None}


def lost(keeper: CompressionEngine) -> set[str]:
    """Ids of messages that are gone without a fate that says so."""
    fates: dict[str, Fate] = {}
    for plan in [*keeper.plans, keeper.repair_plan()]:
        fates |= {name: fate for name, fate in plan.by_id.items() if fate.leaves}
    return set(keeper.full_window().ids) - set(keeper.context().ids) - fates.keys()


def test_some_of_them_were_compressed() -> None:
    sessions = [load(path)[0] for path in FILES if "claude-code" in str(path)]
    policy = Policy(threshold=5_000)
    assert any(sum(1 for _ in fed(session, policy)) > 3 for session in sessions)
