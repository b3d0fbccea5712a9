"""Texts that Cline sends in the place of earlier text, such as a note that the same file was read again.

https://github.com/cline/cline (ContextManager): `context_history.json` has `[message, [kind, [[block, changes], …]]]`
for each message, and for each change its time, the word "text" and a list with the new text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from inspector.formats.building.blocks import objects_of
from inspector.formats.reading.content import Fields


class ContextEdit(NamedTuple):
    """A text that went with each request from a time on, in the place of a block of a message."""

    time: float
    """In milliseconds since 1970."""
    message: int
    block: int
    text: str


def context_edits(history: Any) -> list[ContextEdit]:
    """Return the edits in `context_history.json`, ordered by time. Other content is ignored."""
    return sorted(_edits_in(history), key=lambda edit: edit.time)


def _edits_in(history: Any) -> Iterator[ContextEdit]:
    for entry in history if isinstance(history, list) else ():
        match entry:
            case [int(message), [_, [*blocks]]] if message >= 0:
                for block in blocks:
                    yield from _edits_of_block(message, block)


def _edits_of_block(message: int, block: Any) -> Iterator[ContextEdit]:
    match block:
        case [int(place), [*changes]] if place >= 0:
            for change in changes:
                match change:
                    case [int() | float() as time, "text", [str(text), *_], *_]:
                        yield ContextEdit(time, message, place, text)


def edits_by_reply(edits: Iterable[ContextEdit], times: Mapping[int, float], end: int) -> dict[int, list[ContextEdit]]:
    """Return edits by the place of the reply that follows them; `times` has those of the requests, by reply.

    An edit is made while a request is assembled, directly after the time of the request. An edit that matches no
    request is made before the place `end`.

    Args:
        edits: Edits in the order of their times.
        times: Times of the requests in milliseconds, by the place of the reply.
        end: Place after the last message.
    """
    requests = sorted((time, place) for place, time in times.items() if time)
    result: dict[int, list[ContextEdit]] = {}
    for edit in edits:
        at = bisect_right(requests, (edit.time, end)) - 1
        place = requests[at][1] if at >= 0 else end
        result.setdefault(max(place, edit.message + 1), []).append(edit)
    return result


def edited_message(message: Fields, edit: ContextEdit) -> Fields:
    """Return a message with the text of a block changed, which is its own or that of its result."""
    content = message.get("content")
    if not isinstance(content, list) or edit.block >= len(content) or not isinstance(content[edit.block], dict):
        return message
    block = content[edit.block]
    if isinstance(block.get("text"), str):
        new = block | {"text": edit.text}
    elif block.get("type") == "tool_result":
        others = [part for part in objects_of(block.get("content")) if part.get("type") != "text"]
        new = block | {"content": [{"type": "text", "text": edit.text}, *others]}
    else:
        return message
    return message | {"content": [*content[: edit.block], new, *content[edit.block + 1 :]]}
