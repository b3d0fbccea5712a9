"""Selects parts of a shared memory for an agent's prompt, and inserts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from inspector.core.json_objects import json_object
from inspector.memory.shared.compression import compress_entries, summarise_entries
from inspector.memory.shared.logs.base import SharedMessage
from inspector.memory.shared.shared_entries import (
    CONVERSATION_TITLE,
    PERSISTENT_TITLE,
    SharedEntry,
    count_tokens,
    entry_of,
    without_titles,
)
from inspector.memory.shared.shared_settings import SharedMemorySettings

Rank = Callable[[str, Mapping[str, str]], Sequence[tuple[str, float]]]
"""(request, texts by id) -> ids of relevant texts with their scores, the best first."""


@dataclass(frozen=True, slots=True)
class Omission:
    """An entry that an agent might have been shown, and why it was not."""

    entry: SharedEntry
    reason: str


@json_object(keys="agent_id text tokens was_cached")
@dataclass(frozen=True)
class SharedInjection:
    """Content of the shared memory that an agent was shown before a request."""

    agent_id: str
    request: str = ""
    """Newest request of the user."""
    text: Annotated[str, "the system message, byte for byte; empty where nothing was shown"] = ""
    entries: tuple[SharedEntry, ...] = ()
    omissions: tuple[Omission, ...] = ()
    persistent: str = ""
    """Text from the persistent memory."""
    was_cached: bool = False

    @property
    def tokens(self) -> int:
        return count_tokens(self.text)

    def into(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages with the injection after the first system message, or at the beginning.

        A system message between a call and its result is skipped, because nothing may be inserted there.
        """
        copies = [dict(message) for message in messages]
        if not self.text:
            return copies
        first = next((place for place, message in enumerate(copies) if message.get("role") == "system"), None)
        place = 0 if first is None or _is_open_at(copies, first) else first + 1
        return [*copies[:place], {"role": "system", "content": self.text}, *copies[place:]]


def _is_open_at(messages: Sequence[Mapping[str, Any]], place: int) -> bool:
    """Return True if a call before this position has its result after it."""
    calls = {call.get("id") for message in messages[:place] for call in _calls_of(message)}
    return any(message.get("role") == "tool" and message.get("tool_call_id") in calls for message in messages[place:])


def _calls_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []


def build_injection(
    agent_id: str,
    request: str,
    messages: Sequence[SharedMessage],
    persistent: str,
    settings: SharedMemorySettings,
    rank: Rank,
) -> SharedInjection:
    """Return the injection for an agent.

    Args:
        agent_id: Id of the agent.
        request: Newest request of the user.
        messages: Messages of the shared conversation, the oldest first.
        persistent: Text from the persistent memory.
        settings: Content of the injection.
        rank: Ranks texts by relevance.
    """
    is_readable = settings.permissions.may_read
    readable = [message for message in messages if is_readable(agent_id, message)]
    if not settings.includes_own:
        readable = [message for message in readable if message.get("agent_id") != agent_id]
    entries = [entry_of(message) for message in readable]
    head = count_tokens(f"\n{CONVERSATION_TITLE}\n")
    most = settings.budget // 2 if entries else settings.budget
    persistent_part, persistent_size = _persistent_part(persistent, most)
    room = settings.budget - persistent_size - head
    chosen, omissions = _choose(entries, request, room, settings, rank)
    parts = [CONVERSATION_TITLE, *(entry.line for entry in chosen)] if chosen else []
    parts += persistent_part
    text = "\n" + "\n".join(parts) + "\n" if parts else ""
    return SharedInjection(agent_id, request, text, tuple(chosen), tuple(omissions), persistent)


def _persistent_part(persistent: str, room: int) -> tuple[list[str], int]:
    """Return the lines of the persistent memory, truncated to fit, and their tokens."""
    if not persistent.strip():
        return [], 0
    title = count_tokens(f"{PERSISTENT_TITLE}\n")
    text = _clip_tokens(without_titles(persistent.strip()), room - title)
    return ([PERSISTENT_TITLE, text], title + count_tokens(f"{text}\n")) if text else ([], 0)


def _choose(
    entries: Sequence[SharedEntry], request: str, room: int, settings: SharedMemorySettings, rank: Rank
) -> tuple[list[SharedEntry], list[Omission]]:
    """Return the entries to show, in the order of the conversation, and the others."""
    window, omissions = _window(entries, request, settings, rank)
    summary: list[SharedEntry] = []
    if settings.summary and omissions:
        summary = summarise_entries([omission.entry for omission in omissions], min(settings.summary, room))
        room -= sum(entry.tokens for entry in summary)
    if settings.strategy and sum(entry.tokens for entry in window) > room:
        window = compress_entries(window, request, room, settings.strategy, settings.strategy_settings)
    chosen, too_large = _fit(window, room)
    return summary + chosen, omissions + too_large


def _window(
    entries: Sequence[SharedEntry], request: str, settings: SharedMemorySettings, rank: Rank
) -> tuple[list[SharedEntry], list[Omission]]:
    """Return as many of the newest or most relevant entries as the window holds, and the omitted ones."""
    size = settings.window
    if settings.selection == "recent" or len(entries) <= size:
        start = len(entries) - size if len(entries) > size else 0
        reason = f"older than the newest {size:,}"
        return list(entries[start:]), [Omission(entry, reason) for entry in entries[:start]]
    scores = dict(rank(request, {entry.ids[0]: entry.text for entry in entries}))
    best = set(list(scores)[:size])
    newest = [entry.ids[0] for entry in reversed(entries) if entry.ids[0] not in best]
    best.update(newest[: size - len(best)])  # where fewer have to do with the request, the newest fill up
    scored = [replace(entry, score=scores.get(entry.ids[0])) for entry in entries]
    reason = f"not among the {size:,} most relevant"
    omissions = [Omission(entry, reason) for entry in scored if entry.ids[0] not in best]
    return [entry for entry in scored if entry.ids[0] in best], omissions


def _fit(entries: Sequence[SharedEntry], room: int) -> tuple[list[SharedEntry], list[Omission]]:
    """Return the newest entries that fit, and the omitted ones. If not even the newest fits, it is truncated."""
    chosen: list[SharedEntry] = []
    omissions: list[Omission] = []
    left = room
    for entry in reversed(entries):
        if entry.tokens <= left and not omissions:
            chosen.append(entry)
            left -= entry.tokens
        elif not chosen and (text := _clip_tokens(entry.text, left - count_tokens(replace(entry, text="").line) - 1)):
            chosen.append(replace(entry, text=text))
            left = 0
        else:
            omissions.append(Omission(entry, f"{entry.tokens:,} tokens where {left:,} were left of {room:,}"))
    return chosen[::-1], omissions[::-1]


_CUT = " …"


def _clip_tokens(text: str, tokens: int) -> str:
    """Return the beginning of a text with at most `tokens` tokens."""
    if count_tokens(text) <= tokens:
        return text
    return text[: max(0, 4 * (tokens - 1))].rstrip() + _CUT if tokens > 1 else ""
