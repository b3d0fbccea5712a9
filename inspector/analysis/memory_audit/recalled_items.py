"""Recall from memory stores explained: the rank of each item for a query, near misses, and what a session got."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from inspector.analysis.memory_audit.loaded_items import ItemFinder
from inspector.core.conversation import Session
from inspector.core.json_objects import json_object
from inspector.core.text import plural, word_set
from inspector.engine.facts import stem
from inspector.engine.retrieval import (
    Embedder,
    EmbeddingError,
    FloatArray,
    Index,
    Match,
    Result,
    SearchDocument,
    default_index,
    embedded_text,
    explain,
    from_blob,
    select,
)
from inspector.formats import MemoryStore

_FAR = 0.2
"""Cosine below which an item without a word of the query is not ranked."""
_DEPTH = 500
"""Maximum number of matches that are ranked."""
_SAME_MODEL = 0.95
"""Minimum cosine of a stored vector and the embedder's vector of the same text, if both are of one model."""
_PROBES = 3
_MAX_KNOWN = 20_000
_WORD = re.compile(r"[^\W_]{3,}")
_ASKING = word_set(
    "the and for what which where when who whose why how does did can could would should about are was were has have"
)


@json_object("RecalledItem", "result store item text words without explanation reason retrieved", inline="result")
@dataclass(frozen=True, slots=True)
class RecalledItem:
    """An item of a store that was ranked by a query."""

    result: Result[int]
    store: Annotated[str, "path of its store"]
    item: Annotated[str, "its id in the store"]
    text: str
    words: Annotated[Sequence[str], "words of the query that it contains, in any form"]
    without: Annotated[Sequence[str], "words of the query that it does not contain"]
    explanation: Annotated[str, "its scores on one line; empty if it is not ranked"]
    reason: Annotated[str, "why it is not among the results; empty for a result"]
    retrieved: Annotated[Sequence[str], "turns in which the session got it; empty without a session"]


@dataclass(frozen=True, slots=True)
class ItemRecall:
    """The answer to a query over stores."""

    results: Sequence[RecalledItem]
    near_misses: Sequence[RecalledItem]
    retrieved: Sequence[RecalledItem]
    """Items that the session got, and that are not among the results."""
    unknown: Mapping[str, str]
    """Words of the query that no item contains, each with the most similar word of the items or ""."""
    note: str
    """How vectors were used, in a sentence; "" if there is no embedder."""


class _KeptVectors:
    """An embedder that returns stored vectors for the texts that have one."""

    def __init__(self, embedder: Embedder, vectors: Mapping[str, FloatArray]) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """See `Embedder.embed`."""
        others = [text for text in texts if text not in self._vectors]
        computed = self._embedder.embed(others or texts[:1])
        rows: Any = computed[:1].repeat(len(texts), axis=0)
        rest = iter(computed)
        for place, text in enumerate(texts):
            rows[place] = self._vectors[text] if text in self._vectors else next(rest)
        return rows


