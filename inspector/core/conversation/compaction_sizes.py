"""Sizes of the window that a recording states with a compaction, before and after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from inspector.core.conversation.session import LARGEST_SIZE, Session
from inspector.core.text import word_set

_BEFORE = word_set(
    "pretokens tokensbefore beforetokens precompactiontokens tokensprecompaction prevcontexttokens originaltokencount "
    "originaltokens contexttokensbefore"
)
_AFTER = word_set(
    "posttokens tokensafter aftertokens postcompactiontokens tokenspostcompaction newcontexttokens newtokencount "
    "newtokens compressedtokens contexttokensafter"
)
"""Names of the fields in lower case, without underscores."""
_MAX_DEPTH = 3
WINDOW_FIELD = "contextTokensUsed"
"""Field of the last message's record with the size of the window after it."""


class StatedSizes(NamedTuple):
    """Tokens of the window before and after a compaction; 0 if the recording does not state them."""

    before: int = 0
    after: int = 0


def stated_sizes(session: Session, summary: int) -> StatedSizes:
    """Return the sizes in the record of a compaction, or in that of the notice before it.

    Args:
        session: Recorded session.
        summary: Position of the compaction's summary in the log.
    """
    places = [summary]
    if summary and session.messages[summary - 1].kind == "notice":
        places.append(summary - 1)
    sizes = StatedSizes()
    for place in places:
        own = _sizes_in(session.messages[place].record)
        sizes = StatedSizes(sizes.before or own.before, sizes.after or own.after)
    return sizes


def stated_window(session: Session) -> int:
    """Return the tokens of the window that the record of the last message states, or 0."""
    numbers = _numbers_in(session.messages[-1].record, 1)
    return next((value for name, value in numbers if name == WINDOW_FIELD), 0)


def _sizes_in(record: Any) -> StatedSizes:
    before = after = 0
    for name, value in _numbers_in(record, _MAX_DEPTH):
        plain = name.replace("_", "").lower()
        before = before or (value if plain in _BEFORE else 0)
        after = after or (value if plain in _AFTER else 0)
    return StatedSizes(before, after)


def _numbers_in(value: Any, depth: int) -> Iterator[tuple[str, int]]:
    """Yield the positive integers of an object and of the objects in it, with the names of their fields."""
    if not isinstance(value, dict) or not depth:
        return
    for name, field in value.items():
        if type(field) is int and 0 < field <= LARGEST_SIZE:
            yield str(name), field
        elif isinstance(field, dict):
            yield from _numbers_in(field, depth - 1)
