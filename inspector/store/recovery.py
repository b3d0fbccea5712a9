"""Copies everything that can be read of a damaged store, and what else its backups hold, to a new store."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspector.core.work_pool import ProgressCallback
from inspector.store import plans
from inspector.store.agent_sessions import fold_session
from inspector.store.backups import IDENTITY_TABLE
from inspector.store.connections import Connections, transaction
from inspector.store.copies import Copy
from inspector.store.damage import DamagedError, StoreError, json_list
from inspector.store.damaged_values import count_in, is_json, is_text, memory_from, text_in
from inspector.store.log_repair import LogRepair, LostHeads, repair_log
from inspector.store.memory_entries import (
    MEMORY_COLUMNS,
    MEMORY_KINDS,
    Memory,
    entry_of,
    restore_memory,
)
from inspector.store.readable_rows import BrokenText, columns_of, open_leniently, read_keyed_rows, read_rows, tables_of
from inspector.store.rollup_rows import ROLLUP_KEYS
from inspector.store.serialization import Row, column, text_of
from inspector.store.session_checks import session_problems
from inspector.store.working import write_working_tiers


@dataclass(slots=True)
class Recovery:
    """Content of a repaired store."""

    logs: dict[str, LogRepair] = field(default_factory=dict)
    """By the id of each session, in the order of the store."""
    plans: Counter[str] = field(default_factory=Counter)
    """Numbers of plans by session."""
    lost_plans: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    lost_memories: int = 0
    gone: tuple[str, ...] = ()
    """Losses other than messages, each a clause."""


def recover(copy: Copy, new: Path, report: ProgressCallback) -> Recovery:
    """Write a new store with everything that can be recovered.

    Args:
        copy: Working copy of the damaged store. It is only read.
        new: Path of the new store.
        report: Called for each row and each session. An exception that it raises ends the recovery.

    Raises:
        StoreError: The new store cannot be written.
    """
    with ExitStack() as stack:
        connections = stack.enter_context(closing(Connections(new)))
        target = stack.enter_context(connections.use())
        source = stack.enter_context(closing(open_leniently(copy.path)))
        backups = [stack.enter_context(closing(open_leniently(path, read_only=True))) for path in copy.backups]
        target.execute("PRAGMA foreign_keys = OFF")
        with transaction(target):
            return _Job(target, source, backups, "" if copy.is_lost else _identity(source), report).run()


class _Job:
    """One recovery, inside a transaction of the new store."""

    def __init__(
        self,
        target: sqlite3.Connection,
        source: sqlite3.Connection,
        backups: Sequence[sqlite3.Connection],
        identity: str,
        report: ProgressCallback,
    ) -> None:
        self.target = target
        self.source = source
        self.identity = identity or next(filter(None, map(_identity, backups)), "")
        self.report = report
        self.backups = [backup for backup in backups if _identity(backup) == self.identity]
        self.origins = [source, *self.backups]
        """From the best source for a row that can change to the worst."""
        self.repaired: set[str] = set()
        """Sessions with repaired logs."""
        self.result = Recovery()

    def run(self) -> Recovery:
        self.copy_identity()
        for table in ("session", "message", "body"):
            self.copy_rows(self.source, table)
        self.insert_all("context", read_keyed_rows(self.source, "context", "session_id, agent, position")[0])
        for backup in self.backups:
            self.copy_rows(backup, "session")
        self.add_missing_sessions()
        self.repair_logs()
        self.copy_plans()
        self.copy_bookmarks()
        self.copy_memories()
        self.copy_caches()
        self.copy_agent_sessions()
        self.copy_transcripts()
        self.copy_experiments()
        for table, key in ROLLUP_KEYS.items():
            self.insert_all(table, read_keyed_rows(self.source, table, key)[0])
        for name in self.result.plans:
            write_working_tiers(self.target, name)
        self.result.gone = tuple(self.losses())
        return self.result

    def copy_identity(self) -> None:
        """Give the new store the identity of the old one, so that the backups belong to it."""
        if self.identity:
            change = f"UPDATE {IDENTITY_TABLE} SET applied_at = ? WHERE name = 'm001_log'"
            self.target.execute(change, (self.identity,))

    def copy_rows(self, origin: sqlite3.Connection, table: str) -> None:
        """Copy the rows of a table that the new store does not have yet."""
        columns = columns_of(self.target, table)
        for row in read_rows(origin, table, columns):
            self.report("recovering rows", 0, 0)
            if table != "body" or is_json(row[1]):
                self.insert(table, columns, row)

    def insert(self, table: str, columns: Sequence[str], row: Row) -> None:
        """Insert a row, with its number in front, unless the new store has it or its values are impossible."""
        there = [(name, value) for name, value in zip(columns, row[1:], strict=True) if value is not None]
        names = ", ".join(["rowid", *(name for name, _ in there)])
        marks = ", ".join("?" * (1 + len(there)))
        with suppress(sqlite3.Error):
            values = (row[0], *(value for _, value in there))
            self.target.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", values)

    # sessions

    def add_missing_sessions(self) -> None:
        """Remove sessions without an id, and add those of which only messages are left."""
        self.target.execute("DELETE FROM session WHERE id IS NULL OR typeof(id) NOT IN ('text', 'blob')")
        for row in self.target.execute("SELECT id FROM session").fetchall():
            if not is_text(row[0]):
                self.target.execute("DELETE FROM session WHERE id = ?", row)
        self.target.execute("DELETE FROM message WHERE typeof(session_id) NOT IN ('text', 'blob')")
        query = """
            SELECT session_id, count(*) FROM message
            WHERE session_id NOT IN (SELECT id FROM session) GROUP BY session_id ORDER BY min(key)"""
        for name, number in self.target.execute(query).fetchall():
            if number > 1 and is_text(name):
                self.add_session(name)
            else:
                self.target.execute("DELETE FROM message WHERE session_id = ?", (name,))

    def add_session(self, id: str | bytes) -> None:
        texts = ("recorded_id", "title", "format", "dialect", "model", "path", "changed", "imported_at", "digested_by")
        facts: dict[str, str | bytes | int] = dict.fromkeys(texts, "")
        facts |= dict.fromkeys(("line", "agents", "messages", "turns", "compactions"), 0)
        facts |= {"id": id, "recorded_id": id, "records_system": 1, "settings": "{}", "tools": "[]", "problems": "[]"}
        marks = ", ".join("?" * len(facts))
        self.target.execute(f"INSERT INTO session ({', '.join(facts)}) VALUES ({marks})", tuple(facts.values()))

    def repair_logs(self) -> None:
        """Repair the messages of damaged sessions, then remove windows and texts that belong to none."""
        lost_heads = self.lost_heads()
        self.target.execute("DELETE FROM sqlite_sequence WHERE name = 'message'")
        keys = "SELECT max(key) FROM (SELECT key FROM body UNION SELECT key FROM message)"
        last = max([self.target.execute(keys).fetchone()[0] or 0, *lost_heads.all_keys])
        self.target.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('message', ?)", (last,))
        query = "SELECT id, title, messages FROM session ORDER BY rowid"
        rows = self.target.execute(query).fetchall()
        for number, (key, title, messages) in enumerate(rows, 1):
            self.report("recovering sessions", number, len(rows))
            name = text_of(key)
            log = LogRepair(text_in(title), count_in(messages))
            if lost_heads.keys.get(name) or session_problems(self.target, name):
                log = repair_log(self.target, name, lost_heads)
                self.repaired.add(name)
            self.result.logs[name] = log
        self.target.execute("DELETE FROM context WHERE session_id NOT IN (SELECT id FROM session)")
        self.target.execute("DELETE FROM body WHERE key NOT IN (SELECT key FROM message)")

    def lost_heads(self) -> LostHeads:
        """Find messages without a readable row in the indexes of the damaged store."""
        result = LostHeads()
        there = {key for (key,) in self.target.execute("SELECT key FROM message")}
        query = "SELECT rowid, session_id, {} FROM message INDEXED BY sqlite_autoindex_message_{}"
        rows = [self.read(query.format(name, number)) for name, number in (("position", 1), ("id", 2))]
        for key, session_id, position in rows[0]:
            if key not in there and min(count_in(key, -1), count_in(position, -1)) >= 0 and is_text(session_id):
                result.keys.setdefault(text_of(session_id), {})[position] = key
        result.ids = {key: text_of(name) for key, _, name in rows[1] if key not in there and is_text(name)}
        return result

    def read(self, query: str) -> list[Row]:
        """Return the rows of a query on the damaged store up to the first error."""
        rows: list[Row] = []
        with suppress(sqlite3.Error):
            rows.extend(self.source.execute(query))
        return rows

    # plans

    def copy_plans(self) -> None:
        """Copy all plans. Plans never change, so those in backups are preferred: the damage cannot be in them."""
        names = columns_of(self.target, "plan")
        seen: dict[str, set[int]] = {}
        for origin in (*self.backups, self.source):
            for row in read_rows(origin, "plan", names):
                seen.setdefault(text_in(row[1]), set()).add(row[0])
                if not self.target.execute("SELECT 1 FROM plan WHERE id = ?", row[:1]).fetchone():
                    self.copy_plan(origin, names, row)
        self.drop_broken_plans()
        query = "SELECT session_id, count(*) FROM plan GROUP BY session_id"
        self.result.plans = Counter({text_of(name): number for name, number in self.target.execute(query)})
        lost = {name: len(numbers) - self.result.plans[name] for name, numbers in seen.items()}
        self.result.lost_plans = Counter({name: number for name, number in lost.items() if number > 0})

    def copy_plan(self, origin: sqlite3.Connection, names: Sequence[str], row: Row) -> None:
        """Copy a plan with its fates and messages if all of them can be read."""
        fates, is_complete = read_keyed_rows(origin, "plan_fate", "message_id", "plan_id = ?", row[:1])
        columns = ["id", *columns_of(self.target, "plan_message")]
        query = f"SELECT {', '.join(columns)} FROM plan_message {{}} WHERE plan_id = ?"
        messages: list[Row] | None = None
        for hint in ("", "NOT INDEXED"):
            with suppress(sqlite3.Error):
                readable = origin.execute(query.format(hint), row[:1]).fetchall()
                messages = max(messages or [], readable, key=len)
        if is_complete and messages is not None:
            self.insert("plan", names, row)
            for fate in fates:
                with suppress(sqlite3.Error):
                    self.target.execute("INSERT OR IGNORE INTO plan_fate VALUES (?, ?, ?, ?, ?)", fate)
            for message in messages:
                self.insert("plan_message", columns[1:], message)

    def drop_broken_plans(self) -> None:
        """Delete plans that cannot be decoded, and those above them, which depend on them."""
        query = "SELECT id, session_id, agent, position FROM plan ORDER BY session_id, agent, position"
        heights: Counter[tuple[Any, Any]] = Counter()
        for number, session_id, agent, position in self.target.execute(query).fetchall():
            stack = (session_id, agent)
            if position == heights[stack] + 1 and self.is_sound_plan(number, session_id, agent):
                heights[stack] += 1
            else:
                for table, name in (("plan", "id"), ("plan_fate", "plan_id"), ("plan_message", "plan_id")):
                    self.target.execute(f"DELETE FROM {table} WHERE {name} = ?", (number,))

    def is_sound_plan(self, number: int, session_id: Any, agent: Any) -> bool:
        if not is_text(agent) or not is_text(session_id) or text_of(session_id) not in self.result.logs:
            return False
        try:
            plans.stored_plan(self.target, number)
        except DamagedError:
            return False
        return True

    # memories and bookmarks

    def copy_bookmarks(self) -> None:
        names = columns_of(self.target, "bookmark")
        for row in self.best_rows("bookmark", names):
            facts = dict(zip(names, row[1:], strict=True))
            log = self.result.logs.get(text_in(facts["session_id"]))
            if log and 0 <= count_in(facts["position"], -1) < log.messages:
                texts = {name: column(text_in(value)) for name, value in facts.items() if name != "position"}
                self.insert("bookmark", names, (row[0], *(facts | texts).values()))

    def best_rows(self, table: str, names: Sequence[str]) -> Iterator[Row]:
        """Yield the best version of each row: from the damaged store, from a backup, or with invalid or zeroed text."""
        seen: set[int] = set()
        broken: list[Row] = []
        for origin in self.origins:
            for row in read_rows(origin, table, names):
                if any(isinstance(value, BrokenText) or (isinstance(value, str) and "\0" in value) for value in row):
                    broken.append(row)
                elif row[0] not in seen:
                    seen.add(row[0])
                    yield row
        yield from (row for row in broken if row[0] not in seen)

    def copy_memories(self) -> None:
        """Copy the entries of the tiers: sound ones, then others from backups, then what can be read of the rest."""
        names = MEMORY_COLUMNS[1:]
        damaged: list[Row] = []
        seen: set[int] = set()
        for row in self.best_rows("memory", names):
            try:
                entry = entry_of((*row, 0.0))
            except DamagedError:
                damaged.append(row)
                continue
            seen.add(row[0])
            self.write_memory(entry)
        for backup in self.backups:
            for row in read_rows(backup, "memory", names) if damaged else ():
                if row[0] not in seen:
                    with suppress(DamagedError):
                        self.write_memory(entry_of((*row, 0.0)))
                        seen.add(row[0])
        for row in damaged:
            facts = dict(zip(MEMORY_COLUMNS, row, strict=True))
            if row[0] not in seen and facts["kind"] in MEMORY_KINDS and isinstance(facts["text"], str | bytes):
                self.write_memory(memory_from(facts))
                seen.add(row[0])
        query = "SELECT count(*) FROM memory_search_docsize"
        indexed = next((count_in(number) for (number,) in self.read(query)), 0)
        self.result.memories = len(seen)
        self.result.lost_memories = max(indexed - len(seen), 0)

    def write_memory(self, entry: Memory) -> None:
        """Write an entry. Retrievals are left out, because they are computed from other entries."""
        if entry.kind == "retrieval":
            return
        if entry.session_id not in self.result.logs:
            entry = replace(entry, session_id=None, tier="persistent")
        if not self.target.execute("SELECT 1 FROM plan WHERE id = ?", (entry.plan_id,)).fetchone():
            entry = replace(entry, plan_id=None)
        restore_memory(self.target, entry)

    # the rest

    def copy_transcripts(self) -> None:
        """Copy the entries of transcripts that can be read."""
        names = columns_of(self.target, "transcript")
        for row in read_rows(self.source, "transcript", names):
            if is_json(dict(zip(names, row[1:], strict=True))["entry"]):
                self.insert("transcript", names, row)

    def copy_experiments(self) -> None:
        """Copy the replies of models that can be read, with their sessions."""
        names = columns_of(self.target, "experiment")
        for row in read_rows(self.source, "experiment", names):
            facts = dict(zip(names, row[1:], strict=True))
            is_known = text_in(facts["session_id"]) in self.result.logs and isinstance(facts["digest"], bytes)
            if is_known and is_json(facts["about"]) and is_json(facts["reply"]) and isinstance(facts["sample"], int):
                self.insert("experiment", names, row)

    def copy_caches(self) -> None:
        """Copy token counts and the digests of files. Files of repaired sessions are read again when imported."""
        counts, _ = read_keyed_rows(self.source, "token_count", "digest, counter")
        outputs, _ = read_keyed_rows(self.source, "output", "path")
        sources, _ = read_keyed_rows(self.source, "source", "path")
        self.insert_all(
            "token_count", (row for row in counts if isinstance(row[0], bytes) and count_in(row[-1], -1) >= 0)
        )
        self.insert_all("output", (row for row in outputs if is_text(row[0]) and isinstance(row[1], bytes)))
        self.insert_all("source", (row for row in sources if is_text(row[0]) and self.has_all(row[2])))

    def has_all(self, ids: Any) -> bool:
        """Return True if a JSON list names only sessions that were copied without repairs."""
        with suppress(ValueError, TypeError, RecursionError):
            return self.result.logs.keys() - self.repaired >= set(json_list(text_in(ids)))
        return False

    def insert_all(self, table: str, rows: Iterable[Row]) -> None:
        for row in rows:
            with suppress(sqlite3.Error):
                self.target.execute(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def copy_agent_sessions(self) -> None:
        """Copy what agents' memories wrote, and move what is in the journal to the log."""
        rows, _ = read_keyed_rows(self.source, "agent_session", "session_id")
        there = [row for row in rows if is_text(row[0]) and text_of(row[0]) in self.result.logs]
        self.insert_all("agent_session", ((row[0], "", "", row[3] if is_json(row[3]) else "{}") for row in there))
        self.copy_rows(self.source, "journal")
        for (session_id,) in self.target.execute("SELECT DISTINCT session_id FROM journal").fetchall():
            self.target.execute("SAVEPOINT journal")
            try:
                fold_session(self.target, text_of(session_id), "")
            except (StoreError, UnicodeDecodeError, AttributeError):
                self.target.execute("ROLLBACK TO journal")
            self.target.execute("RELEASE journal")
        self.target.execute("DELETE FROM journal")

    def losses(self) -> Iterator[str]:
        """Yield what is lost without a trace in its own place."""
        there = tables_of(self.source)
        if "session" not in there:
            yield "the metadata of the sessions: titles, models, tools and settings"
        if "plan" not in there and not self.backups:
            yield "all plans, if there were any"
        known = {number for (number,) in self.target.execute("SELECT id FROM plan")}
        known |= {number for (number,) in self.read("SELECT id FROM plan NOT INDEXED")}
        leftovers = [*self.read("SELECT plan_id FROM plan_fate"), *self.read("SELECT plan_id FROM plan_message")]
        if number := len({plan for (plan,) in leftovers if count_in(plan, -1) >= 0} - known):
            yield f"plans, at least {number:,}"


def _identity(connection: sqlite3.Connection) -> str:
    """Return the time at which a store was made, or an empty text."""
    with suppress(sqlite3.Error):
        query = f"SELECT applied_at FROM {IDENTITY_TABLE} WHERE name = 'm001_log'"
        row = connection.execute(query).fetchone()
        return text_in(row[0]) if row else ""
    return ""
