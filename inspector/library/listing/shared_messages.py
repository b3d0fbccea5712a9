"""Find the messages that several sessions contain: forks, resumed sessions and copies of files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, NamedTuple

from inspector.core.conversation import Message, Session
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.llm import models

_UNIQUE_ID = re.compile(r"[\w#-]{20,}")
"""An id that is unique across sessions, as a UUID is. Line numbers are shorter; hashes of content have a colon."""


@json_object("Shared messages")
@dataclass(frozen=True, slots=True)
class SharedMessages:
    """Messages of a session that one before it in the list contains, too."""

    target: Annotated[str, "the session with most of them"]
    messages: int
    tokens: Tokens
    cost: Annotated[Dollars | None, "of the model calls among them; null if unknown"] = None


class _Listed(NamedTuple):
    """A session that was listed before."""

    target: str
    heads: Sequence[bytes]
    """A digest of each message that does not contain its id or time."""


class SharedMessageIndex:
    """Messages of the sessions listed so far."""

    def __init__(self) -> None:
        self._targets: dict[bytes, str] = {}
        """Session that contains the message with an id, by the digest of the id."""
        self._sessions: dict[str, _Listed] = {}
        self._forks: dict[str, list[_Listed]] = {}
        """Sessions by the session that they were forked from."""

    def add(self, session: Session, tokens: Sequence[int], target: str) -> SharedMessages | None:
        """Add a session. Return the messages that it shares with sessions added before, or None without any.

        Messages are equal if they have the same unique id. A fork has the messages of its original in order, up to the
        first reply that differs, even if they have no ids.

        Args:
            session: Session to add.
            tokens: Size of each of its messages.
            target: Name that opens it.
        """
        targets: Counter[str] = Counter()
        shared: set[int] = set()
        for position, message in enumerate(session.messages):
            if _UNIQUE_ID.fullmatch(message.id):
                own = self._targets.setdefault(_digest(message.id), target)
                if own != target:
                    shared.add(position)
                    targets[own] += 1
        listed = _Listed(target, [_head_of(message) for message in session.messages])
        for other, positions in self._common(session, listed):
            targets[other] += len(positions - shared)
            shared |= positions
        self._sessions.setdefault(session.id, listed)
        if session.forked_from:
            self._forks.setdefault(session.forked_from, []).append(listed)
        if not shared:
            return None
        first = targets.most_common(1)[0][0]
        try:
            cost = models.cost_of_calls(session, shared)
        except ValueError:  # an invalid price set by the user
            cost = None
        return SharedMessages(first, len(shared), sum(tokens[position] for position in shared), cost)

    def _common(self, session: Session, listed: _Listed) -> Iterator[tuple[str, set[int]]]:
        """Yield the original or the forks of a session that were listed, with the positions of common messages."""
        replies = [message.is_reply for message in session.messages]
        original = self._sessions.get(session.forked_from) if session.forked_from else None
        for other in (*([original] if original else []), *self._forks.get(session.id, ())):
            yield other.target, set(_in_order(listed.heads, replies, other.heads))


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _head_of(message: Message) -> bytes:
    return _digest(f"{message.role} {message.chars} {message.answers} {message.preview}")


def _in_order(heads: Sequence[bytes], replies: Sequence[bool], others: Sequence[bytes]) -> Iterator[int]:
    """Yield the positions of messages that another session contains in the same order, up to a reply that it lacks."""
    places: dict[bytes, list[int]] = {}
    for place in range(len(others) - 1, -1, -1):
        places.setdefault(others[place], []).append(place)
    at = -1
    for position, head in enumerate(heads):
        later = places.get(head, [])
        while later and later[-1] <= at:
            later.pop()
        if later:
            at = later.pop()
            yield position
        elif replies[position]:
            return
