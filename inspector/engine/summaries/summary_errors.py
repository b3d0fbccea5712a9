"""Exceptions of summarising."""

from __future__ import annotations


class SummaryError(Exception):
    """No summary could be made. The message is one sentence with the reason and what to do."""


class NoSavingError(SummaryError):
    """A summary is not shorter than the messages it replaces."""


class SummaryCancelledError(SummaryError):
    """The user cancelled the summary."""


class MissingClientError(SummaryError):
    """The client library of the model's API is not installed. The message says how to install it."""
