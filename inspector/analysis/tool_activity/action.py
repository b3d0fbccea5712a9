"""The noun: what a call of a tool did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.core.text import cells, clipped

ActionKind = Literal["read", "search", "fetch", "edit", "write", "run", "delegate", "plan", "other"]
_NARROW = 20
"""Columns in which there is no room for two things."""


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

    def line_within(self, room: int) -> str:
        """Subject and outcome in at most `room` columns: the subject is cut first, down to a third of it.

        Where both would be cut to a few letters, the subject stands alone.
        """
        if not self.outcome or not self.subject or cells(self.line) <= room:
            return clipped(self.line, room)
        end = f" · {self.outcome}"
        if room < _NARROW and room - cells(end) < room // 3:
            return clipped(self.subject, room)
        start = clipped(self.subject, max(room - cells(end), room // 3))
        return start + clipped(end, room - cells(start))
