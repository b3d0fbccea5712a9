"""Definition of "recent", shared by all strategies that keep the newest messages."""

from __future__ import annotations

from itertools import chain

from inspector.engine.window import Window


def recent(window: Window, keep: int) -> frozenset[int]:
    """Return the positions of the last `keep` messages without system messages, extended to whole groups.

    Summaries are not counted, because they replace older messages. A result counts at the position of its call, where
    it is in a compressed window. If a user message is shortly before (within another half of `keep`), the recent part
    starts there, so that it starts with a question rather than in the middle of an answer. Empty if `keep` is 0.
    """
    of, messages = window.groups.of, window.messages
    places = window.cached_form(_spoken)
    if keep <= 0 or not places:
        return frozenset()
    start, left = len(places), keep
    while start and left:
        start -= 1
        left -= messages[places[start]].kind != "summary"
    while start and of[places[start]] == of[places[start - 1]]:
        start -= 1
    for place in range(start, max(0, start - keep // 2) - 1, -1):
        message = messages[places[place]]
        if message.role == "user" and message.kind == "chat":
            return frozenset(places[place:])
    return frozenset(places[start:])


def _spoken(window: Window) -> list[int]:
    """Return the positions of all messages except system messages, results after their calls."""
    system = frozenset(window.system)
    return [index for index in chain.from_iterable(window.groups.members) if index not in system]
