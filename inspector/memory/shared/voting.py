"""Prompts for answers and votes, and the parsing of replies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.memory.shared.shared_entries import quote
from inspector.memory.shared.single_agent import AgentReply

NEW_ANSWER, VOTE = "new_answer", "vote"
ANSWER_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": NEW_ANSWER,
        "description": "Give your answer to the task.",
        "parameters": {
            "type": "object",
            "properties": {"content": {"type": "string", "description": "The whole answer."}},
            "required": ["content"],
        },
    },
}
_VOTE_LINE = re.compile(r"(?im)^[^\w\n]{0,20}vote(?:[^\S\n]{1,9}for)?[^\w\n]{1,9}")


@dataclass(frozen=True, slots=True)
class Vote:
    """An agent's choice among the answers."""

    voter: str
    choice: str
    reason: str = ""

    @property
    def text(self) -> str:
        """As it is recorded."""
        return f"Vote for {self.choice}" + (f": {self.reason}" if self.reason else "")


def answer_of(reply: AgentReply) -> str:
    """Return the answer of a reply: the argument of its answer tool, or its text."""
    for use in reply.calls:
        content = use.arguments.get("content")
        if use.name == NEW_ANSWER and isinstance(content, str) and content.strip():
            return content.strip()
    return reply.text


def vote_tool(answers: Mapping[str, str]) -> dict[str, Any]:
    """Return the tool for a vote among these answers."""
    return {
        "type": "function",
        "function": {
            "name": VOTE,
            "description": "Choose the best of the answers.",
            "parameters": {
                "type": "object",
                "properties": {
                    "agent_id": {"type": "string", "enum": list(answers), "description": "Whose answer is the best."},
                    "reason": {"type": "string", "description": "Why, in one sentence."},
                },
                "required": ["agent_id", "reason"],
            },
        },
    }


def ballot(answers: Mapping[str, str]) -> dict[str, Any]:
    """Return the message that asks for a vote."""
    rows = "\n".join(f"[{agent_id}]: {quote(answer)}" for agent_id, answer in answers.items())
    request = "Which of these answers to the task is the best? Vote with the tool, or say: vote <agent>: <reason>."
    return {"role": "user", "content": f"{request}\n\n{rows}"}


def vote_of(voter: str, reply: AgentReply, answers: Mapping[str, str]) -> Vote | None:
    """Return the vote in a reply, or None if it has none for any of the answers.

    Args:
        voter: Id of the voting agent.
        reply: Its reply.
        answers: Answers by the ids of their agents.
    """
    for use in reply.calls:
        choice, reason = use.arguments.get("agent_id"), use.arguments.get("reason")
        if use.name == VOTE and choice in answers:
            return Vote(voter, str(choice), reason.strip() if isinstance(reason, str) else "")
    for match in _VOTE_LINE.finditer(reply.text):
        line = reply.text[match.end() :].partition("\n")[0]
        for name in sorted(answers, key=len, reverse=True):
            if line.startswith(name):
                return Vote(voter, name, line[len(name) :].lstrip(" :-—,.").strip())
    return None


def winner_of(answers: Mapping[str, str], votes: Mapping[str, Vote]) -> str:
    """Return the agent whose answer has the most votes, or the first of several.

    Args:
        answers: Answers by agent, in order.
        votes: Votes by voting agent, each for an agent in `answers`.
    """
    counts = Counter(vote.choice for vote in votes.values())
    return max(answers, key=lambda name: (counts[name], -list(answers).index(name)))
