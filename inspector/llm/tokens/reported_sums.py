"""Sizes of messages that add up to the reported size of each request, if the requests are recorded wholly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from inspector.core.conversation import Session
from inspector.llm.tokens.size_falls import ReportedTurn

_MIN_SHARE = 0.5
"""Minimum correction of messages whose size follows from two requests. Beyond it, other messages were sent."""

_DIFFERS = 0.1
"""Share of the reported size from which more was sent than the file contains."""
_DIFFERS_BY = 200
"""Minimum of that difference, in tokens. Templates of chat requests add less."""


def reported_sums(session: Session, tokens: Sequence[int], turns: Sequence[ReportedTurn], around: int) -> Sequence[int]:
    """Return the tokens of messages, corrected so that they add up to the reported sizes.

    The messages between two replies are corrected by the same factor. The tools of other agents than the first are not
    known, so that they are not corrected.

    Args:
        session: A session whose requests are recorded wholly.
        tokens: Fitted tokens of each message in the log.
        turns: Replies of that agent with reported usage, in the order of the log.
        around: Tokens of a request that are known but not in messages, such as tools.
    """
    corrected, totals = list(tokens), dict[int, int]()
    for turn in turns:
        path = session.path_to(turn.end, totals)
        total = totals.get(session.messages[path[0]].parent, 0) if path else 0
        sent = [place for place in path if session.messages[place].kind != "notice"]
        _correct(corrected, sent, turn.usage - around - total)
        notices = set(path).difference(sent)
        ends = accumulate((0 if place in notices else corrected[place] for place in path), initial=total)
        totals.update(zip(path, list(ends)[1:], strict=True))
    return corrected


def _correct(tokens: list[int], places: Sequence[int], wanted: int) -> None:
    """Change the tokens at some places by one factor so that their sum is another one, unless it differs too much."""
    counted = sum(tokens[place] for place in places)
    share = wanted / counted if counted else 0.0
    if _MIN_SHARE <= share <= 1 / _MIN_SHARE:
        ends = [round(end * share) for end in accumulate(tokens[place] for place in places)]
        for place, before, end in zip(places, [0, *ends], ends, strict=False):
            tokens[place] = end - before


def has_requests(session: Session) -> bool:
    """Return True if a session has its requests as they were sent: captured ones, or joined with those."""
    return bool(session.capture) or session.format == "capture"


def sends_more(turns: Sequence[ReportedTurn], reply: int, factor: float, tools: int) -> bool:
    """Return True if requests are usually larger than everything that the file records of them.

    Args:
        turns: Replies with reported usage.
        reply: Tokens in a request that start the reply.
        factor: Factor between the provider's tokens and ours.
        tools: Raw tokens of the tool definitions.
    """
    gaps = sorted((turn.usage - factor * (turn.tokens + tools) - reply) / turn.usage for turn in turns)
    middle = gaps[len(gaps) // 2]
    return middle > _DIFFERS and middle * sorted(turn.usage for turn in turns)[len(turns) // 2] > _DIFFERS_BY
