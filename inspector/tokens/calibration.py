"""Our counts against what the provider reported: how far its tokenizer is from ours, and how much no file records.

A reply tells how large the window was that it answers (`Usage.input`). We know what we counted in that window. Over
the turns of a session the two tell two things apart: the *factor*, by which the provider's tokens outnumber ours (from
how both grow from one turn to the next), and what is *unrecorded*, the rest that no message accounts for: the system
prompt and the tools of formats that leave them out, and whatever an agent slipped into the context without writing it
down. The unrecorded rest changes within a session, in jumps, so it is kept for every place in the log.

Everything is done with running sums along the contexts: in linear time, without reading any text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from inspector.conversation import MAIN, Session

REPLY = 3
"""Tokens of a request that ask for the reply."""
_LEAST_FACTOR, _MOST_FACTOR = 0.7, 2.0
"""No tokenizer is further from ours. Growth outside this range is no evidence: something was added or taken unseen."""
_ENOUGH_TURNS = 5
_ENOUGH_TOKENS = 1_000
"""Below either of the two, the factor stays 1."""
_MOST_VOTES = 1_000
"""Turns that are asked, spread over the session: more would not change a median."""


class ReportedTurn(NamedTuple):
    """A reply with its reported usage."""

    position: int
    """Of the reply in the log."""
    end: int
    """Where in the log the window ended that it answers; -1 for an empty one."""
    tokens: int
    usage: int
    model: str
    agent: str
    before: ReportedTurn | None
    """The turn before it in the same context."""


@dataclass(frozen=True, slots=True)
class Calibration:
    factor: float
    """Multiplies a raw count."""
    tokens: Sequence[int]
    """The counts, multiplied."""
    unrecorded: int
    """Tokens of a typical window that no message accounts for; 0 where the system prompt is recorded."""
    levels: Sequence[int] = ()
    """The same for the context that ends with each message of the log; empty where the system prompt is recorded."""
    turns: int = 0
    """Replies with usable usage."""
    error: float | None = None
    """How far totals are from the reported ones, a mean share of them; None when there is nothing to compare.

    Where the system prompt is unrecorded, each total is foretold from the turn before.
    """


def calibrate(session: Session, counts: Sequence[int], tools: int = 0, *, own_tokenizer: bool = False) -> Calibration:
    """Fit raw counts, one per message of the log, and the raw count of the tools, to the session's reported usage.

    `own_tokenizer`: the counts are made by the model's own tokenizer, so the factor is 1.
    """
    turns = turns_of(session, running_totals(session, counts))
    main = [turn for turn in turns if turn.agent == MAIN] or turns
    if not main:
        return Calibration(1.0, counts, 0)
    sample = main[:: -(-len(main) // _MOST_VOTES)]
    factor = 1.0
    if not own_tokenizer and len(main) >= _ENOUGH_TURNS:
        factor = _weighted_median(_shares(sample, tools) if session.records_system else _growths(sample))
    tokens = counts if factor == 1.0 else [round(factor * count) for count in counts]
    if session.records_system:
        return Calibration(factor, tokens, 0, (), len(main), _total_error(sample, factor, tools))
    rests = _rests(session, turns, tokens, round(factor * tools) + REPLY)
    usual = sorted(rests[turn.position] for turn in main)[len(main) // 2]
    levels = _levels(session, turns, rests, usual)
    return Calibration(factor, tokens, usual, levels, len(main), _step_error(sample, factor))


def running_totals(session: Session, tokens: Sequence[int]) -> list[int]:
    """For each message, the tokens of the context that ends with it. A notice takes none: it is never sent."""
    sums: list[int] = []
    for position, (message, own) in enumerate(zip(session.messages, tokens, strict=True)):
        parent = message.parent
        before = sums[parent] if 0 <= parent < position else 0
        sums.append(before if message.kind == "notice" else before + own)
    return sums


def turns_of(session: Session, sums: Sequence[int]) -> list[ReportedTurn]:
    """The replies whose usage can be believed, in the order of the log.

    A usage of 0 is no usage (error notes and replies that the agent made up carry it), and a reply that repeats the
    usage of the one before it belongs to the same call.
    """
    turns: list[ReportedTurn] = []
    latest: list[ReportedTurn | None] = []
    for position, message in enumerate(session.messages):
        parent = message.parent
        begins = not 0 <= parent < position
        last = None if begins else latest[parent]
        usage = message.usage
        if (
            usage is not None
            and usage.input > 0
            and message.role == "assistant"
            and message.kind != "notice"
            and (last is None or last.usage != usage.input)
        ):
            end, counted = (-1, 0) if begins else (parent, sums[parent])
            last = ReportedTurn(position, end, counted, usage.input, message.model, message.agent, last)
            turns.append(last)
        latest.append(last)
    return turns


def _growths(turns: Sequence[ReportedTurn]) -> list[tuple[float, int]]:
    """From turn to turn, by what the reported window grew for each token that ours grew; and how much ours did."""
    main = _main_model(turns)
    votes = []
    for turn in turns:
        last = turn.before
        if last is not None and turn.model == main == last.model and (growth := turn.tokens - last.tokens) > 0:
            votes.append(((turn.usage - last.usage) / growth, growth))
    return votes


def _shares(turns: Sequence[ReportedTurn], tools: int) -> list[tuple[float, int]]:
    """At each turn, how many tokens were reported for each that we counted; and how many we did."""
    main = _main_model(turns)
    windows = ((turn.usage - REPLY, turn.tokens + tools) for turn in turns if turn.model == main)
    return [(usage / count, count) for usage, count in windows if count > 0]


def _main_model(turns: Sequence[ReportedTurn]) -> str:
    return Counter(turn.model for turn in turns).most_common(1)[0][0]


def _weighted_median(votes: Iterable[tuple[float, int]]) -> float:
    """The median of the factors, each weighed by the tokens that speak for it; 1 when too few speak."""
    sound = sorted((factor, weight) for factor, weight in votes if _LEAST_FACTOR <= factor <= _MOST_FACTOR)
    total = sum(weight for _, weight in sound)
    if total < _ENOUGH_TOKENS:
        return 1.0
    half = bisect_left(list(accumulate(weight for _, weight in sound)), total / 2)
    return sound[half][0]


def _rests(session: Session, turns: Sequence[ReportedTurn], tokens: Sequence[int], around: int) -> dict[int, int]:
    """What the messages leave unexplained at each turn, by the reply's position; `around` is explained without them."""
    sums = running_totals(session, tokens)
    return {turn.position: max(0, turn.usage - around - (sums[turn.end] if turn.end >= 0 else 0)) for turn in turns}


