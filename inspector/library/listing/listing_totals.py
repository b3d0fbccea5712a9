"""Totals of a list of sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.core.text import one_line
from inspector.library.listing.session_listing import Entry
from inspector.library.listing.shared_messages import SharedMessages


def shared_text(entry: Entry, printed: Callable[[str], str] = one_line) -> str:
    """Return the origin of a fork and the number of messages that an earlier session has, too; "" for neither.

    Args:
        entry: The session.
        printed: Returns the name of another session without control characters.
    """
    shared = entry.shared
    if shared is None:
        return f"forked from session {printed(entry.forked_from)}, not in this list" if entry.forked_from else ""
    own = "forked: " if entry.forked_from else ""
    verb = "is" if shared.messages == 1 else "are"
    return f"{own}{shared.messages:,} of its messages {verb} also in {printed(shared.target)}"


@json_object("Listing totals")
@dataclass(frozen=True, slots=True)
class ListingTotals:
    """Sums over the counted sessions of a list. A message that several of them contain counts once."""

    sessions: int
    messages: int
    tokens: Tokens
    shared: Annotated[int, "messages that are in an earlier session of the list, too, and were not counted again"]
    cost: Annotated[Dollars | None, "of all calls, shared ones once; null if one is unknown or it was not requested"]


def totals_of(entries: Iterable[Entry]) -> ListingTotals:
    """Return the totals of the entries whose messages are counted."""
    sessions = messages = tokens = shared = 0
    costs: list[float | None] = []
    for entry in entries:
        if entry.messages is not None and entry.tokens is not None:
            common = entry.shared or SharedMessages("", 0, 0)
            sessions += 1
            messages += entry.messages - common.messages
            tokens += entry.tokens - common.tokens
            shared += common.messages
            again = common.cost if entry.shared else 0.0
            costs.append(None if entry.cost is None or again is None else max(0.0, entry.cost - again))
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if known and len(known) == len(costs) else None
    return ListingTotals(sessions, messages, tokens, shared, total)
