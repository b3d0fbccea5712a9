"""Measure how many of the turns that answer a question are found by full-text search, embeddings and both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.analysis.replay import Rate
from inspector.core.conversation import Message
from inspector.engine.retrieval import Embedder, FullTextIndex, Index, NeighbourIndex, VectorIndex, conversation_index
from inspector.engine.strategies import MessageSearch
from inspector.formats import Dialogue

DEPTHS_OF_SEARCH = (5, 10, 25)
"""Numbers of top results that are examined."""


@dataclass(frozen=True, slots=True)
class SearchTally:
    """Number of turns that answer questions, and how many of them a search finds."""

    questions: int = 0
    """Number of questions that refer to turns of the dialogue."""
    turns: int = 0
    hits: tuple[int, ...] = (0,) * len(DEPTHS_OF_SEARCH)
    """Number of those turns among the top results, for each depth."""

    @property
    def rates(self) -> tuple[Rate, ...]:
        """Recall at each depth, with its interval."""
        return tuple([Rate(count, self.turns) for count in self.hits])

    def __add__(self, other: SearchTally) -> SearchTally:
        hits = tuple([one + two for one, two in zip(self.hits, other.hits, strict=True)])
        return SearchTally(self.questions + other.questions, self.turns + other.turns, hits)


@dataclass(frozen=True)
class SearchResult:
    """Result of one kind of search over all dialogues."""

    name: str
    categories: Mapping[str, SearchTally]
    """Counts by category of questions. Adversarial questions refer to the turns that they misrepresent."""

    @property
    def total(self) -> SearchTally:
        return sum(self.categories.values(), SearchTally())


def evaluate_searches(dialogues: Sequence[Dialogue], embedder: Embedder | None = None) -> tuple[SearchResult, ...]:
    """Search each dialogue for its questions with every kind of search.

    The kinds are full text and embeddings, each with and without neighbouring turns, and the fusion of both, which the
    rest of Inspector uses for messages.

    Args:
        dialogues: Dialogues with questions and the messages that answer them.
        embedder: Turns texts into vectors. Without one, only the full-text searches are run.
    """
    tallies: dict[str, dict[str, SearchTally]] = {}
    for dialogue in dialogues:
        for name, search in _searches(dialogue.session.messages, embedder).items():
            _mark(dialogue, search, tallies.setdefault(name, {}))
    return tuple([SearchResult(name, dict(sorted(categories.items()))) for name, categories in tallies.items()])


def _searches(messages: Sequence[Message], embedder: Embedder | None) -> dict[str, MessageSearch]:
    words: FullTextIndex[Message] = FullTextIndex()
    indexes: dict[str, Index[Message]] = {"bm25": words}
    if embedder:
        indexes["embedding"] = VectorIndex(embedder, words.count)
        indexes["bm25, neighbours"] = NeighbourIndex(words)
        indexes["embedding, neighbours"] = NeighbourIndex(VectorIndex(embedder, words.count))
    indexes["fused" if embedder else "bm25, neighbours"] = conversation_index(embedder)
    MessageSearch(words).search(messages, "", 0)  # fills the shared word counts
    return {name: MessageSearch(index) for name, index in indexes.items()}


def _mark(dialogue: Dialogue, search: MessageSearch, tallies: dict[str, SearchTally]) -> None:
    by_id, messages = dialogue.session.by_id, tuple(dialogue.session.messages)
    for question in dialogue.questions:
        evidence = {by_id[name] for name in question.evidence if name in by_id}
        if evidence:
            results = [match.key for match in search.search(messages, question.text, DEPTHS_OF_SEARCH[-1])]
            hits = tuple([len(evidence.intersection(results[:depth])) for depth in DEPTHS_OF_SEARCH])
            tally = tallies.get(question.category, SearchTally())
            tallies[question.category] = tally + SearchTally(1, len(evidence), hits)
