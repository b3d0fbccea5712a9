"""Keys and actions for moving through turns and for turning knobs, shared by several screens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from textual.binding import Binding

if TYPE_CHECKING:
    from inspector.engine.facts import Weights

_MAX_TURN = 1_000_000_000
"""More turns than any session has, to move to the first or last one."""
TURN_KEYS: Sequence[Binding] = (
    Binding("left", "turn(-1)", "One turn back"),
    Binding("right", "turn(1)", "One turn on"),
    Binding("shift+left", "turn(-10)", "Ten turns back"),
    Binding("shift+right", "turn(10)", "Ten turns on"),
    Binding("home", f"turn(-{_MAX_TURN})", "To the first turn"),
    Binding("end", f"turn({_MAX_TURN})", "To the context as it now stands"),
    Binding("c", "compaction(1)", "To the next compaction"),
    Binding("C", "compaction(-1)", "To the compaction before"),
)
"""Keys for a screen that inherits from `TurnKeys` and has an `action_compaction`."""
AGENT_KEY = Binding("n", "agent", "The next agent's context")
KNOB_KEYS: Sequence[Binding] = (
    Binding("tab", "knob(1)", "Choose the next knob"),
    Binding("shift+tab", "knob(-1)", "Choose the knob before"),
    Binding("plus,equals_sign", "turn_knob(1)", "Turn the knob up"),
    Binding("minus", "turn_knob(-1)", "Turn the knob down"),
    Binding("greater_than_sign,shift+up", "turn_knob(10)", "Turn the knob up, ten notches"),
    Binding("less_than_sign,shift+down", "turn_knob(-10)", "Turn the knob down, ten notches"),
    Binding("t", "write_knob", "Type the knob's value"),
)


class TurnNavigation(Protocol):
    """A position in a sequence of turns, counted from 1. Controllers of screens with turns implement it."""

    @property
    def turn(self) -> int: ...

    def go_to(self, turn: int) -> None:
        """Move to a turn, or to the nearest existing one."""


class TurnKeys:
    """Implements the action of `TURN_KEYS` for a screen whose controller has turns."""

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


def next_agent(agents: Sequence[str], agent: str) -> str:
    """Return the agent after another one; the first follows the last."""
    return agents[(agents.index(agent) + 1) % len(agents)]
