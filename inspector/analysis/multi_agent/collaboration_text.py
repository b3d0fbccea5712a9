"""Sentences about the agents of a session, shared by the app and the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inspector.analysis.multi_agent.agent_collaboration import AgentCollaboration
from inspector.core.text import dollars, plural

_ALONE = (
    "One agent speaks in this session, so nothing was shared. In a session with sub-agents, or in a group chat, this "
    "shows who wrote what, whose prompt it went into, and what was done twice."
)
_ASSUMED = (
    "A group chat does not record who saw what: every agent is taken to have seen what was said to all before its own "
    "words."
)


def describe_collaboration(collaboration: AgentCollaboration) -> str:
    """Summarise the collaboration in one sentence with its numbers."""
    if collaboration.is_alone:
        return _ALONE
    return f"{plural(len(collaboration.parties.names), 'agent')}: {'; '.join(_clauses(collaboration))}."


def _clauses(collaboration: AgentCollaboration) -> Iterator[str]:
    sign = "≈" if collaboration.estimated else ""
    tokens = sum(transfer.tokens for transfer in collaboration.transfers)
    prompts = sum(transfer.prompt_tokens for transfer in collaboration.transfers)
    if collaboration.transfers:
        yield f"{sign}{tokens:,} tokens passed on, {sign}{prompts:,} over all prompts"
    else:
        yield "nothing that one wrote is seen in the prompt of another"
    if collaboration.repeats:
        cost = collaboration.wasted_cost
        money = f", {dollars(cost)}" if cost else ""
        count = plural(len(collaboration.repeats), "answer")
        yield f"{count} asked for twice ({sign}{collaboration.wasted_tokens:,} tokens{money})"
    elif collaboration.has_calls:
        yield "no work was done twice"
    if collaboration.adoptions is not None:
        yield f"{plural(len(collaboration.adoptions), 'fact')} taken over"
    if collaboration.unread:
        yield f"{plural(len(collaboration.unread), 'message')} that nobody read"


def describe_certainty(collaboration: AgentCollaboration) -> str:
    """Describe how transfers were detected; "" if there is nothing to describe."""
    if collaboration.is_alone or not collaboration.transfers:
        return ""
    if collaboration.parties.is_chat:
        return _ASSUMED
    counts = Counter(transfer.certainty for transfer in collaboration.transfers)
    parts = [
        f"{counts['whole']:,} by all of the text" if counts["whole"] else "",
        f"{counts['part']:,} by a part of it" if counts["part"] else "",
        f"{counts['by the call']:,} by the call alone" if counts["by the call"] else "",
    ]
    return f"Known by what stands in the prompts: {', '.join(filter(None, parts))}."
