"""How many tokens a text, a message, a session or a tool definition takes, and how well that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.tokens.certainty import Certainty, TokenCount, mark, weakest
    from inspector.tokens.counting import FRAME, CharsCounter, Counter, TokenizerCounter, count_message, count_parts
    from inspector.tokens.identities import result_identities
    from inspector.tokens.methods import MethodResult, compare_methods
    from inspector.tokens.session_counting import RULES
    from inspector.tokens.sizes import (
        Sizes,
        count_session,
        count_sizes,
        counter_for,
        digest,
        estimate,
        quick,
    )

__all__ = [
    "FRAME",
    "RULES",
    "Certainty",
    "CharsCounter",
    "Counter",
    "MethodResult",
    "Sizes",
    "TokenCount",
    "TokenizerCounter",
    "compare_methods",
    "count_message",
    "count_parts",
    "count_session",
    "count_sizes",
    "counter_for",
    "digest",
    "estimate",
    "mark",
    "quick",
    "result_identities",
    "weakest",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.tokens.sizes": ("Sizes count_session count_sizes counter_for digest estimate quick"),
        "inspector.tokens.certainty": "Certainty TokenCount mark weakest",
        "inspector.tokens.counting": "CharsCounter Counter FRAME TokenizerCounter count_message count_parts",
        "inspector.tokens.identities": "result_identities",
        "inspector.tokens.methods": "MethodResult compare_methods",
        "inspector.tokens.session_counting": "RULES",
    },
)
