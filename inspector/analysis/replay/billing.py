"""Bill the calls of a replay, with a prompt cache that expires as the recorded one did.

A cache keeps the content of a call for five minutes, or for an hour if the recorded call paid for that. The recorded
times of the replies show when it had expired, and the whole window was written again. The recorded usage is a better
proof: calls that found less in the cache than the call before had left there find no more of it under any policy, and
calls that found something do so after any pause. Calls are assumed to be made at the recorded times under every policy.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from inspector.core.conversation import MAIN, Message, Session, Usage
from inspector.core.json_objects import json_object
from inspector.llm.models import Cost, Price, billed_calls, calls_of, cost, is_other_model, time_of, whole_output
from inspector.llm.tokens import Sizes

_FETCH = 60
"""Output tokens of a call to a tool that fetches from an archive."""
_MINUTES, _HOUR = 300, 3600
"""Lifetimes of the two kinds of caches after their last use, in seconds."""
_MIXED = 0.02
"""Share of the written tokens from which a second lifetime is stated."""
_LEFT = 0.9
"""Share of the cached tokens below which a call has lost a part of the cache. Less is noise of block sizes."""


@json_object("Cache")
@dataclass(frozen=True, slots=True)
class CacheLifetime:
    """Assumed lifetime of a prompt cache."""

    seconds: Annotated[
        int, "300 or 3600, after the previous call, for most of what was written; 0 if the recording used no cache"
    ]
    always_warm: Annotated[bool, "true if it is assumed to never expire, because no times are recorded"]
    reason: str
    """Reason for the assumption, as a clause without a full stop."""

    @property
    def for_an_hour(self) -> bool:
        return self.seconds == _HOUR


UNKNOWN_LIFETIME = CacheLifetime(_MINUTES, True, "its cost is unknown")
Basis = Annotated[
    Literal["reported", "partly reported", "simulated"],
    "source of `cost`: usage reported by the provider for all or some calls, or simulated windows and a cache",
]


def cache_lifetime(session: Session, agent: str = MAIN) -> CacheLifetime:
    """Infer the lifetime of the cache from the recorded calls of an agent."""
    replies = [session.messages[position] for position in session.turns(agent)]
    usages = [reply.usage for reply in replies if reply.usage]
    if len(usages) > 1 and not any(usage.cache_read or usage.cache_write for usage in usages):
        return CacheLifetime(0, False, "the recorded calls neither read nor wrote a cache, so none is assumed")
    written, for_an_hour = (sum(getattr(usage, name) for usage in usages) for name in ("cache_write", "cache_write_1h"))
    seconds = _HOUR if 2 * for_an_hour > written else _MINUTES
    if not any(map(time_of, replies)):
        return CacheLifetime(seconds, True, "no times are recorded, so the cache is assumed to never expire")
    return CacheLifetime(seconds, False, _describe_writes(written, for_an_hour, seconds))


def _describe_writes(written: int, for_an_hour: int, seconds: int) -> str:
    """Return the reason for a lifetime as a clause, from the tokens that were written in all and for an hour."""
    if not written:
        return f"the cache is not recorded, so a lifetime of {_words(seconds)} is assumed"
    if min(for_an_hour, written - for_an_hour) > _MIXED * written:
        return "the recording wrote to caches of five minutes and of an hour, and each simulated call does as it did"
    return f"the recording wrote to a cache with a lifetime of {_words(seconds)}"


def _recorded_reads(session: Session, usages: Mapping[str, Usage | None], agent: str) -> dict[str, tuple[int, bool]]:
    """Return the tokens that calls read from the cache, and whether these are all the remaining ones.

    The keys are the ids of the replies. The remaining tokens are unknown for the first call. Calls after a compaction
    are not among them, because a compaction belongs to one policy only.
    """
    reads: dict[str, tuple[int, bool]] = {}
    compactions = [place for place in session.compactions if session.messages[place].agent == agent]
    is_automatic = not any(usage.cache_write for usage in usages.values() if usage)
    last, left = -1, 0
    for position in session.turns(agent):
        name = session.messages[position].id
        usage = usages.get(name)
        if usage is None:
            continue
        is_compacted = bisect_left(compactions, last) < bisect_left(compactions, position)
        if last >= 0 and not is_compacted:
            reads[name] = usage.cache_read, usage.cache_read >= _LEFT * left
        last, left = position, usage.input if is_automatic else usage.cache_read + usage.cache_write
    return reads


def _words(seconds: int) -> str:
    return "an hour" if seconds == _HOUR else "five minutes"


@dataclass(frozen=True, slots=True)
class CallBill:
    """Cost of one call, in dollars."""

    reported: Cost | None
    """Cost of the usage that the provider reported; None if it reported none."""
    simulated: Cost
    """Cost computed from the window and the simulated cache."""
    uncached: float
    """Cost without a prompt cache: from the reported usage if the recording is replayed, else from the window."""
    is_call: bool = True
    """True if a request was sent. Some recorders split one call into several replies; only the first is billed."""

    @property
    def paid(self) -> Cost:
        """Reported cost, or the simulated one if none was reported."""
        return self.simulated if self.reported is None else self.reported

    def with_summaries(self, dollars: float) -> CallBill:
        """Return the bill with the cost of the summaries made before the call."""
        reported = replace(self.reported, summaries=dollars) if self.reported else None
        simulated = replace(self.simulated, summaries=dollars)
        return replace(self, reported=reported, simulated=simulated, uncached=self.uncached + dollars)

    def with_recall(self, window: int, fetched: int, price: Price) -> CallBill:
        """Return the bill with an additional call that asks an archive for messages missing from the window.

        The recorded agent had no tool for that. The call reads the window from the cache that this call has written.

        Args:
            window: Tokens of the window.
            fetched: Tokens of the fetched messages.
            price: Price of the model.
        """
        sent = Usage(window + fetched, _FETCH, window, fetched)
        extra, extra_uncached = cost(price, sent).total, cost(price, Usage(window + fetched, _FETCH)).total
        return replace(self, simulated=replace(self.simulated, recalls=extra), uncached=self.uncached + extra_uncached)


NO_BILL = CallBill(None, Cost(), 0.0, is_call=False)
"""The bill if no request was sent."""


class Biller:
    """Bills the calls of one replay, in order."""

    def __init__(
        self, session: Session, sizes: Sizes, price: Price, agent: str = MAIN, as_reported: bool = False
    ) -> None:
        self.session = session
        self.sizes = sizes
        self.price = price
        self.as_reported = as_reported
        self.lifetime = cache_lifetime(session, agent)
        self.usages = {call.reply.id: call.usage for call in calls_of(session)}
        """Usage of each call, by the id of its first reply. Some recorders split one call into several replies."""
        self.reads = _recorded_reads(session, self.usages, agent)
        """Tokens that the recorded calls read from the cache, and whether nothing of it was lost before."""
        replies = (session.messages[position].id for position in session.turns(agent))
        first = next((self.usages[reply] for reply in replies if reply in self.usages), None)
        self.cached = first.cache_read if first else 0
        """Cached tokens at the start of the window; for the first call, possibly from an earlier session."""
        others = [call for call in billed_calls(session) if call.reply.id not in self.usages] if as_reported else []
        self.compactions = [call for call in others if call.reply.agent == agent and call.usage]
        """Reported calls that wrote the summaries of recorded compactions, and that are not billed yet."""
        self.last: datetime | None = None
        """Time of the reply to the last call."""
        self.for_an_hour: float | None = None
        """Share of the tokens that the last recorded call wrote for an hour; None before one wrote any."""
        self.model = ""
        """Model of the last call."""

    def keep(self, tokens: int) -> None:
        """Limit the unchanged prefix of the window, and with it the cached part, to a number of tokens."""
        self.cached = min(self.cached, tokens)

    def bill(self, position: int, total: int, prefix: int) -> CallBill:
        """Return the bill of a call; `NO_BILL` for a further reply to a call that was already billed.

        Args:
            position: Position of the reply in the log.
            total: Tokens sent.
            prefix: Tokens that the next call starts with, unless the window changes.
        """
        reply = self.session.messages[position]
        if reply.id not in self.usages:
            return NO_BILL
        price = self.price.of(reply)
        read, is_whole = self.reads.get(reply.id, (0, True))
        if not is_whole:
            self.keep(read)
        warm = 0 if self.has_forgotten(reply, read) else min(self.cached, total)
        self.cached = prefix
        usage = self.usages[reply.id]
        if usage and usage.cache_write:
            self.for_an_hour = usage.cache_write_1h / usage.cache_write
        output, missing = whole_output(usage, self.sizes.tokens[position])
        written = total - warm if self.lifetime.seconds else 0
        simulated = cost(price, Usage(total, output, warm, written, round(written * self.hour_share)), missing)
        if not self.as_reported or usage is None:
            return CallBill(None, simulated, cost(price, Usage(total, output), missing).total)
        reported = cost(price, replace(usage, output=output), missing) + self._compacted_before(position)
        return CallBill(reported, simulated, cost(price, Usage(usage.input, output), missing).total)

    @property
    def hour_share(self) -> float:
        """Share of the tokens that a call writes for an hour: that of the last recorded call that wrote any."""
        return float(self.lifetime.for_an_hour) if self.for_an_hour is None else self.for_an_hour

    def _compacted_before(self, position: int) -> Cost:
        """Return the cost of the calls that wrote the summaries between the last billed call and this one."""
        due = [call for call in self.compactions if call.position < position]
        self.compactions = self.compactions[len(due) :]
        return sum((cost(self.price.of(call.reply), call.usage) for call in due if call.usage), Cost())

    def has_forgotten(self, reply: Message, read: int = 0) -> bool:
        """Return True if the cache expired before this call, or another model's call filled it.

        The call is dated by the message before the reply.

        Args:
            read: Tokens that the recorded call read from the cache. If there are any, it had not expired.
        """
        time, last, model = time_of(reply), self.last, self.model
        self.last, self.model = time or last, reply.model or model
        if is_other_model(model, reply.model):
            return True
        if not self.lifetime.seconds:
            return True
        if read or self.lifetime.always_warm or time is None or last is None:
            return False
        sent = time_of(self.session.messages[reply.parent]) if reply.parent >= 0 else None
        seconds = _HOUR if 2 * self.hour_share > 1 else _MINUTES
        return (min(time, sent or time) - last).total_seconds() > seconds
