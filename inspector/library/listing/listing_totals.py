"""Totals of a list of sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import Tokens, json_object
from inspector.library.listing.session_listing import Entry
from inspector.library.listing.shared_messages import SharedMessages


@json_object("Listing totals")
@dataclass(frozen=True, slots=True)
class ListingTotals:
    """Sums over the counted sessions of a list. A message that several of them contain counts once."""

    sessions: int
    messages: int
    tokens: Tokens
    shared: Annotated[int, "messages that are in an earlier session of the list, too, and were not counted again"]


def totals_of(entries: Iterable[Entry]) -> ListingTotals:
    """Return the totals of the entries whose messages are counted."""
    sessions = messages = tokens = shared = 0
    for entry in entries:
        if entry.messages is not None and entry.tokens is not None:
            common = entry.shared or SharedMessages("", 0, 0)
            sessions += 1
            messages += entry.messages - common.messages
            tokens += entry.tokens - common.tokens
            shared += common.messages
    return ListingTotals(sessions, messages, tokens, shared)
