"""Which messages of a window have to do with some words: BM25 over a full-text index held in memory.

The index holds just the messages that are searched through: which words are rare is judged among them, and what was
searched before makes no difference. It is brought in line each time, so that a window that grows costs what is new.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, groupby, islice
from operator import itemgetter
from threading import Lock

from inspector.conversation import Message
from inspector.window import Window

INDEXED = 8_000
"""Characters of a message that are indexed: what a long output is about stands at its beginning."""
_MOST_WORDS = 12
"""Words of a query that are looked for: those that the fewest messages hold."""
_WORD = re.compile(r"[^\W_]{3,}")
_MOST_FOUND = 4_000
"""Messages that the words of a query may be found in, all together; the rarest three are always looked for."""


class SearchIndex:
    """A full-text index over the messages that were searched last. May be used from any thread.

    `Services` hold one, and with them a workbench or a compression engine: it lives as long as they do.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: dict[Message, int] = {}
        self._last = 0

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.execute(
            "CREATE VIRTUAL TABLE message USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 0')"
        )
        return connection

    def search(self, window: Window, words: str, places: Sequence[int], most: int) -> list[tuple[int, float]]:
        """The places of a window, out of `places`, whose messages have most to do with `words`; the best first."""
        if not places or most <= 0:
            return []
        with self._lock:
            ranked = self._ranked([window.messages[place] for place in places], words)
            return [(places[place], score) for place, score in islice(ranked, most)]

    def _hold(self, messages: Sequence[Message]) -> None:
        """Bring the index in line: it holds these messages and no others."""
        current = set(messages)
        if current == self._numbers.keys():
            return
        old = [(number, message) for message, number in self._numbers.items() if message not in current]
        new = list(enumerate((message for message in messages if message not in self._numbers), self._last + 1))
        self._connection.executemany(
            "INSERT INTO message (message, rowid, text) VALUES ('delete', ?, ?)", map(row, old)
        )
        self._connection.executemany("INSERT INTO message (rowid, text) VALUES (?, ?)", map(row, new))
        for _, message in old:
            del self._numbers[message]
        self._numbers |= {message: number for number, message in new}
        self._last += len(new)

    def _telling(self, words: str) -> list[str]:
        """The words of a text that tell most about what it is about: those that few messages hold."""
        listed = {folded(word): word for word in _WORD.findall(words[:INDEXED])}
        counts = [(self._holders(word), word) for word in listed.values()]
        rare = sorted((count, word) for count, word in counts if count)[:_MOST_WORDS]
        total = list(accumulate(count for count, _ in rare))
        return [word for place, (_, word) in enumerate(rare) if place < 3 or total[place] <= _MOST_FOUND]

    def _holders(self, word: str) -> int:
        """How many messages hold a word."""
        rows = self._connection.execute("SELECT count(*) FROM message WHERE message MATCH ?", (f'"{word}"',))
        return int(rows.fetchone()[0])

    def _ranked(self, messages: Sequence[Message], words: str) -> Iterator[tuple[int, float]]:
        """Places in `messages` with their scores, the best first; of equals, the older."""
        self._hold(messages)
        query = " OR ".join(f'"{word}"' for word in self._telling(words))
        if not query:
            return
        places = {self._numbers[message]: place for place, message in enumerate(messages)}
        rows = self._connection.execute(
            "SELECT rowid, -rank FROM message WHERE message MATCH ? ORDER BY rank", (query,)
        )
        for score, equals in groupby(rows, itemgetter(1)):
            yield from ((place, score) for place in sorted(places[number] for number, _ in equals))


def folded(word: str) -> str:
    """A word in small letters, as the index compares them: none of them becomes two."""
    if word.isascii():
        return word.lower()
    return "".join(small if len(small := letter.casefold()) == 1 else letter.lower() for letter in word)


def passage(text: str, words: str, longest: int) -> str:
    """The part of a text, at most `longest` characters, that holds most of the words of another."""
    if len(text) <= longest:
        return text
    sought = set(map(folded, _WORD.findall(words[:INDEXED])))
    places = [match.start() for match in _WORD.finditer(text) if folded(match[0]) in sought] if sought else []
    starts: list[tuple[int, int]] = []
    first = 0
    for count, place in enumerate(places, 1):
        while places[first] < place - longest * 3 // 4:
            first += 1
        starts.append((count - first, -places[first]))
    _, best = max(starts, default=(0, 0))
    start = max(0, min(-best - longest // 8, len(text) - longest + 4))
    room = longest - 4
    return ("… " if start else "") + text[start : start + room] + (" …" if start + room < len(text) else "")


def row(numbered: tuple[int, Message]) -> tuple[int, str]:
    number, message = numbered
    return number, message.text[:INDEXED].encode("utf-8", "replace").decode()
