"""Checks a store: its pages by SQLite, its contents by this program.

The check works on a copy: the file is not changed, and other programs may write to it meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from inspector.core.json_objects import json_object
from inspector.core.work_pool import ProgressCallback
from inspector.store.bookmark_rows import all_bookmarks
from inspector.store.connections import Connections, cause, transaction
from inspector.store.copies import Copy, working_copy
from inspector.store.damage import SOUND_COUNT, SOUND_EXTRACT, StoreError, whole
from inspector.store.damaged_values import text_in
from inspector.store.extract_rows import TABLES
from inspector.store.memory_entries import all_memories
from inspector.store.recovery import Recovery, recover
from inspector.store.schema import APPLICATION_ID, VERSION
from inspector.store.serialization import column, text_of
from inspector.store.session_checks import first_problems, session_problems

_OWN = "_sqlite_migrations"
"""Tables of the library that migrates: it declares them as its version likes."""
_INDEXES = {"message_search": "body", "memory_search": "memory"}
"""The search indexes, and the table whose rows each of them has."""
_STEPS = 1_000_000
"""Steps of SQLite between two reports of progress."""


@json_object("Checked session", "id title problems messages rescued cut mended changed plans rescued_plans whole")
@dataclass(frozen=True, slots=True)
class SessionCheck:
    """Problems of one session, and the numbers of messages and plans that a repair recovers."""

    id: str
    title: str
    problems: Annotated[tuple[str, ...], "damage, each a clause"]
    messages: Annotated[int, "that it had, as far as that is known"]
    rescued: Annotated[int, "messages that can be read, or their text at least"]
    cut: Annotated[int, "other messages, of which only the beginning is left"]
    mended: Annotated[int, "recovered messages that have lost some or all of their metadata"]
    changed: Annotated[int, "rescued messages whose text differs from the stored text"]
    plans: int
    rescued_plans: int

    @property
    def whole(self) -> bool:
        return not self.problems


@json_object(keys="path whole problems gone sessions")
@dataclass(frozen=True, slots=True)
class StoreCheck:
    """Result of a check: the problems of a store."""

    path: str
    problems: Annotated[tuple[str, ...], "damage outside of the sessions, each a clause"]
    sessions: tuple[SessionCheck, ...]
    gone: Annotated[tuple[str, ...], "losses that a repair cannot recover, each a clause"] = ()

    @property
    def whole(self) -> bool:
        return not self.problems and all(session.whole for session in self.sessions)


def check_store(path: Path, progress: ProgressCallback | None = None) -> StoreCheck:
    """Check a store, including what a repair would recover of a damaged one. Nothing is changed.

    Args:
        path: File of the store.
        progress: Called in each step of the check. An exception that it raises ends the check.

    Raises:
        StoreError: The file is not a store, cannot be read, or was written by a newer version.
    """
    with working_copy(path) as copy:
        return check_copy(copy, str(path), progress)[0]


def check_copy(copy: Copy, path: str, progress: ProgressCallback | None = None) -> tuple[StoreCheck, Recovery | None]:
    """Check a working copy. If the store is damaged, write a repaired store next to the copy.

    Args:
        copy: Working copy of the store. One of an older version is migrated.
        path: File of the store, for messages.
        progress: See `check_store`.

    Returns:
        The result, and what the repaired store `copy.repaired` holds. None if nothing is damaged.
    """
    report = progress or (lambda *_: None)
    with closing(sqlite3.connect(copy.path, isolation_level=None)) as connection:
        problems = [*copy.problems, *_header_problems(connection, path)]
        for doing, find in _PARTS.items():
            connection.set_progress_handler(partial(report, doing, 0, 0), _STEPS)
            problems += find(connection)
            report(doing, 0, 0)  # raises again what interrupted SQLite
        connection.set_progress_handler(None, _STEPS)
        ids = _session_ids(connection)
        session_faults: dict[str, list[str]] = {}
        for number, name in enumerate(ids, 1):
            session_faults[name] = session_problems(connection, name)
            report("checking sessions", number, len(ids))
        if not problems and not any(session_faults.values()):
            return StoreCheck(path, (), tuple([_sound_session(connection, name) for name in ids])), None
    recovery = recover(copy, copy.repaired, report)
    sessions = tuple([_checked_session(recovery, name, session_faults.get(name)) for name in recovery.logs])
    return StoreCheck(path, tuple(problems), sessions, recovery.gone), recovery


def _session_ids(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of the sessions in the order in which they were imported, as far as they can be read."""
    ids: list[str] = []
    with suppress(sqlite3.Error, UnicodeDecodeError, AttributeError):
        for (name,) in connection.execute("SELECT id FROM session ORDER BY rowid"):
            ids.append(text_of(name))
    return ids


