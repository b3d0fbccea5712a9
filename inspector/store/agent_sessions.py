"""Sessions that running agents write: begun, opened again, and put from the journal into the tables of the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from inspector.core.conversation import MAIN, InMemoryBody, Message, Raw, Session, Usage
from inspector.llm.providers import message_from_raw
from inspector.store.connections import Connections, primary_code, snapshot, transaction
from inspector.store.damage import DamagedError, StoreError, decoding, json_object
from inspector.store.importing import Import
from inspector.store.journal import Journal, Process, claim, new_owner
from inspector.store.plans import push, stack
from inspector.store.serialization import column, message_from_json, message_json, text_of, to_json
from inspector.store.session_reader import session_of
from inspector.store.working import write_working_tiers

if TYPE_CHECKING:
    from inspector.engine.window import Plan

AGENT_FORMAT = "agent memory"
"""The format of sessions that are written here."""
EARLIER = "earlier_summaries"
"""Field of a state in the journal: names of its summaries that are written in earlier states."""
AGENT_RECORD = "inspector:memory"
"""Field of a message's record with the data of the agent's memory."""


@dataclass(frozen=True)
class AgentSession:
    """A session as the memory of an agent wrote it."""

    session: Session
    """With the text of every message in memory."""
    plans: tuple[Plan, ...]
    """Oldest first."""
    state: Raw
    """What else the memory knew when it last wrote that."""

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """Data of the agent's memory for each message, in order. Raises DamagedError for a message without it."""
        records = [message.record.get(AGENT_RECORD) for message in self.session.messages]
        sound: list[Mapping[str, Any]] = [record for record in records if isinstance(record, dict)]
        if len(sound) < len(records):
            raise DamagedError(f"the data of the agent's memory is missing in the session {self.session.id!r}")
        return sound


class AgentSessions:
    """The sessions of a store that agents' memories write. Threads may share it.

    Every method raises StoreError where the file cannot be used.
    """

    def __init__(self, connections: Connections, clock: Callable[[], str]) -> None:
        self._connections = connections
        self._clock = clock

    def begin(self, session: Session) -> Journal:
        """Begin a session, without any messages yet. Raises StoreError where there is one with this id."""
        owner = new_owner()
        row = column(session.id), owner, Process.this().json
        with self._connections.use() as connection, transaction(connection):
            if connection.execute("SELECT 1 FROM session WHERE id = ?", row[:1]).fetchone():
                raise StoreError(f"the store has a session {session.id!r}: resume it, or give this one another id")
            _job(connection, session, self._clock()).write_session(session.id, new=True)
            connection.execute("INSERT INTO agent_session VALUES (?, ?, ?, '{}')", row)
        return Journal(self._connections, session.id, owner)

    def resume(self, id: str, take_over: bool = False) -> tuple[AgentSession, Journal]:
        """Return a session with everything that its memory has written, and the journal for further writes.

        Args:
            id: Id of the stored session.
            take_over: Continue even if a running program is writing the session. Its next write is then rejected.

        Raises:
            StoreError: A running program is writing the session, and `take_over` is False.
        """
        owner = new_owner()
        with self._connections.use() as connection, transaction(connection):
            claim(connection, id, owner, take_over)
            _fold(connection, self._clock(), id)
            record = _read(connection, id)
        return record, Journal(self._connections, id, owner)

    def load(self, id: str) -> AgentSession:
        """Return a session with everything that its memory has written so far.

        Raises:
            StoreError: No memory wrote the session.
        """
        with self.settled() as connection, snapshot(connection):
            return _read(connection, id)

    def has(self, id: str) -> bool:
        """Return True if an agent's memory wrote a session."""
        with self._connections.use() as connection:
            query = "SELECT 1 FROM agent_session WHERE session_id = ?"
            return connection.execute(query, (column(id),)).fetchone() is not None

    @contextmanager
    def settled(self) -> Iterator[sqlite3.Connection]:
        """Return a connection to the store after moving the journals of all agents to the tables of the log.

        If the store is read-only, or another program keeps writing to it, the journals are left as they are.
        """
        with self._connections.use() as connection:
            if not connection.in_transaction and _has_journal(connection):
                try:
                    _fold(connection, self._clock())
                except sqlite3.OperationalError as error:
                    if primary_code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY):
                        raise
            yield connection


def _read(connection: sqlite3.Connection, session_id: str) -> AgentSession:
    """Return a session that a memory wrote, from the tables of the log. Raises StoreError for any other session."""
    key = (column(session_id),)
    row = connection.execute("SELECT state FROM agent_session WHERE session_id = ?", key).fetchone()
    if row is None:
        raise StoreError(f"no agent's memory has written a session {session_id!r} to this store")
    bodies = connection.execute(
        "SELECT b.key, b.raw, b.record FROM message m JOIN body b ON b.key = m.key WHERE m.session_id = ?", key
    )
    with decoding(f"the session {session_id!r}"):
        texts = {key: InMemoryBody(json_object(raw), json_object(record)) for key, raw, record in bodies}
        session, _ = session_of(connection, session_id, texts.__getitem__)
        state = json_object(row[0])
    return AgentSession(session, tuple([entry.plan for entry in stack(connection, session_id, MAIN)]), state)


def _has_journal(connection: sqlite3.Connection) -> bool:
    """Return True if the journal has entries."""
    return connection.execute("SELECT 1 FROM journal LIMIT 1").fetchone() is not None


def _fold(connection: sqlite3.Connection, now: str, session_id: str | None = None) -> None:
    """Put what waits in the journal, of one session or of all, into the tables of the log. Raises DamagedError."""
    with transaction(connection):
        waiting = connection.execute("SELECT DISTINCT session_id FROM journal").fetchall()
        with decoding("the journal"):
            ids = [text_of(name) for (name,) in waiting]
        for name in ids if session_id is None else {session_id} & set(ids):
            fold_session(connection, name, now)


