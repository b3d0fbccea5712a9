"""What is found wrong with a file while it is read."""

from __future__ import annotations

from inspector.core.conversation import Problem


class Problems:
    """Problems found while reading, at most `limit` of them in full, and how many more there were."""

    def __init__(self, limit: int = 50) -> None:
        self.limit = limit
        self.problems: list[Problem] = []
        self.more = 0

    def add(self, text: str, line: int | None = None, message: str | None = None) -> None:
        if len(self.problems) < self.limit:
            self.problems.append(Problem(text, line, message))
        else:
            self.more += 1

    def all(self) -> tuple[Problem, ...]:
        if not self.more:
            return tuple(self.problems)
        return (*self.problems, Problem(f"{self.more} more problems were found in this file"))
