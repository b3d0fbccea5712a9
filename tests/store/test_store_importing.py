"""Importing: once, whole or not at all, however often and however grown."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.core.conversation import Problem, Session, Usage
from inspector.llm.providers import message_from_raw
from inspector.store import ImportCancelledError, ImportResult, Store, StoreError
from inspector.store.importing import BATCH
from tests.generated import Ask, Helper, Reply, recorded, work
from tests.places import ROOT
from tests.store.made import Changed, Vanished, chain, long, message, persistent_entries, whole_message, with_message
from tests.warm import Program


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "inspector.db")


def texts(store: Store, id: str) -> list[str]:
    return [message.text for message in store.load(id)]


def context(store: Store, id: str) -> list[tuple[str, int]]:
    with store._connections.use() as connection:
        rows = connection.execute("SELECT agent, position FROM context WHERE session_id = ? ORDER BY 1, 2", (id,))
        return rows.fetchall()


def intact(store: Store) -> None:
    """What SQLite itself can tell of a file's health, and that the index holds the words of the log and no others."""
    with store._connections.use() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, message_search, row)")
        words = connection.execute("SELECT term, doc, cnt FROM temp.word").fetchall()
        connection.execute("CREATE VIRTUAL TABLE temp.again USING fts5(text, tokenize = 'porter unicode61')")
        connection.execute("INSERT INTO temp.again (rowid, text) SELECT key, text FROM message_text")
        connection.execute("CREATE VIRTUAL TABLE temp.word2 USING fts5vocab(temp, again, row)")
        assert words == connection.execute("SELECT term, doc, cnt FROM temp.word2").fetchall()
        for table in ("word", "word2", "again"):
            connection.execute(f"DROP TABLE temp.{table}")


def test_a_session_is_stored_with_all_its_messages(store: Store) -> None:
    assert store.add(chain("a", "b", "c")) == ImportResult("s1", True, 3, 3)
    assert texts(store, "s1") == ["a", "b", "c"]
    assert context(store, "s1") == [("main", 0), ("main", 1), ("main", 2)]


def test_the_same_session_twice_adds_nothing(store: Store) -> None:
    store.add(chain("a", "b"))
    assert store.add(chain("a", "b")) == ImportResult("s1", False, 0, 2)
    assert len(store.sessions()) == 1


def test_a_log_of_many_batches_is_found_by_its_words_and_so_is_what_comes_later(store: Store) -> None:
    words = [f"word{number}" for number in range(2 * BATCH + 3)]
    store.add(chain(*words))
    intact(store)
    store.add(chain(*words, "later"))
    assert [hit.position for word in ("word0", f"word{2 * BATCH + 2}", "later") for hit in store.search(word)] == [
        0,
        2 * BATCH + 2,
        2 * BATCH + 3,
    ]
    intact(store)


def test_a_long_import_that_fails_leaves_the_search_as_it_was(store: Store) -> None:
    words = [f"word{number}" for number in range(2 * BATCH)]
    with pytest.raises(ImportCancelledError):
        store.add(chain(*words), is_cancelled=iter([False, False, True]).__next__)
    assert store.search("word0") == []
    store.add(chain("a", "b"))
    assert [hit.position for hit in store.search("b")] == [1]
    intact(store)


def test_a_log_that_has_grown_adds_what_is_new(store: Store) -> None:
    store.add(chain("a", "b"))
    assert store.add(chain("a", "b", "c", "d")) == ImportResult("s1", False, 2, 4)
    assert texts(store, "s1") == ["a", "b", "c", "d"]
    assert store.sessions()[0].messages == 4
    assert store.sessions()[0].changed == "2026-03-01T10:00:03Z"
    intact(store)


def test_a_shorter_log_adds_nothing(store: Store) -> None:
    store.add(chain("a", "b", "c"))
    assert store.add(chain("a", "b")) == ImportResult("s1", False, 0, 3)
    assert store.add(replace(chain(), title="Nothing yet")) == ImportResult("s1", False, 0, 3)
    assert texts(store, "s1") == ["a", "b", "c"]
    assert store.sessions()[0].title == "A session"


def test_a_session_without_messages_is_stored_and_grows(store: Store) -> None:
    assert store.add(chain()) == ImportResult("s1", True, 0, 0)
    assert store.add(chain("a")) == ImportResult("s1", False, 1, 1)


def test_another_log_with_the_same_id_is_another_session(store: Store) -> None:
    store.add(chain("a", "b", "c"))
    assert store.add(chain("a", "x", "c")) == ImportResult("s1~2", True, 3, 3)
    assert store.add(chain("a", "y", start="other")) == ImportResult("s1~3", True, 2, 2)
    assert texts(store, "s1") == ["a", "b", "c"]
    assert texts(store, "s1~2") == ["a", "x", "c"]


def test_a_fork_is_found_again(store: Store) -> None:
    store.add(chain("a", "b", "c"))
    store.add(chain("a", "x", "c"))
    assert store.add(chain("a", "x", "c")) == ImportResult("s1~2", False, 0, 3)
    assert store.add(chain("a", "x", "c", "d")) == ImportResult("s1~2", False, 1, 4)
    assert store.add(chain("a", "b", "c", "e")) == ImportResult("s1", False, 1, 4)
    assert store.add(chain("a")) == ImportResult("s1", False, 0, 4)