def fold_session(connection: sqlite3.Connection, session_id: str, now: str) -> None:
    """Move the events in the journal of a session to the tables of the log, the plans and the state."""
    key = column(session_id)
    query = "SELECT number, event FROM journal WHERE session_id = ? ORDER BY number"
    rows = connection.execute(query, (key,)).fetchall()
    with decoding(f"the journal of the session {session_id!r}"):
        events = [json_object(event) for _, event in rows]
        messages = [message for event in events for message in _pieces_of(event)]
        plans: list[tuple[Plan, str]] = []
        states: list[Mapping[str, Any]] = []
        for event in events:
            plan = _plan_from(event["plan"]) if "plan" in event else None
            plans += [] if plan is None else [(plan, event["time"])]
            states += [_with_texts(event["state"], plan)] if "state" in event else []
        state = _newest_state(_stored_state(connection, session_id), states) if states else None
    if messages:
        _append(connection, session_id, messages, now)
    for plan, time in plans:
        push(connection, session_id, MAIN, plan, time, None)
    if state is not None:
        text = to_json(state, "the state of a memory")
        connection.execute("UPDATE agent_session SET state = ? WHERE session_id = ?", (text, key))
    connection.execute("DELETE FROM journal WHERE session_id = ? AND number <= ?", (key, rows[-1][0]))
    write_working_tiers(connection, session_id)


def _stored_state(connection: sqlite3.Connection, session_id: str) -> Mapping[str, Any]:
    """Return the state in the table of agents' sessions; empty without one."""
    row = connection.execute("SELECT state FROM agent_session WHERE session_id = ?", (column(session_id),)).fetchone()
    return json_object(row[0]) if row else {}


def _with_texts(state: Mapping[str, Any], plan: Plan | None) -> Mapping[str, Any]:
    """Return a state with the texts of the summaries that the plan of the same event contains.

    Raises:
        KeyError: The plan does not contain such a summary.
    """
    texts = {summary.id: summary.text for summary in plan.summaries} if plan else {}
    summaries = {
        name: values if "summary" in values else {"summary": texts[name], **values}
        for name, values in state.get("summaries", {}).items()
    }
    return {**state, "summaries": summaries}


def _newest_state(stored: Mapping[str, Any], states: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the last of some states with the summaries that it only names, from the earlier ones.

    Raises:
        KeyError: A summary is missing.
    """
    known = {name: values for state in (stored, *states) for name, values in state.get("summaries", {}).items()}
    newest = dict(states[-1])
    if earlier := newest.pop(EARLIER, ()):
        newest["summaries"] = {name: known[name] for name in (*earlier, *newest["summaries"])}
    return newest


def _append(connection: sqlite3.Connection, session_id: str, messages: Iterable[Message], now: str) -> None:
    """Put messages at the end of a stored log."""
    session, _ = session_of(connection, session_id, _no_body)
    count = len(session.messages)
    chain = [replace(message, parent=place - 1) for place, message in enumerate(messages, count)]
    job = _job(connection, replace(session, messages=(*session.messages, *chain)), now)
    job.write_messages(session_id, range(count, job.total))
    job.write_session(session_id, new=False)
    job.write_context(session_id)
    connection.execute("UPDATE session SET tokens = NULL WHERE id = ?", (column(session_id),))


def _no_body(_key: int) -> InMemoryBody:
    """Return an empty body, for messages whose text is not needed."""
    return InMemoryBody({})


def _job(connection: sqlite3.Connection, session: Session, now: str) -> Import:
    return Import(connection, session, now, lambda _count, _total: None, lambda: False)


def _pieces_of(event: Mapping[str, Any]) -> list[Message]:
    """Return the messages of an event."""
    return [
        message_from_raw(
            piece["id"],
            piece["raw"],
            piece["dialect"],
            body=InMemoryBody(piece["raw"], {AGENT_RECORD: piece["record"]}),
            kind=piece["kind"],
            time=event["time"],
            model=event.get("model", "") if place == 0 else "",
            usage=Usage(*event["usage"]) if place == 0 and event.get("usage") else None,
        )
        for place, piece in enumerate(event.get("messages", ()))
    ]


def plan_values(plan: Plan) -> Raw:
    """Return a plan as JSON values, for `_plan_from`."""
    return {
        "strategy": plan.strategy,
        "settings": dict(plan.settings),
        "ids": list(plan.ids),
        "fates": [
            [kind, reason, into, len(list(run))]
            for (kind, reason, into), run in groupby(plan.fates, lambda fate: (fate.kind, fate.reason, fate.into))
        ],
        "rewrites": {name: message_json(message) for name, message in plan.rewrites.items()},
        "summaries": [message_json(message) for message in plan.summaries],
        "turn": plan.turn,
        "note": plan.note,
    }


def _plan_from(values: Mapping[str, Any]) -> Plan:
    """Return the plan with these values from `plan_values`. Raises ValueError, TypeError or KeyError for others."""
    from inspector.engine.window import Fate, Plan

    fates = tuple(  # a run of equal fates has its length
        [fate for kind, reason, into, *count in values["fates"] for fate in [Fate(kind, reason, into)] * (*count, 1)[0]]
    )
    rewrites = {name: message_from_json(text) for name, text in values["rewrites"].items()}
    summaries = tuple(map(message_from_json, values["summaries"]))
    return Plan(
        values["strategy"],
        values["settings"],
        tuple(values["ids"]),
        fates,
        rewrites,
        summaries,
        values["turn"],
        values["note"],
    )
