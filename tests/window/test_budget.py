"""How a context window is shared out."""

from __future__ import annotations

from inspector.window.budget import SECTIONS, TokenBudget
from tests.generated import Ask, window_of


def test_a_budget_without_arguments_is_the_one_of_the_requirement() -> None:
    budget = TokenBudget()
    assert budget.total == 8000
    assert budget.allocations == {"system": 1000, "tools": 1500, "history": 4000, "input": 1000, "output_reserve": 500}


def test_what_remains_for_history_is_the_total_without_system_tools_and_the_reply() -> None:
    budget = TokenBudget(total=8000)
    assert budget.remaining_for_history({"system": 700, "tools": 300}) == 6500
    assert budget.remaining_for_history({}) == 7500
    assert budget.remaining_for_history({"input": 900, "system": 100}) == 7400


def test_what_remains_is_negative_when_system_and_tools_take_more_than_there_is() -> None:
    assert TokenBudget(total=1600).remaining_for_history({"system": 1000, "tools": 1000}) == -500


def test_a_larger_total_scales_every_allocation() -> None:
    assert TokenBudget(200_000).allocations == {
        "system": 25_000,
        "tools": 37_500,
        "history": 100_000,
        "input": 25_000,
        "output_reserve": 12_500,
    }


def test_an_allocation_that_is_given_stands_and_the_others_keep_their_share() -> None:
    budget = TokenBudget(16_000, {"system": 50})
    assert budget.section("system") == 50
    assert budget.section("tools") == 3000


def test_the_marks_of_the_six_sections_and_the_reply_fill_the_window() -> None:
    budget = TokenBudget()
    marks = {section: budget.section(section) for section in SECTIONS}
    assert marks == {"system": 1000, "memory": 500, "tools": 1500, "history": 2500, "input": 1000, "scratchpad": 1000}
    assert sum(marks.values()) + budget.output_reserve == budget.total


def test_memory_can_be_given_a_mark_of_its_own() -> None:
    assert TokenBudget(8000, {"memory": 123}).section("memory") == 123


def test_two_budgets_do_not_share_their_allocations() -> None:
    TokenBudget().allocations["system"] = 1
    assert TokenBudget().allocations["system"] == 1000


def test_free_tokens_are_what_is_left_beside_the_reply() -> None:
    window = window_of(Ask("word " * 40))
    assert window.reserve == 500
    assert window.free == 8000 - 500 - window.total


def test_a_window_over_its_limit_has_less_than_nothing_free() -> None:
    window = window_of(Ask("word " * 40_000))
    assert window.total > window.limit
    assert window.free == 7500 - window.total < 0