def _levels(session: Session, turns: Sequence[ReportedTurn], rests: Mapping[int, int], usual: int) -> list[int]:
    """What is unrecorded in the context that ends with each message of the log.

    A context that was never sent is taken to be like the last one before it that was; where a conversation begins,
    like the next one that its agent sent; and where the agent reports nothing, to be a usual one.
    """
    sizes_at = {turn.end: rests[turn.position] for turn in turns}
    replies: defaultdict[str, list[int]] = defaultdict(list)
    for turn in turns:
        replies[turn.agent].append(turn.position)
    levels: list[int] = []
    for position, message in enumerate(session.messages):
        level = sizes_at.get(position)
        if level is None and 0 <= message.parent < position:
            level = levels[message.parent]
        elif level is None:
            own = replies[message.agent]
            level = rests[own[min(bisect_left(own, position), len(own) - 1)]] if own else usual
        levels.append(level)
    return levels


def _total_error(turns: Sequence[ReportedTurn], factor: float, tools: int) -> float:
    errors = [abs(factor * (turn.tokens + tools) + REPLY - turn.usage) / turn.usage for turn in turns]
    return sum(errors) / len(errors)


def _step_error(turns: Sequence[ReportedTurn], factor: float) -> float | None:
    errors = [
        abs(turn.usage - last.usage - factor * (turn.tokens - last.tokens)) / turn.usage
        for turn in turns
        if (last := turn.before) is not None
    ]
    return sum(errors) / len(errors) if errors else None