def _checked_session(recovery: Recovery, id: str, problems: list[str] | None) -> SessionCheck:
    """Return the check of a session in a damaged store; `problems` is None if its row could not be read."""
    log = recovery.logs[id]
    plans, lost_plans = recovery.plans[id], recovery.lost_plans[id]
    if problems is None:
        problems = ["its metadata cannot be read"]
    elif not problems and (log.lost or log.cut or log.mended or log.changed or lost_plans):
        problems = ["some of it cannot be read"]
    rescued = log.messages - log.lost - log.cut
    counts = (log.messages, rescued, log.cut, log.mended, log.changed, plans + lost_plans, plans)
    return SessionCheck(id, log.title, tuple(problems), *counts)


def _sound_session(connection: sqlite3.Connection, id: str) -> SessionCheck:
    """Return the check of a session without problems."""
    query = (
        "SELECT title, messages, (SELECT count(*) FROM plan WHERE session_id = session.id) FROM session WHERE id = ?"
    )
    title, messages, plans = connection.execute(query, (column(id),)).fetchone()
    return SessionCheck(id, text_of(title), (), messages, messages, 0, 0, 0, plans, plans)


def _header_problems(connection: sqlite3.Connection, path: str) -> list[str]:
    """Return problems of the header. A file of an older version is migrated.

    Raises:
        StoreError: The file is of a newer version.
    """
    from inspector.store.migrations import MIGRATIONS, migrate

    problems = []
    with suppress(sqlite3.Error, UnicodeDecodeError):
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            problems.append("its header does not say that it is a store of Inspector")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        steps = [text_in(name) for (name,) in connection.execute(f"SELECT name FROM {_OWN}")]
        names = repr(MIGRATIONS)
        if version > VERSION and any(step not in names for step in steps):
            raise StoreError(f"{path} was written by a newer Inspector: update Inspector")
        if version != len(steps):
            problems.append(f"its header has version {version}, its tables have version {len(steps)}")
        elif version < VERSION:
            with transaction(connection):
                migrate(connection)
    return problems


def _page_problems(connection: sqlite3.Connection) -> list[str]:
    """Return the problems that SQLite reports for the file's pages and foreign keys."""

    def find() -> Iterator[str]:
        for (text,) in connection.execute("PRAGMA integrity_check(100)"):
            if text != "ok":
                yield " ".join(text.removeprefix("*** in database main ***").split())
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} belongs to none of {parent}"

    return list(first_problems(find()))


def _schema_problems(connection: sqlite3.Connection) -> list[str]:
    """Return missing tables, indexes, triggers and views, and those with another declaration."""
    query = "SELECT name, type, sql FROM sqlite_master"

    def find() -> Iterator[str]:
        with closing(Connections(":memory:")) as connections, connections.use() as blank:
            right = {name: (kind, sql) for name, kind, sql in blank.execute(query) if _OWN not in name}
        there = {name: (kind, sql) for name, kind, sql in connection.execute(query)}
        for name, (kind, sql) in right.items():
            if name not in there:
                yield f"the {kind} {name} is missing"
            elif kind != "view" and there[name] != (kind, sql):
                yield f"the {kind} {name} is declared otherwise"

    return list(first_problems(find()))


def _search_problems(connection: sqlite3.Connection) -> list[str]:
    """Return problems of the search indexes."""

    def find() -> Iterator[str]:
        for index, table in _INDEXES.items():
            try:
                connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
                counts = f"SELECT (SELECT count(*) FROM {index}_docsize), (SELECT count(*) FROM {table})"
                indexed, rows = connection.execute(counts).fetchone()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                yield f"the search index {index} is damaged ({cause(error)})"
            else:
                if indexed != rows:
                    yield f"the search index {index} has {indexed:,} of {rows:,} texts"

    return list(first_problems(find()))


def _other_problems(connection: sqlite3.Connection) -> list[str]:
    """Return problems of rows that belong to no session: memories, token counts and extracts."""

    def find() -> Iterator[str]:
        all_memories(connection)
        (number,) = connection.execute("SELECT count(*) FROM bookmark").fetchone()
        if lost := number - len(all_bookmarks(connection)):
            yield f"bookmarks of messages that are not there: {lost:,}"
        query = "SELECT count(*) FROM memory_vector WHERE typeof(vector) <> 'blob'"
        if wrong := connection.execute(query).fetchone()[0]:
            yield f"vectors that are none: {wrong:,}"
        query = f"SELECT count(*) FROM token_count WHERE NOT coalesce({SOUND_COUNT}, 0)"
        if wrong := connection.execute(query).fetchone()[0]:
            yield f"token counts that are not numbers: {wrong:,}"
        query = " + ".join(f"(SELECT count(*) FROM {table} WHERE NOT {SOUND_EXTRACT})" for table in TABLES.values())
        if wrong := connection.execute(f"SELECT {query}").fetchone()[0]:
            yield f"extracts of messages that are not JSON: {wrong:,}"
        query = f"SELECT name FROM sqlite_sequence WHERE NOT coalesce({whole('seq')}, 0)"
        for (table,) in connection.execute(query):
            yield f"the number of the last row of {table} is damaged"

    return list(first_problems(find()))


_PARTS = {
    "checking pages": _page_problems,
    "checking tables": _schema_problems,
    "checking search indexes": _search_problems,
    "checking other rows": _other_problems,
}
"""Parts of a check before that of the sessions."""
