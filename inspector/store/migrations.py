"""The schema, as numbered steps from an empty file to the current version.

A released step is never edited. A change is a new step at the end, and `schema.VERSION` counts them. SQLite keeps the
comments inside the statements, so `.schema` in any SQLite shell documents the tables.

Text that UTF-8 cannot encode (half of a surrogate pair) is stored as a BLOB in TEXT columns.
"""

from __future__ import annotations

import sqlite3

from sqlite_utils import Database, Migrations

from inspector.store.memory_schema import make_memory_of_tiers
from inspector.store.plan_schema import make_plans
from inspector.store.rollup_schema import make_rollup_days, make_rollups
from inspector.store.rollup_total_schema import make_rollup_totals
from inspector.store.schema import APPLICATION_ID, VERSION
from inspector.store.tier_views import PERSISTENT_TIER, SESSION_TIER, WORKING_TIER

MIGRATIONS = Migrations("inspector")


def migrate(connection: sqlite3.Connection, version: int = VERSION) -> None:
    """Bring a file up to `version`. Runs inside the caller's transaction: a file is migrated whole or not at all."""
    database = Database(connection, execute_plugins=False)
    applied = len(MIGRATIONS.applied(database))
    later = [step.name for step in MIGRATIONS.pending(database)][version - applied :]
    MIGRATIONS.apply(database, stop_before=later[:1])
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")


SESSION = """
    CREATE TABLE session (
        id TEXT PRIMARY KEY,           -- the recorded id; with ~2, ~3 … where another log has that id
        recorded_id TEXT NOT NULL,
        title TEXT NOT NULL,
        format TEXT NOT NULL,
        dialect TEXT NOT NULL,         -- of the tools and the request's settings
        model TEXT NOT NULL,
        path TEXT NOT NULL,            -- of the source when it was last imported
        line INTEGER NOT NULL,         -- where in the source it began; 0 when it is all there was
        records_system INTEGER NOT NULL,
        agents INTEGER NOT NULL,       -- how many speak
        messages INTEGER NOT NULL,
        turns INTEGER NOT NULL,        -- replies of the main agent
        compactions INTEGER NOT NULL,  -- recorded ones
        tokens INTEGER,                -- of the whole log; NULL until it was counted
        peak INTEGER,                  -- tokens of the largest window, reported or counted
        counter TEXT NOT NULL DEFAULT '',  -- what counted them
        changed TEXT NOT NULL,         -- time of the last message, as recorded
        imported_at TEXT NOT NULL,
        digested_by TEXT NOT NULL,     -- the rules that the messages' digests were made by
        settings TEXT NOT NULL,        -- JSON: other fields of the request
        tools TEXT NOT NULL,           -- JSON: tool definitions
        problems TEXT NOT NULL         -- JSON: what could not be read
    )"""

MESSAGE = """
    CREATE TABLE message (
        key INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given to another message
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,     -- in the log, from 0
        id TEXT NOT NULL,
        agent TEXT NOT NULL,
        parent INTEGER NOT NULL,       -- position of the message before it in its context; -1 where one begins
        role TEXT NOT NULL,
        kind TEXT NOT NULL,            -- said, summary, injected, copy, notice
        name TEXT NOT NULL,            -- who speaks, where it differs from the role
        calls TEXT NOT NULL,           -- JSON: [[id, name] …] of the tools it calls; '' for none
        answers TEXT,                  -- id of the call that this result answers
        is_error INTEGER NOT NULL,
        thinks INTEGER NOT NULL,
        preview TEXT NOT NULL,
        chars INTEGER NOT NULL,
        images INTEGER NOT NULL,
        time TEXT NOT NULL,
        model TEXT NOT NULL,
        usage_input INTEGER,           -- tokens of the call that this reply ended, as reported
        usage_output INTEGER,
        usage_cache_read INTEGER,
        usage_cache_write INTEGER,
        dialect TEXT NOT NULL,
        digest BLOB NOT NULL,          -- of what its count depends on: the key of its counts
        UNIQUE (session_id, position),
        UNIQUE (session_id, id)
    )"""

