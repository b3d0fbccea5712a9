"""Signs that messages of a session were dropped or moved: unpaired calls and results, and two turns of one speaker."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from inspector.core.conversation import Message, Problem
from inspector.core.text import clip, plural

_ID = 60
"""Maximum number of characters of an id in a problem."""
_MAX_UNDO = 64
"""Maximum number of messages at the end of a log that can change without the log being read again."""
_MIN_PAIRS = 3
"""Minimum number of turns for each of the first two messages that follow one of the same speaker."""
_PAIRS_PER_DOUBLE = 10
"""Minimum number of turns for each of more such messages."""


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
        self._repeats: dict[str, int] = {}
        """Position of the message of each call that it makes twice."""
        self._undo: deque[list[Callable[[], object]]] = deque(maxlen=_MAX_UNDO)
        """What takes back each of the last messages, in reverse order."""

    def problems(self, messages: Sequence[Message], same: int = 0) -> list[Problem]:
        """Return problems about results without calls, and about calls without results in a log that goes on.

        Calls are not checked in a log without any results, because its program may not record them.

        Args:
            messages: The log.
            same: Number of messages at its start that are the same as in the last call.
        """
        if self._count - same > len(self._undo):
            self._clear()
        while self._count > same:
            self._take_back()
        for place in range(self._count, len(messages)):
            self._feed(messages, place)
        is_open = [(call, at) for call, at in self._open.items() if self._goes_on[at]] if self._answered else []
        return [
            *_problem("the result of call", [*self._orphans.items()], "has no call before it", messages),
            *_problem("call", [*self._repeats.items()], "is made twice by a message", messages),
            *_problem("call", is_open, "has no result", messages),
        ]

    def _take_back(self) -> None:
        for step in reversed(self._undo.pop()):
            step()
        self._count -= 1

    def _feed(self, messages: Sequence[Message], place: int) -> None:
        message, undo = messages[place], list[Callable[[], object]]()
        self._feed_calls(message, place, undo)
        if message.answers:
            self._feed_result(message.answers, place, undo)
        self._goes_on.append(False)
        undo.append(self._goes_on.pop)
        at = message.parent if message.role != "tool" and message.kind != "notice" else -1
        while 0 <= at < place and not self._goes_on[at]:
            self._goes_on[at] = True
            undo.append(partial(self._goes_on.__setitem__, at, False))
            at = messages[at].parent
        self._undo.append(undo)
        self._count += 1

    def _feed_calls(self, message: Message, place: int, undo: list[Callable[[], object]]) -> None:
        ids = [call.id for call in message.calls]
        for name in ids if len(set(ids)) < len(ids) else ():
            if name and ids.count(name) > 1 and name not in self._repeats:
                self._repeats[name] = place
                undo.append(partial(self._repeats.pop, name))
        for call in message.calls:
            if call.id not in self._calls:
                self._calls.add(call.id)
                undo.append(partial(self._calls.discard, call.id))
            if call.id and call.id not in self._answered:
                undo.append(partial(_restore, self._open, call.id, self._open.get(call.id)))
                self._open[call.id] = place

    def _feed_result(self, call: str, place: int, undo: list[Callable[[], object]]) -> None:
        if call not in self._calls and call not in self._orphans:
            self._orphans[call] = place
            undo.append(partial(self._orphans.pop, call))
        if call not in self._answered:
            self._answered.add(call)
            undo.append(partial(self._answered.discard, call))
        if call in self._open:
            undo.append(partial(_restore, self._open, call, self._open.pop(call)))


class TurnOrder:
    """Finds two replies in a row, in a growing log in which the user and the assistant take turns.

    A user may write twice before a reply.
    """

    def __init__(self) -> None:
        self._count = 0
        """Number of messages that were read."""
        self._pairs: list[int] = []
        """Positions of the messages of speakers that follow one of a speaker."""
        self._doubles: list[int] = []
        """Positions of the messages that follow one of the same speaker."""

    def problems(self, messages: Sequence[Message], same: int = 0) -> list[Problem]:
        """Return a problem about replies in a row. The arguments are those of `CallOrder.problems`."""
        for places in (self._pairs, self._doubles):
            del places[bisect_left(places, same) :]
        for place in range(max(min(self._count, same), 1), len(messages)):
            last, speaker = map(_side_of, messages[place - 1 : place + 1])
            if last and speaker and messages[place].parent == place - 1:
                self._pairs.append(place)
                if last == speaker:
                    self._doubles.append(place)
        self._count = len(messages)
        pairs, doubles = len(self._pairs), len(self._doubles)
        if not 0 < doubles <= max(pairs // _PAIRS_PER_DOUBLE, min(pairs // _MIN_PAIRS, 2)):
            return []
        replies = [messages[place].id for place in self._doubles if messages[place].role == "assistant"]
        more = f" ({plural(doubles, 'case')} in all)" if doubles > 1 else ""
        text = "two messages of the assistant in a row, where the others take turns: "
        return [Problem(f"{text}records may be missing or out of order{more}", None, name) for name in replies[:1]]


def _side_of(message: Message) -> str | None:
    """Return who speaks in a message, or None for a result, an agent with a name and what no one said."""
    is_turn = message.answers is None and message.kind == "chat" and not message.name
    return message.role if is_turn and message.role in ("user", "assistant") else None


def _restore(places: dict[str, int], call: str, place: int | None) -> None:
    """Set the place of a call again, or remove it if it had none."""
    if place is None:
        del places[call]
    else:
        places[call] = place


def _problem(
    subject: str, cases: Sequence[tuple[str, int]], words: str, messages: Sequence[Message]
) -> Iterator[Problem]:
    """Yield a problem about the first of some calls, with their number."""
    if cases:
        place = min([at for _, at in cases])
        call = min([call for call, at in cases if at == place])
        more = f" ({plural(len(cases), 'case')} in all)" if len(cases) > 1 else ""
        text = f"{subject} {clip(call, _ID)} {words}: records may be missing or out of order{more}"
        yield Problem(text, None, messages[place].id)
