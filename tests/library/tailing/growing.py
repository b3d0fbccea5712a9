"""What the tests of following share: files written piece by piece, and sessions compared to the last field."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from inspector import formats
from inspector.core.conversation import Message, Session
from inspector.library.tailing import LiveSource


def facts(message: Message) -> dict[str, Any]:
    """Everything that a message says, its text among it."""
    names = [entry.name for entry in fields(message) if entry.name != "body"]
    return {name: getattr(message, name) for name in names} | {"raw": message.raw, "record": message.record}


def session_facts(session: Session) -> dict[str, Any]:
    """Everything that a session says but its messages."""
    return {entry.name: getattr(session, entry.name) for entry in fields(session) if entry.name != "messages"}


def assert_same(one: Session, other: Session) -> None:
    assert len(one.messages) == len(other.messages)
    for mine, theirs in zip(one.messages, other.messages, strict=True):
        assert facts(mine) == facts(theirs)
    assert session_facts(one) == session_facts(other)
    for name in ("replies", "compactions", "by_id", "agents"):
        fresh = Session(**session_facts(one), messages=one.messages)
        assert getattr(one, name) == getattr(fresh, name), name


def read_whole(path: Path) -> Session:
    """The first session of a file; a last line that breaks off is no problem of one that is still written."""
    session, data = formats.load(path)[0], path.read_bytes()
    last = 0 if data.endswith(b"\n") else data.count(b"\n") + 1
    return replace(session, problems=tuple(problem for problem in session.problems if problem.line != last))


def pieces(data: bytes, seed: int, most: int = 60_000) -> Iterator[bytes]:
    """Data cut anywhere, inside of characters and lines too."""
    dice = random.Random(seed)
    place = 0
    while place < len(data):
        size = dice.randint(1, dice.choice((2, 300, most // 10, most)))
        yield data[place : place + size]
        place += size


def session_of(source: LiveSource) -> Session | None:
    """What a source has come to when it has nothing new any more."""
    session = None
    quiet = 0
    while quiet < 3:
        growth = source.poll()
        session = growth.session if growth else session
        quiet = 0 if growth or source.has_more or source.is_waiting else quiet + 1
    return session