BODY = """
    CREATE TABLE body (
        key INTEGER PRIMARY KEY REFERENCES message (key) ON DELETE CASCADE,
        raw TEXT NOT NULL,             -- JSON: the message in its dialect's own form
        record TEXT NOT NULL           -- JSON: the rest of the source's record around it
    )"""

CONTEXT = """
    CREATE TABLE context (             -- what is in each agent's context as it now stands in the recording
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        agent TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (session_id, agent, position)
    ) WITHOUT ROWID"""


@MIGRATIONS()
def m001_log(db: Database) -> None:
    """Sessions and their messages: the session tier. A message's few facts lie apart from its long text, so that
    20,000 of them are read in a moment."""
    db.execute(SESSION)
    db.execute("CREATE INDEX session_by_recorded_id ON session (recorded_id)")
    db.execute(MESSAGE)
    db.execute(BODY)
    db.execute(CONTEXT)


TOKEN_COUNT = """
    CREATE TABLE token_count (
        digest BLOB NOT NULL,
        counter TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (digest, counter)
    ) WITHOUT ROWID"""


@MIGRATIONS()
def m002_token_counts(db: Database) -> None:
    """Token counts by content, so that no message is tokenised twice, whatever its session."""
    db.execute(TOKEN_COUNT)


@MIGRATIONS()
def m003_plans(db: Database) -> None:
    """The stack of plans that each agent's window is looked at through."""
    make_plans(db.execute)


MEMORY = """
    CREATE TABLE memory (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('archived', 'summary', 'fact')),
        session_id TEXT REFERENCES session (id) ON DELETE SET NULL,
        message_id TEXT,
        plan_id INTEGER REFERENCES plan (id) ON DELETE SET NULL,  -- undone together with it
        text TEXT NOT NULL,
        tokens INTEGER,                -- NULL when nobody has counted them
        created_at TEXT NOT NULL
    )"""


@MIGRATIONS()
def m004_persistent_memory(db: Database) -> None:
    """Create the persistent tier, whose entries outlive their session, with a search index."""
    db.execute(MEMORY)
    db.execute("CREATE INDEX memory_by_session ON memory (session_id)")
    db.execute("CREATE INDEX memory_by_plan ON memory (plan_id)")
    db.execute("""
        CREATE VIRTUAL TABLE memory_search USING fts5(
            text, content = 'memory', content_rowid = 'id', tokenize = 'porter unicode61'
        )""")
    feed = "INSERT INTO memory_search (rowid, text) VALUES (new.id, new.text);"
    give = "INSERT INTO memory_search (memory_search, rowid, text) VALUES ('delete', old.id, old.text);"
    db.execute(f"CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN {feed} END")
    db.execute(f"CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN {give} END")
    db.execute(f"CREATE TRIGGER memory_changed AFTER UPDATE OF text ON memory BEGIN {give} {feed} END")


@MIGRATIONS()
def m005_message_search(db: Database) -> None:
    """Words in the log, found without keeping them twice: the index reads the words out of the raw JSON, in SQL, so
    that it can never disagree with what is stored, whatever version of the program or of a shell writes.

    Numbers with a fraction are left out: versions of SQLite write them in different ways. SQLite before 3.45 ends a
    string at an escaped NUL, so that one is read as a space. JSON that SQLite does not take (NaN) is searched as it is.
    """
    db.execute(r"""
        CREATE VIEW message_text (key, text) AS
        SELECT body.key, CASE WHEN json_valid(body.raw) THEN (
            SELECT group_concat(part.atom, char(10))
            FROM json_tree(
                CASE WHEN instr(body.raw, '\u0000')
                THEN replace(replace(body.raw, '\\', '\u005c'), '\u0000', '\u0020') ELSE body.raw END
            ) AS part
            WHERE typeof(part.atom) IN ('text', 'integer') AND (
                part.path LIKE '%.input%'  -- a call's arguments, whatever they are called
                OR coalesce(part.key, '') NOT IN (
                    'type', 'role', 'id', 'tool_use_id', 'tool_call_id', 'signature', 'data', 'media_type', 'model',
                    'stop_reason', 'encrypted_content'
                ) AND part.path NOT LIKE '$.usage%' AND part.atom NOT LIKE 'data:%'
            )
        ) ELSE body.raw END
        FROM body""")
    db.execute("""
        CREATE VIRTUAL TABLE message_search USING fts5(
            text, content = 'message_text', content_rowid = 'key', tokenize = 'porter unicode61'
        )""")
    feed = "INSERT INTO message_search (rowid, text) SELECT key, text FROM message_text WHERE key = new.key;"
    give = (
        "INSERT INTO message_search (message_search, rowid, text) "
        "SELECT 'delete', key, text FROM message_text WHERE key = old.key;"
    )
    db.execute(f"CREATE TRIGGER body_added AFTER INSERT ON body BEGIN {feed} END")
    db.execute(f"CREATE TRIGGER body_removed BEFORE DELETE ON body BEGIN {give} END")
    db.execute(f"CREATE TRIGGER body_changing BEFORE UPDATE OF raw ON body BEGIN {give} END")
    db.execute(f"CREATE TRIGGER body_changed AFTER UPDATE OF raw ON body BEGIN {feed} END")
    # what was stored before; FTS5's own "rebuild" does not read views with table functions
    db.execute("INSERT INTO message_search (rowid, text) SELECT key, text FROM message_text")


