"""Calibration of token counts against the usage that the provider reported.

A reply reports the size of the window that it answers (`Usage.input`). Comparing these sizes with our counts over the
turns of a session yields two values: the *factor* between the provider's tokens and ours, and the *unrecorded* tokens.
The latter are not in any recorded message: the system prompt and the tools, if the format omits them, and anything that
an agent added to the context without recording it.

The number of unrecorded tokens is constant within a *stretch* of the session: the turns between two compactions, or
between two positions where the reported size jumps and the recorded one does not (because older content was removed, or
much was attached). Within a stretch, reported = unrecorded + factor * counted. The factor is the least-squares slope
within the stretches, so it includes a steady trickle of unrecorded reminders. The unrecorded tokens are the median over
the turns of a stretch.

All steps use running totals along the contexts, in linear time and without reading any text.
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
"""Tokens in a request that start the reply."""
_MIN_FACTOR, _MAX_FACTOR = 0.7, 2.0
"""Range of plausible factors. Growth outside this range is ignored, because something was added or removed unseen."""
_ENOUGH_TURNS = 5
_ENOUGH_TOKENS = 1_000
"""Minimum number of turns and of counted tokens for a fit. Below either, the factor is 1."""
_MAX_VOTES = 1_000
"""Maximum number of turns in the sample, spread over the session. More would not change the median."""
_JUMP_TOKENS, _JUMP_SHARE = 4_000, 0.05
"""Minimum change in the unrecorded tokens that ends a stretch: in tokens, and as a share of the reported size."""
_ROUNDS = 3
"""Number of iterations that alternately determine stretches and slope. Recorded sessions converge in two."""


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


@dataclass(frozen=True, slots=True)
class Calibration:
    """Result of fitting counts to reported usage."""

    factor: float
    """Factor that raw counts are multiplied by."""
    tokens: Sequence[int]
    """Calibrated tokens of each message in the log."""
    unrecorded: int
    """Unrecorded tokens of a typical window; 0 if the system prompt is recorded."""
    levels: Sequence[int] = ()
    """Unrecorded tokens of the context that ends with each message; empty if the system prompt is recorded."""
    turns: int = 0
    """Number of replies with usable usage."""
    error: float | None = None
    """Mean relative error of the totals; None if no usage is reported."""


def calibrate(session: Session, counts: Sequence[int], tools: int = 0, *, own_tokenizer: bool = False) -> Calibration:
    """Fit raw token counts to the usage that the session reports.

    An exported session has stored fitted values, which are used instead. A session for which only the context window is
    known is fitted as usual.

    Args:
        session: The session.
        counts: Raw tokens of each message in the log.
        tools: Raw tokens of the tool definitions.
        own_tokenizer: True if the counts are from the model's own tokenizer, so that the factor is 1.
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
    """Return the tokens of the context that ends with each message. Notices are never sent and count as 0.

    Args:
        session: The session.
        tokens: Tokens of each message in the log.
    """
    sums: list[int] = []
    for position, (message, own) in enumerate(zip(session.messages, tokens, strict=True)):
        parent = message.parent
        before = sums[parent] if 0 <= parent < position else 0
        sums.append(before if message.kind == "notice" else before + own)
    return sums


def turns_of(session: Session, sums: Sequence[int]) -> list[ReportedTurn]:
    """Return the replies with plausible usage, in the order of the log.

    An input of 0 tokens is ignored; error notes and replies that the agent created itself have it. If a call has
    several replies, only the first is returned.

    Args:
        session: The session.
        sums: Result of `running_totals`.
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
    """Return the ratio of reported to counted growth between consecutive turns, and the counted growth."""
    main = _main_model(turns)
    votes = []
    for turn in turns:
        last = turn.before
        if last is not None and turn.model == main == last.model and (growth := turn.tokens - last.tokens) > 0:
            votes.append(((turn.usage - last.usage) / growth, growth))
    return votes


def _shares(turns: Sequence[ReportedTurn], tools: int) -> list[tuple[float, int]]:
    """Return the ratio of reported to counted tokens of each turn, and the counted tokens."""
    main = _main_model(turns)
    windows = ((turn.usage - REPLY, turn.tokens + tools) for turn in turns if turn.model == main)
    return [(usage / count, count) for usage, count in windows if count > 0]


def _main_model(turns: Sequence[ReportedTurn]) -> str:
    return Counter(turn.model for turn in turns).most_common(1)[0][0]


def _weighted_median(votes: Iterable[tuple[float, int]]) -> float:
    """Return the median of the factors, weighted by tokens, or 1 if there are too few tokens."""
    sound = sorted((factor, weight) for factor, weight in votes if _MIN_FACTOR <= factor <= _MAX_FACTOR)
    total = sum(weight for _, weight in sound)
    if total < _ENOUGH_TOKENS:
        return 1.0
    half = bisect_left(list(accumulate(weight for _, weight in sound)), total / 2)
    return sound[half][0]


def _stretches(turns: Sequence[ReportedTurn], factor: float) -> list[list[ReportedTurn]]:
    """Return the turns of each stretch, in order. Branches continue the stretch that they branched from."""
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
    """Return the least-squares factor within the stretches, or the initial guess if the data is insufficient.

    Only turns of the most frequent model are used.
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
    """Return the unrecorded tokens at each reply's position: the median over the turns of its stretch.

    The result is never negative. If less was reported than is recorded, unknown content was removed from the context.

    Args:
        stretches: Turns of each stretch.
        sums: Running totals of calibrated tokens.
        around: Tokens of a request that are known but not in messages, such as tools.
    """
    rests: dict[int, int] = {}
    for turns in stretches:
        gaps = sorted(turn.usage - around - (sums[turn.end] if turn.end >= 0 else 0) for turn in turns)
        rests |= dict.fromkeys((turn.position for turn in turns), max(0, gaps[len(gaps) // 2]))
    return rests


def _levels(session: Session, turns: Sequence[ReportedTurn], rests: Mapping[int, int], usual: int) -> list[int]:
    """Return the unrecorded tokens of the context that ends with each message of the log.

    A context that was never sent has the value of the last sent context before it. At the start of a conversation this
    is the agent's next sent context, and `usual` if the agent reports no usage.
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
