"""Atomic groups: the messages that may only stay or leave together, and those that may not leave at all.

A tool call and its results belong together by id, wherever they stand; everything else is a group of its own.
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
    """The groups of a list of messages. Every index is a place in that list."""

    members: tuple[tuple[int, ...], ...]
    """Each group's indices, ascending; groups in the order of their first member."""
    of: tuple[int, ...]
    """The group of each message."""
    orphans: frozenset[int]
    """Results that no call stands before, and second results of one call."""
    open_calls: dict[int, tuple[int, ...]]
    """Messages with calls that nothing answers: which of their calls, by place."""
    in_order: bool
    """Whether every message stands right behind those of its group."""

    def __len__(self) -> int:
        return len(self.members)


def group(messages: Sequence[Message]) -> Groups:
    """Sort messages into groups, in one pass. A result answers the nearest call before it with its id."""
    members: list[Any] = []  # lists where results may follow, else tuples: most messages stand alone
    of: list[int] = []
    orphans: set[int] = set()
    callers: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    newest: dict[str, int] = {}  # the calls of the newest message that has any: nearly all results are theirs
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
        if len(newest) < len(message.calls):  # two calls of one id, which only a list tells apart
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
    """Note calls of a message, by id and place, as ones that wait for a result."""
    for name, place in calls:
        callers[name].append((caller, place))


class OpenCalls:
    """The calls that wait for a result while messages come in one by one. A result answers as in `group`."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._callers: defaultdict[str, list[Message]] = defaultdict(list)
        """The messages that made them, by the ids of the calls, the newest last."""
        for message in messages:
            self.feed(message)

    def caller_of(self, message: Message) -> Message | None:
        """The message whose call waits for this one; None where it is no result that is waited for."""
        callers = self._callers.get(message.answers) if message.answers is not None else None
        return callers[-1] if callers else None

    def feed(self, message: Message) -> Message | None:
        """Take a message in. Returns what `caller_of` says; that call waits no more."""
        if message.answers is not None and (callers := self._callers.get(message.answers)):
            return callers.pop()
        for call in message.calls:
            self._callers[call.id].append(message)
        return None


def live_calls(messages: Sequence[Message], groups: Groups) -> frozenset[int]:
    """Messages whose open calls may still be answered: nobody has spoken since.

    A call with a later reply or request behind it is dead: its result will never come.
    """
    last = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].speaks), -1)
    return frozenset({last} & groups.open_calls.keys())


def call_names(messages: Sequence[Message]) -> dict[str, str]:
    """For each tool result, by message id, the name of the tool that gave it."""
    call_tools: dict[str, str] = {}
    names: dict[str, str] = {}
    for message in messages:
        for call in message.calls:
            call_tools[call.id] = call.name
        if message.answers is not None and message.answers in call_tools:
            names[message.id] = call_tools[message.answers]
    return names
