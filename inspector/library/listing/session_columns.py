"""Columns of a list of sessions: their meaning, and the order of sessions by one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.library.listing.session_listing import ORIGINS, Entry, in_order
from inspector.library.listing.tool_deletion import SOON


@dataclass(frozen=True, slots=True)
class SessionColumn:
    """A column of a list of sessions."""

    about: str
    """Meaning of the column, in a few words."""
    value: Callable[[Entry], Any]
    """Returns the value that sessions are sorted by; None if it is unknown."""
    is_text: bool = False
    """True if the smallest value comes first, as texts do. Numbers and times begin with the largest."""
    is_detail: bool = False
    """True if the whole session must be analysed for the value."""


SESSION_COLUMNS: Mapping[str, SessionColumn] = {
    "session": SessionColumn("title of the session", lambda entry: entry.title.lower(), is_text=True),
    "project": SessionColumn(
        "folder that the agent worked in", lambda entry: entry.project.lower() or None, is_text=True
    ),
    "model": SessionColumn("model of the session", lambda entry: entry.model.lower() or None, is_text=True),
    "format": SessionColumn("format of the recording", lambda entry: entry.format or None, is_text=True),
    "agents": SessionColumn("number of agents", lambda entry: entry.agents),
    "messages": SessionColumn("number of messages", lambda entry: entry.messages),
    "turns": SessionColumn("number of model calls", lambda entry: entry.turns),
    "size": SessionColumn("tokens of the whole log", lambda entry: entry.tokens),
    "peak": SessionColumn("largest context, as a share of the model's window", lambda entry: entry.peak_share),
    "compactions": SessionColumn("number of recorded compactions (◆)", lambda entry: entry.compactions),
    "re-reads": SessionColumn(
        "reads of a file or page that the agent had read before", lambda entry: entry.rereads, is_detail=True
    ),
    "cost": SessionColumn("cost of all model calls in US dollars", lambda entry: entry.cost, is_detail=True),
    "state": SessionColumn(
        "over: the peak exceeds 100%; damaged: a part is unreadable (!); the days until the tool deletes it soon",
        lambda entry: 4 * entry.is_over + 2 * bool(entry.damage) + is_due(entry),
    ),
    "left": SessionColumn("days until the tool deletes the recording", lambda entry: entry.days_left, is_text=True),
    "when": SessionColumn("time of the last message", lambda entry: entry.changed or None),
}
"""All columns by name, in their usual order."""


def is_due(entry: Entry) -> bool:
    """Return True if the tool deletes the recording within a week."""
    return entry.days_left is not None and entry.days_left <= SOON


def needs_details(names: Iterable[str]) -> bool:
    """Return True if one of some columns requires the analysis of whole sessions."""
    return any(SESSION_COLUMNS[name].is_detail for name in names)


def sort_entries(entries: Iterable[Entry], name: str, reverse: bool = False) -> list[Entry]:
    """Sort entries by a column, within their origins. Equal ones are sorted by time, the newest first.

    Args:
        entries: Entries to sort.
        name: Name of the column.
        reverse: True for the opposite of the column's own order.

    Returns:
        The entries. In each origin, those with an unknown value follow the others, and unreadable ones come last.
    """
    column = SESSION_COLUMNS[name]
    rows = in_order(entries)
    if name != "when" or reverse:
        known = [entry for entry in rows if column.value(entry) is not None]
        known.sort(key=column.value, reverse=column.is_text == reverse)
        rows = [*known, *(entry for entry in rows if column.value(entry) is None)]
    return sorted(rows, key=lambda entry: (ORIGINS.index(entry.origin), bool(entry.problem)))
