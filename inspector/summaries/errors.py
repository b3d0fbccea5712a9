"""How a summary fails."""

from __future__ import annotations


class SummaryFailed(Exception):  # noqa: N818  what became of the summary, not a fault of the program
    """No summary came about. Its text is one sentence that says why and what to do."""


class SummaryCancelled(SummaryFailed):
    """No summary came about because the person did not want it any more."""
