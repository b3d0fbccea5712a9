"""Follow the growth of an agent's context, call by call, with or without the recording's own compactions.

A recording can contain compactions: its context is rebuilt from a summary and copies of the messages kept. An
`uncompacted_session` contains the summarised messages and neither the summary nor the copies, so that another policy
can be tried on the same conversation. After a rewind, the messages of the abandoned branch are removed.
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
    """Messages added to the context before one model call. All positions refer to the log."""

    turn: int
    """Turn, counted from 1; the current context is one past the last reply."""
    reply: int
    """Position of the reply that the call returned; -1 for the current context."""
    prefix: int
    """Length of the prefix kept from the previous context; shorter than all of it after a rewind."""
    new: tuple[int, ...]
    """Positions of the messages added after the prefix, oldest first, without notices."""
    left: int = 0
    """Number of messages of the previous context that were removed."""


class ContextPath:
    """Positions of an agent's context in the log, without notices, which moves from call to call.

    The cost of a move is that of the messages that enter and leave the context.
    """

    def __init__(self, session: Session, agent: str = MAIN) -> None:
        self.session = session
        self.agent = agent
        self._path: list[int] = []
        self._places: dict[int, int] = {}

    def move_before(self, reply: int) -> tuple[int, list[int], int]:
        """Move to the context before a reply.

        Args:
            reply: Position of the reply in the log; -1 for the current context.

        Returns:
            The length of the prefix that is kept, the positions that follow it, and the number of removed ones.
        """
        messages, path, places = self.session.messages, self._path, self._places
        end = messages[reply].parent if reply >= 0 else self.session.last_position(self.agent)
        way = self.session.path_to(end, places)
        position = messages[way[0]].parent if way else end
        prefix = places.get(position, -1) + 1
        new = [position for position in way if messages[position].kind != "notice"]
        gone = path[prefix:]
        for old in gone:
            places.pop(old, None)
        path[prefix:] = new
        places.update(zip(new, range(prefix, len(path)), strict=True))
        return prefix, new, len(gone)

    def follow(self, reply: int) -> tuple[int, list[Message]]:
        """Move to the context before a reply. Return the length of the prefix that is kept, and the messages after it.

        Args:
            reply: Position of the reply in the log; -1 for the current context.
        """
        prefix, new, _ = self.move_before(reply)
        return prefix, [self.session.messages[position] for position in new]


def context_steps(session: Session, agent: str = MAIN) -> Iterator[ContextStep]:
    """Yield the steps of an agent's session: one for each model call and one for the current context.

    The total cost is linear in the log.

    Args:
        session: Recorded session.
        agent: Agent whose calls are followed.
    """
    path = ContextPath(session, agent)
    for turn, reply in enumerate((*session.turns(agent), -1), 1):
        prefix, new, left = path.move_before(reply)
        yield ContextStep(turn, reply, prefix, tuple(new), left)


def whole_context(session: Session, step: ContextStep, agent: str = MAIN) -> list[Message]:
    """Return the messages of the context before a step's call, oldest first, without notices.

    Args:
        session: Session with or without its own compactions.
        step: Step of that session.
        agent: Agent that the step belongs to.
    """
    end = session.messages[step.reply].parent if step.reply >= 0 else session.last_position(agent)
    context = [session.messages[position] for position in session.path_to(end)]
    return [message for message in context if message.kind != "notice"]


def advance_to_step(cursor: WindowCursor, session: Session, step: ContextStep) -> None:
    """Move a cursor to a step: rewind to its prefix, add its new messages and set the turn.

    Args:
        cursor: Window at the previous step.
        session: Session that the step belongs to.
        step: Next step.
    """
    messages, tokens = session.messages, cursor.sizes.tokens
    cursor.rewind(step.prefix)
    cursor.extend([messages[position] for position in step.new], [tokens[position] for position in step.new])
    cursor.enter(session, step.turn)


def is_compacted(session: Session, step: ContextStep, agent: str = MAIN) -> bool:
    """Return True if the recording was compacted between the previous call and the one of a step.

    That is so if messages were removed from the context and a summary was added that was written since the previous
    call.

    Args:
        session: Session with its own compactions.
        step: Step to check.
        agent: Agent that the step belongs to.
    """
    if step.turn < 2 or not step.left:
        return False
    last = session.turns(agent)[step.turn - 2]
    return any(position > last and session.messages[position].kind == "summary" for position in step.new)


class _Retold(NamedTuple):
    """Messages that the recording's own compactions repeat: their summaries, and copies of the messages kept."""

    places: frozenset[int]
    ends: Mapping[int, int]
    """For the first message of each rebuilt context, the position where the previous context ended."""


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
    """Return the summaries of the recording's own compactions, which only repeat earlier messages."""
    messages = map(session.messages.__getitem__, _retold(session).places)
    return frozenset(message for message in messages if message.kind == "summary")


def uncompacted_session(session: Session) -> Session:
    """Return the session without its own compactions; the session itself if it has none.

    Each of its summaries and copies becomes a notice, which is never sent, and the rebuilt context continues the
    previous one. Positions and ids do not change, so sizes, plans and references into the log are valid for both
    sessions.
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
    """Return the sizes for the uncompacted session, in which the unrecorded part of a context never shrinks.

    A recorded compaction changes the unrecorded part, because files are attached again and the prompt is rewritten. So
    does a client that clears old content without recording it. Neither happens if nothing is compressed.
    """
    levels, (places, boundaries) = sizes.levels, _retold(session)
    if not levels:
        return sizes
    ends = {session.messages[reply].parent for replies in session.replies.values() for reply in replies}
    own: list[int] = []
    growth: list[int] = []
    """For each message, tokens of its context since the last request sent from it."""
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
    return sizes if (own, *sizes.removed) == (list(levels),) else replace(sizes, levels=own, removed=())
