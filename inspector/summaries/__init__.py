"""Summarisers: callables that turn messages into one text. One reads it out of the messages, one asks a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.summaries.errors import SummaryCancelled, SummaryError
    from inspector.summaries.extractive.gist import gist
    from inspector.summaries.model.length import longest
    from inspector.summaries.model.prompt import entries, request
    from inspector.summaries.model.quoting import quoted, sentence, told
    from inspector.summaries.model.settings import ModelSettings, from_environment
    from inspector.summaries.model.summarizer import ModelSummariser
    from inspector.summaries.registry import configured
    from inspector.summaries.repair import repaired
    from inspector.summaries.sections import TITLE

__all__ = [
    "TITLE",
    "ModelSettings",
    "ModelSummariser",
    "SummaryCancelled",
    "SummaryError",
    "configured",
    "entries",
    "from_environment",
    "gist",
    "longest",
    "quoted",
    "repaired",
    "request",
    "sentence",
    "told",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.summaries.errors": "SummaryCancelled SummaryError",
        "inspector.summaries.extractive.gist": "gist",
        "inspector.summaries.model.length": "longest",
        "inspector.summaries.model.prompt": "entries request",
        "inspector.summaries.model.quoting": "quoted sentence told",
        "inspector.summaries.model.settings": "ModelSettings from_environment",
        "inspector.summaries.model.summarizer": "ModelSummariser",
        "inspector.summaries.registry": "configured",
        "inspector.summaries.repair": "repaired",
        "inspector.summaries.sections": "TITLE",
    },
)
