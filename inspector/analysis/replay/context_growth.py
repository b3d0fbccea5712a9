"""How the context of an agent grows, call by call, with the recording's own compactions or without them.

A recording may hold compactions of its own: a context that is made anew of a summary and of copies of what was kept. In
an `uncompacted_session` what the summary stood for is still there, and neither the summary nor the copies are, so that
another policy can be tried on the same conversation. Where the person went back and took another way, the messages of
the way not taken leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from inspector.core.conversation import MAIN, Message, Session
from inspector.engine.window import WindowCursor
from inspector.llm.tokens import Sizes


@dataclass(frozen=True, slots=True)
class ContextStep:
    """What comes into the context before one model call. Positions are those of the log."""

    turn: int
    """From 1; one past the last reply is the context as it now stands."""
    reply: int
    """The position of the reply that the call gave; -1 for the context as it now stands."""
    prefix: int
    """How many messages of the context before are still in it, from its beginning; fewer than all after a rewind."""
    new: tuple[int, ...]
    """Positions that follow them, oldest first; notices are left out."""
    left: int = 0
    """How many messages of the context before are no longer in it."""


def context_steps(session: Session, agent: str = MAIN) -> Iterator[ContextStep]:
    """The steps of an agent's session, one per model call and one for the context as it now stands; linear in all."""
    path: list[int] = []
    places: dict[int, int] = {}
    messages = session.messages
    for turn, reply in enumerate((*session.turns(agent), -1), 1):
        end = messages[reply].parent if reply >= 0 else session.last_position(agent)
        way = session.path_to(end, places)
        position = messages[way[0]].parent if way else end
        prefix = places.get(position, -1) + 1
        new = [position for position in way if messages[position].kind != "notice"]
        gone = path[prefix:]
        for old in gone:
            del places[old]
        path[prefix:] = new
        places.update(zip(new, range(prefix, len(path)), strict=True))
        yield ContextStep(turn, reply, prefix, tuple(new), len(gone))


def whole_context(session: Session, step: ContextStep, agent: str = MAIN) -> list[Message]:
    """The messages of the context before a step's call, oldest first, without notices."""
    end = session.messages[step.reply].parent if step.reply >= 0 else session.last_position(agent)
    context = [session.messages[position] for position in session.path_to(end)]
    return [message for message in context if message.kind != "notice"]


def advance_to_step(cursor: WindowCursor, session: Session, step: ContextStep) -> None:
    """Move a cursor on to what a step brings: its way, its new messages, and the turn."""
    messages, tokens = session.messages, cursor.sizes.tokens
    cursor.rewind(step.prefix)
    cursor.extend([messages[position] for position in step.new], [tokens[position] for position in step.new])
    cursor.enter(session, step.turn)


def is_compacted(session: Session, step: ContextStep, agent: str = MAIN) -> bool:
    """Whether the recording was compacted between the call before a step's and that one.

    Then something left the context, and a summary came that was written since.
    """
    if step.turn < 2 or not step.left:
        return False
    last = session.turns(agent)[step.turn - 2]
    return any(position > last and session.messages[position].kind == "summary" for position in step.new)


class _Retold(NamedTuple):
    """What the recording's own compactions say again: their summaries, and copies of what they kept."""

    places: frozenset[int]
    ends: Mapping[int, int]
    """For the first message of each context that was made anew, the position where the one before ended."""


def _retold(session: Session) -> _Retold:
    last: dict[str, int] = {}
    places, ends = set[int](), dict[int, int]()
    for position, message in enumerate(session.messages):
        end = last.get(message.agent, -1)
        begins = message.parent != end
        may_repeat = end >= 0 and (begins or end in places)
        if may_repeat and (message.kind == "summary" or session.original_of(message) is not message):
            places.add(position)
            if begins:
                ends[position] = end
        last[message.agent] = position
    return _Retold(frozenset(places), ends)


def repeating_summaries(session: Session) -> frozenset[Message]:
    """The summaries of the recording's own that only say again what the log has said before."""
    messages = map(session.messages.__getitem__, _retold(session).places)
    return frozenset(message for message in messages if message.kind == "summary")


def uncompacted_session(session: Session) -> Session:
    """The session without its own compactions; itself where it has none.

    Each summary of its own, and each copy of what it kept, becomes a notice, which is never sent; and the context that
    was made of them goes on where the one before ended. Positions and ids stay as they are, so sizes, plans and
    pointers into the log hold for both.
    """
    places, ends = _retold(session)
    if not places:
        return session
    messages = list(session.messages)
    for position in places:
        parent = ends.get(position, messages[position].parent)
        messages[position] = replace(messages[position], kind="notice", parent=parent)
    return session.with_messages(tuple(messages))


def uncompacted_sizes(session: Session, sizes: Sizes) -> Sizes:
    """The sizes for the uncompacted session: no context becomes smaller from one of its turns to the next.

    A compaction of the recording changes the unrecorded rest (files are attached again, a prompt is written anew), and
    so does a client that clears old content unseen: neither has happened where nothing is compressed.
    """
    levels, (places, boundaries) = sizes.levels, _retold(session)
    if not levels:
        return sizes
    ends = {session.messages[reply].parent for replies in session.replies.values() for reply in replies}
    own: list[int] = []
    growth: list[int] = []
    """For each message, the tokens of its context since the last request that was sent from it."""
    for position, message in enumerate(session.messages):
        parent = boundaries.get(position, message.parent)
        tokens = 0 if message.kind == "notice" or position in places else sizes.tokens[position]
        if not 0 <= parent < position:
            own.append(levels[position])
            growth.append(tokens)
            continue
        growth.append(tokens + (0 if parent in ends else growth[parent]))
        change = 0 if position in boundaries else levels[position] - levels[parent]
        own.append(max(0, own[parent] + (change if growth[position] + change >= 0 else 0)))
    return sizes if own == list(levels) else replace(sizes, levels=own)
