"""The model calls of a recorded session, with the usage that was reported for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inspector.core.conversation import Message, Session, Usage

NOTHING = Usage(0, 0)


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A model call: its first reply, and its usage (None if it was not reported)."""

    reply: Message
    position: int
    """Position of the reply in the log."""
    usage: Usage | None


def calls_of(session: Session) -> Sequence[SessionCall]:
    """Return the model calls of a session, in the order of the log.

    Some recorders write one call as several messages. A reply with the same model and input usage as one of the two
    preceding calls in its context is therefore merged with that call. The first reply identifies the call, and the
    largest reported output is used.
    """
    calls: list[SessionCall] = []
    recent: list[tuple[int, ...]] = []
    for position, message in enumerate(session.messages):
        before = recent[message.parent] if 0 <= message.parent < position else ()
        if message.is_reply:
            usage = message.usage if message.usage and message.usage.input > 0 else None
            same = next((number for number in before if _is_same_call(calls[number], message, usage)), None)
            if same is None:
                calls.append(SessionCall(message, position, usage))
                before = (*before[-1:], len(calls) - 1)
            elif usage and usage.output > (calls[same].usage or NOTHING).output:
                calls[same] = replace(calls[same], usage=usage)
        recent.append(before)
    return calls


def billed_calls(session: Session) -> Sequence[SessionCall]:
    """Return the model calls of a session, and those that wrote its summaries if their usage was reported apart.

    A reply without usage that follows such a summary is part of the same call.
    """
    summaries = ((session.messages[position], position) for position in session.compactions)
    own = {position: SessionCall(message, position, message.usage) for message, position in summaries if message.usage}
    replies = (call for call in calls_of(session) if call.usage or call.reply.parent not in own)
    return (*replies, *own.values())


def _is_same_call(call: SessionCall, reply: Message, usage: Usage | None) -> bool:
    if call.usage is None or usage is None or call.reply.model != reply.model:
        return False
    return _input_sizes(call.usage) == _input_sizes(usage)


def _input_sizes(usage: Usage) -> tuple[int, int, int]:
    return usage.input, usage.cache_read, usage.cache_write