def test_a_stored_fork_can_be_stored_again(store: Store, tmp_path: Path) -> None:
    store.add(chain("a", "b"))
    store.add(chain("a", "x"))
    assert store.add(store.load("s1~2")) == ImportResult("s1~2", False, 0, 2)
    with Store(tmp_path / "another.db") as another:
        assert another.add(store.load("s1~2")) == ImportResult("s1~2", True, 2, 2)


def test_an_id_that_looks_like_a_fork_does_not_collide_with_one(store: Store) -> None:
    store.add(chain("a", id="s1~2"))
    store.add(chain("b", id="s1"))
    assert store.add(chain("c", id="s1")).id == "s1~3"


def test_a_reply_that_was_still_being_written_is_replaced(store: Store) -> None:
    words = {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}]}
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    first = message_from_raw("m1", words, "anthropic", parent=0, usage=Usage(10, 1))
    later = message_from_raw(
        "m1", {**words, "content": [*words["content"], call]}, "anthropic", parent=0, usage=Usage(10, 9)
    )
    first_log = chain("a", "b")
    store.add(with_message(first_log, 1, first))
    assert store.add(with_message(first_log, 1, later)) == ImportResult("s1", False, 1, 2)
    assert whole_message(store.load("s1").messages[1]) == whole_message(later)
    assert store.search("read")[0].message_id == "m1"
    assert store.add(with_message(first_log, 1, first)) == ImportResult("s1", False, 0, 2)
    assert whole_message(store.load("s1").messages[1]) == whole_message(later)
    intact(store)


def test_a_reply_whose_first_result_came_before_its_last_block_is_replaced(store: Store) -> None:
    def log(*calls: str) -> Session:
        blocks = [{"type": "tool_use", "id": call, "name": "read", "input": {}} for call in calls]
        reply = message_from_raw("m1", {"role": "assistant", "content": blocks}, "anthropic", parent=0)
        results = [
            message_from_raw(
                f"m{2 + place}",
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "ok"}]},
                "anthropic",
                parent=1 + place,
            )
            for place, call in enumerate(calls)
        ]
        return replace(chain("a"), messages=(*chain("a").messages, reply, *results))

    store.add(log("t1"))
    assert store.add(log("t1", "t2")) == ImportResult("s1", False, 2, 4)
    assert [call.id for call in store.load("s1").messages[1].calls] == ["t1", "t2"]


def test_a_last_message_that_says_something_else_is_another_session(store: Store) -> None:
    store.add(chain("a", "yes, because"))
    assert store.add(chain("a", "no, because of that")).id == "s1~2"


def test_two_pictures_of_one_size_are_not_the_same_log(store: Store) -> None:
    def log(data: str) -> Session:
        block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        shown = message_from_raw("m0", {"role": "user", "content": [block]}, "anthropic")
        return with_message(chain("a", "b", "c"), 0, shown)

    store.add(log("aGVsbG8="))
    assert store.add(log("aGVsbG9v")).id == "s1~2"


def test_a_message_that_is_understood_differently_by_now_is_renewed(store: Store) -> None:
    session = chain("a", "b", "c")
    store.add(session)
    better = with_message(session, 0, replace(session.messages[0], kind="injected", name="hook"))
    assert store.add(better) == ImportResult("s1", False, 1, 3)
    assert store.load("s1").messages[0].kind == "injected"
    assert store.add(better).writes == 0


def test_the_context_moves_when_the_log_goes_on_after_a_compaction(store: Store) -> None:
    session = chain("a", "b")
    store.add(session)
    summary = message("m2", "user", "what was said", kind="summary", parent=-1)
    store.add(session.extend([summary, message("m3", "assistant", "on", parent=2)]))
    assert context(store, "s1") == [("main", 2), ("main", 3)]
    assert store.sessions()[0].compactions == 1


def test_each_agent_has_a_context_of_its_own(store: Store) -> None:
    store.add(recorded([Ask(), Helper(), work("later"), Ask(), Reply()]))
    assert context(store, "s") == [("helper", 1), ("helper", 2), *(("main", place) for place in (0, 3, 4, 5, 6))]


def test_facts_of_the_session_follow_its_log(store: Store) -> None:
    store.add(chain("a", "b"))
    store.set_size("s1", 500, 400)
    assert store.sessions()[0].tokens == 500
    longer = replace(chain("a", "b", "c"), title="Renamed", problems=(Problem("odd", 3),), settings={"top_p": 1})
    store.add(longer)
    row = store.sessions()[0]
    assert (row.title, row.tokens, row.peak, row.turns) == ("Renamed", None, 400, 1)
    assert store.load("s1").problems == (Problem("odd", 3),)
    assert store.load("s1").settings == {"top_p": 1}


