"""Summaries that a model writes."""
