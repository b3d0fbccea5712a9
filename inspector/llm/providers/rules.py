"""Validation rules shared by several providers, each with the provider's own error messages.

A provider rejects a message for its content (invalid call ids, empty text) or for its position (a result without its
call). The rules here take the provider's error messages as arguments and yield faults. They do not repair anything;
`Provider.request` does.
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
    """Something that a provider would reject, and the prefixes of the window that it applies to.

    A window grows with the conversation, and the window of an earlier turn is a prefix of it. The fault applies to
    prefixes of `since` to `until` messages.
    """

    place: int
    """Index of the message in its window, or -1 for the whole window."""
    words: str
    """Error message of the provider."""
    since: int
    until: int = UNBOUNDED


Lengths = Sequence[int]
"""Lengths of the prefixes of a window to check, in ascending order."""


class MessageGroups(Protocol):
    """Groups of calls and their results. All values are indices in the list of messages."""

    @property
    def members(self) -> Sequence[Sequence[int]]:
        """Message indices of each group, in ascending order."""

    @property
    def of(self) -> Sequence[int]:
        """Group of each message."""

    @property
    def orphans(self) -> Collection[int]:
        """Results without a preceding call, and second results of a call."""

    @property
    def open_calls(self) -> Mapping[int, Sequence[int]]:
        """Indices of the unanswered calls of a message, by message."""


class MessageSequence(Protocol):
    """Messages of a request in order, and their context."""

    @property
    def context(self) -> RequestContext: ...
    @property
    def messages(self) -> Sequence[Message]: ...
    @property
    def groups(self) -> MessageGroups: ...
    @property
    def originals(self) -> Mapping[str, Message]:
        """Unmodified messages of the log by id."""


class ContentRule:
    """Rules for the content of a message, evaluated once per message and only if it can be rejected."""

    def __init__(self, name: str, refusals: Callable[[Message], tuple[str, ...]]) -> None:
        self.refusals = refusals
        """Returns all error messages for the content of a message, most important first."""
        self._cache: MessageCache[tuple[str, ...]] = MessageCache(f"refusals of {name}")

    def faults(self, message: Message) -> tuple[str, ...]:
        """Return the error messages for the content of a message; empty if it is known to have no flaw."""
        return self._cache.get(message, self.refusals) if message.has_flaw is not False else ()


def faults_at(faults: Iterable[Fault], length: int) -> Iterator[tuple[int, str]]:
    """Yield the place and error message of each fault that applies to a prefix of `length` messages."""
    return ((fault.place, fault.words) for fault in faults if fault.since <= length <= fault.until)


def is_selected(lengths: Lengths, first: int, last: int) -> bool:
    """Return True if any prefix to check has `first` to `last` messages.

    Args:
        lengths: Lengths of the prefixes to check, in ascending order.
        first: Smallest length.
        last: Largest length.
    """
    place = bisect_left(lengths, first)
    return place < len(lengths) and lengths[place] <= last


def call_id_faults(
    messages: Sequence[Message], unfit: Callable[[str], str], text: str, *, within_message: bool = False
) -> Iterator[Fault]:
    """Yield faults for invalid and duplicate call ids.

    Args:
        messages: Messages of a window.
        unfit: Returns the error message for an id, or an empty string if it is valid.
        text: Error message for a duplicate id, with a placeholder `{ids}`.
        within_message: True to look for duplicates in each message separately.
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
    """Yield faults for calls of tools with an invalid name.

    Args:
        messages: Messages of a window.
        longest: Maximum length of a name.
        words: Error message.
    """
    for index, message in enumerate(messages):
        if message.calls and not all(is_fit_name(call.name, longest) for call in message.calls):
            yield Fault(index, words, index + 1)


def no_messages(messages: Sequence[Message], words: str, *, counting_system: bool) -> Fault:
    """Return a fault for a request without messages.

    Args:
        messages: Messages of a window.
        words: Error message.
        counting_system: False if system messages do not count because the API separates them.
    """
    places = (index for index, message in enumerate(messages) if counting_system or message.role != "system")
    return Fault(-1, words, 0, next(places, UNBOUNDED))


