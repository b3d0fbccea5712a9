"""The stack of plans of each agent of a stored session.

Pushing a plan also puts its summaries, and the messages that it archives, into the persistent tier; undoing it takes
them out again. Strategies touch no storage: this is where what they decided takes effect.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from inspector.core.conversation import InMemoryBody, Message
from inspector.store.connections import StaleError
from inspector.store.damage import SOUND_COUNT, SOUND_PLAN, decoding, json_list, json_object, refuse
from inspector.store.erasing import erase_words
from inspector.store.memory_entries import Memory, MemoryKind, forget, insert_memory
from inspector.store.rollup_rows import count_presets
from inspector.store.serialization import column, ids_of, message_from_json, message_json, ranges, text_of, to_json
from inspector.store.session_reader import body_of, content_digest, require

if TYPE_CHECKING:
    from inspector.engine.window import Fate, Plan


@dataclass(frozen=True)
class StoredPlan:
    """A plan, and where the store has it."""

    id: int
    plan: Plan
    versions: Mapping[int, int]
    """By `id()` of each message that the plan made, its row in the table plan_message."""


@dataclass(frozen=True)
class Stack:
    """The plans of an agent as they were at one moment."""

    version: int
    """Version of the stack. Every change gives a new one; undoing all changes gives the old one. 0 for an empty
    stack."""
    plans: tuple[Plan, ...]
    """Oldest first."""


def version(connection: sqlite3.Connection, session_id: str, agent: str) -> int:
    """Return the version of a stack: the number of its newest plan, which is never reused, or 0.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: Agent of the stack.
    """
    newest = "SELECT id FROM plan WHERE session_id = ? AND agent = ? ORDER BY position DESC LIMIT 1"
    row = connection.execute(newest, (column(session_id), column(agent))).fetchone()
    return row[0] if row else 0


def _require_version(connection: sqlite3.Connection, session_id: str, agent: str, on: int | None) -> None:
    """Raise StoreError if a session is not stored, and StaleError if its stack has another version."""
    require(connection, session_id)
    if on is not None and version(connection, session_id, agent) != on:
        raise StaleError


def push(connection: sqlite3.Connection, session_id: str, agent: str, plan: Plan, now: str, on: int | None) -> int:
    """Push a plan on a stack, inside the caller's transaction.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: Agent of the stack.
        plan: The plan.
        now: Current time as ISO text.
        on: Expected version of the stack, or None for any.

    Returns:
        The new version of the stack.
    """
    _require_version(connection, session_id, agent, on)
    plan_id = _insert_plan(connection, session_id, agent, plan, now)
    _insert_fates(connection, plan_id, plan)
    _insert_all_messages(connection, plan_id, plan)
    count_presets(connection, session_id)
    waiting = _entries_without_plan(connection, session_id, plan)
    for entry in _entries(connection, session_id, agent, plan, plan_id, now):
        if number := waiting.get((entry.message_id, entry.text)):
            connection.execute("UPDATE memory SET plan_id = ? WHERE id = ?", (plan_id, number))
        else:
            insert_memory(connection, entry)
    return plan_id


def _entries_without_plan(
    connection: sqlite3.Connection, session_id: str, plan: Plan
) -> dict[tuple[str | None, str], int]:
    """Return entries that a running memory wrote before their plan: their numbers by message and text."""
    rows = connection.execute(
        """
        SELECT message_id, text, id FROM memory WHERE session_id = ? AND plan_id IS NULL
        AND kind = 'archived' AND origin = ? AND tier = 'persistent'""",
        (column(session_id), column(plan.strategy)),
    )
    with decoding("the entries"):
        return {(message_id and text_of(message_id), text_of(text)): number for message_id, text, number in rows}


def _entries(
    connection: sqlite3.Connection, session_id: str, agent: str, plan: Plan, plan_id: int, now: str
) -> Iterator[Memory]:
    """Yield the entries of a plan for the persistent tier: its summaries and archived messages."""

    def entry(kind: MemoryKind, text: str, tokens: int | None, ids: Sequence[str], reason: str) -> Memory:
        return Memory(
            0, kind, text, session_id, ids[-1], tokens, now, agent=agent, message_ids=tuple(ids), reason=reason,
            origin=plan.strategy, plan_id=plan_id,
        )  # fmt: skip

    sources: dict[str, list[str]] = {}
    for message_id, fate in plan.by_id.items():
        if fate.kind == "summarised":
            sources.setdefault(fate.into, []).append(message_id)
    for summary in plan.summaries:
        tokens = _tokens_of(connection, content_digest(summary))
        ids = sources.get(summary.id, [])
        reason = plan.by_id[ids[0]].reason if ids else ""
        yield entry("summary", summary.text, tokens, [*ids, summary.id], reason)
    for message_id, fate in plan.by_id.items():
        if fate.kind == "archived" or (fate.kind == "retrieved" and message_id in plan.rewrites):
            text, tokens = _archive_entry(connection, session_id, agent, message_id)
            if text.strip():
                yield entry("archived", text, tokens, [message_id], fate.reason)


def stack(connection: sqlite3.Connection, session_id: str, agent: str) -> list[StoredPlan]:
    """Return the plans of an agent, the oldest first.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: Agent of the stack.

    Raises:
        StoreError: The session is not stored, or a plan is damaged.
    """
    require(connection, session_id)
    place = (column(session_id), column(agent))
    unsound = f"SELECT id FROM plan WHERE session_id = ? AND agent = ? AND NOT coalesce({SOUND_PLAN}, 0) LIMIT 1"
    refuse(connection, unsound, place, "the plan")
    rows = connection.execute(
        """
        SELECT id, strategy, settings, covers, turn, note, preset FROM plan
        WHERE session_id = ? AND agent = ? ORDER BY position""",
        place,
    ).fetchall()
    ids = _log_ids(connection, session_id) if rows else []
    return [_plan_of_row(connection, row, ids) for row in rows]


def stored_plan(connection: sqlite3.Connection, id: int) -> StoredPlan:
    """Return a plan by its number. Raises DamagedError."""
    refuse(connection, f"SELECT id FROM plan WHERE id = ? AND NOT coalesce({SOUND_PLAN}, 0)", (id,), "the plan")
    query = "SELECT id, strategy, settings, covers, turn, note, preset, session_id FROM plan WHERE id = ?"
    *row, session_id = connection.execute(query, (id,)).fetchone()
    number, strategy, settings, covers, turn, note, preset = row
    log = _log_ids(connection, text_of(session_id))
    return _plan_of_row(connection, (number, strategy, settings, covers, turn, note, preset), log)


def undo(connection: sqlite3.Connection, session_id: str, agent: str, on: int | None) -> Plan | None:
    """Remove the newest plan of a stack and its entries in the persistent tier, inside the caller's transaction.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: Agent of the stack.
        on: Expected version of the stack, or None for any.

    Returns:
        The plan, or None if the stack is empty.
    """
    _require_version(connection, session_id, agent, on)
    plans = stack(connection, session_id, agent)
    if not plans:
        return None
    rows = connection.execute("SELECT id FROM memory WHERE plan_id = ? AND NOT is_pinned", (plans[-1].id,)).fetchall()
    forget(connection, [number for (number,) in rows])
    connection.execute("DELETE FROM plan WHERE id = ?", (plans[-1].id,))
    count_presets(connection, session_id)
    erase_words(connection)
    return plans[-1].plan


def _insert_plan(connection: sqlite3.Connection, session_id: str, agent: str, plan: Plan, now: str) -> int:
    positions = {message_id: position for position, message_id in enumerate(_log_ids(connection, session_id))}
    subject = f"the plan {plan.strategy}"
    cursor = connection.execute(
        """
        INSERT INTO plan (session_id, agent, position, turn, strategy, settings, note, covers, created_at, preset)
        SELECT :session, :agent, coalesce(max(position), 0) + 1, :turn, :strategy, :settings, :note, :covers, :now,
            :preset
        FROM plan WHERE session_id = :session AND agent = :agent""",
        {
            "session": column(session_id),
            "agent": column(agent),
            "turn": plan.turn,
            "strategy": column(plan.strategy),
            "settings": to_json(dict(plan.settings), subject),
            "note": column(plan.note),
            "covers": to_json(ranges(plan.ids, positions), subject),
            "now": column(now),
            "preset": column(plan.preset),
        },
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _insert_fates(connection: sqlite3.Connection, plan_id: int, plan: Plan) -> None:
    from inspector.engine.window import KEPT

    rows = (
        (plan_id, column(message_id), fate.kind, column(fate.reason), column(fate.into) if fate.into else None)
        for message_id, fate in plan.by_id.items()
        if fate != KEPT
    )
    connection.executemany("INSERT INTO plan_fate VALUES (?, ?, ?, ?, ?)", rows)


def _insert_all_messages(connection: sqlite3.Connection, plan_id: int, plan: Plan) -> None:
    """Write down the messages that a plan made."""
    _insert_messages(connection, plan_id, "changed", plan.rewrites.values())
    _insert_messages(connection, plan_id, "summary", plan.summaries)
    _insert_messages(connection, plan_id, "injected", (injection.message for injection in plan.injections))


def _insert_messages(connection: sqlite3.Connection, plan_id: int, kind: str, messages: Iterable[Message]) -> None:
    rows = (
        (
            None,
            plan_id,
            kind,
            column(message.id),
            place,
            message.role,
            column(message.preview),
            content_digest(message),
            message_json(message),
        )
        for place, message in enumerate(messages)
    )
    connection.executemany("INSERT INTO plan_message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _archive_entry(connection: sqlite3.Connection, session_id: str, agent: str, id: str) -> tuple[str, int | None]:
    """Return the text and the known tokens of a dropped message, which may be a summary of an earlier plan."""
    key = (column(session_id), column(id))
    row = connection.execute("SELECT key, dialect, digest FROM message WHERE session_id = ? AND id = ?", key).fetchone()
    if row is not None:
        raw, record = body_of(connection, row[0])
        message = Message(id, "user", InMemoryBody(raw, record), row[1])
        return message.text, _tokens_of(connection, row[2])
    summary = connection.execute(
        """
        SELECT m.message, m.digest FROM plan p JOIN plan_message m ON m.plan_id = p.id
        WHERE p.session_id = ? AND p.agent = ? AND m.message_id = ? AND m.kind IN ('summary', 'injected')
        ORDER BY p.position DESC LIMIT 1""",
        (column(session_id), column(agent), column(id)),
    ).fetchone()
    if summary is None:
        return "", None
    with decoding(f"the summary {id!r}"):
        return message_from_json(summary[0]).text, _tokens_of(connection, summary[1])


def _tokens_of(connection: sqlite3.Connection, digest: bytes) -> int | None:
    """Return the token count of a content by any counter, or None."""
    query = f"SELECT tokens FROM token_count WHERE digest = ? AND {SOUND_COUNT} LIMIT 1"
    row = connection.execute(query, (digest,)).fetchone()
    return row[0] if row else None


def _log_ids(connection: sqlite3.Connection, session_id: str) -> list[str]:
    rows = connection.execute("SELECT id FROM message WHERE session_id = ? ORDER BY position", (column(session_id),))
    with decoding(f"the session {session_id!r}"):
        return [text_of(message_id) for (message_id,) in rows]


def _plan_of_row(
    connection: sqlite3.Connection, row: tuple[int, str, str, str, int, str | bytes, str | bytes], log: list[str]
) -> StoredPlan:
    """Return the plan of a row, with its fates and messages. Raises DamagedError."""
    from inspector.engine.window import KEPT, Injection, Plan

    plan_id, strategy, settings, covers, turn, note, preset = row
    fates = _fates_of(connection, plan_id)
    with decoding(f"the plan {plan_id}"):
        ids = ids_of(json_list(covers), log)
        messages, versions = _messages_of(connection, plan_id)
        injections = [
            Injection(message, fates[name].into, fates[name].reason) for name, message in messages["injected"].items()
        ]
        plan = Plan(
            text_of(strategy),
            json_object(settings),
            ids,
            tuple([fates.get(message_id, KEPT) for message_id in ids]),
            messages["changed"],
            tuple(messages["summary"].values()),
            turn,
            text_of(note),
            injections=tuple(injections),
            preset=text_of(preset),
        )
    return StoredPlan(plan_id, plan, versions)


def _messages_of(connection: sqlite3.Connection, plan_id: int) -> tuple[dict[str, dict[str, Message]], dict[int, int]]:
    """Return the messages that a plan created, by purpose and id, and the row of each message by its `id()`."""
    messages: dict[str, dict[str, Message]] = {"changed": {}, "summary": {}, "injected": {}}
    versions: dict[int, int] = {}
    query = "SELECT id, kind, message_id, message FROM plan_message WHERE plan_id = ? ORDER BY place"
    for version, kind, message_id, text in connection.execute(query, (plan_id,)):
        message = messages[kind][text_of(message_id)] = message_from_json(text)
        if message.id != text_of(message_id):
            raise ValueError(f"the row {version} holds another message")
        versions[id(message)] = version
    return messages, versions


def _fates_of(connection: sqlite3.Connection, plan_id: int) -> dict[str, Fate]:
    """Return the fates in a plan. Equal fates are one object; `UNPINNED` keeps its identity. Raises DamagedError."""
    from inspector.engine.window import UNPINNED, Fate, FateKind

    kinds = frozenset(get_args(FateKind))
    unique = {UNPINNED: UNPINNED}
    query = "SELECT message_id, kind, reason, coalesce(into_id, '') FROM plan_fate WHERE plan_id = ?"
    fates: dict[str, Fate] = {}
    with decoding(f"the plan {plan_id}"):
        for message_id, kind, reason, into in connection.execute(query, (plan_id,)):
            if kind not in kinds:
                raise ValueError(f"there is no fate {kind!r}")
            fate = Fate(kind, text_of(reason), text_of(into))
            fates[text_of(message_id)] = unique.setdefault(fate, fate)
    return fates
