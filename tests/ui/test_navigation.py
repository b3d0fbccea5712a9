"""Going through turns: the nearest mark in a direction, round the end."""

from __future__ import annotations

import pytest

from inspector.ui.screens.navigation import next_agent, next_mark


@pytest.mark.parametrize(
    ("turn", "step", "mark"),
    [(1, 1, 3), (3, 1, 7), (7, 1, 3), (9, 1, 3), (9, -1, 7), (7, -1, 3), (3, -1, 7), (1, -1, 7)],
)
def test_the_next_mark_is_the_nearest_in_the_direction_and_the_farthest_round_the_end(
    turn: int, step: int, mark: int
) -> None:
    assert next_mark({7, 3}, turn, step) == mark


def test_without_marks_there_is_no_next_one() -> None:
    assert next_mark((), 4, 1) is None


def test_agents_go_round() -> None:
    agents = ("main", "finder", "writer")
    assert [next_agent(agents, agent, 1) for agent in agents] == ["finder", "writer", "main"]
    assert [next_agent(agents, agent, -1) for agent in agents] == ["writer", "main", "finder"]
