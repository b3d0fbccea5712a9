"""Summarisers: callables that turn messages into one text. One reads it out of the messages, one asks a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.summaries.errors import NoSavingError, SummaryCancelledError, SummaryError
    from inspector.summaries.extractive.gist import GIST_EXTRACTOR, gist
    from inspector.summaries.extractive.summarize import summarise
    from inspector.summaries.model.answers import (
        USAGE_FIELDS,
        Answer,
        answer_of,
        choice_of,
        field_of,
        parse_usage,
        text_of,
    )
    from inspector.summaries.model.failures import DeadlineError, clean_sentence, describe_error, failure_of, quote
    from inspector.summaries.model.flow import CallTotals, Pause, Step, SummaryFlow, drive_async
    from inspector.summaries.model.settings import MODEL_VARIABLES, ModelSettings, from_environment
    from inspector.summaries.model.summarizer import ModelSummariser, cancellation
    from inspector.summaries.repair import repair_summary
    from inspector.summaries.sections import TITLE

__all__ = [
    "GIST_EXTRACTOR",
    "MODEL_VARIABLES",
    "TITLE",
    "USAGE_FIELDS",
    "Answer",
    "CallTotals",
    "DeadlineError",
    "ModelSettings",
    "ModelSummariser",
    "NoSavingError",
    "Pause",
    "Step",
    "SummaryCancelledError",
    "SummaryError",
    "SummaryFlow",
    "answer_of",
    "cancellation",
    "choice_of",
    "clean_sentence",
    "describe_error",
    "drive_async",
    "failure_of",
    "field_of",
    "from_environment",
    "gist",
    "parse_usage",
    "quote",
    "repair_summary",
    "summarise",
    "text_of",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.summaries.errors": "NoSavingError SummaryCancelledError SummaryError",
        "inspector.summaries.extractive.gist": "GIST_EXTRACTOR gist",
        "inspector.summaries.extractive.summarize": "summarise",
        "inspector.summaries.model.answers": ("USAGE_FIELDS Answer answer_of choice_of field_of parse_usage text_of"),
        "inspector.summaries.model.failures": "DeadlineError clean_sentence describe_error failure_of quote",
        "inspector.summaries.model.flow": "CallTotals Pause Step SummaryFlow drive_async",
        "inspector.summaries.model.settings": "MODEL_VARIABLES ModelSettings from_environment",
        "inspector.summaries.model.summarizer": "ModelSummariser cancellation",
        "inspector.summaries.repair": "repair_summary",
        "inspector.summaries.sections": "TITLE",
    },
)
