"""Sessions without keys, tokens, passwords, addresses and names of home folders, to be shown to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.redaction.redactor import Redacted, RedactionError, Redactor
    from inspector.redaction.session import Redaction, redact

__all__ = ["Redacted", "Redaction", "RedactionError", "Redactor", "redact"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.redaction.redactor": "Redacted RedactionError Redactor",
        "inspector.redaction.session": "Redaction redact",
    },
)
