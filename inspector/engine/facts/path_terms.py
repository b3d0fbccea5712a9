"""Tell which stated terms are missing on the branch that a conversation continues on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inspector.core.conversation import Message
from inspector.engine.facts.fact_index import FactIndex


class PathTerms:
    """Terms that were stated, and those of the messages on the path of the conversation.

    The cost is proportional to the messages that enter and leave the path, however long it is.

    Args:
        index: Facts of the session's log.
    """

    def __init__(self, index: FactIndex) -> None:
        self._index = index
        self._path: list[tuple[int, ...]] = []
        """Terms of each message on the path."""
        self._tellers = Counter[int]()
        """Number of messages on the path that state each term."""
        self._stated = set[int]()
        self._new_facts: list[tuple[int, ...]] = []
        """Facts stated since the path was last followed, whose terms are not in `_stated` yet."""
        self._missing = set[int]()
        """Stated terms that no message on the path states."""

    def state(self, facts: tuple[int, ...]) -> None:
        """Note the facts that a message states."""
        self._new_facts.append(facts)

    def follow(self, prefix: int, new: Iterable[Message]) -> set[int]:
        """Move to another path, and return a new set of the stated terms that none of its messages states.

        Args:
            prefix: Number of messages that are kept from the start of the path.
            new: Messages after them.
        """
        index, tellers = self._index, self._tellers
        changed = {index.facts[fact].term for facts in self._new_facts for fact in facts}
        self._stated |= changed
        self._new_facts.clear()
        for terms in self._path[prefix:]:
            tellers.subtract(terms)
            changed.update(terms)
        del self._path[prefix:]
        for message in new:
            terms = index.facts_of(message).terms
            self._path.append(terms)
            tellers.update(terms)
            self._missing.difference_update(terms)
        self._missing.update(term for term in changed if term in self._stated and not tellers[term])
        return set(self._missing)
