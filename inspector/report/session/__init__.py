"""Reports on recorded sessions: the context that was sent, and the evictions from it."""
