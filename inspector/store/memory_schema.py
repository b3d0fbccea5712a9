"""The twelfth step of the schema: the entries of the session and the persistent tier. Never edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database

_FILLED_AT_ONCE = 4_096
"""Pages that are overwritten in one statement."""

MEMORY_OF_TIERS = """
    CREATE TABLE memory (              -- what the tiers hold beside the log; the first eight columns are older
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,            -- archived, summary, fact, profile, preference, state, retrieval
        session_id TEXT REFERENCES session (id) ON DELETE SET NULL,
        message_id TEXT,               -- the last message that it stands for
        plan_id INTEGER REFERENCES plan (id) ON DELETE SET NULL,  -- undone together with it, unless pinned
        text TEXT NOT NULL,
        tokens INTEGER,                -- NULL when nobody has counted them
        created_at TEXT NOT NULL,
        tier TEXT NOT NULL DEFAULT 'persistent' CHECK (tier IN ('session', 'persistent')),
        key TEXT,                      -- the name that it is set and read by; NULL for most
        agent TEXT NOT NULL DEFAULT '',
        message_ids TEXT NOT NULL DEFAULT '',  -- JSON: all messages that it stands for; '' for the one above, or none
        used_at TEXT NOT NULL DEFAULT '',  -- when it came back into a window last
        reason TEXT NOT NULL DEFAULT '',   -- why it was put here
        origin TEXT NOT NULL DEFAULT '',   -- by what: a strategy, user, agent, manager, compaction
        is_pinned INTEGER NOT NULL DEFAULT 0,  -- then it has no time to expire at
        expires_at TEXT                -- NULL for never
    )"""

SESSION_MEMORY, PERSISTENT_MEMORY = (
    f"""
    SELECT memory.id, memory.kind, s.title AS session, memory.text, memory.tokens, memory.created_at,
        nullif(memory.origin, '') AS archived_by, memory.session_id, memory.message_id, memory.key, memory.agent,
        memory.reason, memory.used_at, memory.is_pinned, memory.expires_at
    FROM memory LEFT JOIN session s ON s.id = memory.session_id
    WHERE memory.tier = '{tier}' AND (
        memory.expires_at IS NULL OR memory.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    )"""
    for tier in ("session", "persistent")
)


def make_memory_of_tiers(db: Database) -> None:
    """Rebuild the table of entries, which allowed three kinds and no sources, with all its rows.

    Freed pages of the file are overwritten.
    """
    for name in ("added", "removed", "changed"):
        db.execute(f"DROP TRIGGER memory_{name}")
    db.execute("DROP VIEW persistent_tier")
    db.execute("ALTER TABLE memory RENAME TO older_memory")
    db.execute(MEMORY_OF_TIERS)
    columns = "id, kind, session_id, message_id, plan_id, text, tokens, created_at"
    db.execute(f"INSERT INTO memory ({columns}) SELECT {columns} FROM older_memory")
    db.execute("""
        UPDATE memory SET origin = plan.strategy, agent = plan.agent, reason = coalesce(
            (SELECT f.reason FROM plan_fate f WHERE f.plan_id = plan.id AND f.message_id = memory.message_id), '')
        FROM plan WHERE plan.id = memory.plan_id""")
    db.execute("DELETE FROM sqlite_sequence WHERE name = 'memory'")
    db.execute("UPDATE sqlite_sequence SET name = 'memory' WHERE name = 'older_memory'")
    db.execute("DROP TABLE older_memory")
    db.execute("""
        CREATE TABLE memory_vector (       -- what an embedder makes of an entry's text; derived
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            memory_id INTEGER NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
            model TEXT NOT NULL,
            vector BLOB NOT NULL,          -- 32-bit floats
            UNIQUE (model, memory_id)
        )""")
    _index_memory(db)
    db.create_view("persistent_tier", PERSISTENT_MEMORY)
    db.create_view("session_memory", SESSION_MEMORY)
    _overwrite_free_pages(db)


def _index_memory(db: Database) -> None:
    """Create the indexes and triggers of the table of entries."""
    db.execute("CREATE INDEX memory_by_session ON memory (session_id)")
    db.execute("CREATE INDEX memory_by_plan ON memory (plan_id)")
    db.execute("CREATE INDEX memory_by_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL")
    db.execute("CREATE INDEX memory_of_retrievals ON memory (id) WHERE kind = 'retrieval'")
    # a persistent key is one for all sessions; one of a session is its own
    db.execute("""
        CREATE UNIQUE INDEX memory_by_key ON memory (
            tier, kind, key, CASE tier WHEN 'session' THEN session_id ELSE '' END
        ) WHERE key IS NOT NULL""")
    feed = "INSERT INTO memory_search (rowid, text) VALUES (new.id, new.text);"
    give = "INSERT INTO memory_search (memory_search, rowid, text) VALUES ('delete', old.id, old.text);"
    lose = "DELETE FROM memory_vector WHERE memory_id = old.id;"
    # what was retrieved from the persistent tier is old as soon as that says something else
    renew = "DELETE FROM memory WHERE kind = 'retrieval';"
    is_source = "{0}.tier = 'persistent' AND {0}.kind <> 'retrieval'"
    db.execute(f"CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN {feed} END")
    db.execute(f"CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN {give} {lose} END")
    db.execute(f"CREATE TRIGGER memory_changed AFTER UPDATE OF text ON memory BEGIN {give} {lose} {feed} END")
    for event, row in (("INSERT", "new"), ("DELETE", "old"), ("UPDATE OF text, tier, expires_at", "old")):
        either = is_source.format(row) + (" OR " + is_source.format("new") if "UPDATE" in event else "")
        name = f"memory_renewed_by_{event.split()[0].lower()}"
        db.execute(f"CREATE TRIGGER {name} AFTER {event} ON memory WHEN {either} BEGIN {renew} END")
    db.execute("""
        CREATE TRIGGER session_forgotten BEFORE DELETE ON session BEGIN
            DELETE FROM memory WHERE session_id = old.id AND tier = 'session';
        END""")


def _overwrite_free_pages(db: Database) -> None:
    """Fill the free pages of a file, in which earlier versions may have left text, and let them go empty."""
    count, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_size"))
    db.execute("CREATE TABLE filler (zeros BLOB)")
    for start in range(0, count, _FILLED_AT_ONCE):
        db.execute("INSERT INTO filler VALUES (zeroblob(?))", (min(count - start, _FILLED_AT_ONCE) * size,))
    db.execute("DROP TABLE filler")
