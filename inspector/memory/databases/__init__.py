"""SQLite, PostgreSQL and Redis, each with one implementation that all memories use."""
