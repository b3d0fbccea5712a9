"""Files that contain only errors of an API or a program, with their words."""

from __future__ import annotations

import re
from typing import Any

from inspector.core.text import clip, word_set

_FIELDS = word_set(
    "type message error code status statusCode status_code detail details request_id requestId source name data "
    "timestamp param id success title reason object stack retryable"
)
"""Fields of an error."""
_BARE = word_set("message detail error request_id status code")
"""Fields of an error without a type."""
_TELLING = word_set("error detail message data")
_KIND = re.compile(r"(?i)err|fail|exception|not_?found|limit|overload|invalid|denied|unauthori|forbidden|timeout|abort")
"""Types and names of errors: `invalid_request_error`, `APIError`, `not_found`."""
_MAX_RECORDS = 20
_MAX_WORDS = 100


def error_words(records: tuple[Any, ...]) -> str:
    """Return the message of the first record if all are errors, or ""."""
    some = records[:_MAX_RECORDS]
    words = [_message_in(record) if isinstance(record, dict) else "" for record in some]
    return clip(words[0], _MAX_WORDS) if words and all(words) else ""


def _message_in(record: dict[str, Any]) -> str:
    """Return the message of an error, or "" for other objects."""
    if not record.keys() <= _FIELDS or _TELLING.isdisjoint(record):
        return ""
    kinds = " ".join(str(record.get(name)) for name in ("type", "name", "source", "code", "status", "object"))
    is_bare = record.keys() <= _BARE
    inner = next((record[name] for name in ("error", "detail", "data") if record.get(name)), None)
    words = [record.get("message"), inner.get("message") if isinstance(inner, dict) else inner]
    text = next((word for word in words if isinstance(word, str) and word.strip()), "")
    return text if is_bare or "error" in record or _KIND.search(kinds) else ""
