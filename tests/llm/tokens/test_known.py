"""Every number says how it is known, and a sum is known as badly as its worst part."""

from __future__ import annotations

from inspector.llm.tokens.certainty import mark, weakest


def test_a_sum_is_known_as_badly_as_its_worst_part() -> None:
    assert weakest("exact", "reported") == "exact"
    assert weakest("exact", "estimated", "reported") == "estimated"
    assert weakest("estimated", "unrecorded") == "unrecorded"
    assert weakest() == "exact"


def test_what_is_not_certain_is_marked() -> None:
    assert [mark(how) for how in ("reported", "exact", "estimated", "unrecorded")] == ["", "", "≈", "≈"]
