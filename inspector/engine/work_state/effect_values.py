"""Effects of tool calls on the work, as values: changed files, changed tasks, commands, plans, processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

ChangeKind = Literal["created", "changed", "deleted", "moved"]
TaskState = Literal["pending", "in progress", "done", "dropped"]


class FileChange(NamedTuple):
    """A file that a call changes."""

    kind: ChangeKind
    path: str
    text: str = ""
    """The inserted text, as far as it is kept; the new path of a moved file."""
    added: str | None = None
    """Lines of the text that were not in the text before, if some were."""
    renamed: str = ""
    """Old and new name of a definition that the change renames: "parse → parse_all"."""
    removed: str = ""
    """Lines of the text before that are not in the text after."""

    @property
    def inserted(self) -> str:
        """The text that the change adds."""
        return self.text if self.added is None else self.added


class TaskChange(NamedTuple):
    """A task as a call states it."""

    text: str
    """"" if the call only names its number."""
    state: TaskState | Literal[""]
    """"" if the call does not change it."""
    number: str = ""
    """Its number in the tool's list, if the tool numbers tasks."""
    is_list: bool = True
    """True if the call states the whole list, so that tasks that it does not name have left the list."""


@dataclass(frozen=True, slots=True)
class CallEffects:
    """Effects of one tool call, as far as its arguments state them."""

    tool: str
    call: str
    files: tuple[FileChange, ...] = ()
    command: str = ""
    folder: str = ""
    """The folder that the command runs in, if the call names one."""
    background: bool = False
    tasks: tuple[TaskChange, ...] = ()
    plan: str = ""
    """Text of a plan that waits for approval."""
    skill: str = ""
    loads: tuple[str, ...] = ()
    """Tools whose schemas the call loads."""
    agent: str = ""
    """Description of a sub-agent that the call starts."""
    stops: str = ""
    """Id of a process or sub-agent that the call ends."""
    polls: str = ""
    """Id of a process that the call reads from or writes to."""
    finishes: bool = False
    """True if the call ends the agent's turn."""
    asks: tuple[str, ...] = ()
    """Questions to the user."""
    reads: tuple[str, ...] = ()
    """Paths of the files of instructions that the call reads."""
    deed: str = ""
    """Effect of a server's tool in words: "create issue linear …"."""

    @property
    def is_silent(self) -> bool:
        """True if the call is not known to affect the work."""
        return not (
            self.command
            or self.files
            or self.tasks
            or self.plan
            or self.skill
            or self.loads
            or self.agent
            or self.stops
            or self.polls
            or self.asks
            or self.reads
            or self.deed
        )
