"""Names for what a file leaves nameless.

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
"""Characters of a title."""
_ID_DIGITS = 12
_INJECTED_TAG = re.compile(
    r"<(/?)(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr|command-message|ide_\w+)>"
)
"""What programs put beside the words of a person."""
_TAG = re.compile(r"</?[a-z][\w-]*>")


def _title_from(text: str) -> str:
    """The words of a message as a title: one line, without the tags that programs put around them."""
    words = _TAG.sub(" ", " ".join(_own_words(text[: 100 * _TITLE])))
    return shorten_title(" ".join(words.split()))


def _own_words(text: str) -> Iterator[str]:
    """The pieces of a text without what stands between a tag of `_INJECTED_TAG` and the next that closes it."""
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
    """A line that fits a title, cut between words where it can be."""
    if len(line) <= _TITLE:
        return line
    head = line[: _TITLE - 1]
    return (head.rpartition(" ")[0] if " " in head[_TITLE // 2 :] else head).rstrip() + "…"


def first_words(messages: Iterable[Message]) -> str:
    """A title from the first words that a person said in the main conversation; "" when nobody said any."""
    for message in messages:
        if message.role == "user" and message.kind == "chat" and message.agent == MAIN:
            title = _title_from(message.preview if len(message.preview) < _TITLE else message.text)
            if title:
                return title
    return ""


def digest(*values: object) -> str:
    """A short fingerprint of JSON values."""
    hasher = blake2b(digest_size=_ID_DIGITS // 2)
    for value in values:
        hasher.update(dumps(value).encode("utf-8", "replace") + b"\n")
    return hasher.hexdigest()


def id_of_start(raws: Sequence[Any], dialect: Dialect) -> str:
    """An id made of what is said up to the first message of a user: what follows may grow without changing it."""
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
    """The sessions of one file, those whose id came before numbered from 2 in the order of the file."""
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
    """Message ids that are unique within a session: one that came before gets "#2", "#3" …"""

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
        """Forget an id that was claimed; of several that came of the same one, the last first."""
        self.ids.discard(name)
        first, _, number = name.rpartition("#")
        if first in self.counts and str(self.counts[first]) == number:
            self.counts[first] -= 1
