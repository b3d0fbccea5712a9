"""Rules that several providers enforce on the messages of a request, each in its own words.

A provider refuses a message for itself (ids of calls that do not fit, content that cannot be), or for where it stands
(a result without its call). Every rule here takes the words of the provider and gives faults. Nothing is repaired: that
is what `Provider.request` does.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, RequestContext
from inspector.llm.providers.tool_names import is_fit_name

UNBOUNDED = sys.maxsize - 1


class Fault(NamedTuple):
    """What a provider would refuse, and how long it would.

    A window grows with the conversation, and a window of an earlier turn is a beginning of it. A fault is one of all
    beginnings from `since` to `until` messages.
    """

    place: int
    """Of the message in its window; -1 for the whole of it."""
    words: str
    """The provider's."""
    since: int
    until: int = UNBOUNDED


Lengths = Sequence[int]
"""The beginnings of a window that are asked for, each by how many messages it has, ascending."""


class MessageGroups(Protocol):
    """Which messages of a list belong together: calls and their results, each by its place in the list."""

    @property
    def members(self) -> Sequence[Sequence[int]]:
        """The places of each group, ascending."""

    @property
    def of(self) -> Sequence[int]:
        """The group of each message."""

    @property
    def orphans(self) -> Collection[int]:
        """Results that no call stands before, and second results of one call."""

    @property
    def open_calls(self) -> Mapping[int, Sequence[int]]:
        """Messages with calls that nothing answers: which of their calls, by place."""


class MessageSequence(Protocol):
    """The messages of a request in their order, and what goes with them."""

    @property
    def context(self) -> RequestContext: ...
    @property
    def messages(self) -> Sequence[Message]: ...
    @property
    def groups(self) -> MessageGroups: ...
    @property
    def originals(self) -> Mapping[str, Message]:
        """The messages as the log has them, before anything was changed, by their ids."""


class ContentRule:
    """What a provider refuses inside a message, which is read only where something may be refused, and once."""

    def __init__(self, name: str, refusals: Callable[[Message], tuple[str, ...]]) -> None:
        self.refusals = refusals
        """All that is refused inside a message, in the provider's words, the first first."""
        self._cache: MessageCache[tuple[str, ...]] = MessageCache(f"refusals of {name}")

    def faults(self, message: Message) -> tuple[str, ...]:
        """What is refused inside a message; nothing where it is known to have no flaw."""
        return self._cache.get(message, self.refusals) if message.has_flaw is not False else ()


def faults_at(faults: Iterable[Fault], length: int) -> Iterator[tuple[int, str]]:
    """The faults of the beginning with so many messages, as place and words."""
    return ((fault.place, fault.words) for fault in faults if fault.since <= length <= fault.until)


def is_selected(lengths: Lengths, first: int, last: int) -> bool:
    """Whether a beginning of `first` to `last` messages is asked for."""
    place = bisect_left(lengths, first)
    return place < len(lengths) and lengths[place] <= last


def call_id_faults(
    messages: Sequence[Message], unfit: Callable[[str], str], text: str, *, within_message: bool = False
) -> Iterator[Fault]:
    """Ids of calls that are `unfit`, and ids that are there twice: in all messages, or `within_message` only.

    `unfit` gives the words that an id is refused with, empty for one that is not.
    """
    ids: set[str] = set()
    for index, message in enumerate(messages):
        if not message.calls:
            continue
        if within_message:
            ids = set()
        for call in message.calls:
            if words := unfit(call.id):
                yield Fault(index, words, index + 1)
            elif call.id in ids:
                yield Fault(index, text.format(ids=call.id), index + 1)
            ids.add(call.id)


def call_name_faults(messages: Sequence[Message], longest: int, words: str) -> Iterator[Fault]:
    """Calls of tools under names that no tool may have, those that are too long among them."""
    for index, message in enumerate(messages):
        if message.calls and not all(is_fit_name(call.name, longest) for call in message.calls):
            yield Fault(index, words, index + 1)


def no_messages(messages: Sequence[Message], words: str, *, counting_system: bool) -> Fault:
    """A request with no message in it. System messages are none where the form sets them apart."""
    places = (index for index, message in enumerate(messages) if counting_system or message.role != "system")
    return Fault(-1, words, 0, next(places, UNBOUNDED))


