"""Drafting a plan: every strategy starts here, says what leaves, and gets a plan that is valid whatever it said.

A draft starts with every message kept. What may not leave is known before the strategy begins: system messages, the
first task, the current request, pinned messages, the newest step, and calls that still wait for a result. Steps of the
current turn that are done may leave, oldest first and last of all: in a session with one request they are all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, Literal

from inspector.conversation import Held, Message, Raw
from inspector.dialects import make_message, said, without_calls
from inspector.window.plan import KEPT, Fate, Plan
from inspector.window.window import Window

SYSTEM = Fate("kept", "system messages always stay")
TASK = Fate("pinned", "the first task")
REQUEST = Fate("pinned", "the current request")
PINNED = Fate("pinned", "pinned by hand")
NEWEST = Fate("kept", "the newest step")
OPENING = Fate("kept", "a conversation must start with a user message")
WAITING = Fate("kept", "its call still waits for a result")
SUMMARY = Fate("kept", "an earlier summary is never dropped")

ORPHAN = Fate("dropped", "no call stands before this result: a provider would refuse it")
NO_OPENING = Fate("dropped", "a conversation must start with a user message")
DEAD_CALL = Fate("trimmed", "its call was never answered: a provider would refuse it")
EMPTY_CALL = Fate("dropped", "its call was never answered and it says nothing else")
KEPT_FACTS = ("kind", "name", "agent", "parent", "time", "model", "usage")
"""What a new version of a message has from the old one; the rest is read from its new text."""
NUMBERED = re.compile(r"summary (\d{1,9})")


class Draft:
    """A plan in the making, for one window. Indices are places in `window.messages`; groups are whole or not at all."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.fates: list[Fate] = [KEPT] * len(window.messages)
        self.changed: dict[str, Message] = {}
        self.summaries: list[Message] = []
        self.note = ""
        for index, fate in self.protected.items():
            self.fates[index] = fate

    @cached_property
    def protected(self) -> dict[int, Fate]:
        """What may not leave, and why."""
        window = self.window
        fates: dict[int, Fate] = {}
        fates |= dict.fromkeys(self.newest_step(), NEWEST)
        for index in window.live:
            fates |= dict.fromkeys(window.groups.members[window.groups.of[index]], WAITING)
        for index, message in enumerate(window.messages):
            if message.role == "system":
                fates[index] = SYSTEM
            elif message.id in window.pinned:
                fates[index] = PINNED
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

    def opening(self) -> int | None:
        """The message in the user's name that has to stay because nothing else would stand before a protected reply."""
        messages, orphans = self.window.messages, self.window.groups.orphans
        stays = (index for index in self.protected if messages[index].role != "system" and index not in orphans)
        first = min(stays, default=0)
        if messages and messages[first].role == "user":
            return None
        opening = next((index for index in range(first) if messages[index].role == "user"), None)
        return None if opening is None or messages[opening].kind == "summary" else opening

    def candidates(self, summaries: bool = False) -> list[tuple[int, ...]]:
        """The groups that may leave, oldest first, each as its indices.

        Earlier summaries are among them only for a strategy that summarises: it takes them in, the others would lose
        them. So is what opens the conversation, where the new summary will do that.
        """
        groups, messages = self.window.groups, self.window.messages
        held = {groups.of[index] for index in self.protected}
        held |= {groups.of[index] for index in groups.orphans}
        if not summaries:
            earlier = [index for index, message in enumerate(messages) if message.kind == "summary"]
            self.keep(earlier, SUMMARY.reason)
            held |= {groups.of[index] for index in earlier}
        if (not summaries or self.window.task is not None) and (opening := self.opening()) is not None:
            self.keep([opening], OPENING.reason)
            held.add(groups.of[opening])
        return [members for number, members in enumerate(groups.members) if number not in held]

    def size(self, indices: Iterable[int]) -> int:
        """Tokens of some messages."""
        return sum(self.window.tokens[index] for index in indices)

    def keep(self, indices: Iterable[int], reason: str) -> None:
        """Say why these stay; what is protected keeps its own reason."""
        fate = Fate("kept", reason)
        for index in indices:
            if self.fates[index] is KEPT:
                self.fates[index] = fate

    def drop(self, indices: Iterable[int], rule: str) -> None:
        fate = Fate("dropped", rule)
        for index in indices:
            self.fates[index] = fate

    def summarise(self, indices: Sequence[int], text: str) -> bool:
        """Put messages into one summary, unless it is empty or no smaller than they are. Says whether it was done."""
        summary = said(self.summary_id(), "user", text, self.window.session.dialect, kind="summary")
        size = self.window.sizes.measure(summary)
        if not text.strip():
            self.note = "the summary came back empty, so nothing was changed"
            return False
        if size >= self.size(indices):
            self.note = f"a summary would take {size:,} tokens, no less than the {self.size(indices):,} it stands for"
            return False
        others = len(indices) - 1
        company = f", with {others:,} other{'s' if others > 1 else ''}" if others else ""
        fate = Fate("summarised", f"into {summary.id}{company}", summary.id)
        for index in indices:
            self.fates[index] = fate
        self.summaries.append(summary)
        return True

    def results(self) -> list[int]:
        """The tool results that may be shortened, oldest first: none of the newest step, pinned, or without a call."""
        orphans = self.window.groups.orphans
        return [
            index
            for index, message in enumerate(self.window.messages)
            if message.role == "tool" and index not in self.protected and index not in orphans
        ]

    def rewrite(self, index: int, raw: Raw, kind: Literal["masked", "trimmed"], reason: str) -> int:
        """Give a message a shorter text. Returns the tokens saved; where that would be none, nothing is changed."""
        message = self.window.messages[index]
        new = self.version(message, raw)
        saved = self.window.tokens[index] - self.window.sizes.measure(new)
        if saved <= 0:
            return 0
        self.fates[index] = Fate(kind, reason)
        self.changed[message.id] = new
        return saved

    def version(self, message: Message, raw: Raw) -> Message:
        """A new version of a message, the same in all but its text."""
        facts = {name: getattr(message, name) for name in KEPT_FACTS}
        return make_message(message.id, raw, message.dialect, body=Held(raw, message.record), **facts)

    def summary_id(self) -> str:
        """The next name: "summary 1", "summary 2" … A name is never used again for one that takes its bearer in."""
        names = [*self.window.ids, *(message.id for message in self.summaries)]
        return f"summary {1 + max((int(found[1]) for found in map(NUMBERED.fullmatch, names) if found), default=0)}"

    def finish(self, strategy: str, settings: Any) -> Plan:
        """The plan, mended where a provider would refuse what is left."""
        self.mend()
        return Plan(
            strategy,
            settings if isinstance(settings, Mapping) else asdict(settings),
            self.window.ids,
            tuple(self.fates),
            self.changed,
            tuple(self.summaries),
            self.window.turn,
            self.note,
        )

    def mend(self) -> None:
        """Take out what was never valid: results without a call, calls that nothing ever answered, a missing start."""
        groups = self.window.groups
        for index in groups.orphans:
            self.fates[index] = ORPHAN
        for index in groups.pending.keys() - self.window.live:
            if not self.fates[index].gone:
                self.take_out_calls(index, groups.pending[index])
        self.open_with_user()

    def take_out_calls(self, index: int, places: Sequence[int]) -> None:
        message = self.window.messages[index]
        raw = without_calls(message.raw, message.dialect, places)
        if raw is None:
            self.fates[index] = EMPTY_CALL
            return
        self.fates[index] = DEAD_CALL
        self.changed[message.id] = self.version(message, raw)

    def open_with_user(self) -> None:
        """Drop what stands before the first words in the user's name, unless it may not leave or there are none."""
        messages, groups = self.window.messages, self.window.groups
        summarised = {summary.id for summary in self.summaries} if self.window.task is None else frozenset()
        leading: list[int] = []
        for index, message in enumerate(messages):
            fate = self.fates[index]
            if fate.into in summarised or (message.role == "user" and not fate.gone):
                break
            if message.role != "system" and not fate.gone:
                leading.append(index)
        else:
            return
        for index in leading:
            members = groups.members[groups.of[index]]
            if not any(member in self.protected for member in members):
                for member in members:
                    self.fates[member] = NO_OPENING
