"""Builds plans: a strategy says which messages leave or change, and gets a plan that is valid in any case.

A builder starts with every message kept. What may not leave is known before the strategy begins: system messages, the
first task, the current request, pinned messages, the newest step, and calls that still wait for a result. Steps of the
current turn that are done may leave, oldest first and last of all: in a session with one request they are all there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property, lru_cache
from typing import Any

from inspector.caches import MessageCache
from inspector.conversation import InMemoryBody, Message, Raw
from inspector.providers import message_from_raw, text_message, wire_of, with_placeholder
from inspector.strategies.services import Services
from inspector.summaries import SummaryError
from inspector.text import plural
from inspector.window import KEPT, Fate, FateKind, Plan, Score, Window

SYSTEM = Fate("kept", "system messages always stay")
TASK = Fate("pinned", "the first task")
REQUEST = Fate("pinned", "the current request")
PIN = Fate("pinned", "pinned by hand")
NEWEST = Fate("kept", "the newest step")
OPENER = Fate("kept", "a conversation must start with a user message")
OPEN_CALL = Fate("kept", "its call still waits for a result")
SUMMARY = Fate("kept", "an earlier summary is never dropped")

_ORPHAN = Fate("dropped", "no call stands before this result: a provider would refuse it")
_NOT_FIRST = Fate("dropped", "a conversation must start with a user message")
DEAD_CALL = Fate("trimmed", "its call was never answered: a provider would refuse it")
_EMPTY_CALL = Fate("dropped", "its call was never answered and it says nothing else")
_COPY_FIELDS = ("kind", "name", "agent", "parent", "time", "model", "usage")
"""What a new version of a message has from the old one; the rest is read from its new text."""
_SUMMARY_ID = re.compile(r"summary (\d{1,9})")
_VERSIONS: MessageCache[dict[Hashable, Message | None]] = MessageCache("versions")
"""Shorter versions of messages, by what they are called; None where there is none."""
_MOST_VERSIONS = 16
"""Of one message."""
SUBSTANTIAL = 400
"""Tokens from which on anything can be said in fewer: a summary that is no shorter is then a failure."""


class PlanBuilder:
    """Builds the plan for one window. Indices are places in `window.messages`; groups stay or leave as a whole."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.fates: list[Fate] = [KEPT] * len(window.messages)
        self.rewrites: dict[str, Message] = {}
        self.summaries: list[Message] = []
        self.note = ""
        self.failure = ""
        """Why there is no summary, where one was asked for: nothing at all is changed then."""
        for index, fate in self.protection.items():
            self.fates[index] = fate

    @cached_property
    def protection(self) -> dict[int, Fate]:
        """What may not leave, and why."""
        window = self.window
        fates: dict[int, Fate] = {}
        fates |= dict.fromkeys(self.newest_step(), NEWEST)
        for index in window.live:
            fates |= dict.fromkeys(window.groups.members[window.groups.of[index]], OPEN_CALL)
        for index, message in enumerate(window.messages):
            if message.role == "system" and window.preserve_system:
                fates[index] = SYSTEM
            elif message.id in window.pins:
                fates[index] = PIN
        if window.task is not None:
            fates[window.task] = TASK
        if window.request is not None:
            fates[window.request] = REQUEST
        return fates

    def newest_step(self) -> tuple[int, ...]:
        """The last thing that the agent did and what was put in after it, unless the person has spoken since.

        Where nobody has spoken at all, the last message in the user's name: a window may not be emptied.
        """
        messages, groups = self.window.messages, self.window.groups
        start = -1 if self.window.request is None else self.window.request
        behind: list[int] = []
        for index in range(len(messages) - 1, start, -1):
            if messages[index].role == "assistant":
                return (*groups.members[groups.of[index]], *behind)
            if messages[index].role == "user":
                behind.append(index)
        return tuple(behind[:1]) if self.window.request is None else ()

    def opener(self) -> int | None:
        """The message in the user's name that has to stay because nothing else would stand before a protected reply."""
        messages, orphans = self.window.messages, self.window.groups.orphans
        stays = (index for index in self.protection if messages[index].role != "system" and index not in orphans)
        first = min(stays, default=0)
        if messages and messages[first].role == "user":
            return None
        place = next((index for index in range(first) if messages[index].role == "user"), None)
        return None if place is None or messages[place].kind == "summary" else place

    def candidates(self, summaries: bool = False) -> list[tuple[int, ...]]:
        """The groups that may leave, oldest first, each as its indices.

        Earlier summaries are among them only for a strategy that summarises: it takes them in, the others would lose
        them. So is what opens the conversation, where the new summary will do that.
        """
        groups, messages = self.window.groups, self.window.messages
        blocked = {groups.of[index] for index in self.protection}
        blocked |= {groups.of[index] for index in groups.orphans}
        if not summaries:
            earlier = [index for index, message in enumerate(messages) if message.kind == "summary"]
            self.keep(earlier, SUMMARY.reason)
            blocked |= {groups.of[index] for index in earlier}
        if (not summaries or self.window.task is not None) and (opener := self.opener()) is not None:
            self.keep([opener], OPENER.reason)
            blocked.add(groups.of[opener])
        return [members for number, members in enumerate(groups.members) if number not in blocked]

    @cached_property
    def group_sizes(self) -> list[int]:
        """Tokens of each group of the window."""
        sizes = [0] * len(self.window.groups)
        for group, tokens in zip(self.window.groups.of, self.window.tokens, strict=True):
            sizes[group] += tokens
        return sizes

    def size(self, indices: Iterable[int]) -> int:
        """Tokens of some messages."""
        return sum(map(self.window.tokens.__getitem__, indices))

    def weight(self, members: Sequence[int]) -> int:
        """Tokens of a whole group, given by its members."""
        return self.group_sizes[self.window.groups.of[members[0]]]

    def keep(self, indices: Iterable[int], reason: str) -> None:
        """Set the reason why these messages stay; protected ones keep their own reason."""
        fate, fates = Fate("kept", reason), self.fates
        for index in indices:
            if fates[index] is KEPT:
                fates[index] = fate

    def keep_rest(self, reason: str) -> None:
        """Set the reason of all messages that have no fate yet."""
        fate = Fate("kept", reason)
        self.fates = [fate if old is KEPT else old for old in self.fates]

    def drop(self, indices: Iterable[int], rule: str) -> None:
        self.give(indices, Fate("dropped", rule))

    def archive(self, indices: Iterable[int], reason: str) -> None:
        """Put messages out of the window into the persistent tier, where they can be found again."""
        self.give(indices, Fate("archived", reason))

    def give(self, indices: Iterable[int], fate: Fate) -> None:
        fates = self.fates
        for index in indices:
            fates[index] = fate

    def condense(self, indices: Sequence[int], ratio: float, services: Services, fit: int | None = None) -> bool:
        """Put messages into one summary of about `ratio` of their size. Says whether it was done.

        Where a window of `fit` tokens has less room for it than that, it is to be as small as that. A lone earlier
        summary is not summarised again. Where the summariser fails, the plan changes nothing.
        """
        messages = [self.window.messages[index] for index in indices]
        if all(message.kind == "summary" for message in messages):
            return False
        try:
            text = services.summarise(messages, self.aim(indices, ratio, fit), self.window.sizes.counter.count)
        except SummaryError as failure:
            self.failure = str(failure)
            return False
        return self.summarise(indices, text)

    def aim(self, indices: Sequence[int], ratio: float, fit: int | None) -> int:
        """Tokens that a summary of some messages is to take. Where there is room for none, `ratio` alone says it."""
        share = int(ratio * self.size(indices))
        room = share if fit is None else fit - self.around(indices)
        return min(share, room) if room > 0 else share

    def around(self, indices: Iterable[int]) -> int:
        """Tokens of the window beside some messages, and beside what leaves in any case."""
        return self.window.total - self.size(self.window.groups.orphans) - self.size(indices)

    def summarise(self, indices: Sequence[int], text: str) -> bool:
        """Put messages into one summary, unless it is empty or no smaller than they are. Says whether it was done."""
        size_before = self.size(indices)
        if not text.strip():
            return self.without_summary("the summary came back empty, so it replaces nothing", size_before)
        summary = text_message(self.summary_id(), "user", text, self.window.context.dialect, kind="summary")
        size = self.window.sizes.measure(summary)
        if size >= size_before:
            why = f"a summary would take {size:,} tokens, no less than the {size_before:,} it stands for"
            return self.without_summary(why, size_before)
        others = len(indices) - 1
        company = f", with {plural(others, 'other')}" if others else ""
        self.give(indices, Fate("summarised", f"into {summary.id}{company}", summary.id))
        self.summaries.append(summary)
        return True

    def without_summary(self, why: str, size: int) -> bool:
        """Give up the summary: a note where it would stand for little text, else a failure. Returns False."""
        if size >= SUBSTANTIAL:
            self.failure = why
        else:
            self.note = why
        return False

    def results(self) -> list[int]:
        """The tool results that may be shortened, oldest first: none that is protected, gone or without a call.

        The oldest are those of the oldest calls: that is where they stand in a window that was compressed.
        """
        return [index for index in self.answers if index not in self.protection and not self.fates[index].leaves]

    @cached_property
    def answers(self) -> list[int]:
        """All tool results that have a call, in the order of their calls."""
        messages, groups = self.window.messages, self.window.groups
        return [
            index
            for members in groups.members
            for index in members
            if messages[index].role == "tool" and index not in groups.orphans
        ]

    def newest_results(self, count: int) -> frozenset[int]:
        return frozenset(self.answers[-count:]) if count else frozenset()

    def retell(self, index: int, key: Hashable, text: Callable[[], str], reason: str) -> int:
        """Put a line of text in the place of a tool result; `key` names it among all versions of that message.

        Returns the tokens saved; where that would be none, nothing is changed.
        """
        return self.replace(index, key, lambda message: with_placeholder(message, text()), _fate("masked", reason))

    def rewrite(self, index: int, key: Hashable, write: Callable[[Message], Raw | None], reason: str) -> int:
        """Trim a message to what `write` makes of it, unless that is None. Otherwise like `retell`."""

        def make(message: Message) -> Message | None:
            raw = write(message)
            return None if raw is None else self.version(message, raw)

        return self.replace(index, key, make, _fate("trimmed", reason))

    def replace(self, index: int, key: Hashable, make: Callable[[Message], Message | None], fate: Fate) -> int:
        message = self.window.messages[index]
        versions = _VERSIONS.get(message, _none_yet, len(self.window.messages))
        if key not in versions:
            if len(versions) >= _MOST_VERSIONS:
                versions.clear()
            versions[key] = make(message)
        new = versions[key]
        if new is None:
            return 0
        savings = self.window.tokens[index] - self.window.sizes.measure(new)
        if savings <= 0:
            return 0
        self.fates[index] = fate
        self.rewrites[message.id] = new
        return savings

    def version(self, message: Message, raw: Raw) -> Message:
        """A new version of a message, the same in all but its text."""
        facts = {name: getattr(message, name) for name in _COPY_FIELDS}
        return message_from_raw(message.id, raw, message.dialect, body=InMemoryBody(raw, message.record), **facts)

    def summary_id(self) -> str:
        """The next name: "summary 1", "summary 2" … A name is never used again for one that takes its bearer in."""
        names = [*self.window.ids, *(message.id for message in self.summaries)]
        return f"summary {1 + max((int(match[1]) for match in map(_SUMMARY_ID.fullmatch, names) if match), default=0)}"

    @property
    def total(self) -> int:
        """Tokens of the window as the builder now leaves it."""
        window, measure = self.window, self.window.sizes.measure
        orphans = window.groups.orphans
        size = window.total - sum(
            tokens
            for index, (tokens, fate) in enumerate(zip(window.tokens, self.fates, strict=True))
            if fate.leaves or index in orphans
        )
        places = [
            index for index, name in enumerate(window.ids) if name in self.rewrites and not self.fates[index].leaves
        ]
        size -= sum(window.tokens[index] - measure(self.rewrites[window.ids[index]]) for index in places)
        return size + sum(map(measure, self.summaries))

    def finish(self, strategy: str, settings: Any, scores: Mapping[str, Score] | None = None) -> Plan:
        """The plan, mended where a provider would refuse what is left; one that changes nothing where it failed."""
        values = settings if isinstance(settings, Mapping) else asdict(settings)
        if self.failure:
            return unchanged_plan(self.window, strategy, values, self.failure)
        self.mend()
        rest = {name for name, fate in zip(self.window.ids, self.fates, strict=True) if fate.leaves}
        return Plan(
            strategy,
            values,
            self.window.ids,
            tuple(self.fates),
            {name: message for name, message in self.rewrites.items() if name not in rest},
            tuple(self.summaries),
            self.window.turn,
            self.note,
            scores=scores or {},
        )

    def mend(self) -> None:
        """Take out what was never valid: results without a call, calls that nothing ever answered, a missing start."""
        groups = self.window.groups
        for index in groups.orphans:
            self.fates[index] = _ORPHAN
        for index in groups.open_calls.keys() - self.window.live:
            if not self.fates[index].leaves:
                self.take_out_calls(index, groups.open_calls[index])
        self.open_with_user()

    def take_out_calls(self, index: int, places: Sequence[int]) -> None:
        message = self.window.messages[index]
        message = self.rewrites.get(message.id, message)
        raw = wire_of(message.dialect).without_calls(message.raw, places)
        if raw is None:
            self.fates[index] = _EMPTY_CALL
            return
        self.fates[index] = DEAD_CALL
        self.rewrites[message.id] = self.version(message, raw)

    def open_with_user(self) -> None:
        """Drop what stands before the first words in the user's name, unless it may not leave or there are none."""
        groups = self.window.groups
        for number in {groups.of[index]: None for index in self._places_before_user()}:
            members = groups.members[number]
            if self.protection.keys().isdisjoint(members):
                for member in members:
                    self.fates[member] = _NOT_FIRST

    def _places_before_user(self) -> list[int]:
        """What stands before the first words in the user's name; nothing where there are none."""
        summary_ids = {summary.id for summary in self.summaries} if self.window.task is None else frozenset()
        places: list[int] = []
        for index, message in enumerate(self.window.messages):
            fate = self.fates[index]
            if fate.into in summary_ids or (message.role == "user" and not fate.leaves):
                return places
            if message.role != "system" and not fate.leaves:
                places.append(index)
        return []


def _none_yet(_message: Message) -> dict[Hashable, Message | None]:
    return {}


@lru_cache(maxsize=256)
def _fate(kind: FateKind, reason: str) -> Fate:
    """One fate for all messages that come to the same for the same reason: there may be thousands."""
    return Fate(kind, reason)


def unchanged_plan(window: Window, strategy: str, settings: Mapping[str, Any], failure: str) -> Plan:
    """The plan of a strategy that failed to make its summary: every message stays as it is."""
    fates = tuple(PlanBuilder(window).fates)
    return Plan(strategy, settings, window.ids, fates, turn=window.turn, note=failure, has_failed=True)
