"""Sentences about the agents of a session, shared by the app and the commands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inspector.analysis.multi_agent.agent_collaboration import AgentCollaboration
from inspector.core.text import dollars, plural

_ALONE = (
    "This session has one agent, so nothing was shared. With sub-agents or a group chat, this shows which agent wrote "
    "what, whose prompt it went into, and repeated work."
)
_ASSUMED = (
    "A group chat does not record who received what. Each agent is assumed to have received all messages before "
    "its own."
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
        yield "no agent's text appears in the prompt of another one"
    if collaboration.repeats:
        cost = collaboration.wasted_cost
        money = f", {dollars(cost)}" if cost else ""
        count = plural(len(collaboration.repeats), "answer")
        yield f"{count} repeated ({sign}{collaboration.wasted_tokens:,} tokens{money})"
    elif collaboration.has_calls:
        yield "no repeated work"
    if collaboration.adoptions is not None:
        yield f"{plural(len(collaboration.adoptions), 'fact')} taken over"
    if collaboration.unread:
        yield f"{plural(len(collaboration.unread), 'message')} never received"


def describe_certainty(collaboration: AgentCollaboration) -> str:
    """Describe how transfers were detected; "" if there is nothing to describe."""
    if collaboration.is_alone or not collaboration.transfers:
        return ""
    if collaboration.parties.is_chat:
        return _ASSUMED
    counts = Counter(transfer.certainty for transfer in collaboration.transfers)
    parts = [
        f"{counts['whole']:,} in full" if counts["whole"] else "",
        f"{counts['part']:,} in part" if counts["part"] else "",
        f"{counts['by the call']:,} by the call only" if counts["by the call"] else "",
    ]
    return f"Matched by text in the prompts: {', '.join(filter(None, parts))}."
