"""BM25 ranking with an in-memory full-text index.

Word frequencies are taken from the current documents. Results do not depend on earlier documents or searches. BM25:
https://www.sqlite.org/fts5.html#the_bm25_function
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import Generic

from inspector.engine.retrieval.base import K, Match, ScorePart, Texts
from inspector.engine.retrieval.query_words import INDEXED, beginning, rare_words, words_in


class FullTextIndex(Generic[K]):
    """Finds documents that contain words of a query. Rarer words and shorter documents rank higher.

    English words match in all their forms: "paints" finds "painted".
    """

    name = "bm25"

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: dict[K, int] = {}
        """Row of each document, in document order."""
        self._keys: dict[int, K] = {}
        self._places: dict[int, int] = {}
        """Position of each row's document."""
        self._readers: dict[K, Callable[[K], str]] = {}
        """Function that reads each document's text. The index stores no texts, but needs them to delete documents."""
        self._last = 0

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        tokenizer = "porter unicode61 remove_diacritics 0"
        connection.execute(f"CREATE VIRTUAL TABLE document USING fts5 (text, content='', tokenize='{tokenizer}')")
        return connection

    def __len__(self) -> int:
        return len(self._rows)

    def hold(self, documents: Mapping[K, str]) -> None:
        """See `Index.hold`."""
        with self._lock:
            if list(self._rows) != list(documents):
                self._replace(documents)

    def search(self, query: str, limit: int, among: Collection[K] | None = None) -> list[Match[K]]:
        """See `Index.search`."""
        if limit <= 0:
            return []
        with self._lock:
            return self._matches(query, limit, among)

    def count(self, word: str) -> int:
        """Return the number of documents that contain a word in any of its forms."""
        with self._lock:
            return sum(map(self._count, words_in(word)[:1]))

    def _replace(self, documents: Mapping[K, str]) -> None:
        new = {key: row for row, key in enumerate((key for key in documents if key not in self._rows), self._last + 1)}
        texts = {} if isinstance(documents, Texts) else {key: documents[key] for key in new}
        reader = documents.text_of if isinstance(documents, Texts) else texts.__getitem__
        old = [key for key in self._rows if key not in documents]
        self._execute_all("INSERT INTO document (document, rowid, text) VALUES ('delete', ?, ?)", old)
        for key in old:
            del self._readers[key], self._keys[self._rows[key]]
        self._readers |= dict.fromkeys(new, reader)
        self._keys |= {row: key for key, row in new.items()}
        rows = self._rows | new
        self._rows = {key: rows[key] for key in documents}
        self._places = {row: place for place, row in enumerate(self._rows.values())}
        self._last += len(new)
        self._execute_all("INSERT INTO document (rowid, text) VALUES (?, ?)", new)

    def _execute_all(self, statement: str, keys: Iterable[K]) -> None:
        self._connection.executemany(
            statement, ((self._rows[key], beginning(self._readers[key](key), INDEXED)) for key in keys)
        )

    def _count(self, word: str) -> int:
        rows = self._connection.execute("SELECT count(*) FROM document WHERE document MATCH ?", (f'"{word}"',))
        return int(rows.fetchone()[0])

    def _matches(self, query: str, limit: int, among: Collection[K] | None) -> list[Match[K]]:
        words = " OR ".join(f'"{word}"' for word in rare_words(query, self._count))
        if not words:
            return []
        allowed = None if among is None else {self._rows[key] for key in among if key in self._rows}
        rows = self._connection.execute(
            "SELECT rowid, -rank FROM document WHERE document MATCH ? ORDER BY rank", (words,)
        )
        matches: list[Match[K]] = []
        for score, equals in groupby(rows, itemgetter(1)):
            for row in self._oldest_first([row for row, _ in equals]):
                if allowed is None or row in allowed:
                    part = ScorePart(self.name, score, len(matches) + 1)
                    matches.append(Match(self._keys[row], score, (part,)))
                    if len(matches) == limit:
                        return matches
        return matches

    def _oldest_first(self, rows: Sequence[int]) -> list[int]:
        return sorted(rows, key=self._places.__getitem__)
