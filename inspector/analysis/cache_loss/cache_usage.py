"""Find the calls that read less from the prompt cache than the call before had left in it, with a cause and a price.

Everything is derived from the reported usage, the recorded times and the recorded contexts. A cause is given only if
one of them proves it: a pause longer than the recorded lifetime of the cache, another model, a changed context, or the
provider's own diagnosis. Everything else is `unknown`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Any, Literal

from inspector.core.conversation import MAIN, NEW_TOOLS, Message, Raw, Session, Usage
from inspector.core.json_objects import Dollars, Tokens, json_object
from inspector.core.text import one_line, plural
from inspector.llm.models import Price, calls_of, cost, is_other_model, time_of

CacheCause = Literal["idle", "model", "tools", "system", "prefix", "compaction", "fall", "unknown"]
"""Cause of a cache loss.

idle        the pause before the call was longer than the lifetime of the cache
model       another model was called, which does not share the cache
tools       the provider states that the tool definitions changed
system      the provider states that the system prompt changed
prefix      the recorded context of the call does not begin with that of the call before
compaction  a recorded compaction replaced the context
fall        the reported window is smaller than the one before, and the file does not state why
unknown     the file does not show a cause
"""
_MIN_TOKENS, _MIN_SHARE = 1_024, 0.05
"""Smallest loss: the smallest prefix that providers cache, and a share of what the call before had left."""
_FALL = 0.95
"""Share of the previous window below which a window has fallen."""
_MINUTES, _HOUR = 300, 3_600
"""The two lifetimes of caches that are written explicitly, in seconds."""
_STATED: dict[str, CacheCause] = {
    "model_changed": "model",
    "tools_changed": "tools",
    "system_changed": "system",
    "messages_changed": "prefix",
}
"""Reasons in the provider's diagnosis of a cache miss."""


@json_object("Cache loss", "turn message number cause tokens read cost idle lifetime changed_at reason")
@dataclass(frozen=True, slots=True)
class CacheLoss:
    """A call that read less from the prompt cache than the call before had left in it."""

    turn: Annotated[int, "of the call, from 1"]
    message: Annotated[str, "id of the reply"]
    number: Annotated[int, "of the reply in the log, from 1"]
    cause: CacheCause
    tokens: Annotated[Tokens, "in the cache after the call before, and sent again by this call; at most, for `fall`"]
    read: Annotated[Tokens, "that the call still read from the cache"]
    cost: Annotated[Dollars | None, "in addition to the price of reading them; null if the model's price is unknown"]
    idle: Annotated[float | None, "seconds between the call before and this one; null if no times are recorded"]
    lifetime: Annotated[int | None, "of the cache, in seconds; null if the file does not state it"]
    changed_at: Annotated[int | None, "for `prefix`, the first message that differs, from 1; null if unknown"]
    reason: Annotated[str, "the cause as a clause"]


@dataclass(frozen=True, slots=True)
class _CachedCall:
    """A call with reported usage, and the model call before it."""

    session: Session
    position: int
    usage: Usage
    before: int
    """Position of the reply to the call before."""
    left: Usage
    """Usage of the call before."""
    is_hourly: bool
    """True if any earlier call wrote to a one-hour cache."""

    @property
    def reply(self) -> Message:
        return self.session.messages[self.position]


def cache_losses(session: Session, price: Price, agent: str = MAIN) -> tuple[CacheLoss, ...]:
    """Return the cache losses of an agent's calls, in order.

    Args:
        session: Session to examine. Only the records of calls with a loss are read.
        price: Price of the session's calls.
        agent: Agent whose calls are examined.

    Raises:
        OSError: If the recording can no longer be read.
    """
    calls = [(call.position, call.usage) for call in calls_of(session) if call.reply.agent == agent and call.usage]
    return tuple(_losses(session, price, calls))


