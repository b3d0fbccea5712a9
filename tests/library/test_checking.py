"""What a provider would refuse at each turn: the same as if every turn were looked at by itself, in linear time."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import MAIN, Problem, ProviderName, Session
from inspector.engine.strategies import draft_plan
from inspector.engine.window.plan import view
from inspector.engine.window.window import problems
from inspector.library.bench.turn_validity import problem_turns
from inspector.library.bench.workbench import Workbench
from inspector.llm.providers import PROVIDERS
from tests.analysis.replay.growing import CASES, small_and_large
from tests.generated import Recipe, moves, recipes, sized
from tests.growth import calls_made


def one_by_one(bench: Workbench, provider: ProviderName, agent: str) -> dict[Problem, list[int]]:
    """The turns of each problem, with every turn looked at by itself."""
    found: dict[Problem, list[int]] = {}
    for turn in range(1, bench.turns(agent) + 2):
        window = view(bench.window(turn, agent), bench.plans.get(agent, ()))
        for problem in problems(window, provider):
            found.setdefault(problem, []).append(turn)
    return found


def same_as_one_by_one(bench: Workbench, agent: str = MAIN) -> None:
    for provider in PROVIDERS:
        found = problem_turns(bench, provider, agent)
        apart = {each: [turn for run in runs for turn in range(run[0], run[1] + 1)] for each, runs in found.items()}
        assert list(apart.items()) == list(one_by_one(bench, provider, agent).items())
        assert all(run[1] + 1 < following[0] for runs in found.values() for run, following in pairwise(runs))


@given(recipes(most=16, pins=False))
def test_all_turns_have_the_problems_that_each_of_them_has(recipe: Recipe) -> None:
    session = recipe.session()
    for agent in session.agents:
        same_as_one_by_one(Workbench(session, sized(session)), agent)


@given(recipes(most=14, pins=False), st.data())
def test_they_have_them_through_plans_too(recipe: Recipe, data: st.DataObject) -> None:
    session = recipe.session()
    bench = Workbench(session, sized(session))
    for _ in range(data.draw(st.integers(1, 3))):
        turn = data.draw(st.integers(1, bench.turns(recipe.agent) + 1))
        before = view(bench.window(turn, recipe.agent), bench.plans.get(recipe.agent, ()))
        bench.apply(draft_plan(before, *data.draw(moves(before))), recipe.agent)
    same_as_one_by_one(bench, recipe.agent)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_turns_take_linear_time(case: str, provider: ProviderName) -> None:
    def work_for(session: Session) -> int:
        bench = Workbench(session, sized(session))
        return calls_made(lambda: problem_turns(bench, provider))

    small, large = small_and_large(case)
    assert work_for(large) <= 5 * work_for(small)
