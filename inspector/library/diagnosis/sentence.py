"""A sentence about a session: clauses with roles, the key that leads on, and where that goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from inspector.core.text import clipped_words, wrapped

Kind = Literal["compacted", "too large", "full", "never compacted", "replies only", "empty", "problems", "reading"]
"""What the sentence is about first; "reading" where too little of the file is known to say more."""
Role = Literal["plain", "strong", "good", "bad", "warn", "key"]
Piece = tuple[str, Role]
_WIDTH, _LINES = 78, 2
"""The room of a whole sentence: two lines of a terminal of 80 cells."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the key of a verdict leads."""

    agent: str
    turn: int
    """From 1; one past the last is the context as it now stands."""
    message: str = ""
    """The id of the message to look at; empty for none."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is true without the others behind it."""

    spans: tuple[Piece, ...]
    rank: int = 0
    """Which clauses leave first where there is little room: the highest; 0 never leaves."""
    before: str = "; "
    """What stands between it and the clause before."""

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.spans)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One true sentence about a session, and the key that leads on."""

    kind: Annotated[Kind, "what it is about first"]
    clauses: tuple[Clause, ...]
    key: Annotated[str, "of Inspect, that leads to the evidence; empty for none"] = ""
    target: Target | None = None
    """Where that key goes, where it goes to a turn."""

    @property
    def spans(self) -> tuple[Piece, ...]:
        """The whole sentence in pieces, each with its role."""
        return tuple(self._spans())

    def _spans(self) -> Iterator[Piece]:
        for number, clause in enumerate(self.clauses):
            if number:
                yield clause.before, "plain"
            yield from clause.spans

    @property
    def text(self) -> str:
        """The whole sentence."""
        return "".join(text for text, _ in self.spans)

    @property
    def statement(self) -> Verdict:
        """The same without the way on, for where the key leads nowhere."""
        clauses = tuple(clause for clause in self.clauses if all(role != "key" for _, role in clause.spans))
        return replace(self, clauses=clauses, key="", target=None)

    def within(self, width: int = _WIDTH, lines: int = _LINES) -> Verdict:
        """The same in so many lines of so many cells: clauses leave, the least weighty first.

        What never leaves is cut between its words.
        """
        verdict = self
        while len(wrapped(verdict.text, width)) > lines:
            rank = max(clause.rank for clause in verdict.clauses)
            if not rank:
                return replace(verdict, clauses=_cut(verdict.clauses, width * lines))
            place = max(place for place, clause in enumerate(verdict.clauses) if clause.rank == rank)
            verdict = replace(verdict, clauses=(*verdict.clauses[:place], *verdict.clauses[place + 1 :]))
        return verdict


def _cut(clauses: Sequence[Clause], room: int) -> tuple[Clause, ...]:
    """The first of some clauses, cut between its words."""
    return (Clause(((clipped_words(clauses[0].text, room), "plain"),)),)
