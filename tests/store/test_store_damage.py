"""A damaged store is told as damaged: by one sentence that names the file, whatever is wrong and whoever reads it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.core.conversation import MAIN, InMemoryBody, Problem, Session, Usage
from inspector.engine.window.plan import KEPT, Fate, Plan
from inspector.llm.providers import message_from_raw, text_message
from inspector.store import DamagedError, Store, StoreError
from inspector.store.integrity import check_store
from inspector.store.repairing import repair_store
from inspector.store.schema import VERSION
from tests.store.made import chain, message, persistent_entries, with_message

INTO = Fate("summarised", "into summary 1", "summary 1")
CALL = {"id": "call_1", "type": "function", "function": {"name": "read_log", "arguments": "{}"}}


def recorded() -> Session:
    """Eight messages with a call, reported usage, tools, settings and a problem."""
    session = chain(*(f"message {number} of the log" for number in range(8)), id="s1")
    calling = {"role": "assistant", "content": "Looking.", "tool_calls": [CALL]}
    asks = message_from_raw("m3", calling, "openai", body=InMemoryBody(calling), parent=2, usage=Usage(90, 10, 5, 0))
    session = with_message(session, 3, asks)
    tools = ({"type": "function", "function": {"name": "read_log"}},)
    return replace(session, tools=tools, settings={"temperature": 0.2}, problems=(Problem("a line is broken", 4),))


@pytest.fixture
def path(closed: Path, tmp_path: Path) -> Path:
    """A closed store with something in every table."""
    shutil.copytree(closed, tmp_path, dirs_exist_ok=True)
    return tmp_path / "inspector.db"


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with such a store."""
    path = tmp_path_factory.mktemp("made") / "inspector.db"
    with Store(path) as store:
        store.add(recorded())
        store.add(chain("a", "b", "c", id="s2", start="n"))
        ids = tuple(f"m{number}" for number in range(8))
        summary = text_message("summary 1", "user", "what was said before", "openai", kind="summary")
        changed = {"m4": message("m4", "user", "shorter")}
        fates = (INTO, INTO, KEPT, KEPT, Fate("trimmed", "cut"), KEPT, Fate("archived", "old"), KEPT)
        store.push("s1", MAIN, Plan("sliding_window", {"ratio": 0.3}, ids, fates, changed, (summary,)))
        store.push("s1", MAIN, Plan("by hand", {}, ("summary 1", *ids[2:]), (KEPT,) * 7))
        store.entries.remember("fact", "The lamp is in the cellar.", "s1", "m2")
        store.bookmarks.put("s1", "m4", "the lamp again")
        store.bookmarks.put("s1", "m7")
        store.save_counts("counter", dict.fromkeys(store.digests("s1"), 7))
        store.note_output("/tmp/request.json", b"0" * 32)
        store.sources.note("/tmp/log.jsonl", b"1" * 32, ["s1", "s2"])
    return path.parent


