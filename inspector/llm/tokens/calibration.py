"""Calibration of token counts against the usage that the provider reported.

A reply reports the size of the window that it answers (`Usage.input`). Comparing these sizes with our counts over the
turns of a session yields two values: the *factor* between the provider's tokens and ours, and the *unrecorded* tokens.
The latter are not in any recorded message: the system prompt and the tools, if the format omits them, and anything that
an agent added to the context without recording it.

The number of unrecorded tokens is constant within a *stretch* of the session: the turns between two compactions, or
between two positions where the reported size jumps and the recorded one does not (because older content was removed, or
much was attached), or has drifted away from it (because no record contains the reasoning that is sent again). Within a
stretch, reported = unrecorded + factor * counted. The factor is the least-squares slope within the stretches, so it
includes a steady trickle of unrecorded reminders. The unrecorded tokens are the median over the turns of a stretch.

A fall (`size_falls`) also ends a stretch. After it, the prompt is still sent, but some recorded messages are not. The
difference is the *removed* tokens of the context, whose messages are unknown. All steps use running totals along the
contexts, in linear time and without reading any text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from inspector.core.conversation import MAIN, Session
from inspector.llm.models import calls_of
from inspector.llm.tokens.reported_sums import has_requests, reported_sums, sends_more
from inspector.llm.tokens.size_falls import ReportedTurn, SizeFall, size_falls, stated_ends

REPLY = 3
"""Tokens in a request that start the reply."""
_MIN_FACTOR, _MAX_FACTOR = 0.7, 2.0
"""Range of plausible factors. Growth outside it is ignored, because something was added or removed unseen."""
_ENOUGH_TURNS = {False: 5, True: 1}
_ENOUGH_TOKENS = 1_000
"""Minimum number of turns and of counted tokens for a fit. Below either, the factor is 1. Captures need one."""
_MAX_VOTES = 1_000
"""Maximum number of turns in the sample, spread over the session. More would not change the median."""
_JUMP_TOKENS, _JUMP_SHARE = 4_000, 0.05
"""Minimum change in the unrecorded tokens that ends a stretch: in tokens, and as a share of the reported size."""
_DRIFT_TOKENS = 1_000
"""Minimum sum of smaller changes, in tokens, that ends a stretch: reminders or reasoning that no record contains."""
_MAX_ERROR = 0.1
"""Maximum error of the fitted sizes, as a share. Within it, a prompt that seems smaller than at first is not."""
_ROUNDS = 3
"""Number of iterations that alternately determine stretches and slope. Recorded sessions converge in two."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Result of fitting counts to reported usage."""

    factor: float
    """Factor that raw counts are multiplied by."""
    tokens: Sequence[int]
    """Calibrated tokens of each message in the log."""
    unrecorded: int
    """Unrecorded tokens of a typical window; 0 if the file contains all of it."""
    levels: Sequence[int] = ()
    """Unrecorded tokens of the context that ends with each message; empty if the file contains all of it."""
    removed: Sequence[int] = ()
    """Tokens removed from the context that ends with each message by unrecorded changes; empty without a fall."""
    falls: tuple[SizeFall, ...] = ()
    """Falls of the reported size."""
    turns: int = 0
    """Number of replies with usable usage."""
    error: float | None = None
    """Mean relative error of the totals; None if no usage is reported."""
    has_requests: bool = False
    """True if whole requests are recorded, so that the tokens of the messages add up to the reported sizes."""


def calibrate(
    session: Session, counts: Sequence[int], tools: int = 0, *, own_tokenizer: bool = False, is_partial: bool = False
) -> Calibration:
    """Fit raw token counts to the usage that the session reports. If it has stored fitted values, these are used.

    Args:
        session: The session.
        counts: Raw tokens of each message in the log.
        tools: Raw tokens of the tool definitions.
        own_tokenizer: True if the counts are from the model's own tokenizer, so that the factor is 1.
        is_partial: True if no record may be read.
    """
    known = session.sizes
    if known and (known.factor != 1.0 or known.unrecorded):
        return Calibration(known.factor, _scaled(counts, known.factor), known.unrecorded)
    return _fit(session, counts, tools, own_tokenizer, is_partial)


