"""Checks a store: its pages by SQLite, its contents by this program.

The check works on a copy: the file is not changed, and other programs may write to it meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from inspector.core.conversation import InMemoryBody, parts_of
from inspector.core.json_objects import json_object
from inspector.llm.providers import count_characters
from inspector.store.bookmark_rows import all_bookmarks
from inspector.store.connections import Connections, cause, transaction
from inspector.store.copies import Copy, open_leniently, working_copy
from inspector.store.damage import SOUND_COUNT, SOUND_EXTRACT, DamagedError, StoreError, whole
from inspector.store.extract_rows import TABLES
from inspector.store.importing import contexts
from inspector.store.memory_entries import all_memories
from inspector.store.plans import stack
from inspector.store.rescue import Rescue
from inspector.store.rows import Rows, text_of
from inspector.store.schema import APPLICATION_ID, VERSION
from inspector.store.serialization import column
from inspector.store.session_reader import body_of, content_digest, digest_rules, digests, session_of
from inspector.store.working import ConnectionBody, working_rows

_PROBLEMS_PER_KIND = 5
"""How many problems of one kind are listed; of the others only the number is given."""
_OWN = "_sqlite_migrations"
"""Tables of the library that migrates: it declares them as its version likes."""
_INDEXES = {"message_search": "body", "memory_search": "memory"}
"""The search indexes, and the table whose rows each of them has."""

Progress = Callable[[int, int], None]


@json_object("Checked session", "id title problems messages rescued cut mended changed plans rescued_plans whole")
@dataclass(frozen=True, slots=True)
class SessionCheck:
    """What was found out about one session of a store, and what of it can be rescued."""

    id: str
    title: str
    problems: Annotated[tuple[str, ...], "what is damaged, each a clause"]
    messages: Annotated[int, "that it had, as far as that is known"]
    rescued: Annotated[int, "messages that can be read, or their text at least"]
    cut: Annotated[int, "other messages, of which only the beginning is left"]
    mended: Annotated[int, "rescued messages that have lost what was recorded beside their text, or some of it"]
    changed: Annotated[int, "rescued messages that do not say word for word what was stored"]
    plans: int
    rescued_plans: int

    @property
    def whole(self) -> bool:
        return not self.problems


@json_object(keys="path whole problems gone sessions")
@dataclass(frozen=True, slots=True)
class StoreCheck:
    """Whether a store is whole."""

    path: str
    problems: Annotated[tuple[str, ...], "damage outside of the sessions, each a clause"]
    sessions: tuple[SessionCheck, ...]
    gone: Annotated[tuple[str, ...], "what no repair brings back, each a clause"] = ()

    @property
    def whole(self) -> bool:
        return not self.problems and all(session.whole for session in self.sessions)


def check_store(path: Path, progress: Progress | None = None) -> StoreCheck:
    """Check a store. `progress(done, total)` counts sessions.

    Raises StoreError for a file that is no store of ours, cannot be read, or was written by a later version.
    """
    with working_copy(path) as copy:
        return check_copy(copy, str(path), progress)


def check_copy(copy: Copy, path: str, progress: Progress | None = None) -> StoreCheck:
    """The check of a working copy, which is brought up to date on the way."""
    with closing(sqlite3.connect(copy.path, isolation_level=None)) as strict:
        problems = [*copy.repairs, *_header_problems(strict, path), *_page_problems(strict)]
        has_problems = bool(problems)
        problems += [*_schema_problems(strict), *_search_problems(strict), *_other_problems(strict)]
        losses = tuple(_first_problems(_losses(strict)))
        with closing(open_leniently(copy.path)) as loose:
            rescue = Rescue(Rows(loose, copy.path, thorough=has_problems), strict)
            sessions = []
            for number, session_id in enumerate(rescue.ids):
                sessions.append(_check_session(rescue, session_id))
                if progress:
                    progress(number + 1, len(rescue.ids))
    return StoreCheck(path, tuple(problems), tuple(sessions), losses)


def _check_session(rescue: Rescue, id: str) -> SessionCheck:
    problems = _session_problems(rescue.strict, id)
    if not problems:
        return _sound_session(rescue.strict, id)
    rescue_result = rescue.session(id)
    plans, losses = rescue.plans(id, rescue_result.log)
    return SessionCheck(
        id,
        rescue_result.session.title,
        tuple(problems),
        len(rescue_result.log),
        len(rescue_result.session.messages) - rescue_result.cut,
        rescue_result.cut,
        rescue_result.mended,
        rescue_result.changed,
        len(plans) + losses,
        len(plans),
    )


def _sound_session(connection: sqlite3.Connection, id: str) -> SessionCheck:
    """The check of a session without problems."""
    query = (
        "SELECT title, messages, (SELECT count(*) FROM plan WHERE session_id = session.id) FROM session WHERE id = ?"
    )
    title, messages, plans = connection.execute(query, (column(id),)).fetchone()
    return SessionCheck(id, text_of(title), (), messages, messages, 0, 0, 0, plans, plans)


def _first_problems(problems: Iterator[str]) -> Iterator[str]:
    """The first problems, and how many more there are; an error of SQLite ends them as one of them."""
    more = 0
    try:
        for number, problem in enumerate(problems):
            if number < _PROBLEMS_PER_KIND:
                yield problem
            else:
                more += 1
    except DamagedError as error:
        yield error.what
    except StoreError as error:
        yield str(error)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield cause(error)
    if more:
        yield f"and {more:,} more like this"


def _header_problems(connection: sqlite3.Connection, path: str) -> list[str]:
    """What is wrong with the file's numbers; a file of an earlier version is brought up to date.

    Raises StoreError for a file of a later version.
    """
    from inspector.store.migrations import MIGRATIONS, migrate

    problems = []
    with suppress(sqlite3.Error, UnicodeDecodeError):
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            problems.append("its header does not say that it is a store of Inspector")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        steps = [text_of(name) for (name,) in connection.execute(f"SELECT name FROM {_OWN}")]
        names = repr(MIGRATIONS)
        if version > VERSION and any(step not in names for step in steps):
            raise StoreError(f"{path} was written by a newer Inspector: update Inspector")
        if version != len(steps):
            problems.append(f"its header tells of version {version}, its tables of version {len(steps)}")
        elif version < VERSION:
            with transaction(connection):
                migrate(connection)
    return problems


def _page_problems(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file's pages, and with rows that belong to others."""

    def find() -> Iterator[str]:
        for (text,) in connection.execute("PRAGMA integrity_check(100)"):
            if text != "ok":
                yield " ".join(text.removeprefix("*** in database main ***").split())
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} belongs to none of {parent}"

    return list(_first_problems(find()))


