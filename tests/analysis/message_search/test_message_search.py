"""What can be typed, which messages it means, and where the words stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from inspector.analysis.message_search import (
    Haystack,
    QueryError,
    line_places,
    parse_query,
    parse_words,
    search_messages,
    word_places,
)
from inspector.analysis.message_search.match_positions import excerpt_of
from inspector.analysis.message_search.query import fold_text
from inspector.analysis.tool_activity import Actions
from inspector.core.conversation import Message
from inspector.llm.providers import message_from_raw

CALL = {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": '{"path": "src/gate.py"}'}}
RAWS: list[dict[str, Any]] = [
    {"role": "system", "content": "Never delete an original."},
    {"role": "user", "content": "Where is the GATE?\nIn the cellar, I think."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "def gate(): open the door"},
    {"role": "assistant", "content": "The gate is in the cellar, Straße 7."},
]


def messages() -> list[Message]:
    plain = [message_from_raw(f"m{place}", raw, "openai") for place, raw in enumerate(RAWS)]
    extra = message_from_raw(
        "m5", {"role": "user", "content": "In short: a gate."}, "openai", kind="summary", agent="x"
    )
    failed = message_from_raw(
        "m6", {"role": "tool", "tool_call_id": "c9", "content": "no such gate"}, "openai", is_error=True, agent="x"
    )
    return [*plain, extra, failed]


def ids(text: str, start: int = 0) -> list[str]:
    haystack = Haystack(messages(), [10, 20, 30, 4000, 50, 60, 70], {"m3": "Read"}, {"m1"})
    batches = list(search_messages(parse_query(text), haystack, start))
    assert batches[-1].is_last and [batch.is_last for batch in batches].count(True) == 1
    return [hit.id for batch in batches for hit in batch.hits]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", "m0 m1 m2 m3 m4 m5 m6"),
        ("gate", "m1 m2 m3 m4 m5 m6"),
        ("GATE cellar", "m1 m4"),
        ('"gate is in"', "m4"),
        ('"gate? in the"', "m1"),
        ('"the ce', "m1 m4"),
        ("gate -cellar", "m2 m3 m5 m6"),
        ('-"in the cellar" gate', "m2 m3 m5 m6"),
        ("strasse", "m4"),
        ("src/gate.py", "m2"),
        ("kind:summary", "m5"),
        ("kind:sum", "m5"),
        ("-kind:chat", "m5"),
        ("role:tool", "m3 m6"),
        ("tool:read", "m2 m3"),
        ("-tool:Read gate", "m1 m4 m5 m6"),
        ("agent:x", "m5 m6"),
        ("error", "m6"),
        ('"error"', ""),
        ("-error role:tool", "m3"),
        (">1000", "m3"),
        (">1k", "m3"),
        ("<20", "m0"),
        (">20 <60 -error", "m2 m4"),
        ("bookmarked", "m1"),
        ("-bookmarked cellar", "m4"),
        ("http://x", ""),
        ("short:", "m5"),
        ("-", ""),
    ],
)
def test_a_query_means_these_messages(text: str, names: str) -> None:
    assert ids(text) == names.split()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kind:poem", "There is no kind “poem”. Values: chat, summary, injected, copy, notice."),
        ("role:", "role: requires a name, as in role:user."),
        (">1x", "> requires a number of tokens"),
        ("kind:", "kind:summary"),
    ],
)
def test_what_is_no_query_is_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(QueryError, match=r"\.$") as error:
        parse_query(text)
    assert says in str(error.value)


def test_a_search_begins_where_it_is_told_and_goes_round() -> None:
    assert ids("gate", start=4) == ["m4", "m5", "m6", "m1", "m2", "m3"]


def test_the_first_hit_comes_before_the_rest_is_looked_at_and_a_search_can_be_stopped() -> None:
    haystack = Haystack(messages() * 2000, [1] * 14_000)
    search = search_messages(parse_query("cellar"), haystack)
    first = next(search)
    assert [hit.place for hit in first.hits] == [1] and first.count == 2 and not first.is_last
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    assert list(search_messages(parse_query("nowhere"), haystack, stop=stop)) == []


def test_a_narrower_query_looks_only_where_the_wider_one_has_found() -> None:
    wide = parse_query("ga role:tool")
    for text in ("gate role:tool", "gate role:tool >5", 'role:tool "gate in" -cellar'):
        assert parse_query(text).narrows(wide), text
    for text in ("gate", "g role:tool", "-gate role:tool", "gate role:user"):
        assert not parse_query(text).narrows(wide), text
    haystack = Haystack(messages(), [1] * 7)
    batches = list(search_messages(parse_query("gate"), haystack, only=[3, 5]))
    assert [hit.place for batch in batches for hit in batch.hits] == [3, 5]


def test_only_what_has_to_be_there_is_highlighted() -> None:
    query = parse_query('Gate -cellar kind:chat "In The"')
    assert query.words == ("gate", "in the")
    assert parse_words("kind:x >5 error").words == ("kind:x", ">5", "error")


def marked(text: str, words: Sequence[str]) -> list[str]:
    return [text[start:end] for start, end in word_places(text, words)]


def test_words_are_highlighted_as_they_stand() -> None:
    assert marked("Straße, STRASSE, strasse", ["strasse"]) == ["Straße", "STRASSE", "strasse"]
    assert marked("aXXXa and xx", ["xx", "xxxa"]) == ["XXXa", "xx"]
    assert marked("İstanbul gate", ["gate"]) == ["gate"]
    assert marked("gate", []) == []


def test_a_phrase_may_go_over_a_line_break() -> None:
    lines = ["the open", "gate is", "in the open"]
    assert line_places(lines, ["open gate is in"]) == {0: [(4, 8)], 1: [(0, 7)], 2: [(0, 2)]}
    assert line_places(lines, ["open"]) == {0: [(4, 8)], 2: [(7, 11)]}
    assert line_places([], ["open"]) == {}


@given(st.text(alphabet='abßİ \n-:"><k1'), st.text(alphabet="aAbßİıſ \n"))
def test_a_text_that_fits_holds_every_word_and_is_marked_somewhere(typed: str, text: str) -> None:
    try:
        query = parse_query(typed)
    except QueryError:
        return
    places = word_places(text, query.words)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    assert bool(places) is any(word in fold_text(text) for word in query.words)
    assert excerpt_of(text, query.words).lstrip("…") in text


def test_a_result_is_found_by_what_its_row_says_of_its_call() -> None:
    window = messages()
    requests = Actions(window).request_of
    haystack = Haystack(window, [1] * len(window), request_of=requests)

    def found_in(words: str) -> list[str]:
        return [hit.id for batch in search_messages(parse_query(words), haystack) for hit in batch.hits]

    assert found_in("gate.py") == ["m2", "m3"]
    assert found_in("gate.py door") == ["m3"]
    assert found_in("gate.py tool:Read -door") == ["m2"]
    assert [
        hit.id for batch in search_messages(parse_query("gate.py"), Haystack(window, [1] * 9)) for hit in batch.hits
    ] == ["m2"]


def test_an_excerpt_shows_the_place_where_most_of_the_words_stand_together() -> None:
    text = f"{'a sheet of paper. ' * 30}The keepers sheet hangs on the wall. {'more paper. ' * 30}"
    excerpt = excerpt_of(text, ("keepers", "sheet"))
    assert "keepers sheet" in excerpt[:80]
    assert excerpt_of(text, ("gate",)).startswith("a sheet of paper")
