"""Schema of the rollups, which are totals of each agent of a session. Never edited."""

from __future__ import annotations

from collections.abc import Callable

_ROLLUP = """
    CREATE TABLE rollup (
        session_id TEXT NOT NULL,      -- without a reference: totals can be kept without their session
        agent TEXT NOT NULL,
        place INTEGER NOT NULL,        -- of the agent in the session, from 0
        rules INTEGER NOT NULL,        -- number of the rules that made it
        logged INTEGER NOT NULL,       -- messages of the session when it was made
        title TEXT NOT NULL,
        path TEXT NOT NULL,            -- of the source
        project TEXT NOT NULL,         -- name of the folder
        folder TEXT NOT NULL,          -- that the agent worked in
        format TEXT NOT NULL,
        model TEXT NOT NULL,           -- of most calls
        machine TEXT NOT NULL,
        person TEXT NOT NULL,
        started TEXT NOT NULL,         -- UTC, as 2026-03-01T10:00:00Z; '' if no times are recorded
        ended TEXT NOT NULL,
        turns INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        calls INTEGER NOT NULL,        -- billed ones
        unreported INTEGER NOT NULL,   -- calls whose usage or price is not known
        sent INTEGER NOT NULL,         -- tokens of all requests; of calls without usage, the size of the window
        cached INTEGER NOT NULL,       -- part of them that was read from the cache
        written INTEGER NOT NULL,      -- part of them that was written to the cache
        output INTEGER NOT NULL,
        cost REAL,                     -- dollars of all other calls; NULL without them
        peak INTEGER NOT NULL,
        compactions INTEGER NOT NULL,
        tokens_before INTEGER NOT NULL,  -- of the windows before all compactions
        tokens_after INTEGER NOT NULL,
        rereads INTEGER NOT NULL,      -- reads of files that a compaction had dropped
        reread_tokens INTEGER NOT NULL,
        reread_cost REAL,
        prompt INTEGER NOT NULL,       -- tokens of the system prompt
        tools INTEGER NOT NULL,        -- tokens of the tool definitions
        cache_lost INTEGER NOT NULL,   -- tokens sent again that had been in the cache
        cache_cost REAL,
        PRIMARY KEY (session_id, agent)
    ) WITHOUT ROWID"""

_PART = """
    CREATE TABLE rollup_part (         -- parts of a rollup by name, in an order that totals are read in
        kind TEXT NOT NULL,            -- model, day, tool, server, file, cause, preset
        name TEXT NOT NULL,
        session_id TEXT NOT NULL,
        agent TEXT NOT NULL,
        is_first INTEGER NOT NULL,     -- 1 for the first agent of the session with this part
        ended TEXT NOT NULL,           -- of the rollup
        count INTEGER NOT NULL,        -- calls, reads of a file, losses, needs of a preset
        tokens INTEGER NOT NULL,       -- sent, of results, read again, lost
        defined INTEGER NOT NULL,      -- tokens of a tool's definition in each request
        cost REAL,
        PRIMARY KEY (kind, name, session_id, agent)
    ) WITHOUT ROWID"""


def make_rollups(execute: Callable[[str], object]) -> None:
    """Create the tables of rollups. `execute` runs a statement."""
    for statement in (_ROLLUP, _PART, "CREATE INDEX rollup_part_by_session ON rollup_part (session_id)"):
        execute(statement)
