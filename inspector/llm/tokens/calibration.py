"""Our counts against what the provider reported: how far its tokenizer is from ours, and how much no file records.

A reply tells how large the window was that it answers (`Usage.input`). We know what we counted in that window. Over
the turns of a session the two tell two things apart: the *factor*, by which the provider's tokens outnumber ours, and
what is *unrecorded*, the rest that no message accounts for: the system prompt and the tools of formats that leave them
out, and whatever an agent put into the context without writing it down.

The unrecorded rest is one number for a *stretch* of the session: the turns between two compactions, or between two
places where the reported size jumps and the recorded one does not (older content was cleared unseen, or much was
attached). Factor and stretches are a line through the turns: reported = unrecorded of the stretch + factor * counted.
The slope is that of least squares within the stretches, so that a steady trickle of unrecorded reminders is part of
the factor; the height of a stretch is the median of its turns.

Everything is done with running sums along the contexts: in linear time, without reading any text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from inspector.core.conversation import MAIN, Session
from inspector.llm.models import calls_of

REPLY = 3
"""Tokens of a request that ask for the reply."""
_MIN_FACTOR, _MAX_FACTOR = 0.7, 2.0
"""No tokenizer is further from ours. Growth outside this range is no evidence: something was added or taken unseen."""
_ENOUGH_TURNS = 5
_ENOUGH_TOKENS = 1_000
"""Below either of the two, the factor stays 1."""
_MAX_VOTES = 1_000
"""Turns that are asked, spread over the session: more would not change a median."""
_JUMP_TOKENS, _JUMP_SHARE = 4_000, 0.05
"""A stretch ends where the unrecorded rest changes by more than both, the second as a share of the reported size."""
_ROUNDS = 3
"""How often stretches and slope are worked out, each from the other. They settle in two on recorded sessions."""


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
    """How far totals are from the reported ones, a mean share of them; None when there is nothing to compare."""


def calibrate(session: Session, counts: Sequence[int], tools: int = 0, *, own_tokenizer: bool = False) -> Calibration:
    """Fit raw counts, one per message of the log, and the raw count of the tools, to the session's reported usage.

    `own_tokenizer`: the counts are made by the model's own tokenizer, so the factor is 1. A session that was exported
    brings what was fitted there; one of which only the context window is known brings nothing.
    """
    known = session.sizes
    if known and (known.factor != 1.0 or known.unrecorded):
        return Calibration(known.factor, _scaled(counts, known.factor), known.unrecorded)
    return _fit(session, counts, tools, own_tokenizer)


def _fit(session: Session, counts: Sequence[int], tools: int, own_tokenizer: bool) -> Calibration:
    turns = turns_of(session, running_totals(session, counts))
    main = [turn for turn in turns if turn.agent == MAIN] or turns
    if not main:
        return Calibration(1.0, counts, 0)
    sample = main[:: -(-len(main) // _MAX_VOTES)]
    fits = not own_tokenizer and len(main) >= _ENOUGH_TURNS
    if session.records_system:
        factor = _weighted_median(_shares(sample, tools)) if fits else 1.0
        return Calibration(factor, _scaled(counts, factor), 0, (), len(main), _total_error(sample, factor, tools))
    factor = _slope(main, _weighted_median(_growths(sample))) if fits else 1.0
    tokens = _scaled(counts, factor)
    around = round(factor * tools) + REPLY
    sums = running_totals(session, tokens)
    rests = _rests(_stretches(turns, factor), sums, around)
    usual = sorted(rests[turn.position] for turn in main)[len(main) // 2]
    levels = _levels(session, turns, rests, usual)
    own = [around + rests[turn.position] + (sums[turn.end] if turn.end >= 0 else 0) for turn in main]
    errors = [abs(total - turn.usage) / turn.usage for total, turn in zip(own, main, strict=True)]
    return Calibration(factor, tokens, usual, levels, len(main), sum(errors) / len(errors))


def _scaled(counts: Sequence[int], factor: float) -> Sequence[int]:
    return counts if factor == 1.0 else [round(factor * count) for count in counts]


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

    A usage of 0 is no usage (error notes and replies that the agent made up carry it), and of the replies of one call
    the first stands for all.
    """
    usages = {call.position: call.usage for call in calls_of(session)}
    turns: list[ReportedTurn] = []
    latest: list[ReportedTurn | None] = []
    for position, message in enumerate(session.messages):
        parent = message.parent
        begins = not 0 <= parent < position
        last = None if begins else latest[parent]
        if usage := usages.get(position):
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
    sound = sorted((factor, weight) for factor, weight in votes if _MIN_FACTOR <= factor <= _MAX_FACTOR)
    total = sum(weight for _, weight in sound)
    if total < _ENOUGH_TOKENS:
        return 1.0
    half = bisect_left(list(accumulate(weight for _, weight in sound)), total / 2)
    return sound[half][0]


def _stretches(turns: Sequence[ReportedTurn], factor: float) -> list[list[ReportedTurn]]:
    """The turns of each stretch, in order. Branches of one context share the stretch that they have come from."""
    stretches: list[list[ReportedTurn]] = []
    own: dict[int, list[ReportedTurn]] = {}
    for turn in turns:
        last = turn.before
        if last is None or last.position not in own or _is_jump(last, turn, factor):
            stretches.append([])
            own[turn.position] = stretches[-1]
        else:
            own[turn.position] = own[last.position]
        own[turn.position].append(turn)
    return stretches


def _is_jump(last: ReportedTurn, turn: ReportedTurn, factor: float) -> bool:
    change = turn.usage - last.usage - factor * (turn.tokens - last.tokens)
    return abs(change) > max(_JUMP_TOKENS, _JUMP_SHARE * turn.usage)


def _slope(turns: Sequence[ReportedTurn], factor: float) -> float:
    """The factor of least squares within the stretches, from a first guess; the guess where they do not tell.

    Only turns of the model that most turns have are asked.
    """
    model = _main_model(turns)
    own = [turn for turn in turns if turn.model == model]
    for _ in range(_ROUNDS):
        products = squares = 0.0
        for stretch in _stretches(own, factor):
            tokens = sum(turn.tokens for turn in stretch) / len(stretch)
            usage = sum(turn.usage for turn in stretch) / len(stretch)
            products += sum((turn.tokens - tokens) * (turn.usage - usage) for turn in stretch)
            squares += sum((turn.tokens - tokens) ** 2 for turn in stretch)
        if squares < _ENOUGH_TOKENS**2 or not _MIN_FACTOR <= products / squares <= _MAX_FACTOR:
            break
        factor = products / squares
    return factor


def _rests(stretches: Iterable[Sequence[ReportedTurn]], sums: Sequence[int], around: int) -> dict[int, int]:
    """What messages leave unexplained, by the position of the reply: one number a stretch, the median of its turns.

    `around` tokens of a request are explained without messages. Never negative: where less was reported than is
    recorded, something left the context unseen, and nobody knows what.
    """
    rests: dict[int, int] = {}
    for turns in stretches:
        gaps = sorted(turn.usage - around - (sums[turn.end] if turn.end >= 0 else 0) for turn in turns)
        rests |= dict.fromkeys((turn.position for turn in turns), max(0, gaps[len(gaps) // 2]))
    return rests


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
