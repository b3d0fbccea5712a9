"""The noun: what a call of a tool did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionKind = Literal["read", "search", "fetch", "edit", "write", "run", "delegate", "plan", "other"]


@dataclass(frozen=True, slots=True)
class Action:
    """A call of a tool. All texts are one line without control characters."""

    tool: str
    """As its name is shown."""
    subject: str
    """What was asked, in short: a file's name, a command, the words of a search."""
    outcome: str = ""
    """What came of it: "1,440 lines", "3 failed", "+4 −2"; empty where nothing is known or has come yet."""
    kind: ActionKind = "other"
    resource: str = ""
    """The whole path or address that it touches; empty where it is none, or several."""
    is_whole: bool = True
    """Whether it touches all of the resource, and not some lines of it."""

    @property
    def line(self) -> str:
        """Subject and outcome."""
        return " · ".join(filter(None, (self.subject, self.outcome)))
