"""Which summariser an environment asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.conversation import Message


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
