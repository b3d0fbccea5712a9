"""Facts about a window that every strategy needs: protected messages, removable groups, results that can be shortened.

Each is computed once per window (`Window.cached_form`), however many plans are drafted for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from inspector.engine.window import KEPT, Fate, Window

SYSTEM = Fate("kept", "system messages are always kept")
TASK = Fate("pinned", "the first task")
REQUEST = Fate("pinned", "the current request")
PIN = Fate("pinned", "pinned by the user")
NEWEST = Fate("kept", "the newest step")
OPENER = Fate("kept", "a conversation must start with a user message")
OPEN_CALL = Fate("kept", "its call is waiting for a result")
SUMMARY = Fate("kept", "an earlier summary is never dropped")


def protection(window: Window) -> dict[int, Fate]:
    """Return the protected messages by position, each with the reason as its fate."""
    fates = dict.fromkeys(newest_step(window), NEWEST)
    for index in window.live:
        fates |= dict.fromkeys(window.groups.members[window.groups.of[index]], OPEN_CALL)
    if window.pins:
        fates |= dict.fromkeys((index for index, name in enumerate(window.ids) if name in window.pins), PIN)
    if window.preserve_system:
        fates |= dict.fromkeys(window.system, SYSTEM)
    if window.task is not None:
        fates[window.task] = TASK
    if window.request is not None:
        fates[window.request] = REQUEST
    return fates


def newest_step(window: Window) -> tuple[int, ...]:
    """Return the agent's last action and everything inserted after it, unless the user has written since.

    If no one has written at all, return the last message with the user role, because a window must not be empty.
    """
    messages, groups = window.messages, window.groups
    start = -1 if window.request is None else window.request
    behind: list[int] = []
    for index in range(len(messages) - 1, start, -1):
        if messages[index].role == "assistant":
            return (*groups.members[groups.of[index]], *behind)
        if messages[index].role == "user":
            behind.append(index)
    return tuple(behind[:1]) if window.request is None else ()


def first_fates(window: Window) -> tuple[Fate, ...]:
    """Return the fates with which every plan for a window starts."""
    fates = [KEPT] * len(window.messages)
    for index, fate in window.cached_form(protection).items():
        fates[index] = fate
    return tuple(fates)


def _opener(window: Window) -> tuple[int, ...]:
    """Return the message with the user role that must be kept to precede the first protected reply."""
    messages, orphans = window.messages, window.groups.orphans
    fates = window.cached_form(protection)
    first = min((index for index in fates if messages[index].role != "system" and index not in orphans), default=0)
    if messages and messages[first].role == "user":
        return ()
    place = next((index for index in range(first) if messages[index].role == "user"), None)
    return () if place is None or messages[place].kind == "summary" else (place,)


class _Groups(NamedTuple):
    """Groups of a window that can be removed, oldest first, and additional messages that must be kept."""

    free: tuple[tuple[int, ...], ...]
    summaries: Sequence[int] = ()
    opener: Sequence[int] = ()


def free_groups(window: Window) -> _Groups:
    """Return the removable groups for strategies that make no summary."""
    summaries = [index for index, kind in enumerate(map(attrgetter("kind"), window.messages)) if kind == "summary"]
    return _groups_beside(window, summaries, window.cached_form(_opener))


def free_with_summaries(window: Window) -> _Groups:
    """Return the removable groups for strategies that make a summary, which can replace earlier ones."""
    return _groups_beside(window, (), () if window.task is None else window.cached_form(_opener))


def _groups_beside(window: Window, summaries: Sequence[int], opener: Sequence[int]) -> _Groups:
    groups = window.groups
    stays = chain(window.cached_form(protection), groups.orphans, summaries, opener)
    blocked = set(map(groups.of.__getitem__, stays))
    return _Groups(
        tuple([members for number, members in enumerate(groups.members) if number not in blocked]), summaries, opener
    )


def group_sizes(window: Window) -> list[int]:
    """Return the tokens of each group, by group number."""
    sizes = [0] * len(window.groups)
    for group, tokens in zip(window.groups.of, window.tokens, strict=True):
        sizes[group] += tokens
    return sizes


def tool_results(window: Window) -> tuple[int, ...]:
    """Return the positions of results whose calls are in the window, by group."""
    messages, groups = window.messages, window.groups
    return tuple(
        [
            index
            for index in chain.from_iterable(groups.members)
            if messages[index].role == "tool" and index not in groups.orphans
        ]
    )


def free_results(window: Window) -> list[int]:
    """Return the positions of such results that are not protected."""
    bounds = window.cached_form(protection)
    return [index for index in window.cached_form(tool_results) if index not in bounds]


def summary_names(window: Window) -> list[str]:
    """Return the message ids in a window that can be those of summaries made by Inspector."""
    return [name for name in window.ids if name.startswith("summary ")]


def places_before_user(window: Window, fates: Sequence[Fate], openers: Collection[str]) -> list[int]:
    """Return the positions of kept messages before the first one with the user role or the first new summary.

    Empty if neither exists.

    Args:
        window: The window.
        fates: Fate of each message.
        openers: Ids of new summaries that can open the conversation.
    """
    places: list[int] = []
    for index, (message, fate) in enumerate(zip(window.messages, fates, strict=True)):
        if fate.into in openers or (message.role == "user" and not fate.leaves):
            return places
        if message.role != "system" and not fate.leaves:
            places.append(index)
    return []
