"""Atomic groups: messages that can only be kept or removed together.

A tool call and its results form a group, matched by id anywhere in the window. Every other message is a group by
itself. Also finds open calls, which have no result yet, and orphans, which have no call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from inspector.core.conversation import Message


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a list of messages. Every index is a position in that list."""

    members: tuple[tuple[int, ...], ...]
    """Indices of each group, ascending. Groups are ordered by their first member."""
    of: tuple[int, ...]
    """Group number of each message."""
    orphans: frozenset[int]
    """Results without an earlier call, and second results for the same call."""
    open_calls: dict[int, tuple[int, ...]]
    """Messages with unanswered calls, mapped to the positions of those calls within the message."""
    in_order: bool
    """True if the members of every group are adjacent."""

    def __len__(self) -> int:
        return len(self.members)


def group(messages: Sequence[Message]) -> Groups:
    """Sort messages into groups in one pass. A result answers the nearest earlier call with its id."""
    members: list[Any] = []  # lists if results can follow, otherwise tuples: most messages are single
    of: list[int] = []
    orphans: set[int] = set()
    callers: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    newest: dict[str, int] = {}  # calls of the newest message with calls: nearly all results answer one of them
    head = number = 0
    for index, message in enumerate(messages):
        if (answers := message.answers) is not None:
            if answers in newest:
                del newest[answers]
                of.append(number)
                members[number].append(index)
                continue
            if calls := callers.get(answers):
                of.append(of[calls.pop()[0]])
                members[of[-1]].append(index)
                continue
            orphans.add(index)
        if not message.calls:
            of.append(len(members))
            members.append((index,))
            continue
        if newest:
            _wait(callers, head, newest.items())
        head, number = index, len(members)
        of.append(number)
        members.append([index])
        newest = {call.id: place for place, call in enumerate(message.calls)}
        if len(newest) < len(message.calls):  # duplicate call ids, which a dict cannot represent
            _wait(callers, head, [(call.id, place) for place, call in enumerate(message.calls)])
            newest = {}
    _wait(callers, head, newest.items())
    open_calls: defaultdict[int, list[int]] = defaultdict(list)
    for caller, place in sorted(chain.from_iterable(callers.values())):
        open_calls[caller].append(place)
    return Groups(
        tuple(map(tuple, members)),
        tuple(of),
        frozenset(orphans),
        {caller: tuple(places) for caller, places in open_calls.items()},
        of == sorted(of),
    )


def _wait(callers: defaultdict[str, list[tuple[int, int]]], caller: int, calls: Iterable[tuple[str, int]]) -> None:
    """Record calls, given as id and position, as waiting for a result."""
    for name, place in calls:
        callers[name].append((caller, place))


class OpenCalls:
    """Tracks the calls that wait for a result while messages arrive one by one. Results are matched as in `group`."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._callers: defaultdict[str, list[Message]] = defaultdict(list)
        """Messages that made the open calls, by call id, newest last."""
        for message in messages:
            self.feed(message)

    def caller_of(self, message: Message) -> Message | None:
        """Return the message whose open call this message answers; None if it answers no open call."""
        callers = self._callers.get(message.answers) if message.answers is not None else None
        return callers[-1] if callers else None

    def feed(self, message: Message) -> Message | None:
        """Add a message and return what `caller_of` would return for it. An answered call is no longer open."""
        if message.answers is not None and (callers := self._callers.get(message.answers)):
            return callers.pop()
        for call in message.calls:
            self._callers[call.id].append(message)
        return None


def live_calls(messages: Sequence[Message], groups: Groups) -> frozenset[int]:
    """Return the messages whose open calls can still be answered, because no reply or user message follows them.

    A call followed by a later reply or request is dead: its result will never arrive.

    Args:
        messages: Messages of a window, oldest first.
        groups: Calls with their results in these messages.

    Returns:
        Positions in `messages`.
    """
    last = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].speaks), -1)
    return frozenset({last} & groups.open_calls.keys())


def call_names(messages: Sequence[Message]) -> dict[str, str]:
    """Return the name of the tool that produced each result, by message id."""
    call_tools: dict[str, str] = {}
    names: dict[str, str] = {}
    for message in messages:
        for call in message.calls:
            call_tools[call.id] = call.name
        if message.answers is not None and message.answers in call_tools:
            names[message.id] = call_tools[message.answers]
    return names
