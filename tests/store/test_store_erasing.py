"""What is deleted leaves no text behind: the bytes of the file are looked at, and of what SQLite keeps beside it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.core.conversation import MAIN
from inspector.engine.window.plan import KEPT, Fate, Plan
from inspector.llm.providers import text_message
from inspector.store import Store
from inspector.store.connections import files_of, transaction
from inspector.store.transcripts import TranscriptKey
from tests.places import ROOT
from tests.store.made import chain, persistent_entries
from tests.store.test_store_migrations import at_version
from tests.warm import Program

WORDS = ("qwzxkvj", "jvkqqzw", "xqvwzzk")
"""Words that no other text holds, and that no stemming and no other word's beginning shortens in an index."""
SECRET = f"the {WORDS[0]} of {WORDS[1]} is {WORDS[2]} " + "and more about it " * 400
"""Longer than a page of the file."""


def traces(path: Path) -> list[str]:
    """The words that stand somewhere in a store's files, whole or but for their first letter."""
    data = b"".join(file.read_bytes() for file in files_of(path) if file.exists())
    return [word for word in WORDS if word[1:].encode() in data]


@contextmanager
def other_program(path: Path, lines: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open, and has run `lines` with `store`."""
    code = f"import sys; from inspector.store import Store\nwith Store(sys.argv[1]) as store:\n    {lines}\n"
    code += "    print('ready', flush=True); sys.stdin.read()"
    command = ["-c", code, path]
    with Program(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None and program.stdout.readline() == "ready\n"
        yield program
        program.communicate("")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with other entries, written one by one: its indexes have many parts, and its pages are in use."""
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("a", "b"))
        for number in range(40):
            store.entries.remember("fact", f"another text {number} about nothing " * (number % 7 + 1), "s1")
    return path


def plan() -> Plan:
    summary = text_message("summary 1", "user", SECRET, "openai", kind="summary")
    into = Fate("summarised", f"as {SECRET}", "summary 1")
    return Plan("by hand", {}, ("m0", "m1"), (into, KEPT), {}, (summary,), note=SECRET)


def remembered(store: Store) -> None:
    number = store.entries.remember("fact", SECRET, "s1", key="secret", reason=SECRET, agent=SECRET)
    store.entries.remember("fact", "shorter by far", "s1", key="secret")
    store.entries.remember("fact", SECRET, "s1", key="secret", message_ids=[SECRET, "m1"])
    store.entries.remember("retrieval", SECRET, "s1", tier="session", key="query")
    store.entries.save_vectors("a model", [(number, SECRET, SECRET.encode())])


def forgotten(store: Store) -> None:
    assert store.entries.forget(*[entry.id for entry in persistent_entries(store) if WORDS[0] in entry.text]) == 1


def expired(store: Store) -> None:
    for entry in persistent_entries(store):
        if WORDS[0] in entry.text:
            store.entries.expire(entry.id, 1e-3)
    time.sleep(0.01)  # until it has
    assert store.entries.sweep_expired() == 1


def planned(store: Store) -> None:
    store.push("s1", MAIN, plan())


def undone(store: Store) -> None:
    assert store.undo("s1", MAIN) is not None


def bookmarked(store: Store) -> None:
    store.bookmarks.put("s1", "m1", SECRET)


def unmarked(store: Store) -> None:
    assert store.bookmarks.remove("s1", "m1")


def noted_anew(store: Store) -> None:
    store.bookmarks.put("s1", "m1", "nothing to be seen")


def imported(store: Store) -> None:
    store.add(chain(SECRET, f"{WORDS[0]}?", id="secret", title=SECRET))
    store.push("secret", MAIN, plan())
    store.undo("secret", MAIN)
    store.entries.remember("state", SECRET, "secret", tier="session", key="state")
    store.bookmarks.put("secret", "m0", SECRET)
    rows = [(key, digest, f'"{SECRET}"') for key, digest, _ in store.message_keys("secret")]
    store.save_extracts("gist", b"r" * 16, rows)


def removed(store: Store) -> None:
    store.remove("secret")


@pytest.mark.parametrize(
    ("write", "delete"),
    [
        (remembered, forgotten),
        (remembered, expired),
        (planned, undone),
        (imported, removed),
        (bookmarked, unmarked),
        (bookmarked, noted_anew),
    ],
)
def test_what_is_deleted_leaves_no_text(
    path: Path, write: Callable[[Store], None], delete: Callable[[Store], None]
) -> None:
    with Store(path) as store, other_program(path, "store.entries.recall('another')"):
        write(store)
        assert traces(path) == list(WORDS)
        delete(store)
        assert traces(path) == []
        assert not store.entries.has_traces
        assert len(store.entries.recall("another", 100)) == 40


def test_what_was_deleted_in_one_change_with_others_leaves_no_text(path: Path) -> None:
    with Store(path) as store:
        remembered(store)
        with store.atomic():
            forgotten(store)
            store.entries.remember("fact", "something new", "s1")
            assert traces(path) == list(WORDS)
        assert traces(path) == []


def test_a_reader_keeps_the_text_in_the_log_until_it_ends(path: Path) -> None:
    reading = "connection = store._connections._own(); connection.execute('BEGIN'); "
    reading += "connection.execute('SELECT count(*) FROM memory').fetchone()"
    with Store(path) as store:
        remembered(store)
        with other_program(path, reading):
            forgotten(store)
            assert store.entries.has_traces
            assert traces(path) != []
        assert persistent_entries(store, 1)
        assert not store.entries.has_traces
        assert traces(path) == []


def test_a_change_that_is_taken_back_leaves_what_was_there(path: Path) -> None:
    with Store(path) as store:
        remembered(store)
        with pytest.raises(KeyboardInterrupt), store.atomic():
            forgotten(store)
            raise KeyboardInterrupt
        assert [entry.text for entry in store.entries.recall(WORDS[0])] == [SECRET]


def test_what_an_earlier_version_left_in_free_pages_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    connection = at_version(path, 11)
    connection.execute("PRAGMA secure_delete = OFF")
    with transaction(connection):
        connection.execute("CREATE TABLE scratch (text)")
        connection.execute("INSERT INTO scratch VALUES (?)", (SECRET * 50,))
    connection.execute("DROP TABLE scratch")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 50
    connection.close()
    assert traces(path) == list(WORDS)
    Store(path).close()
    assert traces(path) == []


def test_a_transcript_stays_while_another_session_has_its_id(tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store:
        first, second = (store.add(chain(text, id="one", title=text)).id for text in ("Look.", "Go away."))
        key = TranscriptKey("project", "one")
        store.transcripts.append(key, [{"uuid": "1", "text": "Look."}])
        store.removals.remove(first)
        assert store.transcripts.entries(key)
        store.removals.remove(second)
        assert not store.transcripts.entries(key)
