"""Reported usage of either provider as one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from inspector.core.conversation import Usage
from inspector.llm.providers import later_usage, usage_of
from inspector.llm.providers.usage import usage_unless_zero
from tests.drawn import JSON


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 90, "completion_tokens": 7}, Usage(90, 7)),
        (
            {"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}},
            Usage(90, 7, 64),
        ),
        ({"prompt_tokens": 90, "completion_tokens": 7, "prompt_tokens_details": None}, Usage(90, 7)),
        (
            {
                "prompt_tokens": 90,
                "completion_tokens": 7,
                "cache_read_input_tokens": 5,
                "cache_creation_input_tokens": 6,
            },
            Usage(90, 7, 5, 6),
        ),
        (
            {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20},
            Usage(123, 7, 100, 20),
        ),
        ({"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": None}, Usage(3, 7)),
        ({"input_tokens": 90, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 64}}, Usage(90, 7, 64)),
        ({"input_tokens": 0, "output_tokens": 0}, None),
        ({"input_tokens": "many", "output_tokens": -3}, None),
        ({}, None),
        (None, None),
        ("90", None),
    ],
)
def test_usage(reported: Any, usage: Usage | None) -> None:
    assert usage_of(reported) == usage


@given(JSON)
def test_any_report_is_understood_or_not(reported: Any) -> None:
    usage_of(reported)
    usage_of({"prompt_tokens": reported, "prompt_tokens_details": reported})


def test_of_two_reports_the_larger_or_else_the_later() -> None:
    small, large, late = Usage(1, 2), Usage(1, 9), Usage(5, 9)
    assert later_usage(large, small) is later_usage(small, large) is large
    assert later_usage(large, late) is late
    assert later_usage(None, small) is later_usage(small, None) is small
    assert later_usage(None, None) is None


def test_no_more_came_from_the_cache_than_was_sent() -> None:
    assert usage_unless_zero(100, 5, 900, 50, 60) == Usage(100, 5, 100, 0, 0)
    assert usage_unless_zero(100, 5, 40, 90, 80) == Usage(100, 5, 40, 60, 60)
