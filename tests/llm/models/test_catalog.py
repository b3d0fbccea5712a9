"""A model goes by many names, and names of different models begin alike."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inspector.llm.models.catalog import MAX_NAME_LENGTH, longest, match_length, names_of, own_name, strip_version

PARTS = st.sampled_from(["gpt", "claude", "4o", "4", "mini", "sonnet", "5", "turbo", "x1"])
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("-".join)


@pytest.mark.parametrize(
    ("recorded", "own"),
    [
        ("gpt-4o", "gpt-4o"),
        ("openrouter/anthropic/claude-3.7-sonnet:beta", "claude-3.7-sonnet:beta"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5-20251101-v1:0"),
        ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-v1:0", "claude-sonnet-4-v1:0"),
        ("claude-3.5-haiku", "claude-3.5-haiku"),
        ("gpt-4.1", "gpt-4.1"),
    ],
)
def test_what_gateways_put_before_a_name_is_no_part_of_it(recorded: str, own: str) -> None:
    assert own_name(recorded) == own


@pytest.mark.parametrize(
    ("dated", "bare"),
    [
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet"),
        ("claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet"),
        ("claude-3-7-sonnet@20250219", "claude-3-7-sonnet"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("gpt-4-0613", "gpt-4"),
        ("gpt-4-1106-preview", "gpt-4"),
        ("gemini-1.5-flash-002", "gemini-1.5-flash"),
        ("command-r-plus-08-2024", "command-r-plus"),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
    ],
)
def test_a_date_or_a_version_is_no_part_of_a_name(dated: str, bare: str) -> None:
    assert strip_version(dated) == bare


@pytest.mark.parametrize(
    "name", ["gpt-4", "claude-opus-4-5", "deepseek-v3", "o1", "gpt-4o-mini", "gemini-1.5-flash-8b", "llama-3.1-70b"]
)
def test_a_number_that_tells_models_apart_stays(name: str) -> None:
    assert strip_version(name) == name


def test_an_id_stands_for_so_many_characters_of_a_name() -> None:
    assert match_length("gpt-4o", "gpt-4o-mini") == 6
    assert match_length("gpt-4o-mini", "gpt-4o-mini") == 11
    assert match_length("claude-3-5-sonnet-20241022", "claude-3-5-sonnet") == 17  # the name without the id's date
    assert match_length("claude-3-5-sonnet-20241022", "claude-3-5-sonnet-20240620") == 17
    assert match_length("GPT-4o", "gpt-4o") == 6


@pytest.mark.parametrize(
    ("listed", "name"),
    [("gpt-4", "gpt-4o"), ("gpt-4", "gpt-4.1"), ("gpt-4o-mini", "gpt-4o"), ("o1", "gpt-o1"), ("gpt-3", "gpt-35-turbo")],
)
def test_an_id_stands_for_no_other_model(listed: str, name: str) -> None:
    assert match_length(listed, name) == 0


@given(NAMES, st.lists(NAMES, max_size=6))
def test_the_longest_id_wins_in_whatever_order_they_are_listed(name: str, others: list[str]) -> None:
    ids = [*others, name]
    assert longest(ids, [name])[0] == longest(reversed(ids), [name])[0] == name


@given(NAMES, NAMES)
def test_a_shorter_id_never_takes_a_longer_ones_model(short: str, more: str) -> None:
    long = f"{short}-{more}"
    assert longest([short, long], [f"{long}-2024-07-18"])[0] == long
    assert longest([short, long], [short])[0] == short


@given(st.text(max_size=3_000))
def test_any_text_may_stand_where_a_model_should(text: str) -> None:
    names = names_of(text)
    assert all(name and len(name) <= MAX_NAME_LENGTH + 2 for name in names)
    assert bool(names) == bool(text.strip()[:MAX_NAME_LENGTH].lower().replace("[1m]", ""))


def test_a_name_made_to_take_long_is_read_at_once() -> None:
    for hostile in ("-1234" * 100_000 + "x", "/" * 100_000, "a." * 100_000, "[1m]" * 50_000):
        assert len(names_of(hostile)) < 30
