"""Keep only the newest of identical tool results, and of repeated reads of one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

import orjson

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message, ToolCall
from inspector.engine.strategies.knobs import knob
from inspector.engine.strategies.plan_builder import PlanBuilder
from inspector.engine.strategies.services import Services
from inspector.engine.window import Plan, Window
from inspector.llm.tokens import result_identities

_READS = re.compile(r"read|open|view|cat|get_file|fetch", re.I)
PLACES = ("file_path", "path", "filename", "file", "url", "uri")
_TARGETS: MessageCache[dict[str, str]] = MessageCache("places read")


@dataclass(frozen=True)
class DedupeSettings:
    shortest: int = knob(
        200, "Minimum characters of a result to replace it by a reference.", low=0, high=100_000, step=100
    )
    reads: bool = knob(True, "True to also replace an older reading of a file by a newer one with different content.")


def dedupe(window: Window, settings: DedupeSettings, _services: Services) -> Plan:
    """Replace earlier results by a pointer to the message with the same content or the newer read."""
    builder = PlanBuilder(window)
    builder.keep_rest("no newer duplicates")
    messages = window.messages
    shortenable = frozenset(builder.results())
    targets: dict[int, tuple[Message, str]] = {}
    for index, twin, reading, place in _newest(window, settings):
        if index not in shortenable:
            continue
        if twin is not messages[index]:
            targets[index] = twin, "the same"
        elif reading is not messages[index]:
            targets[index] = reading, f"a newer reading of {place}"
    reasons = [f"{what}, in message {to.id}" for to, what in targets.values()]
    builder.retell(list(targets), lambda index: _pointer(*targets[index]), reasons, settings)
    return builder.finish("dedupe", settings)


def _newest(window: Window, settings: DedupeSettings) -> Iterator[tuple[int, Message, Message, str]]:
    """Yield the long results, newest first: position, newest identical result, newest read, and the path or URL.

    Placeholders are skipped, because a pointer to one would lead nowhere.
    """
    messages = window.messages
    results = [
        index
        for index in window.cached_form(_results)
        if messages[index].chars >= settings.shortest and messages[index].placeholder is None
    ]
    contents = result_identities([messages[index] for index in results])
    same: dict[bytes, Message] = {}
    newer: dict[str, Message] = {}
    places = window.remember(_readings) if settings.reads else {}
    for index, key in zip(reversed(results), reversed(contents), strict=True):
        message = messages[index]
        place = places.get(message.id, "")
        twin = same.setdefault(key, message)
        yield index, twin, newer.setdefault(place, message) if place and not message.is_error else message, place


def _results(window: Window) -> list[int]:
    return [index for index, role in enumerate(map(attrgetter("role"), window.messages)) if role == "tool"]


def _pointer(to: Message, relation: str) -> str:
    return f"[{relation}: see the result in message {to.id}]"


def _readings(window: Window) -> dict[str, str]:
    """Return the path or URL of each result of a call that read one file or page, by message id."""
    call_places: dict[str, str] = {}
    places: dict[str, str] = {}
    for message in window.messages:
        if message.calls:
            call_places |= _TARGETS.get(message, _read_targets, len(window.messages))
        if message.answers in call_places:
            places[message.id] = call_places[message.answers]
    return places


def _read_targets(message: Message) -> dict[str, str]:
    """Return the path or URL of each call of a message that reads one file or page, by call id."""
    if not any(_READS.search(call.name) for call in message.calls):
        return {}
    return {part.id: place for part in message.parts if isinstance(part, ToolCall) and (place := target(part))}


def target(call: ToolCall) -> str:
    """Return the file or page that a call reads as a whole; "" for a partial read or any other call."""
    if not _READS.search(call.name):
        return ""
    try:
        arguments = orjson.loads(call.arguments)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(arguments, dict) or len(arguments) > 1:
        return ""
    return next((str(arguments[key]) for key in PLACES if isinstance(arguments.get(key), str)), "")
