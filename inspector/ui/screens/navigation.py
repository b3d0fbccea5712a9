"""Actions for moving through turns, marks and agents, shared by several screens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from inspector.engine.facts import Weights


class TurnNavigation(Protocol):
    """A position in a sequence of turns, counted from 1. Controllers of screens with turns implement it."""

    @property
    def turn(self) -> int: ...

    def go_to(self, turn: int) -> None:
        """Move to a turn, or to the nearest existing one."""


class TurnKeys:
    """Implements `turn` of the table of keys for a screen whose controller has turns."""

    controller: TurnNavigation

    def action_turn(self, step: int) -> None:
        """Move by a number of turns."""
        self.controller.go_to(self.controller.turn + step)


@runtime_checkable
class WeighedScreen(Protocol):
    """A screen whose figures depend on the weights of the fact classes."""

    def weigh(self, sessions: tuple[str, ...], weights: Weights) -> None:
        """Apply new weights if a displayed session is among `sessions`, which are session IDs."""


def next_mark(marks: Collection[int], turn: int, step: int) -> int | None:
    """Return the next marked turn after a turn, or the previous one, wrapping around at the ends.

    Args:
        marks: Marked turns.
        turn: Turn to start from.
        step: Positive to search forwards, otherwise backwards.

    Returns:
        A marked turn, or None if there are no marks.
    """
    if not marks:
        return None
    if step > 0:
        return min((mark for mark in marks if mark > turn), default=min(marks))
    return max((mark for mark in marks if mark < turn), default=max(marks))


def next_agent(agents: Sequence[str], agent: str, step: int) -> str:
    """Return the agent after another one (`step` 1) or before it (-1), wrapping around at the ends.

    Args:
        agents: Agents in order.
        agent: Current agent.
        step: 1 for the next agent, -1 for the one before.
    """
    return agents[(agents.index(agent) + step) % len(agents)]
