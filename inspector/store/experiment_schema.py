"""Schema of the table of experiments, which are replies of models to contexts of a session. Never edited."""

EXPERIMENT_TABLE = """
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
