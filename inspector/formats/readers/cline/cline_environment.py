"""The description of the environment that Cline and Roo Code add to the messages of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from inspector.core.conversation import LISTED, MAIN, WorkEvents
from inspector.formats.readers.cline.cline_events import task_text

_WINDOW = re.compile(r"# Context Window Usage\s+[\d.,]+[KM]? / ([\d.,]+)([KM]?) tokens")
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000}
_LARGEST = 1_000_000_000
"""Upper limit of a window, in tokens."""
_MAX_LENGTH = 20_000
"""Number of characters at the end of an environment that are read."""
_FOLDER = re.compile(r"Current (?:Working|Workspace) Directory \(([^)\n]{1,300})\)")
_MODE = re.compile(r"# Current Mode\s+(?:(PLAN|ACT) MODE\b|<slug>([\w-]{1,60})</slug>)")
_TERMINALS = "# Actively Running Terminals\n"
_TERMINALS_END = re.compile(
    r"\n# (?:Inactive Terminals|Current (?:Time|Mode)|Context Window Usage|Recently Modified Files)\b"
)
_COMMAND = re.compile(r"^#{2,3} Original command: `([^`\n]{1,500})`", re.MULTILINE)
_MAX_TERMINALS = 50


def environment_of(message: dict[str, Any]) -> str:
    """Return the description of the environment after the text of the user; "" if there is none."""
    if message.get("role") != "user":
        return ""
    _, tag, environment = task_text(message).rpartition("<environment_details>")
    return environment[-_MAX_LENGTH:] if tag else ""


def window_in(environment: str) -> int:
    """Return the context window that the environment reports, in tokens; 0 if it does not."""
    stated = _WINDOW.search(environment)
    try:
        return min(_LARGEST, int(float(stated[1].replace(",", "")) * _UNITS[stated[2]])) if stated else 0
    except (ValueError, OverflowError):
        return 0


def folder_in(environment: str) -> str:
    """Return the folder of the work; "" if the environment does not name it."""
    stated = _FOLDER.search(environment)
    return stated[1] if stated else ""


class EnvironmentEvents:
    """Turns the environments of a task into events of the work: the folder, the mode, and running commands.

    Args:
        work: Receives the events.
    """

    def __init__(self, work: WorkEvents) -> None:
        self._work = work
        self._running: list[str] = []

    def note(self, environment: str) -> None:
        """Note the environment of the next message. An empty one says nothing about running commands."""
        if not environment:
            return
        self._work.note("where", [("folder", folder_in(environment))], MAIN)
        self._work.note("mode", _modes_in(environment), MAIN)
        running = list(_commands_in(environment))
        for command in self._running:
            if command not in running:
                self._work.add("running", command, "ended", MAIN)
        for command in running:
            if command not in self._running:
                self._work.add("running", command, LISTED, MAIN)
        self._running = running


def _modes_in(environment: str) -> Iterator[tuple[str, str]]:
    """Yield the mode of Cline, plan or act, or the agent that Roo Code calls a mode."""
    if stated := _MODE.search(environment):
        yield ("permission", stated[1].lower()) if stated[1] else ("agent", stated[2])


def _commands_in(environment: str) -> Iterator[str]:
    """Yield the commands that are running in terminals."""
    terminals = environment.partition(_TERMINALS)[2]
    end = _TERMINALS_END.search(terminals)
    commands = _COMMAND.findall(terminals[: end.start()] if end else terminals)
    yield from dict.fromkeys(commands[:_MAX_TERMINALS])