def stray_results(sequence: MessageSequence, orphan: str, second: str, *, anywhere: bool = False) -> Iterator[Fault]:
    """Results that no call asked for, and second results of a call.

    A second result is one of a call in the newest message with calls or, where results may stand `anywhere`, in any.
    """
    orphans = sequence.groups.orphans
    calls: set[str] = set()
    for index, message in enumerate(sequence.messages if orphans else ()):
        if index in orphans:
            words = second if message.answers in calls else orphan
            yield Fault(index, words.format(ids=message.answers), index + 1)
        elif message.role not in ("tool", "system"):
            if not anywhere:
                calls.clear()
            calls.update([call.id for call in message.calls])


def call_faults(
    sequence: MessageSequence, lengths: Lengths, words: str, *, system_apart: bool = False
) -> Iterator[Fault]:
    """Calls without a result right behind them, those that are answered elsewhere among them.

    As long as nobody has spoken since, a call may wait. A result that comes later than that stands elsewhere. Where
    system messages are set apart, they stand between nothing.
    """
    messages, misplaced = sequence.messages, _misplaced_results(sequence, system_apart)
    for caller, end in next_speakers(messages, {*sequence.groups.open_calls, *misplaced}).items():
        message, places = messages[caller], misplaced.get(caller, [])
        answers = [messages[place].answers or "" for place in places]
        if missing_ids := {*answers, *_open_ids(sequence, caller)}:
            yield Fault(caller, _with_ids(words, message, missing_ids), end + 1)
        first, last = bisect_left(lengths, places[0] + 1) if places else 0, bisect_right(lengths, end)
        for length in lengths[first:last] if places else ():
            ids = set(answers[: bisect_left(places, length)])
            yield Fault(caller, _with_ids(words, message, ids), length, length)


def dead_calls(sequence: MessageSequence, lengths: Lengths, words: str) -> Iterator[Fault]:
    """Calls without a result where results may stand anywhere behind them: each until it has one."""
    groups, messages = sequence.groups, sequence.messages
    callers = set(groups.open_calls)
    if lengths[0] < len(messages):
        callers.update(members[0] for members in groups.members if len(members) > 1)
    for caller, end in next_speakers(messages, callers).items():
        answers = {messages[place].answers or "": place for place in groups.members[groups.of[caller]][1:]}
        places = answers | dict.fromkeys(_open_ids(sequence, caller), UNBOUNDED)
        for call_id in _in_call_order(messages[caller], set(places)):
            if places[call_id] > end:
                yield Fault(caller, words.format(ids=call_id), end + 1, places[call_id])


def next_speakers(messages: Sequence[Message], callers: Collection[int]) -> dict[int, int]:
    """For each message with calls, the place of the next one in which somebody speaks; from there on no call waits."""
    if not callers:
        return {}
    speakers = [index for index, message in enumerate(messages) if message.speaks]
    place = dict(zip(speakers, [*speakers[1:], UNBOUNDED], strict=False))
    return {caller: place.get(caller, caller) for caller in callers}


def _open_ids(sequence: MessageSequence, caller: int) -> set[str]:
    """The ids of a message's calls that nothing answers."""
    calls = sequence.messages[caller].calls
    return {calls[place].id for place in sequence.groups.open_calls.get(caller, ())}


def _with_ids(words: str, message: Message, ids: set[str]) -> str:
    return words.format(ids=", ".join(_in_call_order(message, ids)))


def _in_call_order(message: Message, ids: set[str]) -> list[str]:
    """Those ids of a message's calls, as they were called."""
    return list(dict.fromkeys(call.id for call in message.calls if call.id in ids))


def _misplaced_results(sequence: MessageSequence, system_apart: bool) -> dict[int, list[int]]:
    """Results that do not stand right behind their call and its other results, by the message that called for them."""
    of, orphans, members = sequence.groups.of, sequence.groups.orphans, sequence.groups.members
    places: dict[int, list[int]] = {}
    block = -1
    for index, message in enumerate(sequence.messages):
        if message.role == "tool":
            if of[index] != block and index not in orphans:
                places.setdefault(members[of[index]][0], []).append(index)
        elif not system_apart or message.role != "system":
            block = of[index]
    return places
