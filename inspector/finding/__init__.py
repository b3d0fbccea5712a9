"""Finding messages: a language of words and facts, the messages that fit, and where in a text the words stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.finding.deeds import Deed, deed_of
    from inspector.finding.places import Place, line_places, word_places
    from inspector.finding.query import (
        SYNTAX,
        MessageQuery,
        QueryError,
        QueryFacts,
        fold_text,
        parse_query,
        parse_words,
    )
    from inspector.finding.search import (
        Haystack,
        HitBatch,
        MessageHit,
        plain_arguments,
        readable_text,
        search_messages,
    )

__all__ = [
    "SYNTAX",
    "Deed",
    "Haystack",
    "HitBatch",
    "MessageHit",
    "MessageQuery",
    "Place",
    "QueryError",
    "QueryFacts",
    "deed_of",
    "fold_text",
    "line_places",
    "parse_query",
    "parse_words",
    "plain_arguments",
    "readable_text",
    "search_messages",
    "word_places",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.finding.deeds": "Deed deed_of",
        "inspector.finding.places": "Place line_places word_places",
        "inspector.finding.query": "QueryFacts MessageQuery QueryError SYNTAX fold_text parse_query parse_words",
        "inspector.finding.search": "Haystack HitBatch MessageHit plain_arguments readable_text search_messages",
    },
)
