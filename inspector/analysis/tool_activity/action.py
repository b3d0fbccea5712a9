"""The description of a tool call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.core.text import cells, clipped

ActionKind = Literal["read", "search", "fetch", "edit", "write", "run", "delegate", "plan", "other"]
_NARROW = 20
"""Columns below which a subject and an outcome do not both fit."""


@dataclass(frozen=True, slots=True)
class Action:
    """A tool call. All texts are single lines without control characters."""

    tool: str
    """Display name of the tool."""
    subject: str
    """Short target of the call: a file name, a command or a search query."""
    outcome: str = ""
    """Short result: "1,440 lines", "3 failed", "+4 −2"; "" if it is unknown or still pending."""
    kind: ActionKind = "other"
    resource: str = ""
    """Full path or address that the call touches; "" for none or several."""
    is_whole: bool = True
    """True if it touches the whole resource, False if only some of its lines."""
    lines: range | None = None
    """Numbers of these lines, from 1; None for the whole resource or if the call does not state them."""

    def overlaps(self, other: Action) -> bool:
        """Return True unless both calls state the lines that they read, and have none in common."""
        mine, others = self.lines, other.lines
        return mine is None or others is None or max(mine.start, others.start) < min(mine.stop, others.stop)

    @property
    def line(self) -> str:
        """Subject and outcome."""
        return " · ".join(filter(None, (self.subject, self.outcome)))

    def line_within(self, room: int) -> str:
        """Return subject and outcome in at most `room` columns.

        The subject is shortened first, to no less than a third of the room. If both would shrink to a few letters, only
        the subject is returned.
        """
        if not self.outcome or not self.subject or cells(self.line) <= room:
            return clipped(self.line, room)
        end = f" · {self.outcome}"
        if room < _NARROW and room - cells(end) < room // 3:
            return clipped(self.subject, room)
        start = clipped(self.subject, max(room - cells(end), room // 3))
        return start + clipped(end, room - cells(start))
