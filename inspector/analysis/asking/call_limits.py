"""Defaults of the limits of calls."""

MAX_COST = 0.5
"""Default of the dollars that are never exceeded."""
MAX_OUTPUT = 4_096
"""Default of the maximum tokens of a reply."""
