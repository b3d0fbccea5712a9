"""Find adoptions: facts that one agent stated and another agent used later.

A reply adopts a fact if it could not have stated the fact without knowing it, the fact reached its agent in a transfer
from another agent, and neither the user nor its own agent had stated the fact before. Facts passed on with a task are
not adopted, because the task states them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from inspector.analysis.multi_agent.participants import PERSON, Participants
from inspector.analysis.multi_agent.transfers import CollaborationCancelledError, Transfer
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.work_pool import Stop
from inspector.engine.facts import FactClass, FactIndex

_TELLING = frozenset({"path", "url", "id", "amount", "number", "email", "symbol", "error", "date"})
"""Classes of facts that an agent is unlikely to state by coincidence."""


@json_object(keys="class=cls fact writer source reader holder use")
@dataclass(frozen=True, slots=True)
class Adoption:
    """A fact that one agent received from another and used. `source`, `holder` and `use` are positions in the log."""

    cls: Annotated[FactClass, "of facts"]
    fact: str
    writer: str
    source: int
    """Message in which the writer stated it."""
    reader: str
    holder: int
    """Message in the reader's context that contained it."""
    use: int
    """The reader's first reply that needed it."""


def find_adoptions(
    session: Session, parties: Participants, transfers: Sequence[Transfer], index: FactIndex, stop: Stop = lambda: False
) -> list[Adoption]:
    """Return all adoptions in chronological order. Linear in the log and its facts.

    Args:
        session: Session to search.
        parties: Agents of the session.
        transfers: Transfers between them.
        index: Facts of the session.
        stop: Called once per message; cancels the search when it returns True.

    Raises:
        CollaborationCancelledError: If `stop` returned True.
    """
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
    """Facts that each agent knows, and their origin, at a point of the log."""

    session: Session
    parties: Participants
    arrivals: Mapping[tuple[str, int], Sequence[Transfer]]
    index: FactIndex
    known: dict[str, dict[int, int]] = field(default_factory=dict)
    """For each agent, the message of its context that first stated each term."""
    public: set[int] = field(default_factory=set)
    """Terms that the user or the program stated."""
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
        """Yield the transfers in a message that state a term, except tasks."""
        for transfer in self.arrivals.get((reader, holder), ()):
            source = self.session.messages[transfer.source]
            if transfer.channel != "task" and term in self.index.facts_of(source).terms:
                yield transfer
