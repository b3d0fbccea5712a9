"""Signs that records of a session were dropped or moved: results without their calls, and calls without results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.conversation import Message, Problem
from inspector.core.text import clip, plural

_ID = 60
"""Maximum number of characters of an id in a problem."""


class CallOrder:
    """Pairs the calls of a growing log with their results."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._count = 0
        """Number of messages that were read."""
        self._calls: set[str] = set()
        self._answered: set[str] = set()
        self._open: dict[str, int] = {}
        """Position of the message of each call without a result."""
        self._goes_on: list[bool] = []
        """For each message, True if a later request or reply follows it."""
        self._orphans: dict[str, int] = {}
        """Position of the result of each call that is not before it."""

    def problems(self, messages: Sequence[Message], same: int = 0) -> list[Problem]:
        """Return problems about results without calls, and about calls without results in a log that goes on.

        Calls are not checked in a log without any results, because its program may not record them.

        Args:
            messages: The log.
            same: Number of messages at its start that are the same as in the last call.
        """
        if same < self._count:  # a later message may have shown that an earlier one goes on
            self._clear()
        for place in range(self._count, len(messages)):
            self._feed(messages, place)
        self._count = len(messages)
        is_open = [(call, at) for call, at in self._open.items() if self._goes_on[at]] if self._answered else []
        return [
            *_problem("the result of call", [*self._orphans.items()], "has no call before it", messages),
            *_problem("call", is_open, "has no result", messages),
        ]

    def _feed(self, messages: Sequence[Message], place: int) -> None:
        message = messages[place]
        for call in message.calls:
            self._calls.add(call.id)
            if call.id and call.id not in self._answered:
                self._open[call.id] = place
        if message.answers:
            if message.answers not in self._calls:
                self._orphans.setdefault(message.answers, place)
            self._answered.add(message.answers)
            self._open.pop(message.answers, None)
        self._goes_on.append(False)
        at = message.parent if message.role != "tool" and message.kind != "notice" else -1
        while 0 <= at < place and not self._goes_on[at]:
            self._goes_on[at] = True
            at = messages[at].parent


def _problem(
    subject: str, cases: Sequence[tuple[str, int]], words: str, messages: Sequence[Message]
) -> Iterator[Problem]:
    """Yield a problem about the first of some calls, with their number."""
    if cases:
        call, place = cases[0]
        more = f" ({plural(len(cases), 'case')} in all)" if len(cases) > 1 else ""
        text = f"{subject} {clip(call, _ID)} {words}: records may be missing or out of order{more}"
        yield Problem(text, None, messages[place].id)