@MIGRATIONS()
def m006_tiers(db: Database) -> None:
    """The three tiers as views for people."""
    db.create_view("session_tier", SESSION_TIER)
    db.create_view("persistent_tier", PERSISTENT_TIER)
    db.create_view("working_tier", WORKING_TIER)


@MIGRATIONS()
def m007_outputs(db: Database) -> None:
    """The files that were written for the person."""
    db.execute("""
        CREATE TABLE output (
            path TEXT PRIMARY KEY,
            digest BLOB NOT NULL,          -- SHA-256 of what was written there last
            written_at TEXT NOT NULL
        ) WITHOUT ROWID""")


@MIGRATIONS()
def m008_sources(db: Database) -> None:
    """The files that sessions were imported from."""
    db.execute("""
        CREATE TABLE source (
            path TEXT PRIMARY KEY,
            digest BLOB NOT NULL,          -- of all that is read where the file is read, and of the rules of reading
            sessions TEXT NOT NULL         -- JSON: the ids of the sessions in it, in their order
        ) WITHOUT ROWID""")


@MIGRATIONS()
def m009_kind_chat(db: Database) -> None:
    """An ordinary message is of the kind "chat"; until now it was "said"."""
    db.execute("UPDATE message SET kind = 'chat' WHERE kind = 'said'")


@MIGRATIONS()
def m010_extracts(db: Database) -> None:
    """Gists and facts of messages, so that no message is read twice for them. They go with their message, and where it
    says something else."""
    for table in ("message_gist", "message_facts"):
        db.execute(f"""
            CREATE TABLE {table} (             -- what was read out of a message; derived
                key INTEGER PRIMARY KEY REFERENCES message (key) ON DELETE CASCADE,
                rules BLOB NOT NULL,           -- digest of the rules that read it; of no use once they are others
                content TEXT NOT NULL          -- JSON
            )""")
    forget = "DELETE FROM message_gist WHERE key = old.key; DELETE FROM message_facts WHERE key = old.key;"
    db.execute(f"CREATE TRIGGER message_reworded AFTER UPDATE OF raw ON body BEGIN {forget} END")
    heads = "digest, role, kind, name, is_error, dialect"
    db.execute(f"CREATE TRIGGER message_reread AFTER UPDATE OF {heads} ON message BEGIN {forget} END")


@MIGRATIONS()
def m011_caches_of_an_hour(db: Database) -> None:
    """Add the tokens that a call wrote to a cache of one hour, as recorded by Claude Code."""
    db.execute("ALTER TABLE message ADD COLUMN usage_cache_write_1h INTEGER")  # a part of usage_cache_write; or NULL
    place = "'$.message.usage.cache_creation.ephemeral_1h_input_tokens'"
    db.execute(f"""
        UPDATE message SET usage_cache_write_1h = hour.tokens
        FROM (
            SELECT key, CASE WHEN typeof(record) = 'text' AND json_valid(record) THEN json_extract(record, {place}) END
                AS tokens
            FROM body
        ) AS hour
        WHERE hour.key = message.key AND usage_cache_write > 0
            AND typeof(hour.tokens) = 'integer' AND hour.tokens BETWEEN 1 AND usage_cache_write""")