def _schema_problems(connection: sqlite3.Connection) -> list[str]:
    """What is missing of the tables, indexes, triggers and views that a store has, or declared in other words."""
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

    return list(_first_problems(find()))


def _losses(connection: sqlite3.Connection) -> Iterator[str]:
    """What is gone without a trace in its own place: tables, and plans of which only the parts are left."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "session" not in there:
        yield "what was recorded of the sessions beside their messages: titles, models, tools and settings"
    if "plan" not in there:
        yield "all plans, if there were any"
        return
    if parts := there & {"plan_fate", "plan_message"}:
        leftovers = " UNION ".join(
            f"SELECT plan_id FROM {name} WHERE plan_id NOT IN (SELECT id FROM plan)" for name in parts
        )
        if number := connection.execute(f"SELECT count(*) FROM ({leftovers})").fetchone()[0]:
            yield f"plans, at least {number:,}"


def _search_problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the search indexes."""

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

    return list(_first_problems(find()))


def _other_problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with what belongs to no session: what is remembered, and what was counted."""

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
            yield f"token counts that are no numbers: {wrong:,}"
        query = " + ".join(f"(SELECT count(*) FROM {table} WHERE NOT {SOUND_EXTRACT})" for table in TABLES.values())
        if wrong := connection.execute(f"SELECT {query}").fetchone()[0]:
            yield f"what was read out of messages, as no JSON: {wrong:,}"
        query = f"SELECT name FROM sqlite_sequence WHERE NOT coalesce({whole('seq')}, 0)"
        for (table,) in connection.execute(query):
            yield f"the number of the last row of {table} is damaged"

    return list(_first_problems(find()))


def _session_problems(connection: sqlite3.Connection, id: str) -> list[str]:
    """What is wrong with a session: with its messages, with what is in its contexts, and with its plans."""

    def find() -> Iterator[str]:
        session, keys = session_of(connection, id, lambda key: ConnectionBody(connection, key))
        rules = connection.execute("SELECT digested_by FROM session WHERE id = ?", (column(id),)).fetchone()
        stored = digests(connection, id) if rules == (digest_rules(),) else [None] * len(keys)
        for position, (message, key, digest) in enumerate(zip(session, keys, stored, strict=True)):
            raw, record = body_of(connection, key)
            whole = replace(message, body=InMemoryBody(raw, record))
            chars = sum(map(count_characters, parts_of(raw, message.dialect)))
            if chars != message.chars or digest not in (None, content_digest(whole)):
                yield f"the message at position {position} does not say what was stored"
        context = "SELECT session_id, agent, position FROM context WHERE session_id = ?"
        rows = set(connection.execute(context, (column(id),)))
        if rows != {(column(id), *place) for place in contexts(session)}:
            yield "what is in its contexts does not agree with its messages"
        yield from _plan_problems(connection, id)

    return list(_first_problems(find()))


def _plan_problems(connection: sqlite3.Connection, id: str) -> Iterator[str]:
    """What is wrong with the stacks of a session's agents, and with the windows they leave. Raises DamagedError."""
    agents = connection.execute("SELECT DISTINCT agent FROM plan WHERE session_id = ?", (column(id),)).fetchall()
    for (agent,) in agents:
        place = (column(id), agent)
        plans = stack(connection, id, text_of(agent))
        query = "SELECT position FROM plan WHERE session_id = ? AND agent = ? ORDER BY position"
        if [position for (position,) in connection.execute(query, place)] != list(range(1, len(plans) + 1)):
            yield f"plans of {text_of(agent)} are missing"
        query = "SELECT key, version, fate_of FROM working_message WHERE session_id = ? AND agent = ? ORDER BY place"
        if connection.execute(query, place).fetchall() != list(working_rows(connection, id, text_of(agent), plans)):
            yield f"the window of {text_of(agent)} does not agree with its plans"
