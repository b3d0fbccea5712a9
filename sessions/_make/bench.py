"""A coding agent at its bench: what it says, which tools it uses, and what they really answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .prose import prose
from .transcript import Record, Transcript, say
from .workshop import Workshop

Use = tuple[str, dict[str, Any]]


def bash(command: str, description: str) -> Use:
    return "Bash", {"command": command, "description": description}


def todo(*items: str) -> Use:
    """A to-do list: `x done`, `> doing now`, `- still to do`."""
    states = {"x": "completed", ">": "in_progress", "-": "pending"}
    return "TodoWrite", {
        "todos": [{"content": item[2:], "status": states[item[0]], "activeForm": item[2:]} for item in items]
    }


@dataclass
class Bench:
    """Joins a transcript and a workshop; each `step` is one model call and the results of its tools."""

    transcript: Transcript
    workshop: Workshop

    def read(self, name: str, offset: int = 0, limit: int = 0) -> Use:
        span = ({"offset": offset} if offset else {}) | ({"limit": limit} if limit else {})
        return "Read", {"file_path": f"{self.workshop.home}/{name}"} | span

    def edit(self, name: str, old: str, new: str) -> Use:
        return "Edit", {"file_path": f"{self.workshop.home}/{name}", "old_string": old, "new_string": new}

    def write(self, name: str, content: str) -> Use:
        return "Write", {"file_path": f"{self.workshop.home}/{name}", "content": content}

    def grep(self, pattern: str, name: str = "", mode: str = "content") -> Use:
        path = f"{self.workshop.home}/{name}" if name else self.workshop.home
        return "Grep", {"pattern": pattern, "path": path, "output_mode": mode, "-n": True}

    def user(self, text: str, *, after: float = 0.0, **fields: Any) -> str:
        return self.transcript.user(prose(text), after=after, **fields)

    def step(self, text: str, *uses: Use, thinking: str = "", after: float = 6.0, slow: bool = False) -> None:
        """Say `text` (after thinking, if any), use the tools, and record what they answer."""
        blocks: list[Record] = [self.transcript.think(prose(thinking))] if thinking else []
        blocks += [say(prose(text))] if text else []
        blocks += [self.transcript.call(name, arguments) for name, arguments in uses]
        for call, (name, arguments) in zip(self.transcript.reply(blocks, after=after), uses, strict=True):
            outcome = self.workshop.use(name, arguments)
            if slow and name == "Bash":
                self.transcript.progress(call, str(outcome.content)[:200], 2)
            self.transcript.answer(call, outcome, after=2.2 if slow else 0.4)
