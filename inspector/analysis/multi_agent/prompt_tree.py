"""Which prompts a message went into: the calls that an agent made with it in its context.

A log is a forest: each message names the one before it. A message is in the prompt of a reply where it stands on the
way from the root to the reply. All messages below one lie in one run of a walk through the forest, so that prompts are
counted with two searches, however long the log is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from inspector.analysis.multi_agent.participants import Participants
from inspector.core.conversation import Session


class PromptTree:
    """The prompts of a session's agents. Built in linear time."""

    def __init__(self, session: Session, parties: Participants) -> None:
        parents = [message.parent for message in session.messages]
        self._places, self._ends = _walk(parents)
        turns = {position: turn for agent in session.agents for turn, position in enumerate(session.turns(agent), 1)}
        calls: dict[str, list[tuple[int, int]]] = {}
        for position, turn in turns.items():
            calls.setdefault(parties.writers[position], []).append((self._places[position], turn))
        self._calls = {agent: sorted(pairs) for agent, pairs in calls.items()}

    def count(self, position: int, reader: str) -> int:
        """How many prompts of an agent had a message in them."""
        first, last = self._span(position, reader)
        return last - first

    def first_turn(self, position: int, reader: str) -> int:
        """The number of the first turn of an agent with a message in its prompt; 0 where there is none."""
        first, last = self._span(position, reader)
        return self._calls[reader][first][1] if first < last else 0

    def _span(self, position: int, reader: str) -> tuple[int, int]:
        calls = self._calls.get(reader, [])
        return bisect_left(calls, (self._places[position] + 1, 0)), bisect_left(calls, (self._ends[position], 0))


def _walk(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each message its place in a walk through the forest, and where the messages below it end.

    A message that names a later one as the one before it, or itself, begins a tree of its own.
    """
    sizes = [1] * len(parents)
    for position in range(len(parents) - 1, -1, -1):
        if 0 <= parents[position] < position:
            sizes[parents[position]] += sizes[position]
    places, free, next_root = [0] * len(parents), [0] * len(parents), 0
    for position, parent in enumerate(parents):
        if 0 <= parent < position:
            places[position] = free[parent]
            free[parent] += sizes[position]
        else:
            places[position] = next_root
            next_root += sizes[position]
        free[position] = places[position] + 1
    return places, [place + size for place, size in zip(places, sizes, strict=True)]