class ItemSearch:
    """Ranks the items of stores by words, and by meaning if there is an embedder."""

    def __init__(self, stores: Sequence[MemoryStore], embedder: Embedder | None = None) -> None:
        self._finder = ItemFinder(stores)
        self.items = self._finder.items
        self._texts = {number: f"{row.item.name} {row.item.text}" for number, row in enumerate(self.items)}
        self._note = ""
        self._index: Index[int] = default_index(self._with_stored(embedder) if embedder else None)
        try:
            self._index.hold(self._texts)
        except EmbeddingError as error:
            self._use_words(error)

    def search(
        self, query: str, limit: int = 5, budget: int | None = None, session: Session | None = None
    ) -> ItemRecall:
        """Return the items that a query ranks, with reasons.

        Args:
            query: The query.
            limit: Maximum number of results. Others are near misses.
            budget: Maximum tokens of the results; None for no maximum.
            session: A recorded session, whose retrieved items are compared with the results.

        Raises:
            OSError: The session can no longer be read.
        """
        rows, asked = self._rows(query, session), _stems_of(query)
        matches = [Match(row.result.key, row.result.score, row.result.parts) for row in rows if row.result.rank]
        documents = {match.key: self._document(match.key) for match in matches}
        retrieval = select(query, matches, documents, limit, budget, datetime.now(UTC))
        by_key = {row.result.key: row for row in rows}
        results = [by_key[result.key] for result in retrieval.results]
        lacking = results[-1].without if results else ()
        misses = [
            replace(row, reason=f"{miss.reason}{_lack_of(row, lacking)}")
            for miss in retrieval.near_misses
            if (row := by_key[miss.result.key])
        ]
        hits = {result.key for result in retrieval.results}
        others = [row for row in rows if row.retrieved and row.result.key not in hits]
        known = {stem(word): word for text in self._texts.values() for word in _WORD.findall(text.lower())}
        return ItemRecall(results, misses, others, _unknown_words(asked, known), self._note)

    def rank_of(self, query: str, key: str, session: Session | None = None) -> Sequence[RecalledItem]:
        """Return the items with an id or name, each with its rank, or the reason why a query does not rank it.

        Raises:
            OSError: The session can no longer be read.
        """
        rows = self._rows(
            query, session, [n for n, row in enumerate(self.items) if key in (row.item.id, row.item.name)]
        )
        return [row for row in rows if key in (row.item, self.items[row.result.key].item.name)]

    def _rows(self, query: str, session: Session | None, also: Sequence[int] = ()) -> Sequence[RecalledItem]:
        """Return the ranked items, best first, then others that the session got or that are asked for."""
        matches = self._matches(query)
        keys = [match.key for match in matches]
        documents = {key: self._document(key) for key in keys}
        ranked = select(query, matches, documents, len(keys), None, datetime.now(UTC)).results
        places = self._retrieved(session) if session is not None else {}
        asked = _stems_of(query)
        rows = [self._row(result, asked, places) for result in ranked]
        others = dict.fromkeys(number for number in (*places, *also) if number not in documents)
        unranked = (Result(key, 0, 0.0, (), self.items[key].item.tokens, None) for key in others)
        return [*rows, *(self._row(result, asked, places) for result in unranked)]

    def _row(self, result: Result[int], asked: Mapping[str, str], places: Mapping[int, Sequence[str]]) -> RecalledItem:
        row = self.items[result.key]
        own = _stems_of(self._texts[result.key])
        words = [word for key, word in asked.items() if key in own]
        without = [word for key, word in asked.items() if key not in own and word not in _ASKING]
        reason = "" if result.rank else "not ranked: it contains no word of the query"
        if words and not result.rank:
            reason = f"not ranked: of the query it contains only “{', '.join(words)}”, which is in too many items"
        about = explain(result) if result.rank else ""
        turns = places.get(result.key, ())
        return RecalledItem(result, row.store.path, row.item.id, row.item.text, words, without, about, reason, turns)

    def _document(self, number: int) -> SearchDocument:
        item = self.items[number].item
        return SearchDocument(item.text, item.tokens, item.when)

    def _matches(self, query: str) -> Sequence[Match[int]]:
        try:
            matches = self._index.search(query, _DEPTH)
        except EmbeddingError as error:
            self._use_words(error)
            matches = self._index.search(query, _DEPTH)
        return [row for row in matches if any(part.name == "bm25" or part.score >= _FAR for part in row.parts)]

    def _use_words(self, error: EmbeddingError) -> None:
        self._note = f"Searched by words alone: {error}"
        self._index = default_index()
        self._index.hold(self._texts)

    def _with_stored(self, embedder: Embedder) -> Embedder:
        """Return an embedder that uses the stored vectors of the items, if its own model made them."""
        rows = ((number, row.item.embedding) for number, row in enumerate(self.items))
        stored = {number: from_blob(blob) for number, blob in rows if blob and len(blob) % 4 == 0}
        units = {key: vector / size for key, vector in stored.items() if (size := float(vector @ vector) ** 0.5) > 0}
        if not units:
            self._note = f"Vectors were computed by {embedder.name}."
            return embedder
        if not self._are_of(embedder, units):
            self._note = f"Vectors were computed by {embedder.name}; the stored ones are of another model."
            return embedder
        self._note = f"{plural(len(units), 'stored vector')} of {embedder.name} used, the others computed."
        return _KeptVectors(embedder, {embedded_text(self._texts[key]): vector for key, vector in units.items()})

    def _are_of(self, embedder: Embedder, units: Mapping[int, FloatArray]) -> bool:
        probes = [*units][:_PROBES]
        try:
            computed = embedder.embed([embedded_text(self.items[key].item.text) for key in probes])
        except EmbeddingError:
            return False
        pairs = [(row, units[key]) for row, key in zip(computed, probes, strict=True)]
        return all(one.shape == other.shape and one @ other >= _SAME_MODEL for one, other in pairs)

    def _retrieved(self, session: Session) -> Mapping[int, Sequence[str]]:
        """Return the items that a session got from a tool or from its program, each with the turns."""
        places: dict[int, dict[str, None]] = {}
        turn = 1
        for message in session.messages:
            turn += message.is_reply
            if message.role != "assistant" and (message.answers is not None or message.kind == "injected"):
                for number in self._finder.in_text(message.text):
                    places.setdefault(number, {})[f"turn {turn:,}"] = None
        return {number: [*turns] for number, turns in places.items()}


def _stems_of(text: str) -> dict[str, str]:
    """Return the words of a text by their stems."""
    return {stem(word): word for word in _WORD.findall(text.lower())}


def _lack_of(row: RecalledItem, lacking: Sequence[str]) -> str:
    """Return the words that a near miss lacks and the last result contains, as the end of a sentence."""
    words = [word for word in row.without if word not in lacking]
    return f"; it does not contain “{'”, “'.join(words[:4])}”" if words else ""


def _unknown_words(asked: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    missing = [word for key, word in asked.items() if key not in known and word not in _ASKING]
    words = [*known.values()][:_MAX_KNOWN]
    return {word: next(iter(difflib.get_close_matches(word, words, 1, 0.8)), "") for word in missing[:8]}
