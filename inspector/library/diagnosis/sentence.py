"""A sentence about a session: clauses with roles, and a key with the place it jumps to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from inspector.core.text import clipped_words, wrapped

Kind = Literal[
    "compacted",
    "fell",
    "too large",
    "full",
    "never compacted",
    "not recorded",
    "replies only",
    "empty",
    "problems",
    "reading",
    "cache loss",
]
"""Main subject of the sentence; "fell" if the reported size fell without a record, "not recorded" if the
format does not record compactions, "reading" if too little of the file is known."""
Role = Literal["plain", "strong", "good", "bad", "warn", "key"]
Piece = tuple[str, Role]
_WIDTH, _LINES = 78, 2
"""Maximum size of a sentence in columns and lines: two lines of an 80-column terminal."""


@dataclass(frozen=True, slots=True)
class Target:
    """Place that the key of a sentence jumps to."""

    agent: str
    turn: int
    """Turn, from 1; one past the last is the current context."""
    message: str = ""
    """Id of the message to show; "" for none."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is true without the following ones."""

    spans: tuple[Piece, ...]
    rank: int = 0
    """Priority for removal if space is short: the highest rank is dropped first, and 0 is never dropped."""
    before: str = "; "
    """Separator between it and the preceding clause."""

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.spans)

    @property
    def has_key(self) -> bool:
        """True if it names the key that shows the evidence."""
        return any(role == "key" for _, role in self.spans)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One true sentence about a session, and the key that shows its evidence."""

    kind: Annotated[Kind, "its subject"]
    clauses: tuple[Clause, ...]
    key: Annotated[str, "key of Inspect that shows the evidence; empty without one"] = ""
    target: Target | None = None
    """Place that the key jumps to, if it jumps to a turn."""

    @property
    def spans(self) -> tuple[Piece, ...]:
        """Parts of the whole sentence, each with its role."""
        return tuple(self._spans())

    def _spans(self) -> Iterator[Piece]:
        for number, clause in enumerate(self.clauses):
            if number:
                yield clause.before, "plain"
            yield from clause.spans

    @property
    def text(self) -> str:
        """Text of the whole sentence."""
        return "".join(text for text, _ in self.spans)

    @property
    def statement(self) -> Verdict:
        """Sentence without its key, for places where the key does not work."""
        clauses = tuple(clause for clause in self.clauses if not clause.has_key)
        return replace(self, clauses=clauses, key="", target=None)

    def within(self, width: int = _WIDTH, lines: int = _LINES) -> Verdict:
        """Return the sentence shortened to a number of lines, dropping clauses in order of their rank.

        The clause that names the key is the last of its rank to be dropped. A clause that is never dropped is truncated
        between words.
        """
        verdict = self
        while len(wrapped(verdict.text, width)) > lines:
            rank = max(clause.rank for clause in verdict.clauses)
            if not rank:
                return replace(verdict, clauses=_cut(verdict.clauses, width * lines))
            places = [place for place, clause in enumerate(verdict.clauses) if clause.rank == rank]
            place = max(places, key=lambda place: (not verdict.clauses[place].has_key, place))
            verdict = replace(verdict, clauses=(*verdict.clauses[:place], *verdict.clauses[place + 1 :]))
        return verdict


def _cut(clauses: Sequence[Clause], room: int) -> tuple[Clause, ...]:
    """Return the first clause, truncated between words."""
    return (Clause(((clipped_words(clauses[0].text, room), "plain"),)),)
