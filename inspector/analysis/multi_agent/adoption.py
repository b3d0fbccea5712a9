"""Adoption: facts that one agent told and another one used later.

A fact is adopted where a reply could not have said it without knowing it, its writer came to know it by a transfer of
another agent, and neither that writer nor the person had told it before. What was handed over with a task is no
adoption: the task told it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from inspector.analysis.multi_agent.participants import PERSON, Participants
from inspector.analysis.multi_agent.transfers import CollaborationCancelledError, Stop, Transfer
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.engine.facts import FactClass, FactIndex

_TELLING = frozenset({"path", "url", "hash", "money", "number", "email", "symbol", "error", "date"})
"""Classes of facts that nobody says by chance."""


@json_object(keys="class=cls fact writer source reader holder use")
@dataclass(frozen=True, slots=True)
class Adoption:
    """A fact that went from one agent to another, and was used there. Messages are positions in the log."""

    cls: Annotated[FactClass, "of facts"]
    fact: str
    writer: str
    source: int
    """The message in which the writer told it."""
    reader: str
    holder: int
    """The message in the reader's context through which it came."""
    use: int
    """The reader's first reply that needed it."""


def find_adoptions(
    session: Session, parties: Participants, transfers: Sequence[Transfer], index: FactIndex, stop: Stop = lambda: False
) -> list[Adoption]:
    """All adoptions, in the order of time. Linear in the log and its facts. Raises CollaborationCancelledError."""
    arrivals: dict[tuple[str, int], list[Transfer]] = {}
    for transfer in transfers:
        arrivals.setdefault((transfer.reader, transfer.holder), []).append(transfer)
    knowledge = _Knowledge(session, parties, arrivals, index)
    for position in parties.order:
        if stop():
            raise CollaborationCancelledError
        knowledge.advance(position)
    return knowledge.adoptions


@dataclass
class _Knowledge:
    """What each agent knows, and from where, as the log grows."""

    session: Session
    parties: Participants
    arrivals: Mapping[tuple[str, int], Sequence[Transfer]]
    index: FactIndex
    known: dict[str, dict[int, int]] = field(default_factory=dict)
    """For each agent: the message of its context that told a term first."""
    public: set[int] = field(default_factory=set)
    """Terms that the person or the program told."""
    adopted: set[tuple[str, int]] = field(default_factory=set)
    adoptions: list[Adoption] = field(default_factory=list)

    def advance(self, position: int) -> None:
        message = self.session.messages[position]
        if message.kind == "notice":
            return
        writer = self.parties.writers[position]
        terms = self.index.facts_of(message).terms
        if message.is_reply:
            self._adopt(position, writer)
        holders = self.parties.names if self.parties.is_chat else (message.agent,)
        for agent in holders:
            known = self.known.setdefault(agent, {})
            for term in terms:
                known.setdefault(term, position)
        if writer == PERSON or (message.role == "system" and message.kind != "injected"):
            self.public.update(terms)

    def _adopt(self, position: int, reader: str) -> None:
        known = self.known.get(reader, {})
        for fact, term in self.index.missed_of(self.session.messages[position]).items():
            cls, text, _ = self.index.facts[fact]
            holder = known.get(term)
            if holder is None or cls not in _TELLING or term in self.public or (reader, term) in self.adopted:
                continue
            transfer = next(self._tellers(reader, holder, term), None)
            if transfer is not None:
                self.adopted.add((reader, term))
                self.adoptions.append(Adoption(cls, text, transfer.writer, transfer.source, reader, holder, position))

    def _tellers(self, reader: str, holder: int, term: int) -> Iterator[Transfer]:
        """The transfers of a message that tell a term, but for tasks."""
        for transfer in self.arrivals.get((reader, holder), ()):
            source = self.session.messages[transfer.source]
            if transfer.channel != "task" and term in self.index.facts_of(source).terms:
                yield transfer
