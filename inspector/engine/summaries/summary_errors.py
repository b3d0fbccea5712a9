"""Exceptions of summarising."""

from __future__ import annotations


class SummaryError(Exception):
    """No summary could be made. The message is one sentence with the reason and what to do."""


class NoSavingError(SummaryError):
    """A summary is not shorter than the messages it replaces."""


class SummaryCancelledError(SummaryError):
    """The user cancelled the summary."""
