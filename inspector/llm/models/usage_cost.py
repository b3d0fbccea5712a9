"""What a recorded session cost, from the usage that its replies report.

A reply without reported usage adds nothing to the sum and is counted apart, so that a sum of part of the calls is never
shown as that of all. Output that was reported before it was whole is estimated, apart from what is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from operator import add
from typing import Annotated

from inspector.core.conversation import Message, Session, Usage
from inspector.core.json_objects import json_object
from inspector.llm.models.overrides import Rates
from inspector.llm.models.prices import Cost, Price, cost, price_of


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of a model: the first reply that came of it, and its usage; None where none was reported."""

    reply: Message
    position: int
    """Of the reply, in the log."""
    usage: Usage | None


@json_object("Cost line", "model price=price_id calls unreported cost=cost.total parts=cost")
@dataclass(frozen=True, slots=True)
class _CostLine:
    """What an agent's calls to one model cost, as far as they were reported."""

    agent: str
    model: Annotated[str, "as recorded; empty where it was not"]
    calls: Annotated[int, "with reported usage"]
    unreported: Annotated[int, "calls without, which are in no other number here"]
    usage: Usage
    cost: Cost
    price: Price
    """As it was at the last call; each call is billed at the price of its own time."""

    @property
    def price_id(self) -> Annotated[str, "the id that the price was found by"]:
        return self.price.model


@dataclass(frozen=True, slots=True)
class SessionCost:
    """What a session cost, by agent and model, in the order in which they first replied."""

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
    def notes(self) -> Annotated[tuple[str, ...], "what to know about the costs, each a clause"]:
        prices = (line.price.note for line in self.lines if line.calls)
        return tuple(dict.fromkeys(note for note in (self.gap, *prices) if note))

    @property
    def gap(self) -> str:
        """What the sum leaves out; empty when every call reported its usage."""
        every = self.calls + self.unreported
        if not self.unreported:
            return ""
        if not self.calls:
            return "no call reported its usage, so nothing is known about the cost"
        return f"{self.unreported:,} of {every:,} calls reported no usage, and what they cost is not in the sum"


NOTHING = Usage(0, 0)
_WHOLE = 0.75
"""Reported output below this share of the reply as it can be read is not all of it."""
_FRAME = 16
"""Tokens that a message may be counted with beyond what a model writes of it."""


def session_cost(
    session: Session,
    provider: str = "",
    overlay: Mapping[str, Rates] | None = None,
    at: datetime | None = None,
    sizes: Sequence[int] = (),
) -> SessionCost:
    """What a session cost as far as it was reported.

    Each call is billed at the price of its own time; one without a time at that of `at`, or of now. `provider` and
    `overlay` are as in `price_of`. With the `sizes` of the log's messages in tokens, output that was not reported to
    its end is estimated. Raises ValueError for an overlay that cannot be used.
    """
    lines: dict[tuple[str, str], _CostLine] = {}
    prices: dict[tuple[str, datetime], Price] = {}
    now = at or datetime.now(UTC)
    for call in calls_of(session):
        model = call.reply.model or session.model
        hour = (time_of(call.reply) or now).replace(minute=0, second=0, microsecond=0)
        if (model, hour) not in prices:
            prices[model, hour] = price_of(model, provider, overlay, hour)
        line = _cost_line(call, model, prices[model, hour], sizes[call.position] if sizes else 0)
        earlier = lines.get((line.agent, model))
        lines[line.agent, model] = _together(earlier, line) if earlier else line
    return SessionCost(tuple(lines.values()))


def _cost_line(call: _Call, model: str, price: Price, visible: int) -> _CostLine:
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


def session_price(session: Session) -> Price:
    """The price of a session's model at the time of its first reply; of one without a time, now.

    Raises ValueError for a price of the person's own that cannot be used.
    """
    replies = (message for message in session.messages if message.is_reply)
    return price_of(session.model, at=next(filter(None, map(time_of, replies)), None))


def add_usage(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.input + second.input,
        first.output + second.output,
        first.cache_read + second.cache_read,
        first.cache_write + second.cache_write,
        first.cache_write_1h + second.cache_write_1h,
    )


def calls_of(session: Session) -> Sequence[_Call]:
    """The model calls of a session, in the order of the log.

    A reply that repeats what was sent for one of the two calls before it in its context came of the same call: some
    recorders write one call down as several messages. The first of them is the call's reply, and the largest output of
    them its output.
    """
    calls: list[_Call] = []
    recent: list[tuple[int, ...]] = []
    for position, message in enumerate(session.messages):
        before = recent[message.parent] if 0 <= message.parent < position else ()
        if message.is_reply:
            usage = message.usage if message.usage and message.usage.input > 0 else None
            same = next((number for number in before if _sends_the_same(calls[number].usage, usage)), None)
            if same is None:
                calls.append(_Call(message, position, usage))
                before = (*before[-1:], len(calls) - 1)
            elif usage and usage.output > (calls[same].usage or NOTHING).output:
                calls[same] = replace(calls[same], usage=usage)
        recent.append(before)
    return calls


def _sends_the_same(first: Usage | None, second: Usage | None) -> bool:
    return first is not None and second is not None and _input_sizes(first) == _input_sizes(second)


def _input_sizes(usage: Usage) -> tuple[int, int, int]:
    return usage.input, usage.cache_read, usage.cache_write


def time_of(message: Message) -> datetime | None:
    """When a message was written, as far as its record tells; without a zone it is taken for UTC."""
    try:
        time = datetime.fromisoformat(message.time)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def whole_output(usage: Usage | None, visible: int) -> tuple[int, int]:
    """The output of a call in tokens, and how many of them are an estimate.

    Recorders write down how many tokens a reply had when they heard of it, which may be its first words. `visible` is
    the reply as it can be read; output that is reported as clearly less than that is taken to be as much.
    """
    reported = usage.output if usage else 0
    if usage and reported >= _WHOLE * (visible - _FRAME):
        return reported, 0
    return max(visible, reported), max(0, visible - reported)
