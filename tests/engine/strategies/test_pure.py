"""Strategies depend on the window and their settings alone: not on what was asked before, and no more than linearly."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.engine.strategies import STRATEGIES, draft_plan
from inspector.engine.window import Window, at_turn
from inspector.engine.window.plan import Plan, apply
from inspector.llm.providers import message_from_raw
from tests.benchmarks.conversations import conversation
from tests.engine.strategies.passes import SUMMARISING
from tests.generated import LETTERS, Recipe, moves, recipes, sized
from tests.growth import calls_made


def written_down(plan: Plan) -> dict[str, Any]:
    """Everything that a plan says, down to the raw messages, fit to be compared with another session's."""
    return {
        "strategy": plan.strategy,
        "settings": dict(plan.settings),
        "fates": plan.by_id,
        "changed": {name: repr(message.raw) for name, message in plan.rewrites.items()},
        "summaries": [(summary.id, repr(summary.raw)) for summary in plan.summaries],
        "turn": plan.turn,
        "note": plan.note,
        "failed": plan.has_failed,
        "scores": {name: dict(score.parts) for name, score in plan.scores.items()},
    }


@given(recipes(), st.data())
def test_two_sessions_made_of_the_same_steps_get_the_same_plan_and_window(recipe: Recipe, data: st.DataObject) -> None:
    first, second = recipe.window(), recipe.window()
    move = data.draw(moves(first))
    plans = draft_plan(first, *move), draft_plan(second, *move)
    assert written_down(plans[0]) == written_down(plans[1])
    after = apply(first, plans[0]), apply(second, plans[1])
    assert [repr(message.raw) for message in after[0].messages] == [repr(message.raw) for message in after[1].messages]
    assert after[0].tokens == after[1].tokens


@given(recipes(most=14), st.data())
def test_what_was_asked_before_of_a_session_makes_no_difference(recipe: Recipe, data: st.DataObject) -> None:
    fresh, session = recipe.window(), recipe.session()
    for _ in range(data.draw(st.integers(1, 4))):
        other = replace(recipe, turn=data.draw(st.integers(1, len(session.turns(recipe.agent)) + 1))).window(session)
        apply(other, draft_plan(other, *data.draw(moves(other))))
    move = data.draw(moves(fresh))
    assert written_down(draft_plan(recipe.window(session), *move)) == written_down(draft_plan(fresh, *move))


@dataclass(frozen=True)
class Watched:
    """A counter that remembers what it was given."""

    texts: Counter[str] = field(default_factory=Counter)
    name: str = "watched"

    def count(self, text: str) -> int:
        self.texts[text] += 1
        return LETTERS.count(text)


def agent_at_work(count: int) -> Session:
    raws = conversation(count)
    messages = tuple(message_from_raw(f"m{at}", raw, "openai", parent=at - 1) for at, raw in enumerate(raws))
    return Session("s", "A session", "test", messages, "some-model")


def low(name: str) -> dict[str, Any]:
    """Settings with which a strategy has much to do."""
    return {item.name: item.clamp(item.low) for item in STRATEGIES[name].knobs if item.high > item.low}


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_a_message_of_the_log_is_never_counted_again_and_a_new_one_once(name: str) -> None:
    session = agent_at_work(120)
    watched = Watched()
    window = at_turn(session, replace(sized(session), counter=watched))
    lines = {message.text for message in session if message.chars > 40}
    apply(window, draft_plan(window, name, low(name)))
    assert not lines & watched.texts.keys()
    before = sum(watched.texts.values())
    apply(window, draft_plan(window, name, low(name)))
    if name not in SUMMARISING:
        assert sum(watched.texts.values()) == before


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_four_times_the_messages_are_at_most_five_times_the_work(name: str) -> None:
    def work(window: Window) -> int:
        return calls_made(lambda: apply(window, draft_plan(window, name, low(name))))

    def looks(window: Window) -> int:
        plan = draft_plan(window, name, {"max_tokens": 500} if name == "importance" else {})
        return calls_made(lambda: [plan.scores[item].total for item in plan.scores])

    sessions = agent_at_work(150), agent_at_work(600)
    small, large = (at_turn(session, sized(session)) for session in sessions)
    assert work(large) <= 5 * work(small), "the first time"
    small, large = (at_turn(session, sized(session)) for session in sessions)
    assert work(large) <= 5 * work(small), "when a knob moves"
    assert looks(large) <= 5 * max(looks(small), 1_000), "when every score is looked at"
