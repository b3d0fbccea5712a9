"""Dialogues of benchmarks: conversations with questions about them."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.conversation import Session


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a dialogue."""

    text: str
    answer: str
    """The answer, or "" if the dialogue does not answer the question."""
    evidence: tuple[str, ...]
    """Ids of the messages that answer the question."""
    category: str
    """Kind of the question, in the words or numbers of its benchmark."""
    statements: tuple[str, ...] = ()
    """Statements that a context must contain to answer, each in one place; () if the words of the answer suffice."""
    is_ordered: bool = False
    """True if the statements must be in this order."""
    is_answered: bool = True
    """False for a question that the dialogue does not answer; its evidence are the messages that it misrepresents."""
    abstains: bool = False
    """True for a question that is right to answer with "it was not said"."""


@dataclass(frozen=True)
class Dialogue:
    """A dialogue with its questions."""

    session: Session
    questions: tuple[Question, ...]
