"""Find the files and pages that a reply read again after a compaction had dropped the earlier result."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from inspector.analysis.tool_activity.action import Action
from inspector.analysis.tool_activity.action_index import Actions
from inspector.analysis.tool_activity.lookups import is_content, plain_lines
from inspector.core.conversation import Message, Session
from inspector.engine.facts import FactClass, Need

_KNOWN_SHARE, _MOST = 1 / 3, 0.8
"""Share of a result's lines that earlier results must have had, and share that none in the context may have."""


class FileReread(NamedTuple):
    """A read of a file or page whose earlier result a compaction had dropped."""

    turn: int
    """Turn of the reply that read it again."""
    position: int
    """Position of the new result in the log."""
    need: Need
    """The path or address, with the compaction and the dropped result."""


def reread_files(session: Session, agent: str, compactions: Collection[int]) -> dict[int, tuple[Need, ...]]:
    """Return the needs of `dropped_rereads` by turn. The arguments are the same."""
    by_turn: dict[int, tuple[Need, ...]] = {}
    for turn, _, need in dropped_rereads(session, agent, compactions):
        by_turn[turn] = (*by_turn.get(turn, ()), need)
    return by_turn


def dropped_rereads(session: Session, agent: str, compactions: Collection[int]) -> Iterator[FileReread]:
    """Yield the resources that replies read again, oldest first. Each is yielded once per compaction.

    A resource counts if an earlier call had read it or some of the same lines, and the recorded context of the reply
    contains no result of that any more. At least a third of what it returns must be known from that, and no result in
    the context may have most of it.

    Args:
        session: Session to examine.
        agent: Agent whose replies are examined.
        compactions: Turns of the first requests after compactions.

    Raises:
        OSError: If the recording can no longer be read.
    """
    replies, turns = session.turns(agent), sorted(compactions)
    actions = Actions(session.messages)
    read: dict[str, list[tuple[int, Action]]] = {}
    known: set[tuple[str, int]] = set()
    for position, message in enumerate(session.messages):
        action = _reading(actions, message) if message.agent == agent else None
        if action is None or session.original_of(message) is not message:
            continue
        turn = bisect_right(replies, position)
        lost_at = turns[bisect_right(turns, turn) - 1] if turns and turns[0] <= turn else 0
        results = read.setdefault(action.resource, [])
        earlier = [place for place, before in results if before.overlaps(action)]
        results.append((position, action))
        if (action.resource, lost_at) in known or not _is_dropped(session, replies, turn, lost_at, earlier):
            continue
        if not _is_repeated(session, replies[turn - 1], message, earlier):
            continue
        known.add((action.resource, lost_at))
        cls: FactClass = "url" if "://" in action.resource else "path"
        need = Need(action.resource, cls, lost_at, session.messages[earlier[0]].id)
        yield FileReread(turn, position, need)


def _reading(actions: Actions, message: Message) -> Action | None:
    """Return the action of a result with content that a call read; None for any other message."""
    if not is_content(message):
        return None
    action = actions.of(message)
    return action if action and action.kind in ("read", "fetch") and action.resource else None


def _is_dropped(session: Session, replies: Sequence[int], turn: int, lost_at: int, results: Sequence[int]) -> bool:
    """Return True if a compaction dropped all of some results, and the context of a later reply lacks them.

    Args:
        session: Session with the results.
        replies: Positions of the agent's replies.
        turn: Turn of the reply.
        lost_at: Turn of the last compaction before it; 0 for none.
        results: Positions of the results, in ascending order.
    """
    is_before = bool(lost_at and results) and bisect_right(replies, results[-1]) < lost_at
    return is_before and not _is_kept(session, replies[turn - 1], results)


def _is_repeated(session: Session, reply: int, result: Message, earlier: Collection[int]) -> bool:
    """Return True if earlier results had a third of the lines of a result, and none in the context has most of them."""
    lines, known = plain_lines(result), set[str]()
    for place in earlier:
        known |= plain_lines(session.messages[place])
    if len(lines & known) < _KNOWN_SHARE * len(lines):
        return False
    others = (message for message in _context(session, reply) if message.answers is not None)
    return not any(lines and len(lines & plain_lines(other)) >= _MOST * len(lines) for other in others)


def _is_kept(session: Session, reply: int, results: Collection[int]) -> bool:
    """Return True if the recorded context of a reply contains one of some results."""
    ids = {session.messages[place].id for place in results}
    return any(session.original_of(message).id in ids for message in _context(session, reply))


def _context(session: Session, reply: int) -> Iterator[Message]:
    place = session.messages[reply].parent
    while 0 <= place < reply:
        yield session.messages[place]
        reply, place = place, session.messages[place].parent
