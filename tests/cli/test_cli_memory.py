"""`inspector memory`: listing, searching, showing, moving, pinning and forgetting what is remembered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.store import Store
from tests.cli.calling import HOSTILE, chat, inspect, written
from tests.cli.commands import RAW
from tests.store.made import chain


@pytest.fixture
def store() -> Iterator[Store]:
    """Two sessions, and three facts."""
    with Store(Path(os.environ["INSPECTOR_DB"])) as store:
        store.add(chain("The gateway listens on port 8080.", "Noted.", "And the host?", "It is localhost."))
        store.add(chain("Elsewhere.", id="s2", title="Another"))
        store.entries.remember("fact", "The gateway of May listened on port 9090.", "s1", "m0", tokens=9, origin="user")
        store.entries.remember("preference", "spaces", key="indent", tokens=1)
        store.entries.remember("state", "step 3", "s1", tier="session", key="progress", tokens=3)
        yield store


def kinds(store: Store) -> list[tuple[str, str]]:
    return [(entry.tier, entry.text) for entry in store.entries.page()]


@pytest.mark.usefixtures("store")
def test_the_tiers_of_a_session_stand_below_each_other() -> None:
    out = inspect("memory", "ls", "s1").out.splitlines()
    heads = [line for line in out if not line.startswith(" ")]
    assert [head.split(",")[0] for head in heads] == ["working: 4 items", "session: 5 items", "persistent: 2 items"]
    listed = inspect("memory", "ls", "s1", "--json").json
    assert (listed["session"], listed["agent"]) == ("s1", "main")
    working, session, persistent = listed["tiers"]
    assert [row["number"] for row in working["rows"]] == [1, 2, 3, 4]
    assert session["rows"][-1]["text"] == "step 3"
    assert (persistent["entries"], persistent["tokens"], persistent["uncounted"]) == (2, 10, 0)
    assert [row["id"] for row in persistent["rows"]] == ["2", "1"]


@pytest.mark.usefixtures("store")
def test_a_list_may_be_narrowed() -> None:
    def texts(*words: str) -> list[str]:
        return [row["text"] for tier in inspect("memory", "ls", *words, "--json").json["tiers"] for row in tier["rows"]]

    assert texts() == ["step 3", "spaces", "The gateway of May listened on port 9090."]
    assert texts("--tier", "session") == ["step 3"]
    assert texts("--kind", "preference") == ["spaces"]
    assert texts("--key", "indent") == ["spaces"]
    assert texts("--tier", "persistent", "--limit", "1") == ["spaces"]
    assert inspect("memory", "pin", "1").code == 0
    assert texts("--pinned") == ["The gateway of May listened on port 9090."]
    assert inspect("memory", "ls", "--tier", "working").code == 2
    assert inspect("memory", "ls", "--turn", "1").code == 2


def test_empty_tiers_say_what_would_fill_them() -> None:
    out = inspect("memory", "ls").out
    assert "No persistent entries. To add some: inspector memory promote SESSION MESSAGE, or" in " ".join(out.split())


@pytest.mark.usefixtures("store")
def test_a_search_explains_each_hit_and_what_nearly_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECTOR_EMBEDDING_MODEL", "none")
    inspect("memory", "promote", "s1", "1")
    told = inspect("memory", "search", "port", "gateway", "--k", "1", "--json").json
    assert (told["k"], told["budget"], len(told["hits"]), len(told["near_misses"])) == (1, None, 1, 1)
    hit, miss = told["hits"][0], told["near_misses"][0]
    assert hit["parts"][0]["list"] == "bm25" and hit["explanation"].startswith("bm25 #")
    assert {hit["entry"]["id"], miss["entry"]["id"]} == {1, 4}
    assert miss["reason"] == "the limit is 1 result, and this is number 2"
    none = inspect("memory", "search", "port", "--budget", "5", "--json").json
    assert none["hits"] == [] and none["tokens"] == 0
    out = inspect("memory", "search", "port", "--budget", "5").out
    assert "  omitted: it has 9 tokens, with 5 of 5 remaining\n" in out
    assert inspect("memory", "search", "zebra").out == "No memory matches.\n"
    assert inspect("memory", "search", "step", "--tier", "session", "--session", "s1", "--json").json["hits"]
    assert not inspect("memory", "search", "step", "--tier", "session", "--session", "s2", "--json").json["hits"]


@pytest.mark.usefixtures("store")
def test_an_entry_is_shown_with_where_it_comes_from() -> None:
    out = inspect("memory", "show", "1").out
    assert out.startswith("1 fact in the persistent tier\n")
    assert "from      message #1: inspector show s1\n" in out
    assert "by        user\n" in out
    assert out.endswith("The gateway of May listened on port 9090.\n")
    shown = inspect("memory", "show", "1", "--json").json
    assert (shown["title"], shown["number"], shown["messages"]) == ("A session", 1, ["m0"])


def test_messages_are_promoted_by_number_range_and_id(store: Store) -> None:
    ended = inspect("memory", "promote", "s1", "2-3", "m3", "--kind", "fact", "--reason", "for later", "--json")
    assert [(entry["text"], entry["reason"], entry["origin"]) for entry in ended.json["entries"]] == [
        ("Noted.", "for later", "user"),
        ("And the host?", "for later", "user"),
        ("It is localhost.", "for later", "user"),
    ]
    before = kinds(store)
    assert inspect("memory", "promote", "s1", "2", "--kind", "fact").code == 0
    assert inspect("memory", "promote", "s1", "9").code == 2
    assert inspect("memory", "promote", "s1", "1-9").code == 2
    assert inspect("memory", "promote", "s1", "1-2", "--key", "two").code == 1
    assert inspect("memory", "promote", "s1").code == 2
    assert kinds(store) == before


def test_entries_move_between_the_tiers(store: Store) -> None:
    assert inspect("memory", "promote", "3").code == 0
    assert store.entries.get(3).tier == "persistent"
    assert inspect("memory", "demote", "1").code == 0
    assert store.entries.get(1).tier == "session"
    assert inspect("memory", "demote", "2").code == 1
    assert inspect("memory", "demote", "2", "--session", "s2").code == 0
    assert store.entries.get(2).session_id == "s2"


def test_pins_go_on_and_off_all_or_none(store: Store) -> None:
    assert inspect("memory", "pin", "1", "99").code == 1
    assert not store.entries.get(1).is_pinned
    assert inspect("memory", "pin", "1", "2").code == 0
    assert store.entries.get(1).is_pinned
    assert inspect("memory", "pin", "1", "--off", "--json").json["entries"][0]["pinned"] is False


def test_forgetting_names_what_goes_and_what_stays(store: Store) -> None:
    assert inspect("memory", "forget", "1", "99").code == 1
    assert len(kinds(store)) == 3
    ended = inspect("memory", "forget", "1", "1")
    assert ended.out == "Forgot 1 entry. The logs of 1 session are not changed.\n"
    assert inspect("memory", "forget", "2", "--json").json == {
        "version": 1, "forgotten": 1, "pinned": 0, "in_logs": 0, "in_wal": False,
    }  # fmt: skip
    assert kinds(store) == [("session", "step 3")]


def test_forgetting_many_asks_first_and_leaves_what_is_pinned(store: Store) -> None:
    store.entries.pin(1)
    ended = inspect("memory", "forget", "--session", "s1")
    assert (ended.code, ended.err) == (2, "This would forget 1 entry. Confirm with --yes.\n")
    assert len(kinds(store)) == 3
    assert inspect("memory", "forget", "--session", "s1", "--yes").out == "Forgot 1 entry. 1 pinned kept.\n"
    assert inspect("memory", "forget", "--kind", "preference", "--yes").out == "Forgot 1 entry.\n"
    assert [text for _, text in kinds(store)] == ["The gateway of May listened on port 9090."]


def test_what_has_expired_is_swept_out(store: Store) -> None:
    store.entries.expire(2, 1e-3)
    assert inspect("memory", "forget", "--expired").out == "Forgot 1 entry.\n"
    assert inspect("memory", "forget", "--expired").out == "Forgot 0 entries.\n"


@pytest.mark.parametrize("words", [(), ("1", "--expired"), ("1", "--kind", "fact"), ("--session", "s1", "--expired")])
@pytest.mark.usefixtures("store")
def test_forgetting_takes_one_way_of_saying_what(words: tuple[str, ...]) -> None:
    assert inspect("memory", "forget", *words).code == 2


def test_hostile_text_stays_text(store: Store, tmp_path: Path) -> None:
    number = store.entries.remember("fact", HOSTILE, key=HOSTILE, reason=HOSTILE, agent=HOSTILE)
    other = written(tmp_path / "chat.json", chat(steps=1))
    lines = (["ls"], ["ls", other], ["show", str(number)], ["search", "title", "owned", HOSTILE], ["pin", str(number)])
    for words in (*lines, ["demote", str(number), "--session", "s1"], ["forget", str(number)]):
        for options in ([], ["--json"]):
            ended = inspect("memory", *words, *options, COLUMNS="40")
            assert not RAW.search(ended.out + ended.err)
