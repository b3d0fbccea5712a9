"""What is known of a session's agents, in sentences that the app and the commands share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inspector.analysis.multi_agent.agent_collaboration import Teamwork
from inspector.core.text import dollars, plural

_ALONE = (
    "One agent speaks in this session, so nothing was shared. In a session with sub-agents, or in a group chat, this "
    "shows who wrote what, whose prompt it went into, and what was done twice."
)
_ASSUMED = (
    "A group chat does not record who saw what: every agent is taken to have seen what was said to all before its own "
    "words."
)


def describe_teamwork(teamwork: Teamwork) -> str:
    """The agents' work together in one sentence with its numbers."""
    if teamwork.is_alone:
        return _ALONE
    return f"{plural(len(teamwork.parties.names), 'agent')}: {'; '.join(_clauses(teamwork))}."


def _clauses(teamwork: Teamwork) -> Iterator[str]:
    sign = "≈" if teamwork.estimated else ""
    tokens = sum(transfer.tokens for transfer in teamwork.transfers)
    prompts = sum(transfer.prompt_tokens for transfer in teamwork.transfers)
    if teamwork.transfers:
        yield f"{sign}{tokens:,} tokens passed on, {sign}{prompts:,} over all prompts"
    else:
        yield "nothing that one wrote is seen in the prompt of another"
    if teamwork.repeats:
        cost = teamwork.wasted_cost
        money = f", {dollars(cost)}" if cost else ""
        count = plural(len(teamwork.repeats), "answer")
        yield f"{count} asked for twice ({sign}{teamwork.wasted_tokens:,} tokens{money})"
    elif teamwork.has_calls:
        yield "no work was done twice"
    if teamwork.adoptions is not None:
        yield f"{plural(len(teamwork.adoptions), 'fact')} taken over"
    if teamwork.unread:
        yield f"{plural(len(teamwork.unread), 'message')} that nobody read"


def describe_certainty(teamwork: Teamwork) -> str:
    """How it is known who read what; empty where there is nothing to say."""
    if teamwork.is_alone or not teamwork.transfers:
        return ""
    if teamwork.parties.is_chat:
        return _ASSUMED
    counts = Counter(transfer.certainty for transfer in teamwork.transfers)
    parts = [
        f"{counts['whole']:,} by all of the text" if counts["whole"] else "",
        f"{counts['part']:,} by a part of it" if counts["part"] else "",
        f"{counts['by the call']:,} by the call alone" if counts["by the call"] else "",
    ]
    return f"Known by what stands in the prompts: {', '.join(filter(None, parts))}."
