"""The base of the errors that a person can do something about."""

from __future__ import annotations


class InspectorError(Exception):
    """An error whose text is one sentence for the person: what is wrong, where, and what to do."""
