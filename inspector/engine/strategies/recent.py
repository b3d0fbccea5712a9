"""What counts as recent, the same for every strategy that keeps the newest messages."""

from __future__ import annotations

from itertools import chain

from inspector.engine.window import Window


def recent(window: Window, keep: int) -> frozenset[int]:
    """Places of the last `keep` messages (system messages not counted), widened outward to whole groups.

    A result counts where its call stands: that is where it will stand in a window that was compressed. Where words
    from the user stand shortly before (within half of `keep` again), the recent part begins there, so that it starts
    with a question and not in the middle of an answer. `keep` 0 means none.
    """
    of, messages = window.groups.of, window.messages
    places = window.remember_form(_spoken)
    if keep <= 0 or not places:
        return frozenset()
    start = max(0, len(places) - keep)
    while start and of[places[start]] == of[places[start - 1]]:
        start -= 1
    for place in range(start, max(0, start - keep // 2) - 1, -1):
        message = messages[places[place]]
        if message.role == "user" and message.kind == "chat":
            return frozenset(places[place:])
    return frozenset(places[start:])


def _spoken(window: Window) -> list[int]:
    """The places of all but system messages, results behind their calls."""
    system = frozenset(window.system)
    return [index for index in chain.from_iterable(window.groups.members) if index not in system]