@MIGRATIONS()
def m012_memory_of_tiers(db: Database) -> None:
    """Entries of the session and of the persistent tier, with where they come from, and vectors for them."""
    make_memory_of_tiers(db)


@MIGRATIONS()
def m013_agent_sessions(db: Database) -> None:
    """Sessions that the memories of running agents write, and the rows that they write first."""
    db.execute("""
        CREATE TABLE agent_session (
            session_id TEXT PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
            owner TEXT NOT NULL,           -- the memory that may write it; '' for none
            process TEXT NOT NULL,         -- JSON: the owner's [host, process id, start]
            state TEXT NOT NULL            -- JSON: what the memory knows beside the log and the plans
        ) WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE journal (             -- what was written and does not stand in the tables of the log yet
            number INTEGER PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            event TEXT NOT NULL            -- JSON: messages, a plan, or a state
        )""")


@MIGRATIONS()
def m014_bookmarks(db: Database) -> None:
    """Bookmarks of messages, each with a note. They go with their session."""
    db.execute("""
        CREATE TABLE bookmark (
            id INTEGER PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,     -- of the message in the log, from 0
            note TEXT NOT NULL,
            created_at TEXT NOT NULL,
            changed_at TEXT NOT NULL,      -- when the note was written last
            UNIQUE (session_id, position)
        )""")


@MIGRATIONS()
def m015_work_events(db: Database) -> None:
    """Add what a recording states about the state of the work: folder, branch, mode, skills, processes."""
    db.execute("ALTER TABLE message ADD COLUMN events TEXT")  # JSON: [[part, name, value] …]; NULL for none


TRANSCRIPT = """
        CREATE TABLE transcript (
            number INTEGER PRIMARY KEY,    -- in the order in which they were added
            project TEXT NOT NULL,
            session TEXT NOT NULL,
            subpath TEXT NOT NULL,         -- of a subagent's transcript; '' for that of the session
            uuid TEXT,                     -- of the entry; NULL for one without
            entry TEXT NOT NULL,           -- JSON
            added_at INTEGER NOT NULL,     -- milliseconds since 1970
            UNIQUE (project, session, subpath, uuid)
        )"""


@MIGRATIONS()
def m016_transcripts(db: Database) -> None:
    """Transcripts that agents keep here, entry by entry."""
    db.execute(TRANSCRIPT)


EXPERIMENT = """
    CREATE TABLE experiment (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        digest BLOB NOT NULL,          -- SHA-256 of the request, its endpoint and its API
        sample INTEGER NOT NULL,       -- number of the reply to the same request, from 1
        about TEXT NOT NULL,           -- JSON: model, host, turn, context
        reply TEXT NOT NULL,           -- JSON: text, calls, usage, cost, seconds, stop reason
        request BLOB,                  -- JSON, compressed; NULL if only the digest is kept
        created_at TEXT NOT NULL,
        UNIQUE (session_id, digest, sample)
    )"""


@MIGRATIONS()
def m017_experiments(db: Database) -> None:
    """Replies of models to contexts of a session. They go with their session."""
    db.execute(EXPERIMENT)


@MIGRATIONS()
def m018_rollups(db: Database) -> None:
    """Totals of each agent of a session, from which many sessions are added up."""
    make_rollups(db.execute)


@MIGRATIONS()
def m019_rollup_days(db: Database) -> None:
    """Parts of rollups added up by day, so that totals over many sessions read few rows."""
    make_rollup_days(db.execute)


@MIGRATIONS()
def m020_presets(db: Database) -> None:
    """Add the name of the preset that a plan was made with, by which rollups compare presets."""
    db.execute("ALTER TABLE plan ADD COLUMN preset TEXT NOT NULL DEFAULT ''")


@MIGRATIONS()
def m021_rollup_totals(db: Database) -> None:
    """Totals of rollups by project, day and week, and the sessions without rollups, kept by triggers."""
    make_rollup_totals(db.execute)
