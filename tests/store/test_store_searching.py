"""Finding words in the log and in the persistent tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Session
from inspector.llm.providers import message_from_raw
from inspector.store import Hit, Store, StoreError
from inspector.store.word_search import SNIPPET
from tests.store.made import chain, persistent_entries, with_message


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "inspector.db") as store:
        yield store


def saying(block: dict[str, object], role: str = "assistant") -> Session:
    return with_message(chain("x"), 0, message_from_raw("m0", {"role": role, "content": [block]}, "anthropic"))


def test_words_are_found_in_any_session(store: Store) -> None:
    store.add(chain("Move the login to the gateway.", "The gateway is moved.", id="one", title="One"))
    store.add(chain("Count the orders.", id="two", title="Two"))
    assert {hit.position for hit in store.search("gateway")} == {0, 1}
    assert [hit.session_id for hit in store.search("orders")] == ["two"]
    assert store.search("orders", session_id="one") == []
    assert len(store.search("gateway", limit=1)) == 1


def test_a_hit_tells_where_it_is_and_shows_the_words(store: Store) -> None:
    store.add(chain("Move the\n\nlogin to the gateway.", title="One"))
    snippet = "Move the login to the gateway."
    assert store.search("GATEWAYS login") == [Hit("s1", "One", "m0", 0, "main", "user", snippet, ((9, 14), (22, 29)))]


def test_a_message_must_hold_all_the_words_and_the_last_may_be_only_begun(store: Store) -> None:
    store.add(chain("alpha beta", "alpha gamma"))
    assert [hit.position for hit in store.search("alpha gam")] == [1]
    assert [hit.position for hit in store.search("gam alpha")] == []
    assert [hit.position for hit in store.search("alpha g")] == []


def test_a_path_is_found_as_it_is_written(store: Store) -> None:
    store.add(chain("See src/auth/login.py:88 for it", "See login in src and auth.py"))
    assert [hit.position for hit in store.search("src/auth/login.py")] == [0]


def test_a_snippet_is_short_even_where_there_are_no_spaces(store: Store) -> None:
    store.add(chain("needle " + "x" * 20_000, "y" * 20_000 + " needle"))
    for hit in store.search("needle"):
        assert len(hit.snippet) <= SNIPPET
        assert [hit.snippet[start:end] for start, end in hit.spans] == ["needle"]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "text", "text": "in plain words"}, "plain"),
        ({"type": "thinking", "thinking": "a hidden thought", "signature": "c2ln"}, "hidden"),
        (
            {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"type": "bug", "port": 8080}},
            "read_file bug 8080",
        ),
        ({"type": "tool_result", "tool_use_id": "t1", "content": "three rows"}, "rows"),
        ({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "four rows"}]}, "four rows"),
        ({"type": "hologram", "caption": "an unknown block"}, "unknown"),
        ({"type": "text", "text": "before\0behind a NUL"}, "behind"),
        ({"type": "text", "text": r"a written \u0000 is only text, C:\new\table"}, "written table"),
        ({"type": "text", "text": "half \ud83d of a pair"}, "pair"),
        ({"type": "text", "text": "not a number", "score": float("nan")}, "number"),
    ],
)
def test_words_are_found_wherever_they_stand(store: Store, block: dict[str, object], words: str) -> None:
    store.add(saying(block, role="user" if "result" in str(block["type"]) else "assistant"))
    assert [hit.message_id for hit in store.search(words)] == ["m0"]


def test_what_is_not_words_is_not_searched(store: Store) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8"}
    store.add(saying({"type": "image", "source": source}))
    for words in ("assistant", "base64", "png", "aGVsbG8"):
        assert store.search(words) == []


def test_the_index_follows_a_message_that_changes_and_a_session_that_goes(store: Store) -> None:
    store.add(chain("alpha", "beta"))
    store.add(chain("alpha", "beta and gamma"))
    assert [hit.position for hit in store.search("gamma")] == [1]
    assert len(store.search("beta")) == 1
    store.remove("s1")
    assert store.search("alpha") == []


HOSTILE = [
    '"',
    "'",
    "NOT",
    "AND OR",
    "NEAR(a b)",
    "text:",
    "a*",
    "(",
    "^a",
    "{a b}:c",
    "-",
    "a\0b",
    "\ud800 a",
    "  ",
    "é",
    "%",
]


@given(st.text(st.characters(exclude_categories=())) | st.lists(st.sampled_from(HOSTILE)).map(" ".join))
def test_no_query_is_an_error(words: str) -> None:
    assert isinstance(QUERIED.search(words), list)
    assert isinstance(QUERIED.entries.recall(words), list)


QUERIED = Store()
QUERIED.add(chain("a NOT b", "NEAR"))
QUERIED.entries.remember("fact", "a NOT b")


def test_a_whole_message_may_be_the_query(store: Store) -> None:
    store.entries.remember("fact", "the port is 8080")
    query = "word " * 1_000 + "/".join(map(str, range(500))) + ' "port" ' + "more " * 10_000
    assert store.entries.recall(query)[0].text == "the port is 8080"


def test_what_is_remembered_is_recalled_best_first(store: Store) -> None:
    store.add(chain("a"))
    port = store.entries.remember("fact", "The gateway listens on port 8080.", "s1", "m0")
    login = store.entries.remember(
        "fact", "The login is behind the gateway, and the gateway asks the login for a gateway token."
    )
    store.entries.remember("fact", "Nothing of interest.")
    result = store.entries.recall("on which port does the gateway listen?")
    assert [memory.id for memory in result[:2]] == [port, login]
    assert result[0].score > result[1].score
    assert (result[0].session_id, result[0].message_id, result[0].kind) == ("s1", "m0", "fact")
    assert len(store.entries.recall("gateway", limit=1)) == 1


def test_what_is_forgotten_is_not_recalled(store: Store) -> None:
    number = store.entries.remember("fact", "The port is 8080.")
    store.entries.forget(number)
    assert store.entries.recall("port") == []
    assert persistent_entries(store) == []


def test_memories_are_listed_newest_first(store: Store) -> None:
    for text in ("one", "two", "three"):
        store.entries.remember("fact", text)
    assert [memory.text for memory in persistent_entries(store, 2)] == ["three", "two"]


def test_a_memory_outlives_its_session(store: Store) -> None:
    store.add(chain("a"))
    store.entries.remember("fact", "The port is 8080.", "s1")
    store.remove("s1")
    assert [(memory.session_id, memory.text) for memory in store.entries.recall("port")] == [
        (None, "The port is 8080.")
    ]


def test_a_memory_of_no_known_session_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no stored session has the id 'nobody'"):
        store.entries.remember("fact", "lost", "nobody")
    assert persistent_entries(store) == []


@pytest.mark.parametrize("text", ["with \0 a NUL", "half \ud83d of a pair", ""])
def test_a_memory_comes_back_as_it_was(store: Store, text: str) -> None:
    store.entries.remember("fact", text)
    assert persistent_entries(store)[0].text == text
    if "half" in text or "NUL" in text:
        assert store.entries.recall("pair NUL")[0].text == text


def test_titles_of_hits_are_those_of_the_sessions(store: Store) -> None:
    store.add(replace(chain("alpha"), title="half \ud83d of a pair"))
    assert store.search("alpha")[0].session == "half \ud83d of a pair"


def test_of_a_frequent_word_the_best_of_the_newest_messages_are_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.store.word_search._MAX_RANKED", 2)
    texts = ["lamp lamp lamp", "lamp and much else beside it", "lamp", "gull", "a lamp among other things"]
    store.add(chain(*texts))
    assert [hit.position for hit in store.search("lamp")] == [2, 4]
    assert {hit.position for hit in store.search("lamp", session_id="s1")} == {0, 1, 2, 4}
    assert [hit.position for hit in store.search("gull")] == [3]


def test_hits_of_one_session_are_all_found_where_others_stand_between_its_messages(store: Store) -> None:
    store.add(chain("lamp", "gull", id="one"))
    store.add(chain("lamp", "lamp", id="two"))
    store.add(chain("lamp", "gull", "a lamp", id="one"))
    assert {hit.position for hit in store.search("lamp", session_id="one")} == {0, 2}
    assert {hit.position for hit in store.search("lamp", session_id="two")} == {0, 1}
    assert store.search("lamp", session_id="three") == []
