"""How a summary fails."""

from __future__ import annotations


class SummaryError(Exception):
    """No summary came about. Its text is one sentence that says why and what to do."""


class SummaryCancelled(SummaryError):  # noqa: N818  what the person wanted, not a fault
    """No summary came about because the person did not want it any more."""