def _fit(session: Session, counts: Sequence[int], tools: int, own_tokenizer: bool, is_partial: bool) -> Calibration:
    sums = running_totals(session, counts)
    turns = turns_of(session, sums)
    ends = stated_ends(session, turns, sums, is_partial=is_partial)
    main = [turn for turn in turns if turn.agent == MAIN] or turns or ends
    if not main:
        return Calibration(1.0, counts, 0)
    sample = main[:: -(-len(main) // _MAX_VOTES)]
    fits = not own_tokenizer and len(main) >= _ENOUGH_TURNS[has_requests(session)]
    falls = size_falls(turns)
    if session.records_system and not (falls or ends):
        factor = _weighted_median(_shares(sample, tools)) if fits else 1.0
        if not sends_more(sample, REPLY, factor, tools):
            return _whole_fit(session, main, counts, factor, tools)
    factor = _slope(main, _weighted_median(_growths(sample))) if fits else 1.0
    known = sorted([*turns, *ends], key=itemgetter(0))
    return _fit_with_rests(session, known, main, falls, _scaled(counts, factor), factor, round(factor * tools) + REPLY)


def _fit_with_rests(
    session: Session,
    turns: Sequence[ReportedTurn],
    main: Sequence[ReportedTurn],
    falls: tuple[SizeFall, ...],
    tokens: Sequence[int],
    factor: float,
    around: int,
) -> Calibration:
    """Return the result for a file that contains only a part of what was sent, or after a fall all but a part.

    Args:
        session: The session.
        turns: All replies with reported usage, and the last compactions with a stated size.
        main: Replies of the main agent.
        falls: Falls of the reported size.
        tokens: Calibrated tokens of each message.
        factor: Factor of the calibration.
        around: Tokens of a request that are known but not in messages, such as tools.
    """
    sums = running_totals(session, tokens)
    rests = _rests(_stretches(turns, factor, falls, ends_by_drift=True), falls, sums, around)
    usual = _median([rests[turn.position].unrecorded for turn in main])
    after = _last_rests(turns, rests, sums, around)
    levels = _levels(session, turns, rests, _Rest(0 if session.records_system else usual, 0), after)
    own = [_total(turn, sums, rests[turn.position], around) for turn in main]
    unrecorded, removed = map(list, zip(*levels, strict=True))
    return Calibration(
        factor,
        tokens,
        usual,
        unrecorded,
        removed if any(removed) else (),
        falls,
        len(main),
        _mean_error(own, main),
    )


def _whole_fit(
    session: Session, main: Sequence[ReportedTurn], counts: Sequence[int], factor: float, tools: int
) -> Calibration:
    """Return the result for a file that contains everything that was sent."""
    error = _mean_error([factor * (turn.tokens + tools) + REPLY for turn in main], main)
    tokens, is_sum = _scaled(counts, factor), has_requests(session)
    if is_sum:
        tokens = reported_sums(session, tokens, main, round(factor * tools) + REPLY)
    return Calibration(factor, tokens, 0, turns=len(main), error=error, has_requests=is_sum)


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2]


def _mean_error(totals: Sequence[float], turns: Sequence[ReportedTurn]) -> float:
    """Return the mean relative error of the totals of some turns."""
    return sum(abs(total - turn.usage) / turn.usage for total, turn in zip(totals, turns, strict=True)) / len(turns)


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
    requests: list[int] = []
    for position, message in enumerate(session.messages):
        parent = message.parent
        begins = not 0 <= parent < position
        last = None if begins else latest[parent]
        request = position if message.role == "user" and message.kind == "chat" else -1 if begins else requests[parent]
        if usage := usages.get(position):
            end, counted = (-1, 0) if begins else (parent, sums[parent])
            last = ReportedTurn(
                position, end, counted, usage.input, message.model, message.agent, last, usage.output, request
            )
            turns.append(last)
        latest.append(last)
        requests.append(request)
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
    if (total := sum(weight for _, weight in sound)) < _ENOUGH_TOKENS:
        return 1.0
    half = bisect_left(list(accumulate(weight for _, weight in sound)), total / 2)
    return sound[half][0]


def _stretches(
    turns: Sequence[ReportedTurn], factor: float, falls: Iterable[SizeFall] = (), *, ends_by_drift: bool = False
) -> list[list[ReportedTurn]]:
    """Return the turns of each stretch, in order. Branches continue the stretch that they branched from.

    Args:
        turns: Replies with reported usage.
        factor: Factor between the provider's tokens and ours.
        falls: Falls of the reported size.
        ends_by_drift: True to end a stretch also if many small changes have added up since its first turn.
    """
    stretches: list[list[ReportedTurn]] = []
    own: dict[int, list[ReportedTurn]] = {}
    fallen = {fall.position for fall in falls}
    for turn in turns:
        last = turn.before
        stretch = own.get(last.position) if last is not None else None
        is_over = last is None or turn.position in fallen or _is_jump(last, turn, factor)
        if stretch is None or is_over or (ends_by_drift and _is_jump(stretch[0], turn, factor, _DRIFT_TOKENS)):
            stretches.append(stretch := [])
        own[turn.position] = stretch
        stretch.append(turn)
    return stretches


def _is_jump(last: ReportedTurn, turn: ReportedTurn, factor: float, least: int = _JUMP_TOKENS) -> bool:
    change = turn.usage - last.usage - factor * (turn.tokens - last.tokens)
    return abs(change) > max(least, _JUMP_SHARE * turn.usage)


def _slope(turns: Sequence[ReportedTurn], factor: float) -> float:
    """Return the least-squares factor of the main model within the stretches, or the guess without enough data."""
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


class _Rest(NamedTuple):
    """Difference between the reported size of a context and the size of its recorded messages."""

    unrecorded: int
    removed: int


def _rests(
    stretches: Iterable[Sequence[ReportedTurn]], falls: Iterable[SizeFall], sums: Sequence[int], around: int
) -> dict[int, _Rest]:
    """Return the unrecorded and the removed tokens at each reply's position, which are the same within its stretch.

    Neither is negative. If less was reported than is recorded without a fall, the report is about other messages. After
    a compaction, a rest of less than half of that of the agent's first call is an error of the messages' sizes.

    Args:
        stretches: Turns of each stretch.
        falls: Falls of the reported size.
        sums: Running totals of calibrated tokens.
        around: Tokens of a request that are known but not in messages, such as tools.
    """
    rests: dict[int, _Rest] = {}
    fallen = {fall.position for fall in falls}
    prompts: dict[tuple[str, str], int] = {}
    for turns in stretches:
        gaps = sorted(turn.usage - around - _sum_to(sums, turn.end) for turn in turns)
        gap, first = gaps[len(gaps) // 2], turns[0]
        prompt = prompts.setdefault((first.agent, first.model), first.usage - around - _sum_to(sums, first.end))
        unrecorded, removed = rests[first.before.position] if first.before else (0, 0)
        if first.before and first.position in fallen:
            since = _sum_to(sums, first.end) - _sum_to(sums, first.before.end)
            unrecorded = max(gap, min(unrecorded, max(0, first.usage - around - since)))
            removed = unrecorded - gap
        elif first.before is None and gap < prompt / 2 and prompt - gap <= _MAX_ERROR * turns[len(turns) // 2].usage:
            unrecorded, removed = prompt, prompt - gap
        else:
            unrecorded = max(0, gap + removed)
        rests |= dict.fromkeys((turn.position for turn in turns), _Rest(unrecorded, removed))
    return rests


def _sum_to(sums: Sequence[int], end: int) -> int:
    return sums[end] if end >= 0 else 0


def _total(turn: ReportedTurn, sums: Sequence[int], rest: _Rest, around: int) -> int:
    return around + rest.unrecorded + max(0, _sum_to(sums, turn.end) - rest.removed)


def _last_rests(
    turns: Sequence[ReportedTurn], rests: Mapping[int, _Rest], sums: Sequence[int], around: int
) -> dict[int, _Rest]:
    """Return the rests after each agent's last reply, with which its context is no smaller than the reply reported."""
    after: dict[int, _Rest] = {}
    for turn in {turn.agent: turn for turn in turns}.values():
        rest = rests[turn.position]
        least = turn.usage - around - _sum_to(sums, turn.end) + rest.removed
        if turn.before and turn.before.model == turn.model:
            after[turn.position] = rest._replace(unrecorded=max(least, rest.unrecorded))
    return after


def _levels(
    session: Session,
    turns: Sequence[ReportedTurn],
    rests: Mapping[int, _Rest],
    usual: _Rest,
    after: Mapping[int, _Rest],
) -> list[_Rest]:
    """Return the unrecorded and removed tokens of the context that ends with each message of the log.

    A context that was never sent has the value of the last sent context before it. At the start of a conversation this
    is the agent's next sent context or, after the last one, the last; and `usual` if the agent reports no usage.

    Args:
        session: The session.
        turns: All replies with reported usage.
        rests: Rests at each reply's position.
        usual: Rest of an agent that reports no usage.
        after: Rests of the contexts that end with some replies.
    """
    sizes_at = {turn.end: rests[turn.position] for turn in turns} | dict(after)
    replies: defaultdict[str, list[int]] = defaultdict(list)
    for turn in turns:
        replies[turn.agent].append(turn.position)
    levels: list[_Rest] = []
    for position, message in enumerate(session.messages):
        level = sizes_at.get(position)
        if level is None and 0 <= message.parent < position:
            level = levels[message.parent]
        elif level is None:
            own = replies[message.agent]
            unrecorded = (rests[own[min(bisect_left(own, position), len(own) - 1)]] if own else usual).unrecorded
            first = rests[own[0]].unrecorded if own and own[-1] < position else 0
            level = _Rest(unrecorded if unrecorded >= first / 2 else first, 0)
        levels.append(level)
    return levels
