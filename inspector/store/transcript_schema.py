"""Schema of the transcripts that agents keep in the store. Never edited."""

TRANSCRIPT_TABLE = """
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
