"""The working tier: the current window of each agent, stored with its plans.

Without plans it is the agent's context, which the view reads. With plans, `window.plan.view` computes it by rules about
tasks, calls and order that SQL cannot repeat. The result is stored in the same transaction as each change: a plan, an
undo, or a log that has grown.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.core.conversation import Message, Raw
from inspector.store.plans import StoredPlan, stack
from inspector.store.serialization import Row, column, text_of
from inspector.store.session_reader import body_of, session_of


@dataclass(frozen=True, slots=True)
class ConnectionBody:
    """A body that is read through a connection that is already open."""

    connection: sqlite3.Connection
    key: int

    def load(self) -> tuple[Raw, Raw]:
        return body_of(self.connection, self.key)


def write_working_tier(connection: sqlite3.Connection, session_id: str, agent: str) -> None:
    """Compute and store an agent's window, inside the caller's transaction.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: The agent.
    """
    place = column(session_id), column(agent)
    connection.execute("DELETE FROM working_message WHERE session_id = ? AND agent = ?", place)
    plans = stack(connection, session_id, agent)
    if plans:
        rows = working_rows(connection, session_id, agent, plans)
        entries = ((*place, number, *row) for number, row in enumerate(rows, 1))
        connection.executemany("INSERT INTO working_message VALUES (?, ?, ?, ?, ?, ?)", entries)


def write_working_tiers(connection: sqlite3.Connection, session_id: str) -> None:
    """Write the working tier of every agent of a session that has plans."""
    agents = "SELECT DISTINCT agent FROM plan WHERE session_id = ?"
    for (agent,) in connection.execute(agents, (column(session_id),)).fetchall():
        write_working_tier(connection, session_id, text_of(agent))


def working_rows(
    connection: sqlite3.Connection, session_id: str, agent: str, plans: Sequence[StoredPlan]
) -> Iterator[Row]:
    """Yield the rows of an agent's window for the table `working_message`: key, version and fate_of.

    Args:
        connection: Connection to the store.
        session_id: Id of the session.
        agent: The agent.
        plans: The plans of its stack, the oldest first.
    """
    from inspector.engine.window import at_turn, view
    from inspector.llm.tokens import estimate_sizes

    session, keys = session_of(connection, session_id, lambda key: ConnectionBody(connection, key))
    key_of = dict(zip((message.id for message in session), keys, strict=True))
    origins = {
        which: (version, number) for number, plan in enumerate(plans) for which, version in plan.versions.items()
    }
    summaries = {id(summary) for entry in plans for summary in entry.plan.summaries}
    summaries |= {id(injection.message) for entry in plans for injection in entry.plan.injections}
    window = view(at_turn(session, estimate_sizes(session), agent=agent), [entry.plan for entry in plans])
    for message in window.messages:
        version, since = origins.get(id(message), (None, 0))
        key = None if id(message) in summaries else key_of.get(message.id)
        yield key, version, _plan_of_fate(message, plans[since:])


def _plan_of_fate(message: Message, plans: Sequence[StoredPlan]) -> int | None:
    """Return the newest plan that changes or pins a message, or that the user applied to it."""
    from inspector.engine.window import BY_HAND, KEPT

    newest = None
    for entry in reversed(plans):
        fate = entry.plan.by_id.get(message.id, KEPT)
        if fate.kind != "kept" or (fate != KEPT and entry.plan.strategy == BY_HAND):
            return entry.id
        if fate != KEPT:
            newest = newest or entry.id
    return newest
