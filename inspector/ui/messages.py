"""What screens tell the app. Each is a plain record; the app decides what it means for the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from inspector.engine.compression import Preset
    from inspector.engine.facts import Weights
    from inspector.engine.window import Plan


@dataclass
class OpenTarget(Message):
    """Open a session: a path, `path#n`, or a stored session's id; without one, that which is open already."""

    target: str
    message: str = ""
    """The id of the message to go to."""
    words: str = ""
    """What was searched for, to be seen in that message."""


@dataclass
class ImportFiles(Message):
    """Put these files into the store."""

    paths: tuple[str, ...]


@dataclass
class CompareSessions(Message):
    """Set two sessions side by side, each a path, `path#n`, or a stored session's id."""

    one: str
    other: str


@dataclass
class TurnPicked(Message):
    """A turn was clicked, counted from 1."""

    turn: int


@dataclass
class ReplayPreset(Message):
    """Replay the open session under a preset."""

    preset: Preset


@dataclass
class ChangePlans(Message):
    """Put a plan on the stack of an agent of the open session; without one, take the newest off."""

    agent: str
    plan: Plan | None = None


@dataclass
class Weighed(Message):
    """The classes of facts of some sessions, named by their ids, count otherwise from now on."""

    sessions: tuple[str, ...]
    weights: Weights
