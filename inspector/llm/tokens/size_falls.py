"""Falls of the reported size that no record explains.

An agent's context grows until a compaction, a clearing or a rewind starts another one. All of these change the recorded
messages. If a smaller request is reported although every recorded message is still in the context, the agent removed
content without recording it.

Not every smaller number is such a fall. A side call has another prompt, and some calls report only the uncached part of
their input: the next calls return to the old size. Another model has another tokenizer. Providers drop the reasoning of
earlier replies when the user sends a new request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inspector.core.conversation import Session, stated_sizes, stated_window

_MIN_TOKENS, _MIN_SHARE = 2_000, 0.1
"""Minimum decrease that is a fall: in tokens, and as a share of the size before."""
_OTHER_TOKENIZER = 0.5
"""Minimum share if the model changed, because the same messages have other sizes in another tokenizer."""
_NEXT = 3
"""Number of later calls that can show that a small number was an exception."""
_MAX_SHARE = 1 / 3
"""Share of a session's calls from which smaller numbers are a way of reporting."""


class ReportedTurn(NamedTuple):
    """A reply with reported usage."""

    position: int
    """Position of the reply in the log."""
    end: int
    """Position of the last message in the window that the reply answers, or -1 if the window is empty."""
    tokens: int
    """Counted tokens of that window, without tools and unrecorded tokens."""
    usage: int
    """Reported input tokens."""
    model: str
    agent: str
    before: ReportedTurn | None
    """Previous turn in the same context."""
    output: int = 0
    """Reported output tokens."""
    request: int = -1
    """Position of the user's newest request in the window, or -1."""


class SizeFall(NamedTuple):
    """A reply whose request was reported smaller than the one before, although no recorded message was dropped."""

    position: int
    """Position of the reply in the log."""
    before: int
    """Reported tokens of the request before."""
    after: int
    """Reported tokens of the reply's request."""


def stated_ends(
    session: Session, turns: Sequence[ReportedTurn], sums: Sequence[int], *, is_partial: bool = False
) -> list[ReportedTurn]:
    """Return the windows whose size is stated by the record of each agent's last compaction, or of its last message.

    The size after a compaction is used if no later call reports its own.

    Args:
        session: Recorded session.
        turns: Replies with reported usage, in the order of the log.
        sums: Tokens of the context that ends with each message.
        is_partial: True if no record may be read; the result is then empty.
    """
    if is_partial:
        return []
    last = {session.messages[place].agent: place for place in session.compactions}
    reported = {turn.agent: turn.position for turn in turns}
    ends = []
    for agent, place in last.items():
        size = stated_sizes(session, place).after if reported.get(agent, -1) < place else 0
        if size:
            ends.append(ReportedTurn(place, place, sums[place], size, "", agent, None))
    if not ends and session.messages and (size := stated_window(session)):
        place, agent = len(session.messages) - 1, session.messages[-1].agent
        if reported.get(agent, -1) < place:
            ends.append(ReportedTurn(place, place, sums[place], size, "", agent, None))
    return ends


def size_falls(turns: Sequence[ReportedTurn]) -> tuple[SizeFall, ...]:
    """Return the falls of the reported size between consecutive calls of one context, in the order of the log.

    Args:
        turns: Replies with reported usage, in the order of the log.
    """
    later: dict[int, ReportedTurn] = {}
    last_of: dict[str, ReportedTurn] = {}
    drops: list[ReportedTurn] = []
    for turn in turns:
        last = turn.before
        if last is not None and last_of.get(turn.agent) is last:
            later[last.position] = turn
            if _is_smaller(last, turn):
                drops.append(turn)
        last_of[turn.agent] = turn
    if len(drops) > max(2, _MAX_SHARE * len(turns)):
        return ()
    return tuple(_falls(drops, later))


def _falls(drops: Sequence[ReportedTurn], later: Mapping[int, ReportedTurn]) -> Iterator[SizeFall]:
    for turn in drops:
        last = turn.before
        if last is not None and not _is_exception(last, turn, later) and not _is_reasoning(last, turn):
            yield SizeFall(turn.position, last.usage, turn.usage)


def _is_smaller(last: ReportedTurn, turn: ReportedTurn) -> bool:
    share = _MIN_SHARE if turn.model == last.model else _OTHER_TOKENIZER
    return last.usage - turn.usage > max(_MIN_TOKENS, share * last.usage)


def _is_exception(last: ReportedTurn, turn: ReportedTurn, later: Mapping[int, ReportedTurn]) -> bool:
    """Return True if a small size is that of a single call: a later one returns to the size before.

    The last call of a session is an exception if another model answered it.
    """
    half = (last.usage + turn.usage) / 2
    following = turn
    for _ in range(_NEXT):
        if following.position not in later:
            break
        following = later[following.position]
        if following.usage - max(0, following.tokens - turn.tokens) > half:
            return True
    return following is turn and turn.model != last.model


def _is_reasoning(last: ReportedTurn, turn: ReportedTurn) -> bool:
    """Return True if the dropped tokens can be the reasoning in the replies to the user's previous request."""
    if turn.request == last.request:
        return False
    output, reply = 0, last
    while reply.request == last.request:
        output += reply.output
        if reply.before is None:
            break
        reply = reply.before
    return last.usage - turn.usage <= output