def stray_results(sequence: MessageSequence, orphan: str, second: str, *, anywhere: bool = False) -> Iterator[Fault]:
    """Yield faults for results without a call, and for second results of a call.

    Args:
        sequence: The window.
        orphan: Error message for a result without a call, with a placeholder `{ids}`.
        second: Error message for a second result, with a placeholder `{ids}`.
        anywhere: True if results can refer to any earlier message; False if only to the latest one with calls.
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
    """Yield faults for calls whose result does not follow directly, including those with a result elsewhere.

    A call can remain open until the next message of a speaker.

    Args:
        sequence: The window.
        lengths: Lengths of the prefixes to check, in ascending order.
        words: Error message, with a placeholder `{ids}`.
        system_apart: True if the API separates system messages, so that they do not count as messages in between.
    """
    messages, misplaced = sequence.messages, _misplaced_results(sequence, system_apart)
    for caller, end in _ends_of_calls(sequence, {*sequence.groups.open_calls, *misplaced}):
        message, places = messages[caller], misplaced.get(caller, [])
        answers = [messages[place].answers or "" for place in places]
        if missing_ids := {*answers, *_open_ids(sequence, caller)}:
            yield Fault(caller, _with_ids(words, message, missing_ids), end + 1)
        first, last = bisect_left(lengths, places[0] + 1) if places else 0, bisect_right(lengths, end)
        for length in lengths[first:last] if places else ():
            ids = set(answers[: bisect_left(places, length)])
            yield Fault(caller, _with_ids(words, message, ids), length, length)


def unanswered_calls(sequence: MessageSequence, lengths: Lengths, words: str) -> Iterator[Fault]:
    """Yield faults for unanswered calls if results can be anywhere after them, each until its result.

    Args:
        sequence: The window.
        lengths: Lengths of the prefixes to check, in ascending order.
        words: Error message, with a placeholder `{ids}`.
    """
    groups, messages = sequence.groups, sequence.messages
    callers = set(groups.open_calls)
    if lengths[0] < len(messages):
        callers.update(members[0] for members in groups.members if len(members) > 1)
    for caller, end in _ends_of_calls(sequence, callers):
        answers = {messages[place].answers or "": place for place in groups.members[groups.of[caller]][1:]}
        places = answers | dict.fromkeys(_open_ids(sequence, caller), UNBOUNDED)
        for call_id in _in_call_order(messages[caller], set(places)):
            if places[call_id] > end:
                yield Fault(caller, words.format(ids=call_id), end + 1, places[call_id])


def next_speakers(messages: Sequence[Message], callers: Collection[int]) -> dict[int, int]:
    """Return for each message with calls the index of the next speaker's message, at which no call can remain open."""
    if not callers:
        return {}
    speakers = [index for index, message in enumerate(messages) if message.speaks]
    place = dict(zip(speakers, [*speakers[1:], UNBOUNDED], strict=False))
    return {caller: place.get(caller, caller) for caller in callers}


def _ends_of_calls(sequence: MessageSequence, callers: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield each message with calls, and the index of the message at which no call can remain open.

    In a request as it is sent, that is at the last result of calls of which only some are answered.
    """
    groups = sequence.groups
    for caller, end in next_speakers(sequence.messages, callers).items():
        results = groups.members[groups.of[caller]][1:]
        is_cut = end == UNBOUNDED and sequence.context.is_sent and results and caller in groups.open_calls
        yield caller, results[-1] if is_cut else end


def _open_ids(sequence: MessageSequence, caller: int) -> set[str]:
    """Return the ids of a message's unanswered calls."""
    calls = sequence.messages[caller].calls
    return {calls[place].id for place in sequence.groups.open_calls.get(caller, ())}


def _with_ids(words: str, message: Message, ids: set[str]) -> str:
    return words.format(ids=", ".join(_in_call_order(message, ids)))


def _in_call_order(message: Message, ids: set[str]) -> list[str]:
    """Return the ids of a message's calls that are in `ids`, in the order of the calls."""
    return list(dict.fromkeys(call.id for call in message.calls if call.id in ids))


def _misplaced_results(sequence: MessageSequence, system_apart: bool) -> dict[int, list[int]]:
    """Return the indices of results that do not directly follow their call, by the index of the call's message."""
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
