"""The log of an agent as it would have grown if nothing had ever been compacted: what a replay is fed.

A recording may hold compactions of its own: a summary that begins a new context. Here what the summary stood for is
still there, and the summary is not, so that another policy can be tried on the same conversation. Where the person
went back and took another way, the messages of the way not taken leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.conversation import MAIN, Message, Session


@dataclass(frozen=True, slots=True)
class Step:
    """What comes into the context before one model call. Positions are those of the log."""

    turn: int
    """From 1; one past the last reply is the context as it now stands."""
    reply: int
    """The position of the reply that the call gave; -1 for the context as it now stands."""
    kept: int
    """How many messages of the context before are still in it, from its beginning; fewer than all after a rewind."""
    new: tuple[int, ...]
    """Positions that follow them, oldest first; notices are left out."""
    end: int
    """The position that the recorded context ends with."""


def steps(session: Session, agent: str = MAIN, *, joined: bool = True) -> Iterator[Step]:
    """The steps of an agent's session, one per model call and one for the context as it now stands; linear in all.

    Where they are not `joined`, the recording's own compactions stay: each begins a new context with its summary.
    """
    earlier = joints(session) if joined else {}
    path: list[int] = []
    places: dict[int, int] = {}
    replies = session.turns(agent)
    for turn in range(1, len(replies) + 2):
        reply = replies[turn - 1] if turn <= len(replies) else -1
        end = session.messages[reply].parent if reply >= 0 else _last_of(session, agent)
        new: list[int] = []
        position = end
        while position >= 0 and position not in places:
            if position not in earlier and session.messages[position].kind != "notice":
                new.append(position)
            position = earlier.get(position, session.messages[position].parent)
        kept = places[position] + 1 if position >= 0 else 0
        for gone in path[kept:]:
            del places[gone]
        del path[kept:]
        for position in reversed(new):
            places[position] = len(path)
            path.append(position)
        yield Step(turn, reply, kept, tuple(path[kept:]), end)


def joints(session: Session) -> dict[int, int]:
    """For every summary of the recording's own that begins a new context, the position where the one before ended."""
    last: dict[str, int] = {}
    found: dict[int, int] = {}
    for position, message in enumerate(session.messages):
        if message.kind == "summary" and message.parent < 0 and message.agent in last:
            found[position] = last[message.agent]
        last[message.agent] = position
    return found


def retelling(session: Session) -> frozenset[Message]:
    """The summaries of the recording's own that only say again what the log has said before."""
    return frozenset(session.messages[position] for position in joints(session))


def _last_of(session: Session, agent: str) -> int:
    return next((p for p in range(len(session.messages) - 1, -1, -1) if session.messages[p].agent == agent), -1)
