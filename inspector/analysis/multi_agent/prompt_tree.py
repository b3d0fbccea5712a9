"""Count the prompts that contained a message: the calls an agent made with it in the context.

A log is a forest in which each message refers to its parent. A prompt contains a message if the message is on the path
from the root to the reply. All descendants of a message are contiguous in a depth-first walk, so counting prompts takes
two binary searches, whatever the length of the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from inspector.analysis.multi_agent.participants import Participants
from inspector.core.conversation import Session


class PromptTree:
    """Prompts of a session's agents. Built in linear time."""

    def __init__(self, session: Session, parties: Participants) -> None:
        parents = [message.parent for message in session.messages]
        self._places, self._ends = _walk(parents)
        turns = {position: turn for agent in session.agents for turn, position in enumerate(session.turns(agent), 1)}
        calls: dict[str, list[tuple[int, int]]] = {}
        for position, turn in turns.items():
            calls.setdefault(parties.writers[position], []).append((self._places[position], turn))
        self._calls = {agent: sorted(pairs) for agent, pairs in calls.items()}

    def count(self, position: int, reader: str) -> int:
        """Return the number of an agent's prompts that contained a message."""
        first, last = self._span(position, reader)
        return last - first

    def first_turn(self, position: int, reader: str) -> int:
        """Return the number of an agent's first turn whose prompt contained a message; 0 if none did."""
        first, last = self._span(position, reader)
        return self._calls[reader][first][1] if first < last else 0

    def _span(self, position: int, reader: str) -> tuple[int, int]:
        calls = self._calls.get(reader, [])
        return bisect_left(calls, (self._places[position] + 1, 0)), bisect_left(calls, (self._ends[position], 0))


def _walk(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the place of each message in a depth-first walk of the forest, and the end of its descendants.

    A message whose parent is itself or a later message starts a separate tree.
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
