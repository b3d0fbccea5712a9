"""The session, turn and screen that the app showed last, in a private file next to the store."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from inspector import library
from inspector.core.conversation import MAIN
from inspector.core.text import make_private_folder, write_whole
from inspector.ui.tabs import TABS

if TYPE_CHECKING:
    from inspector.library import Step
    from inspector.ui.screens.inspect import Inspect

_SUFFIX = ".last.json"
_MODES = frozenset(tab.mode for tab in TABS)


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A place in a session."""

    target: str
    """Path, `path#n` or stored session ID."""
    mode: str = "inspect"
    agent: str = MAIN
    turn: int = 0
    """Turn, counted from 1; 0 for the current context."""


def last_place_path(db: Path) -> Path:
    """Return the path of the file for a store."""
    return db.with_name(db.name + _SUFFIX)


def load_last_place(path: Path) -> LastPlace | None:
    """Return the place in a file, or None if the file is damaged or has none."""
    try:
        match orjson.loads(path.read_bytes()):
            case {"target": str(target), "mode": str(mode), "agent": str(agent), "turn": int(turn)}:
                return LastPlace(target, mode, agent, turn) if target and mode in _MODES else None
    except (OSError, ValueError):
        return None
    return None


class PlaceKeeper:
    """Saves the place that the app shows, and returns to the one it showed last."""

    def __init__(self, path: Path | None = None, last: LastPlace | None = None) -> None:
        """Create a keeper.

        Args:
            path: File of the place; None to save no place.
            last: Place to return to once its session is open; None to return to none.
        """
        self.path = path
        self.last = last
        self.opening = last.target if last else ""
        """Target that is being opened."""
        self._target = ""
        self._screen: Inspect | None = None

    def problem(self, sentence: str) -> str:
        """Return the sentence for a session that cannot be opened."""
        is_last, self.last = self.last is not None, None
        return f"The last session cannot be reopened: {sentence}" if is_last else sentence

    def mode(self, screen: Inspect, step: Step) -> str:
        """Save the session that has been opened, or return to the last agent and turn in it.

        Args:
            screen: Screen with the open session.
            step: Latest step of the opening.

        Returns:
            The mode to switch to; "" to stay.
        """
        if step.bench is None:
            return ""
        if step.first:
            self._target, self._screen = _lasting_target(self.opening), screen
            if self.last is not None and self.last.target != self.opening:
                self.last = None
            self.save("inspect")
        last, bench = self.last, step.bench
        if last is None or bench.partial:
            return ""
        self.last = None
        if screen.app.current_mode != "inspect":  # the user has gone elsewhere in the meantime
            return ""
        agent = last.agent if last.agent in bench.session.agents else MAIN
        current = bench.turns(agent) + 1
        screen.controller.open_at(agent, min(last.turn or current, current))
        return last.mode

    def save(self, mode: str) -> None:
        """Save the place in the open session. Does nothing if none is open, or if it is not there the next time.

        Args:
            mode: Mode in front.
        """
        if self.path is None or not self._target or self._screen is None or self.last is not None:
            return
        controller = self._screen.controller
        turn = controller.turn if controller.turn < controller.last_turn else 0
        _save(self.path, LastPlace(self._target, mode, controller.state.agent, turn))


def _save(path: Path, place: LastPlace) -> None:
    """Save a place. On failure the app begins with the library next time, which is harmless."""
    with suppress(OSError):
        make_private_folder(path.parent)
        write_whole(path, orjson.dumps(asdict(place)).decode())


def _lasting_target(target: str) -> str:
    """Return a target that opens the same session from any working directory; empty for standard input."""
    path, number = library.place_of(target)
    if path is None:
        return target
    if str(path) in library.TRANSIENT:
        return ""
    return f"{path.absolute()}#{number}" if number > 0 else str(path.absolute())