def _losses(session: Session, price: Price, calls: Sequence[tuple[int, Usage]]) -> Iterator[CacheLoss]:
    replies, is_hourly = session.turns(session.messages[calls[0][0]].agent) if calls else (), False
    known = dict(calls)
    for (before, left), (position, usage) in pairwise(calls):
        is_hourly = is_hourly or left.cache_write_1h > 0
        if _lost(left, usage) < _smallest(left):
            continue
        call = _CachedCall(session, position, usage, before, left, is_hourly)
        is_extended = _extends(session, before, position)
        base = None if is_extended else _last_call_in(session, position, known)
        tokens = _lost(left if base is None else known[base], usage)
        if tokens < _smallest(left) or (base is None and not is_extended and _is_compacted(call)):
            continue  # a window that begins with a summary contains nothing that was known to be in the cache
        cause, reason, changed_at = _explain(call, base is not None)
        yield CacheLoss(
            turn=bisect_left(replies, position) + 1,
            message=call.reply.id,
            number=position + 1,
            cause=cause,
            tokens=tokens,
            read=usage.cache_read,
            cost=_extra(price.of(call.reply), usage, tokens),
            idle=_idle(call),
            lifetime=_lifetime(call),
            changed_at=changed_at,
            reason=reason + _more_before(call, cause, base),
        )


def _lost(left: Usage, usage: Usage) -> int:
    """Return the tokens of a window that a call had left in the cache and the next call did not read from it."""
    return min(left.cache_read + left.cache_write, usage.input) - usage.cache_read


def _smallest(left: Usage) -> float:
    return max(_MIN_TOKENS, _MIN_SHARE * (left.cache_read + left.cache_write))


def _extra(price: Price, usage: Usage, tokens: int) -> float | None:
    """Return what a call cost in addition because it did not read these tokens from the cache."""
    if price.source == "default":
        return None
    written = min(tokens, usage.cache_write)
    rest = usage.cache_write - written
    hourly = usage.cache_write_1h * rest // usage.cache_write if usage.cache_write else 0
    warm = replace(usage, cache_read=usage.cache_read + tokens, cache_write=rest, cache_write_1h=hourly)
    return cost(price, usage).total - cost(price, warm).total


# contexts


def _extends(session: Session, before: int, position: int) -> bool:
    """Return True if the context of a reply contains an earlier reply."""
    place = session.messages[position].parent
    while place > before:
        place = session.messages[place].parent
    return place == before


def _last_call_in(session: Session, position: int, calls: dict[int, Usage]) -> int | None:
    """Return the position of the last call whose reply is in the context of a reply, or None."""
    place = session.messages[position].parent
    while place >= 0:
        if place in calls:
            return place
        place = session.messages[place].parent
    return None


def _new_part(call: _CachedCall) -> list[int]:
    """Return the positions of a context from the first message that the context before did not have at its place."""
    session = call.session
    old, new = (session.path_to(place) for place in (call.before, call.reply.parent))
    same = 0
    for first, second in zip(old, new, strict=False):
        if session.original_of(session.messages[first]) is not session.original_of(session.messages[second]):
            break
        same += 1
    return new[same:]


def _more_before(call: _CachedCall, cause: CacheCause, base: int | None) -> str:
    """Return a clause if the part of a context that the context before also had goes on after an earlier call."""
    if cause != "prefix" or base is None:
        return ""
    path, new = call.session.path_to(call.reply.parent), _new_part(call)
    shared = path[path.index(base) + 1 : len(path) - len(new)]
    has_more = any(call.session.messages[place].role == "assistant" for place in shared)
    return ", and more before it may have been in the cache" if has_more else ""


def _is_compacted(call: _CachedCall) -> bool:
    """Return True if a summary is in the part of a context that the context before did not have."""
    return any(call.session.messages[place].kind == "summary" for place in _new_part(call))


# causes


def _explain(call: _CachedCall, is_rewound: bool) -> tuple[CacheCause, str, int | None]:
    """Return the cause of a loss, its description, and the number of the first changed message.

    Args:
        call: The call.
        is_rewound: True if its context continues that of an earlier call, whose cache only a pause can have ended.
    """
    stated = _stated_cause(call.reply.record)
    if stated:
        return _STATED[stated], f"the provider states {stated.replace('_', ' ')}", None
    models = [call.session.messages[place].model for place in (call.before, call.position)]
    if is_other_model(*models):
        return "model", f"the model changed from {one_line(models[0])} to {one_line(models[1])}", None
    if NEW_TOOLS in call.reply.events:
        return "tools", "the tool definitions changed", None
    cause, reason = _by_time_or_size(call)
    if not _extends(call.session, call.before, call.position):
        new = _new_part(call)
        if _is_compacted(call):
            return "compaction", "the window was compacted", None
        if new and not (is_rewound and cause == "idle"):
            return "prefix", f"the prefix changed at message {new[0] + 1:,}", new[0] + 1
    return cause, reason, None


