"""Base class of errors that the user can act on."""

from __future__ import annotations


class InspectorError(Exception):
    """Base class of errors whose message is one sentence for the user: the problem, its place, and a remedy."""
