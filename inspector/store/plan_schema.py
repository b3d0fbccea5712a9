"""Schema of plans and of the windows that they result in. Never edited."""

from __future__ import annotations

from collections.abc import Callable

_PLAN = """
    CREATE TABLE plan (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        agent TEXT NOT NULL,
        position INTEGER NOT NULL,     -- in the stack, from 1, oldest first
        turn INTEGER NOT NULL,         -- that it was made at; it holds from there on
        strategy TEXT NOT NULL,
        settings TEXT NOT NULL,        -- JSON
        note TEXT NOT NULL,            -- why a target could not be reached
        covers TEXT NOT NULL,          -- JSON: its window's messages, [first, last] positions or ids of summaries
        created_at TEXT NOT NULL,
        UNIQUE (session_id, agent, position)
    )"""

_PLAN_FATE = """
    CREATE TABLE plan_fate (           -- what becomes of each message that is not plainly kept
        plan_id INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
        message_id TEXT NOT NULL,
        kind TEXT NOT NULL,            -- kept, pinned, trimmed, masked, summarised, archived, dropped, retrieved
        reason TEXT NOT NULL,
        into_id TEXT,                  -- the summary that took it, or the archive that holds it
        PRIMARY KEY (plan_id, message_id)
    ) WITHOUT ROWID"""

_PLAN_MESSAGE = """
    CREATE TABLE plan_message (        -- messages that the plan made
        id INTEGER PRIMARY KEY,
        plan_id INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,            -- changed: a new version of a message; summary: a new message
        message_id TEXT NOT NULL,
        place INTEGER NOT NULL,        -- among the plan's messages of that kind
        role TEXT NOT NULL,
        preview TEXT NOT NULL,
        digest BLOB NOT NULL,
        message TEXT NOT NULL,         -- JSON: all of it, with raw and record
        UNIQUE (plan_id, kind, message_id)
    )"""

_WORKING_MESSAGE = """
    CREATE TABLE working_message (     -- the window of each agent that has plans, as they leave it; derived
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        agent TEXT NOT NULL,
        place INTEGER NOT NULL,        -- in the window, from 1
        key INTEGER,                   -- the message of the log; NULL for a plan's summary
        version INTEGER,               -- the plan's message in its place; NULL for the recorded one
        fate_of INTEGER,               -- the plan whose fate describes it best; NULL for none
        PRIMARY KEY (session_id, agent, place)
    ) WITHOUT ROWID"""


def make_plans(execute: Callable[[str], object]) -> None:
    """Create the tables of plans. `execute` runs a statement."""
    for statement in (_PLAN, _PLAN_FATE, _PLAN_MESSAGE, _WORKING_MESSAGE):
        execute(statement)
