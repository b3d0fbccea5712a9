"""Problems found while a file is read."""

from __future__ import annotations

from inspector.core.conversation import Problem


class Problems:
    """List of problems, with a limit after which they are only counted."""

    def __init__(self, limit: int = 50) -> None:
        self.limit = limit
        self.problems: list[Problem] = []
        self.more = 0

    def add(self, text: str, line: int | None = None, message: str | None = None) -> None:
        """Add a problem.

        Args:
            text: The problem as a clause, without a final period.
            line: Number of the affected line, from 1.
            message: Id of the affected message.
        """
        if len(self.problems) < self.limit:
            self.problems.append(Problem(text, line, message))
        else:
            self.more += 1

    def all(self) -> tuple[Problem, ...]:
        """Return the problems, and one with the number of those beyond the limit."""
        if not self.more:
            return tuple(self.problems)
        return (*self.problems, Problem(f"{self.more} more problems were found in this file"))
