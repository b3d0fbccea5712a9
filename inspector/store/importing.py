"""Imports sessions into the store: each completely or not at all, and each message once.

A log is known by the session's recorded id and by what it says. Where two logs carry one id and differ before either
ends, they are two sessions, and the later one is stored as `id~2`, `id~3` …
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from typing import Annotated, Literal

from inspector.core.conversation import InMemoryBody, Message, Raw, Session, parts_of
from inspector.llm.providers import count_characters
from inspector.store.connections import transaction
from inspector.store.damage import MAX_COUNT, DamagedError, StoreError
from inspector.store.log_room import make_room
from inspector.store.serialization import HEAD, Row, column, head_row, settings_column, to_json
from inspector.store.session_reader import body_of, content_digest, digest_rules, ids_under, require_sound
from inspector.store.working import write_working_tiers

BATCH = 256
"""Messages between two reports of progress; so many are in memory at once, or fewer when they are long."""
_BATCH_CHARS = 2_000_000

REPAIRED = "inspector:repaired"
"""Field of the record of a message that lost content when the store was damaged. An import replaces the message."""

Progress = Callable[[int, int], None]
_Difference = Literal["same", "renewed", "other"]


class ImportCancelledError(StoreError):
    """The import was cancelled; nothing of it was stored."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of importing one session."""

    id: str
    """The session's id in the store."""
    new: Annotated[bool, "whether the session was not in the store before"]
    writes: Annotated[int, "messages that this import has added"]
    """Those that had grown are among them."""
    total: Annotated[int, "that the store holds of it"]


@dataclass(frozen=True, slots=True)
class _StoredLog:
    """The stored messages of a session."""

    id: str
    rows: list[Row]
    """(key, head …) of each message."""


@dataclass(frozen=True, slots=True)
class _Continuation:
    """A stored log that the imported one goes on from, or is a beginning of."""

    log: _StoredLog
    places: Sequence[int]
    """Positions of the stored messages in the imported log."""
    renewals: tuple[tuple[int, int], ...]
    """Stored and new positions of messages that have grown, or that are understood differently by now."""


