"""Drafting a plan: every strategy starts here, says what leaves, and gets a plan that is valid whatever it said.

A draft starts with every message kept. What may not leave is known before the strategy begins: system messages, the
first task, the current request, pinned messages, the newest step, and calls that still wait for a result. Steps of the
current turn that are done may leave, oldest first and last of all: in a session with one request they are all there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from inspector.conversation import Message
from inspector.dialects import make_message, said, without_calls
from inspector.window.plan import KEPT, Fate, Plan
from inspector.window.window import Window

SYSTEM = Fate("kept", "system messages always stay")
TASK = Fate("pinned", "the first task")
REQUEST = Fate("pinned", "the current request")
PINNED = Fate("pinned", "pinned by hand")
NEWEST = Fate("kept", "the newest step")
WAITING = Fate("kept", "its call still waits for a result")
SUMMARY = Fate("kept", "an earlier summary is never dropped")

ORPHAN = Fate("dropped", "no call stands before this result: a provider would refuse it")
NO_OPENING = Fate("dropped", "a conversation must start with a user message")
DEAD_CALL = Fate("trimmed", "its call was never answered: a provider would refuse it")
EMPTY_CALL = Fate("dropped", "its call was never answered and it says nothing else")


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
        if (newest := self.newest_step()) is not None:
            fates |= dict.fromkeys(window.groups.members[newest], NEWEST)
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

    def newest_step(self) -> int | None:
        """The group of the last thing that the agent did, unless the person has spoken since."""
        start = self.window.request if self.window.request is not None else -1
        for index in range(len(self.window.messages) - 1, start, -1):
            if self.window.messages[index].role == "assistant":
                return self.window.groups.of[index]
        return None

    def candidates(self, summaries: bool = False) -> list[tuple[int, ...]]:
        """The groups that may leave, oldest first, each as its indices.

        Earlier summaries are among them only for a strategy that summarises: it takes them in, the others would lose
        them.
        """
        groups, messages = self.window.groups, self.window.messages
        held = {groups.of[index] for index in self.protected}
        held |= {groups.of[index] for index in groups.orphans}
        if not summaries:
            held |= {groups.of[index] for index, message in enumerate(messages) if message.kind == "summary"}
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
        """Put messages into one summary, unless the summary is empty or no smaller than they are; whether it was done."""
        summary = said(self.summary_id(), "user", text, self.window.session.dialect, kind="summary")
        size = self.window.sizes.measure(summary)
        if not text.strip():
            self.note = "the summary came back empty, so nothing was changed"
            return False
        if size >= self.size(indices):
            self.note = f"a summary would take {size:,} tokens, no less than the {self.size(indices):,} it stands for"
            return False
        fate = Fate("summarised", f"into {summary.id}, with {len(indices) - 1} others", summary.id)
        for index in indices:
            self.fates[index] = fate
        self.summaries.append(summary)
        return True

    def summary_id(self) -> str:
        """The next free name: "summary 1", "summary 2" …, also over what the window already holds."""
        taken = {message.id for message in self.window.messages} | {message.id for message in self.summaries}
        number = 1
        while f"summary {number}" in taken:
            number += 1
        return f"summary {number}"

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
        rest = make_message(
            message.id, raw, message.dialect, kind=message.kind, agent=message.agent, model=message.model, name=message.name
        )
        self.fates[index] = DEAD_CALL
        self.changed[message.id] = rest

    def open_with_user(self) -> None:
        """Drop what stands before the first words in the user's name, unless it may not leave or there are none."""
        messages, groups = self.window.messages, self.window.groups
        summarised = {summary.id for summary in self.summaries}
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
