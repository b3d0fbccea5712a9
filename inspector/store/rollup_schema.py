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


DAILY_KINDS = ("model", "tool", "server", "cause")
"""Kinds of parts that are added up by day: those with few names and many sessions. Stored in the triggers."""

_DAY = """
    CREATE TABLE rollup_day (          -- parts added up by the day on which their rollup ended, by triggers
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        day TEXT NOT NULL,             -- '' if no times are recorded
        parts INTEGER NOT NULL,
        sessions INTEGER NOT NULL,
        count INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        cost REAL NOT NULL,
        priced INTEGER NOT NULL,       -- parts with a cost
        defined INTEGER NOT NULL,
        definers INTEGER NOT NULL,     -- parts with a definition
        unused INTEGER NOT NULL,       -- sessions that define the tool but never call it
        PRIMARY KEY (kind, name, day)
    ) WITHOUT ROWID"""
_PARTS = f"kind IN {DAILY_KINDS}"
_ADDED = f"""
    CREATE TRIGGER rollup_part_added AFTER INSERT ON rollup_part WHEN new.{_PARTS} BEGIN
        INSERT INTO rollup_day VALUES (
            new.kind, new.name, substr(new.ended, 1, 10), 1, new.is_first, new.count, new.tokens,
            coalesce(new.cost, 0), new.cost IS NOT NULL, new.defined, new.defined > 0,
            new.is_first AND new.defined > 0 AND new.count = 0
        ) ON CONFLICT (kind, name, day) DO UPDATE SET
            parts = parts + 1, sessions = sessions + excluded.sessions, count = count + excluded.count,
            tokens = tokens + excluded.tokens, cost = cost + excluded.cost, priced = priced + excluded.priced,
            defined = defined + excluded.defined, definers = definers + excluded.definers,
            unused = unused + excluded.unused;
    END"""
_REMOVED = f"""
    CREATE TRIGGER rollup_part_removed AFTER DELETE ON rollup_part WHEN old.{_PARTS} BEGIN
        UPDATE rollup_day SET
            parts = parts - 1, sessions = sessions - old.is_first, count = count - old.count,
            tokens = tokens - old.tokens, cost = cost - coalesce(old.cost, 0),
            priced = priced - (old.cost IS NOT NULL), defined = defined - old.defined,
            definers = definers - (old.defined > 0),
            unused = unused - (old.is_first AND old.defined > 0 AND old.count = 0)
        WHERE kind = old.kind AND name = old.name AND day = substr(old.ended, 1, 10);
        DELETE FROM rollup_day
        WHERE kind = old.kind AND name = old.name AND day = substr(old.ended, 1, 10) AND parts <= 0;
    END"""
_FILL = f"""
    INSERT INTO rollup_day SELECT
        kind, name, substr(ended, 1, 10), count(*), sum(is_first), sum(count), sum(tokens), total(cost), count(cost),
        sum(defined), sum(defined > 0), sum(is_first AND defined > 0 AND count = 0)
    FROM rollup_part WHERE {_PARTS} GROUP BY 1, 2, 3"""


def make_rollup_days(execute: Callable[[str], object]) -> None:
    """Create the totals by day and the triggers that keep them. Parts are inserted and deleted, never updated."""
    for statement in (_DAY, _FILL, _ADDED, _REMOVED):
        execute(statement)
