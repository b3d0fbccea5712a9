"""Ids and titles for sessions and messages that have none.

Ids stay the same while a file grows, so that what is stored under them is found again; titles are such that a person
recognises the conversation.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from inspector.core.conversation import MAIN, Dialect, Message, Session, readable
from inspector.core.text import dumps
from inspector.llm.providers import wire_of

_TITLE = 120
"""Maximum number of characters of a title."""
_ID_DIGITS = 12
_INJECTED_TAG = re.compile(
    r"<(/?)(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr|command-message|ide_\w+"
    r"|session_context|environment_context|environment_details|user_instructions)>"
)
"""Tags of texts that programs add to the words of the user."""
_TAG = re.compile(r"</?[a-z][\w-]*>")


def _title_from(text: str) -> str:
    """Return the text of a message as a title, without tags."""
    words = _TAG.sub(" ", " ".join(_own_words(text[: 100 * _TITLE])))
    return shorten_title(" ".join(words.split()))


def _own_words(text: str) -> Iterator[str]:
    """Yield a text without the elements that `_INJECTED_TAG` matches."""
    tags = list(_INJECTED_TAG.finditer(text))
    ends_of: dict[str, deque[re.Match[str]]] = defaultdict(deque)
    for tag in tags:
        if tag[1]:
            ends_of[tag[2]].append(tag)
    at = 0
    for tag in tags:
        ends = ends_of[tag[2]]
        if tag[1]:
            ends.popleft()
        elif tag.start() >= at and ends:
            yield text[at : tag.start()]
            at = ends[0].end()
    yield text[at:]


def shorten_title(line: str) -> str:
    """Clip a line to the length of a title, between words if possible."""
    if len(line) <= _TITLE:
        return line
    head = line[: _TITLE - 1]
    return (head.rpartition(" ")[0] if " " in head[_TITLE // 2 :] else head).rstrip() + "…"


def first_words(messages: Iterable[Message]) -> str:
    """Return a title from the first user message of the main conversation, or ""."""
    for message in messages:
        if message.role == "user" and message.kind == "chat" and message.agent == MAIN:
            title = _title_from(message.preview if len(message.preview) < _TITLE else message.text)
            if title:
                return title
    return ""


def digest(*values: object) -> str:
    """Return a short digest of JSON values."""
    hasher = blake2b(digest_size=_ID_DIGITS // 2)
    for value in values:
        hasher.update(dumps(value).encode("utf-8", "replace") + b"\n")
    return hasher.hexdigest()


def id_of_start(raws: Sequence[Any], dialect: Dialect) -> str:
    """Return an id derived from the messages up to the first user message, so that a growing log keeps it."""
    start: list[Any] = []
    wire = wire_of(dialect)
    for raw in raws:
        if isinstance(raw, dict):
            role = wire.role(raw)
            start.append([role, *map(readable, wire.parse(raw))])
            if role == "user":
                break
    return digest(start)


def unique(sessions: Iterable[Session]) -> list[Session]:
    """Return sessions with unique ids, by appending numbers from 2 to repeated ones."""
    ids: set[str] = set()
    result: list[Session] = []
    counts: dict[str, int] = {}
    for session in sessions:
        new_id = session.id
        while new_id in ids:
            counts[session.id] = counts.get(session.id, 1) + 1
            new_id = f"{session.id}-{counts[session.id]}"
        ids.add(new_id)
        result.append(session if new_id == session.id else replace(session, id=new_id))
    return result


class MessageIds:
    """Unique message ids of a session. Repeated ids get "#2", "#3" and so on."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.counts: dict[str, int] = {}

    def claim(self, id: str) -> str:
        candidate = id
        while candidate in self.ids:
            self.counts[id] = self.counts.get(id, 1) + 1
            candidate = f"{id}#{self.counts[id]}"
        self.ids.add(candidate)
        return candidate

    def release(self, name: str) -> None:
        """Release an id. Numbered ids are released in reverse order."""
        self.ids.discard(name)
        first, _, number = name.rpartition("#")
        if first in self.counts and str(self.counts[first]) == number:
            self.counts[first] -= 1
