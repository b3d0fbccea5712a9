"""Logs that store the messages of a shared conversation."""
