"""Messages that screens post to the app. Each is a plain record; the app decides what it changes in the store."""

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
    """Open a session by path, `path#n` or stored ID. An empty target is the session that is already open."""

    target: str
    message: str = ""
    """ID of the message to go to."""
    words: str = ""
    """Search terms to highlight in that message."""


@dataclass
class ImportFiles(Message):
    """Import files into the store."""

    paths: tuple[str, ...]


@dataclass
class CompareSessions(Message):
    """Compare two sessions, each named by a path, `path#n` or a stored ID."""

    one: str
    other: str


@dataclass
class TurnPicked(Message):
    """A turn was clicked. Turns are counted from 1."""

    turn: int


@dataclass
class ReplayPreset(Message):
    """Replay the open session under a preset."""

    preset: Preset


@dataclass
class ChangePlans(Message):
    """Push a plan onto an agent's stack in the open session; without a plan, undo or redo one."""

    agent: str
    plan: Plan | None = None
    is_redo: bool = False


@dataclass
class Weighed(Message):
    """The weights of the fact classes changed for some sessions, named by their IDs."""

    sessions: tuple[str, ...]
    weights: Weights