def _by_time_or_size(call: _CachedCall) -> tuple[CacheCause, str]:
    idle, lifetime, usage, left = _idle(call), _lifetime(call), call.usage, call.left
    pause = f"{_duration(idle)} after the call before" if idle is not None else ""
    unused = _unused(call)
    if lifetime is not None and unused > lifetime:
        return "idle", f"unused for {_duration(unused)}, longer than the cache's lifetime of {_duration(lifetime)}"
    if left.cache_write and unused > _HOUR:
        return "idle", f"unused for {_duration(unused)}, longer than a prompt cache lasts (an hour at most)"
    if usage.input < _FALL * left.input:
        return "fall", f"the reported window fell from {left.input:,} to {usage.input:,} tokens"
    read = f"the file states no cause ({usage.cache_read:,} tokens were still read"
    return "unknown", ", ".join(filter(None, (read, pause))) + ")"


def _idle(call: _CachedCall) -> float | None:
    """Return the seconds between a call and the call before: the time for which the cache was not used."""
    session, last = call.session, _sent_at(call.session, call.before)
    for place in range(call.before + 1, call.position):
        message = session.messages[place]
        if message.agent == call.reply.agent and message.is_reply:
            last = _sent_at(session, place) or last  # the call before can have several replies, or be unreported
    sent = _sent_at(session, call.position)
    return None if last is None or sent is None else max(0.0, (sent - last).total_seconds())


def _unused(call: _CachedCall) -> float:
    """Return the seconds for which the cache was certainly not used: from the last reply to the next call.

    A call that was repeated, for example because the provider was overloaded, used the cache when its reply began.
    """
    session, sent = call.session, _sent_at(call.session, call.position)
    replies = (message for message in session.messages[call.before : call.position] if message.is_reply)
    times = [time for message in replies if message.agent == call.reply.agent and (time := time_of(message))]
    return max(0.0, (sent - times[-1]).total_seconds()) if sent and times else 0.0


def _sent_at(session: Session, position: int) -> datetime | None:
    """Return the time at which a call was sent: that of the message that its reply answers, if it is not later."""
    reply = session.messages[position]
    received = time_of(reply)
    asked = time_of(session.messages[reply.parent]) if reply.parent >= 0 else None
    return min(received, asked) if received and asked else received


def _lifetime(call: _CachedCall) -> int | None:
    """Return the recorded lifetime of the cache in seconds: an hour if any part of it was written for an hour."""
    if call.is_hourly:
        return _HOUR
    written = _usage_record(call.session.messages[call.before].record).get("cache_creation")
    return _MINUTES if isinstance(written, dict) and "ephemeral_5m_input_tokens" in written else None


def _usage_record(record: Raw) -> dict[str, Any]:
    """Return the usage in a reply's record; {} if it is not there."""
    inner = record.get("message")
    for holder in (record, inner):
        usage = holder.get("usage") if isinstance(holder, dict) else None
        if isinstance(usage, dict):
            return usage
    return {}


def _stated_cause(record: Raw) -> str:
    """Return the reason of a cache miss that the provider diagnosed; "" if it stated none that is known here."""
    for holder in (record, record.get("message")):
        diagnosis = holder.get("diagnostics") if isinstance(holder, dict) else None
        reason = diagnosis.get("cache_miss_reason") if isinstance(diagnosis, dict) else None
        kind = reason.get("type") if isinstance(reason, dict) else None
        if isinstance(kind, str) and kind in _STATED:
            return kind
    return ""


def _duration(seconds: float) -> str:
    """Return a duration as text: 55 s, 5 min 6 s, 75 min, 30 hours."""
    minutes, rest = divmod(round(seconds), 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 4 * _HOUR:
        return f"{minutes} min" if minutes >= 10 or not rest else f"{minutes} min {rest} s"
    return plural(round(seconds / _HOUR), "hour")
