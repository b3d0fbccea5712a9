"""What the calls of a replay cost: with a prompt cache that forgets as the recording's own did.

A cache keeps what a call sent for five minutes, or for an hour where the recording paid for that. The recorded times
of the replies tell when it had forgotten: then all of a window is written to it again. Whatever policy is tried, its
calls are made at the recorded times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from inspector.core.conversation import MAIN, Message, Session, Usage
from inspector.core.json_objects import json_object
from inspector.llm.models import Cost, Price, calls_of, cost, time_of, whole_output
from inspector.llm.tokens import Sizes

_FETCH = 60
"""Tokens of a call to a tool that fetches from an archive."""
_MINUTES, _HOUR = 300, 3600
"""Seconds that the two kinds of caches live after their last use."""


@json_object("Cache")
@dataclass(frozen=True, slots=True)
class CacheLifetime:
    """How long a simulated prompt cache keeps what a call sent."""

    seconds: Annotated[int, "300 or 3600, after the call before"]
    always_warm: Annotated[bool, "whether it is taken to forget nothing, because no times are recorded"]
    reason: str
    """Why, in a clause without a full stop."""

    @property
    def for_an_hour(self) -> bool:
        return self.seconds == _HOUR


UNKNOWN_LIFETIME = CacheLifetime(_MINUTES, True, "nothing is known of it")
Basis = Annotated[
    Literal["reported", "partly reported", "simulated"],
    "what `cost` goes by: usage as the provider reported it, of all calls or of some, or windows and a cache",
]


def cache_lifetime(session: Session, agent: str = MAIN) -> CacheLifetime:
    """What the recording tells of the cache of an agent's calls."""
    replies = [session.messages[position] for position in session.turns(agent)]
    usages = [reply.usage for reply in replies if reply.usage]
    written, for_an_hour = (sum(getattr(usage, name) for usage in usages) for name in ("cache_write", "cache_write_1h"))
    seconds = _HOUR if 2 * for_an_hour > written else _MINUTES
    if not any(map(time_of, replies)):
        return CacheLifetime(seconds, True, "no times are recorded, so the cache is taken to forget nothing")
    if written:
        return CacheLifetime(seconds, False, f"the recording wrote to a cache of {_words(seconds)}")
    return CacheLifetime(seconds, False, f"nothing tells of the cache, so it is taken to keep for {_words(seconds)}")


def _words(seconds: int) -> str:
    return "an hour" if seconds == _HOUR else "five minutes"


@dataclass(frozen=True, slots=True)
class CallBill:
    """What one call costs, in dollars."""

    reported: Cost | None
    """By the usage that the provider reported; None where it reported none."""
    simulated: Cost
    """By the window and the cache."""
    uncached: float
    """Without a prompt cache: by the reported usage where there is one for the recording itself, else by the window."""
    is_call: bool = True
    """Whether anything was sent: some recorders write one call down as several replies, and it is billed once."""

    @property
    def paid(self) -> Cost:
        """What was reported, else what was worked out."""
        return self.simulated if self.reported is None else self.reported

    def with_summaries(self, dollars: float) -> CallBill:
        """The same with what summaries cost that were made before the call."""
        reported = replace(self.reported, summaries=dollars) if self.reported else None
        simulated = replace(self.simulated, summaries=dollars)
        return replace(self, reported=reported, simulated=simulated, uncached=self.uncached + dollars)

    def with_recall(self, window: int, fetched: int, price: Price) -> CallBill:
        """The same with a call more, which asks an archive for what the window of `window` tokens does not hold.

        The recorded agent had no tool for that. It reads the window from the cache that this call has written, and
        brings `fetched` tokens.
        """
        sent = Usage(window + fetched, _FETCH, window, fetched)
        extra, extra_uncached = cost(price, sent).total, cost(price, Usage(window + fetched, _FETCH)).total
        return replace(self, simulated=replace(self.simulated, recalls=extra), uncached=self.uncached + extra_uncached)


NO_BILL = CallBill(None, Cost(), 0.0, is_call=False)
"""What is billed where nothing was sent."""


class Biller:
    """Bills the calls of one replay, in their order. `as_reported` is for the replay of the recording itself."""

    def __init__(
        self, session: Session, sizes: Sizes, price: Price, agent: str = MAIN, as_reported: bool = False
    ) -> None:
        self.session = session
        self.sizes = sizes
        self.price = price
        self.as_reported = as_reported
        self.lifetime = cache_lifetime(session, agent)
        self.usages = {call.reply.id: call.usage for call in calls_of(session)}
        """The usage of each call, by the id of its first reply; some recorders write one call down as several."""
        replies = (session.messages[position].id for position in session.turns(agent))
        first = next((self.usages[reply] for reply in replies if reply in self.usages), None)
        self.cached = first.cache_read if first else 0
        """Tokens at the beginning of the window that the cache holds. The first call may find what others left."""
        self.last: datetime | None = None
        """When the last call was answered."""

    def keep(self, tokens: int) -> None:
        """No more than so many tokens at the beginning of the window are as the last call sent them."""
        self.cached = min(self.cached, tokens)

    def bill(self, position: int, total: int, prefix: int) -> CallBill:
        """The bill of the call that sent `total` tokens and gave the reply at `position`.

        `prefix` tokens of them stand at the beginning of the window of the next call, unless it changes. `NO_BILL` for
        a reply of a call that an earlier one is billed for: nothing was sent for it.
        """
        reply = self.session.messages[position]
        if reply.id not in self.usages:
            return NO_BILL
        warm = 0 if self.has_forgotten(reply) else min(self.cached, total)
        self.cached = prefix
        usage = self.usages[reply.id]
        output, missing = whole_output(usage, self.sizes.tokens[position])
        written = total - warm
        for_an_hour = written if self.lifetime.for_an_hour else 0
        simulated = cost(self.price, Usage(total, output, warm, written, for_an_hour), missing)
        if not self.as_reported or usage is None:
            return CallBill(None, simulated, cost(self.price, Usage(total, output), missing).total)
        reported = cost(self.price, replace(usage, output=output), missing)
        return CallBill(reported, simulated, cost(self.price, Usage(usage.input, output), missing).total)

    def has_forgotten(self, reply: Message) -> bool:
        """Whether the cache lost what the last call sent before this one was, which the message before it dates."""
        time, last = time_of(reply), self.last
        self.last = time or last
        if self.lifetime.always_warm or time is None or last is None:
            return False
        sent = time_of(self.session.messages[reply.parent]) if reply.parent >= 0 else None
        return (min(time, sent or time) - last).total_seconds() > self.lifetime.seconds
