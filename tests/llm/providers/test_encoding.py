"""JSON text of any value: what the standard library writes, and beyond where that gives up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.core.text.json_text import _pieces, dumps, exact_dumps, loads, plain_dumps, plain_text

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800")
KEYS = st.text() | st.integers() | st.floats() | st.booleans() | st.none()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [{"a": value}]
    return value


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_what_is_written_without_recursion_is_what_the_standard_library_writes(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    separators = (",", ":" if indent is None else ": ")
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    assert "".join(_pieces(value, indent, ascii_only)) == text


def test_nothing_is_too_deep_to_be_written() -> None:
    text = '[{"a":' * 50_000 + "1" + "}]" * 50_000
    assert dumps(nested(50_000)) == plain_dumps(nested(50_000)) == plain_text(nested(50_000)) == text
    assert json.loads(dumps(nested(200), pretty=True)) == nested(200)


def test_a_value_that_holds_itself_ends_there() -> None:
    value: dict[str, Any] = {"a": 1}
    value["self"] = [value]
    assert dumps(value) == '{"a":1,"self":[{}]}'


def test_a_number_of_too_many_digits_is_written_in_another_way() -> None:
    assert dumps({"a": 10**5_000}).startswith('{"a":"0x')


def test_what_is_stored_is_what_can_be_read_again() -> None:
    for levels in (1, 300, 500):
        assert plain_text(loads(exact_dumps(nested(levels), ascii_only=False))) == plain_text(nested(levels))
    with pytest.raises(ValueError, match="nested too deeply"):
        exact_dumps(nested(50_000), ascii_only=False)
    with pytest.raises(TypeError):
        exact_dumps({"a": {1, 2}}, ascii_only=False)
