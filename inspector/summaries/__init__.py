"""Summarisers: callables that turn messages into one text. One reads it out of the messages, one asks a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.conversation import Message


class SummaryFailed(Exception):  # noqa: N818  what became of the summary, not a fault of the program
    """No summary came about. Its text is one sentence that says why and what to do."""


class SummaryCancelled(SummaryFailed):
    """No summary came about because the person did not want it any more."""


def configured(
    environ: Mapping[str, str], **asking: Any
) -> Callable[[Sequence[Message], int, Callable[[str], int]], str]:
    """The summariser that an environment asks for: the model that it names, or the extractive one without a model.

    `asking` are fields of `ModelSummariser`: how to cancel it and whom to tell of its progress. Raises ValueError as
    `from_environment` does.
    """
    from inspector.summaries.extractive.summarize import summarise
    from inspector.summaries.model.settings import from_environment
    from inspector.summaries.model.summarizer import ModelSummariser

    settings = from_environment(environ)
    return ModelSummariser(settings, **asking) if settings else summarise
