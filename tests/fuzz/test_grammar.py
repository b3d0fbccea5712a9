"""Sessions with a valid structure and odd meaning: each command answers, or ends in one sentence."""

from __future__ import annotations

import pytest

from tests.fuzz.grammar import play


@pytest.mark.parametrize("number", range(12))
def test_an_odd_session_ends_in_an_answer_or_one_sentence(number: int) -> None:
    assert play(390, number) == []
