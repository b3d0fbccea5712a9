"""A plan: one fate, with a reason, for every message of a window; and what the window is when the plan is applied.

Strategies draft plans and never touch anything. Previewing, applying, undoing, comparing and storing are all the same
idea: a window, and a list of plans to look at it through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal

from inspector.conversation import Message
from inspector.window.groups import group
from inspector.window.window import Window

FateKind = Literal["kept", "pinned", "trimmed", "masked", "summarised", "archived", "dropped", "retrieved"]
GONE: frozenset[FateKind] = frozenset({"summarised", "archived", "dropped"})
"""Fates after which a message is no longer in the window."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a message, and why."""

    kind: FateKind
    reason: str
    into: str = ""
    """The id of the summary that took it, or of the archive that holds it."""

    @property
    def gone(self) -> bool:
        return self.kind in GONE


KEPT = Fate("kept", "nothing to do")


@dataclass(frozen=True)
class Plan:
    """Fates for the messages of one window. Where it stands in a stack, it speaks only of the messages it names."""

    strategy: str
    settings: Mapping[str, Any]
    ids: tuple[str, ...]
    """The messages of the window that the plan was made for."""
    fates: tuple[Fate, ...]
    """The fate of each, in the same order."""
    changed: Mapping[str, Message] = field(default_factory=dict)
    """New versions of trimmed and masked messages, by id."""
    summaries: tuple[Message, ...] = ()
    """Messages of kind "summary" that take the place of those summarised into them."""
    turn: int = 0
    """The turn it was made at; it holds from there on."""
    note: str = ""
    """Why a target could not be reached, in one sentence; empty when all is well."""

    @cached_property
    def by_id(self) -> dict[str, Fate]:
        return dict(zip(self.ids, self.fates, strict=True))

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many messages have each kind of fate."""
        return dict(Counter(fate.kind for fate in self.fates))

    @property
    def alters(self) -> bool:
        """Whether any message leaves or changes."""
        return bool(self.changed) or any(fate.gone for fate in set(self.fates))

    def covered(self, summary: str) -> tuple[str, ...]:
        """Ids of the messages that a summary stands for."""
        return tuple(id for id, fate in zip(self.ids, self.fates, strict=True) if fate.into == summary)


def apply(window: Window, plan: Plan) -> Window:
    """The window as the plan leaves it.

    Messages that the plan does not name stay. A summary stands where the first message that it covers stood. System
    messages lead, and results stand right behind the call that they answer.
    """
    fates = plan.by_id
    summaries = {summary.id: summary for summary in plan.summaries}
    kept: list[Message] = []
    tokens: list[int] = []
    pinned = set(window.pinned)
    for message, size in zip(window.messages, window.tokens, strict=True):
        fate = fates.get(message.id, KEPT)
        if fate.into in summaries:
            summary = summaries.pop(fate.into)
            kept.append(summary)
            tokens.append(window.sizes.measure(summary))
        if fate.gone:
            continue
        if plan.strategy == BY_HAND and fate.kind == "pinned":
            pinned.add(message.id)
        elif plan.strategy == BY_HAND and fate is UNPINNED:
            pinned.discard(message.id)
        new = plan.changed.get(message.id)
        kept.append(new or message)
        tokens.append(window.sizes.measure(new) if new else size)
    after = replace(window, messages=tuple(kept), tokens=tuple(tokens), pinned=frozenset(pinned))
    return in_order(after) if plan.alters else after


BY_HAND = "by hand"
UNPINNED = Fate("kept", "unpinned by hand")


def view(window: Window, plans: Iterable[Plan]) -> Window:
    """A recorded window seen through a stack of plans. A plan made at a later turn says nothing about this one."""
    for plan in plans:
        if plan.turn <= window.turn:
            window = apply(window, plan)
    return window


def in_order(window: Window) -> Window:
    """The same messages, system messages first and each result behind its call."""
    groups = group(window.messages)
    rank = [0 if message.role == "system" else 1 for message in window.messages]
    order = sorted(range(len(rank)), key=lambda index: (rank[index], groups.members[groups.of[index]][0], index))
    if order == list(range(len(rank))):
        return window
    return replace(
        window,
        messages=tuple(window.messages[index] for index in order),
        tokens=tuple(window.tokens[index] for index in order),
    )


def by_hand(window: Window, ids: Sequence[str], kind: Literal["pinned", "dropped", "kept"]) -> Plan:
    """A plan made by a person: pin these messages, unpin them ("kept"), or drop them with what belongs to them."""
    chosen = set(ids)
    if kind == "dropped":
        members = window.groups.members
        of = {window.groups.of[index] for index, id in enumerate(window.ids) if id in chosen}
        chosen = {window.ids[index] for number in of for index in members[number]}
    fate = {"pinned": Fate("pinned", "pinned by hand"), "kept": UNPINNED, "dropped": Fate("dropped", "dropped by hand")}
    fates = tuple(fate[kind] if id in chosen else KEPT for id in window.ids)
    return Plan(BY_HAND, {}, window.ids, fates, turn=window.turn)


def surviving(window: Window, fates: Sequence[Fate]) -> tuple[Message, ...]:
    return tuple(compress(window.messages, (not fate.gone for fate in fates)))