@dataclass(frozen=True)
class Import:
    """One import in progress, inside a transaction."""

    connection: sqlite3.Connection
    session: Session
    now: str
    progress: Progress
    is_cancelled: Callable[[], bool]

    @property
    def total(self) -> int:
        return len(self.session.messages)

    @property
    def source(self) -> str:
        return self.session.path or self.session.title

    def run(self) -> ImportResult:
        self.report(0)
        candidates = list(self.candidates())
        base = next((match for log in candidates if (match := self.continues(log))), None)
        if base is None:
            fresh = self.free_id()
            self.write_session(fresh, new=True)
            self.write_messages(fresh, range(self.total))
            self.write_context(fresh)
            return ImportResult(fresh, True, self.total, self.total)
        key, had = base.log.id, len(base.log.rows)
        if self.total < had:
            return ImportResult(key, False, 0, had)
        self.write_session(key, new=False)
        make_room(self.connection, key, base.places)
        for place, position in base.renewals:
            self.renew(base.log.rows[place][0], position)
        kept = set(base.places)
        self.write_messages(key, [position for position in range(self.total) if position not in kept])
        writes = self.total - had + len(base.renewals)
        if writes:
            self.write_context(key)
            write_working_tiers(self.connection, key)
            self.connection.execute("UPDATE session SET tokens = NULL WHERE id = ?", (column(key),))
        return ImportResult(key, False, writes, self.total)

    # comparing with stored sessions

    def candidates(self) -> Iterator[_StoredLog]:
        """Yield the stored sessions with the recorded id, the oldest first."""
        rows = f"SELECT key, {HEAD} FROM message WHERE session_id = ? ORDER BY position"
        for key in ids_under(self.connection, self.session.id):
            require_sound(self.connection, key)
            yield _StoredLog(key, self.connection.execute(rows, (column(key),)).fetchall())

    def continues(self, log: _StoredLog) -> _Continuation | None:
        """Return the stored log if one of the two logs is a prefix of the other, else None.

        A session that is joined with its captured requests has messages between those of its transcript.
        """
        messages, rows = self.session.messages, log.rows
        places = self._places_of(rows)
        if places is None:
            return None
        open_here = _open_ends([(row[2], row[4]) for row in rows])
        open_there = _open_ends([(column(message.agent), message.role) for message in messages])
        renewals = []
        for place, (position, row) in enumerate(zip(places, rows, strict=False)):
            shorter = position in open_there and len(messages) <= len(rows)
            difference = self._difference(messages[position], row, place in open_here, shorter)
            if difference == "other":
                return None
            if difference == "renewed":
                renewals.append((place, position))
            if position % BATCH == BATCH - 1:
                self.report(position + 1)
        return _Continuation(log, places, tuple(renewals))

    def _places_of(self, rows: Sequence[Row]) -> Sequence[int] | None:
        """Return the positions of stored messages in the log by their ids; None for those of another log."""
        messages = self.session.messages
        if self.session.capture:
            ids = {column(message.id): position for position, message in enumerate(messages)}
            places = [ids.get(row[1], -1) for row in rows]
            if all(before < after for before, after in pairwise([-1, *places])):
                return places
        pairs = zip(messages, rows, strict=False)
        if any(column(message.id) != row[1] and not self._is_repaired(row) for message, row in pairs):
            return None
        return range(min(len(messages), len(rows)))

    def _difference(self, message: Message, row: Row, longer: bool, shorter: bool) -> _Difference:
        """Compare a stored message with an imported one, which may have more content (`longer`) or less (`shorter`)."""
        if self._is_repaired(row):
            return "renewed"
        before = Message("", row[4], InMemoryBody(*body_of(self.connection, row[0])), row[-1])
        if same(before.raw, message.raw):
            return "same" if row[1:] == head_row(message) else "renewed"
        if longer and _extends(before, message):
            return "renewed"
        return "same" if shorter and _extends(message, before) else "other"

    def _is_repaired(self, row: Row) -> bool:
        """Return True if a stored message lost content when the store was damaged."""
        return REPAIRED in body_of(self.connection, row[0])[1]

    def free_id(self) -> str:
        number, free = 1, self.session.id
        while self.connection.execute("SELECT 1 FROM session WHERE id = ?", (column(free),)).fetchone():
            number += 1
            free = f"{self.session.id}~{number}"
        return free

    # writing

    def write_session(self, id: str, new: bool) -> None:
        facts = session_facts(self.session)
        if new:
            facts |= {"id": column(id), "recorded_id": column(self.session.id), "imported_at": self.now}
            facts |= {"digested_by": digest_rules()}
            marks = ", ".join(f":{name}" for name in facts)
            self.connection.execute(f"INSERT INTO session ({', '.join(facts)}) VALUES ({marks})", facts)
            return
        peak = facts.pop("peak")
        changes = ", ".join(f"{name} = :{name}" for name in facts)
        larger = "max(coalesce(peak, :peak), coalesce(:peak, peak))"
        self.connection.execute(
            f"UPDATE session SET {changes}, peak = {larger} WHERE id = :id", facts | {"peak": peak, "id": column(id)}
        )

    def write_messages(self, id: str, places: Sequence[int]) -> None:
        """Store the messages at some positions, in batches. Each body is loaded once and released."""
        key: int = self.connection.execute(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'message'), 0)"
        ).fetchone()[0]
        if type(key) is not int or not 0 <= key < MAX_COUNT:
            raise DamagedError("the number of its last message cannot be read")
        marks = ", ".join("?" * (5 + HEAD.count(",")))
        insert = f"INSERT INTO message (key, session_id, position, digest, {HEAD}) VALUES ({marks})"
        positions, done = iter(places), self.total - len(places)
        with _batches_indexed(self.connection, len(places) > BATCH) as index:
            while rows := self.batch(positions, key, column(id)):
                try:
                    self.connection.executemany(insert, [head for head, _ in rows])
                except sqlite3.IntegrityError as error:
                    title = self.session.title
                    raise StoreError(f"{title} cannot be stored: two of its messages carry one id") from error
                self.connection.executemany(
                    "INSERT INTO body (key, raw, record) VALUES (?, ?, ?)", [body for _, body in rows]
                )
                index(key)
                key += len(rows)
                self.report(done := done + len(rows))

    def batch(self, positions: Iterator[int], key: int, id: str | bytes) -> list[tuple[Row, Row]]:
        """Return the rows of the next messages, for the tables message and body."""
        rows: list[tuple[Row, Row]] = []
        chars = 0
        for position in islice(positions, BATCH):
            key += 1
            digest, head, raw, record = self.row(position)
            rows.append(((key, id, position, digest, *head), (key, raw, record)))
            chars += len(raw) + len(record)
            if chars > _BATCH_CHARS:
                break
        return rows

    def row(self, position: int) -> tuple[bytes, Row, str, str]:
        """Return the digest, head, raw message and record of a message."""
        message = self.session.messages[position]
        raw, record = message.body.load()
        parts = parts_of(raw, message.dialect)
        if sum(map(count_characters, parts)) != message.chars:
            raise StoreError(f"{self.source} changed while it was being stored: open it again")
        digest = content_digest(message, parts)
        subject = f"message {position + 1} of {self.session.title}"
        return digest, head_row(message), to_json(raw, subject), to_json(record, subject)

    def renew(self, key: int, position: int) -> None:
        digest, head, raw, record = self.row(position)
        changes = ", ".join(f"{name} = ?" for name in HEAD.split(", "))
        self.connection.execute(f"UPDATE message SET digest = ?, {changes} WHERE key = ?", (digest, *head, key))
        self.connection.execute("UPDATE body SET raw = ? WHERE key = ? AND raw <> ?", (raw, key, raw))
        self.connection.execute("UPDATE body SET record = ? WHERE key = ?", (record, key))

    def write_context(self, id: str) -> None:
        """Update the rows of the table context to the end of the recording."""
        session = column(id)
        now = {(session, *place) for place in contexts(self.session)}
        old = self.connection.execute(
            "SELECT session_id, agent, position FROM context WHERE session_id = ?", (session,)
        )
        before = set(old.fetchall())
        delete = "DELETE FROM context WHERE session_id = ? AND agent = ? AND position = ?"
        self.connection.executemany(delete, before - now)
        self.connection.executemany("INSERT INTO context VALUES (?, ?, ?)", now - before)

    # progress

    def report(self, count: int) -> None:
        if self.is_cancelled():
            raise ImportCancelledError(f"the import of {self.session.title} was cancelled: nothing of it was stored")
        self.progress(count, self.total)