def damage(path: Path, *statements: str) -> None:
    """Change a closed store in SQL, with none of the rules that keep values out of it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)


def texts(store: Store) -> Any:
    return [message.text for message in store.load("s1")]


def loads(store: Store) -> Any:
    return store.load("s1")


def lists(store: Store) -> Any:
    return store.sessions()


def stacks(store: Store) -> Any:
    return store.stack("s1", MAIN)


def undoes(store: Store) -> Any:
    return store.undo("s1", MAIN)


def imports(store: Store) -> Any:
    return store.add(replace(recorded(), messages=(*recorded().messages, message("m8", "user", "more", parent=7))))


def adds(store: Store) -> Any:
    return store.add(chain("something", "new", id="s3"))


def remembers(store: Store) -> Any:
    return persistent_entries(store)


def pages(store: Store) -> Any:
    return store.entries.page()


def searches(store: Store) -> Any:
    return store.search("message"), store.entries.recall("lamp")


Read = Callable[[Store], Any]
NOT_TEXT = "CAST(x'c328' AS TEXT)"


def each(change: str, *values: str) -> list[str]:
    return [change.format(value) for value in values]


def reads(statements: list[str], *reads: Read) -> list[tuple[str, list[Read]]]:
    return [(statement, list(reads)) for statement in statements]


MESSAGE = "UPDATE message SET {} WHERE session_id = 's1' AND position = 3"
LAST = "UPDATE message SET {} WHERE session_id = 's1' AND position = 7"
SESSION = "UPDATE session SET {} WHERE id = 's1'"

DAMAGES = [
    # messages that come before themselves, and other places that there are not
    *reads(each(MESSAGE, "parent = position", "parent = 5", "parent = 99"), loads),
    *reads(each(MESSAGE, "parent = -2", "parent = 'x'"), loads, imports),
    *reads(each(LAST, "position = 70", "position = -1"), loads, imports),
    # numbers, words and texts that no message has
    *reads(each(MESSAGE, "role = 'robot'", "kind = ''", "dialect = 'latin'", "role = x'75736572'"), loads, imports),
    *reads(
        each(MESSAGE, "chars = -1", "chars = 'many'", "chars = 9223372036854775807", "images = 1.5"), loads, imports
    ),
    *reads(each(MESSAGE, "usage_input = -5", "usage_output = 'x'", "is_error = 2", "thinks = 'no'"), loads, imports),
    *reads(each(MESSAGE, "digest = 'text'"), loads, imports),
    *reads(each(MESSAGE, "calls = '{'", "calls = '[[1,2]]'", "calls = '[[\"a\"]]'", "id = x'ff'"), loads),
    *reads(each(MESSAGE, f"preview = {NOT_TEXT}"), loads),
    *reads(each("UPDATE body SET raw = {} WHERE key = 4", "'{'", "'[]'", "'5'", "''", "x'fffe'"), texts, imports),
    *reads([f"UPDATE body SET raw = '{'[' * 5000}' WHERE key = 4"], texts, imports),
    *reads(each("UPDATE body SET record = {} WHERE key = 4", "'null'", NOT_TEXT), texts),
    # sessions
    *reads(
        each(SESSION, "settings = '[]'", "tools = '{{}}'", "tools = '[1]'", "messages = 7", "problems = '[1]'"), loads
    ),
    *reads(each(SESSION, "problems = '[{{\"text\":1}}]'", 'problems = \'[{{"text":"a","size":1}}]\''), loads),
    *reads(each(SESSION, "line = 'x'", "dialect = ''", "tokens = -1", "peak = 'high'", "agents = 1.5"), loads, lists),
    *reads(each(SESSION, f"title = {NOT_TEXT}"), loads, lists),
    *reads(each(SESSION, "id = NULL"), imports),
    # plans
    *reads(
        each("UPDATE plan SET covers = '{}' WHERE id = 1", "[[0,1000000000]]", "[[-5,-1]]", "[null]"), stacks, undoes
    ),
    *reads(each("UPDATE plan SET covers = '{}' WHERE id = 1", "[[0,1],[1,2]]", "x"), stacks, undoes),
    *reads(
        each("UPDATE plan SET {} WHERE id = 1", "settings = '[]'", "turn = -1", f"note = {NOT_TEXT}"), stacks, undoes
    ),
    *reads(["UPDATE plan_fate SET kind = 'lost' WHERE plan_id = 1"], stacks),
    *reads(["UPDATE plan_message SET kind = 'other' WHERE id = 1"], stacks),
    *reads(each("UPDATE plan_message SET message = {} WHERE id = 1", "'{{}}'", "'[]'", "'{{'"), stacks),
    *reads(each("UPDATE plan_message SET message = json_set(message, '$.{}') WHERE id = 1", "role', 'robot"), stacks),
    *reads(["UPDATE plan_message SET message = json_set(message, '$.chars', -1) WHERE id = 1"], stacks),
    # rows and tables that are gone
    *reads(["DELETE FROM body WHERE key = 4"], texts, imports),
    *reads(["DELETE FROM message WHERE key = 4"], loads, imports),
    *reads(["DELETE FROM message WHERE key = 8"], loads),
    *reads(["DROP TABLE session"], lists, loads),
    *reads(["DROP TABLE message"], loads),
    *reads(["DROP TABLE plan_fate", "DROP TABLE plan"], stacks),
    *reads(["DROP TABLE body"], texts, searches),
    *reads(["ALTER TABLE message RENAME COLUMN preview TO first_words"], loads),
    *reads(each("UPDATE sqlite_sequence SET seq = {}", "'x'", "-5", "9223372036854775807"), adds),
    # what outlives its session, and the search
    *reads(["UPDATE memory SET tokens = -1", f"UPDATE memory SET text = {NOT_TEXT}", "DROP TABLE memory"], remembers),
    *reads(
        each("UPDATE memory SET {}", "kind = 'dream'", "is_pinned = 2", "message_ids = '{{'", "message_ids = '[1]'"),
        pages,
    ),
    *reads(each("UPDATE memory SET {}", "key = x'ff'", f"used_at = {NOT_TEXT}", "tier = 'attic' WHERE id = 1"), pages),
    *reads(["INSERT INTO memory_vector VALUES (1, 1, 'a model', 'text')"]),
    *reads(["UPDATE message_search_data SET block = x'00ff00ff00ff'", "DROP TABLE message_search"], searches),
]
REPAIRED = [statement for statement, _ in DAMAGES][:: None if "SEARCH" in os.environ else 2]
"""Damage of every kind: those next to each other in the list differ in a value."""


@pytest.mark.parametrize(("statement", "readers"), DAMAGES, ids=[statement[:100] for statement, _ in DAMAGES])
def test_what_cannot_have_been_written_is_told_as_damage(path: Path, statement: str, readers: list[Read]) -> None:
    damage(path, statement)
    for read in readers:
        with (
            pytest.raises(DamagedError, match="inspector store check shows what can be recovered") as error,
            Store(path) as store,
        ):
            read(store)
        text = str(error.value)
        assert text.startswith(f"{path} is damaged (")
        assert "\n" not in text and len(text) < 400


@pytest.mark.parametrize("statement", REPAIRED, ids=lambda statement: statement[:100])
def test_damage_is_found_by_a_check_and_gone_after_a_repair(path: Path, statement: str) -> None:
    damage(path, statement)
    before = path.read_bytes()
    assert not check_store(path).whole
    repair = repair_store(path)
    assert repair is not None and check_store(repair.path).whole
    assert path.read_bytes() == before
    with Store(repair.path) as store:
        assert {row.id for row in store.sessions()} == {"s1", "s2"}
        for read in (loads, texts, stacks, remembers, pages, searches, imports, undoes):
            read(store)
    assert repair_store(repair.path) is None


@pytest.mark.parametrize("number", [0, 1, VERSION - 1, VERSION, -1, -(2**31)])
def test_a_wrong_version_harms_nothing(path: Path, number: int) -> None:
    damage(path, f"PRAGMA user_version = {number}")
    assert check_store(path).whole == (number == VERSION)
    with Store(path) as store:
        assert len(texts(store)) == 8
    assert check_store(path).whole


def test_a_store_that_does_not_say_so_is_told_from_other_databases(path: Path) -> None:
    damage(path, "PRAGMA application_id = 5")
    with pytest.raises(StoreError, match=r"inspector\.db is a database of another program"):
        Store(path)
    assert check_store(path).problems == ("its header does not say that it is a store of Inspector",)
    repair = repair_store(path)
    assert repair is not None and not repair.lost
    with Store(repair.path) as store:
        assert len(texts(store)) == 8


def test_counts_that_are_none_are_made_anew(path: Path) -> None:
    damage(path, "UPDATE token_count SET tokens = 'x'")
    with Store(path) as store:
        digests = store.digests("s1")
        assert store.counts(digests, "counter") == {}
        store.save_counts("counter", {digests[0]: 3})
        assert store.counts(digests, "counter") == {digests[0]: 3}
    assert any("token counts" in problem for problem in check_store(path).problems)


def test_a_number_of_more_than_64_bits_is_read_as_other_readers_do(path: Path) -> None:
    damage(path, """UPDATE body SET record = '{"n": 1180591620717411303424}' WHERE key = 4""")
    with Store(path) as store:
        assert store.load("s1").messages[3].record == {"n": 1.1805916207174113e21}


def test_text_that_is_damaged_is_never_quoted(path: Path) -> None:
    damage(path, "UPDATE body SET raw = CAST(CAST(replace(raw, 'message', 'secret') AS BLOB) || x'c328' AS TEXT)")
    with pytest.raises(DamagedError) as error, Store(path) as store:
        texts(store)
    assert "secret" not in str(error.value)
    assert not any("secret" in problem for session in check_store(path).sessions for problem in session.problems)
