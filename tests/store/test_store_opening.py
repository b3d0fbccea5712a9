"""Opening the store: where it is, and what it says when it cannot be opened."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.store import Store, StoreError, connections, default_path
from inspector.store.schema import VERSION
from tests.places import ROOT
from tests.store.made import chain, long


def test_the_default_path_is_the_environments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INSPECTOR_DB", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db"


def test_the_default_path_is_in_the_users_data_folder_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("INSPECTOR_DB", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_path().name == "inspector.db"
    assert default_path().parent.name == "inspector"


def test_importing_the_package_loads_no_migrations_and_no_window_and_no_screen() -> None:
    code = (
        "import sys, inspector.store;"
        " names = 'sqlite_utils', 'textual', 'click', 'tiktoken', 'inspector.engine.window.plan'; "
        "print([name for name in names if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_opening_a_file_that_is_up_to_date_loads_no_migrations(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("hello", "hi"))
    code = (
        "import sys; from inspector.store import Store; store = Store(sys.argv[1]); "
        "store.sessions(); store.load('s1'); store.search('hello'); print('sqlite_utils' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, path], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_folders_above_the_file_are_made(tmp_path: Path) -> None:
    with Store(tmp_path / "a" / "b" / "inspector.db") as store:
        store.add(chain("hello"))
    assert (tmp_path / "a" / "b" / "inspector.db").exists()


def test_a_new_file_uses_a_write_ahead_log_and_foreign_keys(tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store, store._connections.use() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def refusal(path: Path | str) -> str:
    with pytest.raises(StoreError) as error:
        Store(path)
    text = str(error.value)
    assert str(path) in text
    assert "\n" not in text
    return text


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Just some notes, and long enough to look like the header of a file. " * 20)
    path.chmod(0o644)
    before = path.read_bytes()
    assert "is not a database" in refusal(path)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o644)


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE session (id INTEGER)")
    theirs.close()
    before = path.read_bytes()
    assert "another program" in refusal(path)
    assert path.read_bytes() == before


def test_a_database_from_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store, store._connections.use() as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 3}")
    text = refusal(path)
    assert "newer" in text
    assert "update Inspector" in text


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    path.touch()
    with Store(path) as store:
        assert store.sessions() == []


@pytest.mark.parametrize("place", ["file/inspector.db", "file/deeper/inspector.db"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    text = refusal(tmp_path / place)
    assert "cannot be written" in text
    assert "INSPECTOR_DB" in text


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path: Path) -> None:
    assert "cannot be written" in refusal(tmp_path / ("x" * 300) / "inspector.db")


def test_a_folder_is_no_place_for_a_store(tmp_path: Path) -> None:
    assert "is a folder, and a store is a file" in refusal(tmp_path)


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain(*(f"message {number}" for number in range(200))))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"inspector\.db is damaged"), Store(path) as store:
        store.sessions()


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that an ordinary user may look into: pytest's own is closed to all but its owner."""
    with tempfile.TemporaryDirectory(dir="/tmp" if Path("/tmp").is_dir() else None) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


@contextmanager
def ordinary_user() -> Iterator[None]:
    """As somebody for whom permissions count."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_store_that_may_only_be_read_can_be_read(shelf: Path, folder_mode: int) -> None:
    path = shelf / "inspector.db"
    with Store(path) as store:
        store.add(chain("hello", "hi"))
    path.chmod(0o444)
    shelf.chmod(folder_mode)
    with ordinary_user(), Store(path) as store:
        assert [message.text for message in store.load("s1")] == ["hello", "hi"]
        assert [row.id for row in store.sessions()] == ["s1"]
        assert store.search("hello")[0].message_id == "m0"
        with pytest.raises(StoreError, match="cannot be written"):
            store.add(chain("hello", id="s2"))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
def test_a_folder_that_may_not_be_written_is_no_place_for_a_new_store(shelf: Path) -> None:
    shelf.chmod(0o555)
    with ordinary_user():
        assert "cannot be written" in refusal(shelf / "inspector.db")
        assert "cannot be written" in refusal(shelf / "deeper" / "inspector.db")


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "inspector.db")
    store.add(chain("hello"))
    session = store.load("s1")
    store.close()
    with pytest.raises(StoreError, match=r"inspector\.db was closed"):
        store.sessions()
    with pytest.raises(StoreError, match=r"inspector\.db was closed"):
        _ = session.messages[0].text


def test_closing_closes_the_connections_of_every_thread(tmp_path: Path) -> None:
    store = Store(tmp_path / "inspector.db")
    store.add(chain("hello"))
    ready, go, connections = threading.Event(), threading.Event(), []

    def use() -> None:
        connections.append(len(store.sessions()))
        ready.set()
        go.wait(10)
        with pytest.raises(StoreError):
            store.sessions()
        connections.append(-1)

    worker = threading.Thread(target=use)
    worker.start()
    ready.wait(10)
    store.close()
    go.set()
    worker.join()
    assert connections == [1, -1]
    assert not (tmp_path / "inspector.db-wal").exists()


def test_closing_stops_an_import_in_another_thread(tmp_path: Path) -> None:
    store = Store(tmp_path / "inspector.db")
    under_way, reports = threading.Event(), []

    def add() -> None:
        try:
            store.add(long(30_000), lambda done, _total: under_way.set() if done else None)
        except StoreError as error:
            reports.append(str(error))

    worker = threading.Thread(target=add)
    worker.start()
    assert under_way.wait(10)
    store.close()
    worker.join(10)
    assert reports == [f"{store.path} was closed"]
    with Store(store.path) as again:
        assert again.sessions() == []


def test_a_threads_connection_ends_with_it(tmp_path: Path) -> None:
    with Store(tmp_path / "inspector.db") as store:
        for _ in range(3):
            worker = threading.Thread(target=store.sessions)
            worker.start()
            worker.join()
        gc.collect()
        assert len(store._connections._open) == 1


def test_a_store_in_memory_is_shared_by_threads() -> None:
    with Store() as store:
        store.add(chain("hello", "hi"))
        session = store.load("s1")
        results: list[str] = []
        worker = threading.Thread(target=lambda: results.extend(message.text for message in session))
        worker.start()
        worker.join()
        assert results == ["hello", "hi"]
        assert store.path == ":memory:"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o277], ids=oct)
def test_the_files_of_a_store_are_their_owners_alone_from_the_first_moment(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "new" / "folder" / "inspector.db"
    before = os.umask(mask)
    try:
        with Store(path) as store:
            store.add(chain("hello"))
            files = {item.name: item.stat().st_mode & 0o777 for item in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert files == {"inspector.db": 0o600, "inspector.db-wal": 0o600, "inspector.db-shm": 0o600}
    assert [folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work differently there")
def test_the_log_of_a_store_that_others_could_read_is_closed_to_them_too(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    with Store(path) as store:
        store.add(chain("hello"))
        assert not store.was_public
        files = sorted(tmp_path.iterdir())
        for file in files:
            file.chmod(0o666)
        with Store(path) as other:
            assert other.was_public
            assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3


def test_a_file_that_becomes_a_store_while_it_is_looked_at_is_no_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "inspector.db"
    path.touch()
    one = connections.connect(str(path))
    connections.use_wal(one)
    stores: list[Store] = []

    def another_program(statement: str) -> None:
        if "sqlite_master" in statement and not stores:
            stores.append(Store(path))

    one.set_trace_callback(another_program)
    assert connections.require_version(one, str(path)) == 0
    one.set_trace_callback(None)
    assert connections.require_version(one, str(path)) == VERSION
    stores[0].close()
    one.close()