@contextmanager
def _batches_indexed(connection: sqlite3.Connection, is_long: bool) -> Iterator[Callable[[int], object]]:
    """Yield a function that adds bodies with keys above a given one to the search index.

    The trigger that indexes each body takes twice the time of one statement per batch. A long import drops it until it
    ends, in the same transaction, so a failed import restores it. For a short import the function does nothing.
    """
    name = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'body_added'"
    trigger = connection.execute(name).fetchone() if is_long else None
    if trigger is None:
        yield lambda _: None
        return
    connection.execute("DROP TRIGGER body_added")
    feed = "INSERT INTO message_search (rowid, text) SELECT key, text FROM message_text WHERE key > ?"
    yield lambda last: connection.execute(feed, (last,))
    connection.execute(trigger[0])


def add(
    connection: sqlite3.Connection, session: Session, now: str, progress: Progress, is_cancelled: Callable[[], bool]
) -> ImportResult:
    """Store a session in one transaction. See `Store.add`."""
    job = Import(connection, session, now, progress, is_cancelled)
    try:
        with transaction(connection):
            return job.run()
    except OSError as error:
        raise StoreError(f"{job.source} can no longer be read, so nothing of it was stored: {error}") from error


def _open_ends(speakers: list[tuple[str | bytes, str]]) -> set[int]:
    """Return positions that a live source may still add to: each agent's last message and last reply.

    A reply is recorded block by block, and results of its first calls may be recorded before its last block.
    """
    last = {agent: position for position, (agent, _) in enumerate(speakers)}
    replies = {agent: position for position, (agent, role) in enumerate(speakers) if role == "assistant"}
    return {*last.values(), *replies.values()}


def same(before: Raw, after: Raw) -> bool:
    """Return True if two raw messages are equal. NaN equals itself."""
    try:
        return before == after or to_json(before, "it") == to_json(after, "it")
    except RecursionError:  # too deep to be compared level by level
        return to_json(before, "it") == to_json(after, "it")


def _extends(before: Message, after: Message) -> bool:
    """Return True if `after` has all the content of `before`."""
    if before.role != after.role or before.dialect != after.dialect:
        return False
    old, new = parts_of(before.raw, before.dialect), parts_of(after.raw, after.dialect)
    return old == new[: len(old)] or (after.text.startswith(before.text) and len(new) >= len(old))


def contexts(session: Session) -> Iterator[Row]:
    """Yield the agent and position of each message in an agent's context; see the table `context`."""
    ends = {message.agent: position for position, message in enumerate(session.messages)}
    for agent, end in ends.items():
        for position in session.path_to(end):
            if session.messages[position].kind != "notice":
                yield column(agent), position


def session_facts(session: Session) -> dict[str, str | bytes | int | None]:
    """Return the columns of a session that are derived from its log."""
    subject = f"the session {session.title}"
    return {
        "title": column(session.title),
        "format": column(session.format),
        "dialect": session.dialect,
        "model": column(session.model),
        "path": column(session.path),
        "line": session.line,
        "records_system": int(session.records_system),
        "agents": len(session.agents),
        "messages": len(session.messages),
        "turns": len(session.turns()),
        "compactions": sum(message.kind == "summary" for message in session.messages),
        "peak": max((message.usage.input for message in session.messages if message.usage), default=None),
        "changed": column(next((message.time for message in reversed(session.messages) if message.time), "")),
        "settings": settings_column(session),
        "tools": to_json(list(session.tools), subject),
        "problems": to_json([asdict(problem) for problem in session.problems], subject),
    }
