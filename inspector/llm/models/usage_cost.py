"""Cost of a recorded session, from the usage reported with its replies.

Replies without reported usage are not included in the sum but counted separately, so that a partial sum is never shown
as the total. Output that was reported before the reply was complete is estimated and shown separately.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import reduce
from operator import add
from typing import Annotated

from inspector.core.conversation import Message, Session, Usage
from inspector.core.json_objects import json_object
from inspector.llm.models.catalog import strip_version
from inspector.llm.models.overrides import Rates
from inspector.llm.models.prices import Cost, Price, SessionPrice, cost, price_of

NOTHING = Usage(0, 0)


@json_object("Cost line", "model price=price_id calls unreported cost=cost.total parts=cost")
@dataclass(frozen=True, slots=True)
class _CostLine:
    """Usage and cost of one agent's calls to one model."""

    agent: str
    model: Annotated[str, "as recorded; empty if it was not"]
    calls: Annotated[int, "with reported usage"]
    unreported: Annotated[int, "calls without reported usage, which the other numbers exclude"]
    usage: Usage
    cost: Cost
    price: Price
    """Price at the last call. Each call is billed at the price at its time."""

    @property
    def price_id(self) -> Annotated[str, "id of the model in the price table"]:
        return self.price.model


@dataclass(frozen=True, slots=True)
class SessionCost:
    """Cost of a session by agent and model, in the order of their first replies."""

    lines: Annotated[tuple[_CostLine, ...], "by model"]

    @property
    def cost(self) -> Cost:
        return reduce(add, (line.cost for line in self.lines), Cost())

    @property
    def usage(self) -> Usage:
        return reduce(add_usage, (line.usage for line in self.lines), NOTHING)

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def unreported(self) -> int:
        return sum(line.unreported for line in self.lines)

    @property
    def notes(self) -> Annotated[tuple[str, ...], "notes about the costs, each a clause"]:
        prices = (line.price.note for line in self.lines if line.calls)
        return tuple(dict.fromkeys(note for note in (self.gap, *prices) if note))

    @property
    def gap(self) -> str:
        """Sentence about calls that the sum does not include; empty if all calls reported their usage."""
        every = self.calls + self.unreported
        if not self.unreported:
            return ""
        if not self.calls:
            return "no call reported its usage, so the cost is unknown"
        return f"{self.unreported:,} of {every:,} calls reported no usage and are not included"


_WHOLE = 0.75
"""Reported output below this share of the recorded reply is considered incomplete."""
_FRAME = 16
"""Tokens of a counted message that the model did not generate."""


def session_cost(
    session: Session,
    provider: str = "",
    overlay: Mapping[str, Rates] | None = None,
    at: datetime | None = None,
    sizes: Sequence[int] = (),
) -> SessionCost:
    """Return the cost of a session, from reported usage.

    Args:
        session: The session.
        provider: See `price_of`.
        overlay: See `price_of`.
        at: Time of calls without a recorded time. Default: now. Other calls are billed at the price of their time.
        sizes: Tokens of each message in the log. If given, incompletely reported output is estimated.

    Raises:
        ValueError: The overlay contains an invalid price.
    """
    lines: dict[tuple[str, str], _CostLine] = {}
    prices = _Prices(session, provider, overlay, at)
    for call in billed_calls(session):
        model = call.reply.model or session.model
        line = _cost_line(call, model, prices.of(call.reply), sizes[call.position] if sizes else 0)
        earlier = lines.get((line.agent, model))
        lines[line.agent, model] = _together(earlier, line) if earlier else line
    return SessionCost(tuple(lines.values()))


def _cost_line(call: SessionCall, model: str, price: Price, visible: int) -> _CostLine:
    if call.usage is None:
        return _CostLine(call.reply.agent, model, 0, 1, NOTHING, Cost(), price)
    output, estimated = whole_output(call.usage, visible)
    dollars = cost(price, replace(call.usage, output=output), estimated)
    return _CostLine(call.reply.agent, model, 1, 0, call.usage, dollars, price)


def _together(first: _CostLine, second: _CostLine) -> _CostLine:
    return _CostLine(
        first.agent,
        first.model,
        first.calls + second.calls,
        first.unreported + second.unreported,
        add_usage(first.usage, second.usage),
        first.cost + second.cost,
        second.price,
    )


class _Prices:
    """Prices of a session's replies, each by its own model and hour. Each is looked up once."""

    def __init__(self, session: Session, provider: str, overlay: Mapping[str, Rates] | None, at: datetime | None):
        self.session, self.provider, self.overlay = session, provider, overlay
        self.now = at or datetime.now(UTC)
        self.known: dict[tuple[str, datetime], Price] = {}

    def of(self, reply: Message) -> Price:
        model = reply.model or self.session.model
        hour = (time_of(reply) or self.now).replace(minute=0, second=0, microsecond=0)
        if (model, hour) not in self.known:
            self.known[model, hour] = price_of(model, self.provider, self.overlay, hour)
        return self.known[model, hour]


def session_price(session: Session) -> SessionPrice:
    """Return the price of a session's model at the time of its first reply, or now if it has no times.

    Calls to other models and at other times have their own prices.

    Raises:
        ValueError: The user's own price of a model is invalid.
    """
    replies = [message for message in session.messages if message.is_reply]
    model = session.model or next((reply.model for reply in reversed(replies) if reply.model), "")
    main = price_of(model, at=next(filter(None, map(time_of, replies)), None))
    prices = _Prices(session, "", None, None)
    used = {message.id: prices.of(message) for message in session.messages if message.is_reply or message.usage}
    notes = dict.fromkeys(price.note for price in used.values() or (main,) if price.note)
    own = {rate.name: getattr(main, rate.name) for rate in fields(main)} | {"note": "; ".join(notes)}
    return SessionPrice(**own, by_call={reply: price for reply, price in used.items() if price != main})


def add_usage(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.input + second.input,
        first.output + second.output,
        first.cache_read + second.cache_read,
        first.cache_write + second.cache_write,
        first.cache_write_1h + second.cache_write_1h,
    )


def cost_of_calls(session: Session, positions: Container[int]) -> float | None:
    """Return the cost of model calls in dollars.

    Args:
        session: Recorded session.
        positions: Positions of the replies in its log.

    Returns:
        None if the usage or price of one of them is unknown.

    Raises:
        ValueError: The user's own price of a model is invalid.
    """
    prices, total = _Prices(session, "", None, None), 0.0
    for call in billed_calls(session):
        if call.position in positions:
            price = prices.of(call.reply)
            if call.usage is None or price.source == "default":
                return None
            total += cost(price, call.usage).total
    return total


def time_of(message: Message) -> datetime | None:
    """Return the recorded time of a message, in UTC if it has no time zone, or None if it has no valid time."""
    try:
        time = datetime.fromisoformat(message.time)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def is_other_model(first: str, second: str) -> bool:
    """Return True if two recorded names are known to be of different models. Versions of one name are one model."""
    return bool(first and second) and strip_version(first.lower()) != strip_version(second.lower())


def whole_output(usage: Usage | None, visible: int) -> tuple[int, int]:
    """Return the complete output of a call in tokens, and the estimated part of it.

    Recorders can save the usage before the reply is complete. Reported output that is clearly smaller than the recorded
    reply is replaced by the size of the reply.

    Args:
        usage: Reported usage, if any.
        visible: Tokens of the recorded reply.
    """
    reported = usage.output if usage else 0
    if usage and reported >= _WHOLE * (visible - _FRAME):
        return reported, 0
    return max(visible, reported), max(0, visible - reported)


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
