"""Exceptions of summarising."""

from __future__ import annotations


class SummaryError(Exception):
    """No summary came about. Its text is one sentence that says why and what to do."""


class NoSavingError(SummaryError):
    """A summary came about that is no shorter than what it stands for."""


class SummaryCancelledError(SummaryError):
    """No summary came about because the person did not want it any more."""