def test_the_peak_is_the_largest_reported_window(store: Store) -> None:
    session = chain("a", "b", "c", "d")
    store.add(with_message(session, 1, replace(session.messages[1], usage=Usage(900, 5))))
    assert store.sessions()[0].peak == 900


def test_progress_is_told_in_messages(store: Store) -> None:
    reports: list[tuple[int, int]] = []
    store.add(long(3 * BATCH), lambda done, total: reports.append((done, total)))
    assert reports == [(n * BATCH, 3 * BATCH) for n in range(4)]


def test_a_cancelled_import_leaves_nothing(store: Store) -> None:
    requests: list[int] = []

    def cancelled() -> bool:
        requests.append(1)
        return len(requests) > 2

    with pytest.raises(ImportCancelledError, match="nothing of it was stored"):
        store.add(long(4 * BATCH), is_cancelled=cancelled)
    assert store.sessions() == []
    assert store.search("topic") == []
    assert store.add(long(4 * BATCH)).writes == 4 * BATCH


def test_a_source_that_changes_meanwhile_is_not_stored(store: Store) -> None:
    session = chain("a", "b", "c")
    with pytest.raises(StoreError, match=r"/tmp/made\.jsonl changed while it was being stored"):
        store.add(with_message(session, 2, replace(session.messages[2], body=Changed())))
    assert store.sessions() == []


def test_a_source_that_goes_away_meanwhile_is_not_stored(store: Store) -> None:
    session = chain("a", "b", "c")
    with pytest.raises(StoreError, match=r"/tmp/made\.jsonl can no longer be read"):
        store.add(with_message(session, 2, replace(session.messages[2], body=Vanished())))
    assert store.sessions() == []


def test_two_messages_with_one_id_are_refused_in_a_sentence(store: Store) -> None:
    session = chain("a", "b")
    with pytest.raises(StoreError, match="two of its messages carry one id"):
        store.add(with_message(session, 1, replace(session.messages[1], id="m0")))
    assert store.sessions() == []


def test_a_number_that_sqlite_cannot_hold_is_refused_in_a_sentence(store: Store) -> None:
    session = chain("a", "b")
    with pytest.raises(StoreError, match="64 bits"):
        store.add(with_message(session, 1, replace(session.messages[1], usage=Usage(10**30, 1))))
    assert store.sessions() == []


def test_a_message_nested_too_deeply_is_refused_in_a_sentence(store: Store) -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    session = with_message(
        chain("a"), 0, message_from_raw("m0", {"role": "user", "content": "a", "deep": deep}, "openai")
    )
    with pytest.raises(StoreError, match="nested too deeply"):
        store.add(session)
    while deep:  # letting go of it at once would need as deep a stack
        deep = deep.pop()  # type: ignore[assignment]


KILLED = """
import sys
from pathlib import Path
from inspector.store import Store
from tests.store.made import long, stuck_at
Store(sys.argv[1]).add(stuck_at(long(3000), 2500, Path(sys.argv[2])))
"""


def test_a_killed_import_leaves_nothing_half_done(tmp_path: Path) -> None:
    path, sign = tmp_path / "inspector.db", tmp_path / "sign"
    child = Program(["-c", KILLED, path, sign], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not sign.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert sign.exists()
    child.kill()
    child.wait()
    assert (tmp_path / "inspector.db-wal").stat().st_size > 100_000  # it was in the middle of writing
    with Store(path) as store:
        assert store.sessions() == []
        assert store.search("topic") == []
        intact(store)
        assert store.add(long(3000)) == ImportResult("long", True, 3000, 3000)
        intact(store)


WRITER = """
import sys
from inspector.store import Store
from tests.store.made import long
with Store(sys.argv[1]) as store:
    for number in range(5):
        store.add(long(60, id=f"{sys.argv[2]}-{number}"))
        store.add(long(100, id="shared"))
        store.entries.remember("fact", f"{sys.argv[2]} was here")
"""


def test_processes_that_write_at_once_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"  # which each of them may be the one to create
    writers = [Program(["-c", WRITER, path, name], cwd=ROOT) for name in "abcd"]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0, 0]
    with Store(path) as store:
        assert sorted(row.id for row in store.sessions()) == sorted(
            [f"{n}-{i}" for n in "abcd" for i in range(5)] + ["shared"]
        )
        assert len(persistent_entries(store)) == 20
        intact(store)


def test_threads_that_write_at_once_wait_for_each_other_and_readers_for_nobody(store: Store) -> None:
    store.add(long(50, id="first"))
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(4):
                store.add(long(40, id=f"{name}-{number}"))
                assert len(texts(store, "first")) == 50
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures
    assert len(store.sessions()) == 17


def test_a_reader_sees_the_log_as_it_was_while_an_import_is_under_way(store: Store) -> None:
    store.add(chain("a", "b"))
    lengths: list[int] = []

    def watch(done: int, total: int) -> None:
        if done == total:
            reader = threading.Thread(target=lambda: lengths.append(len(store.load("s1").messages)))
            reader.start()
            reader.join()

    store.add(chain("a", "b", "c"), watch)
    assert lengths == [2]
    assert len(store.load("s1").messages) == 3
