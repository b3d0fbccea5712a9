"""Analyses of a session: usage, losses, agents, search, replay, experiments, redaction and export."""
