"""Read which facts of a log a summary states, and which of its values it only names."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern
from inspector.engine.facts.classes import SENTENCES, FactClass
from inspector.engine.facts.relation import RETOLD, RelatedText, Sentence, sentence_of
from inspector.engine.facts.stated_texts import MAX_SOURCES, statements_among
from inspector.engine.facts.text_match import told_text
from inspector.engine.facts.value_sources import source_words

_UNIT = lazy_pattern(r"(?<=[.!?;]) | (?=[-*•] )")
"""Border between two sentences or points of a text on one line."""


def units_of(text: str) -> list[str]:
    """Return the sentences and points of a text, whatever its line breaks are."""
    return _UNIT.split(" ".join(text.split()))


class Statements:
    """The positions in the log that state each fact, to compare summaries with.

    Args:
        log: Messages of the log with their facts.
        facts: Class, text and term of every fact.
        by_term: Facts of each term.
    """

    def __init__(
        self,
        log: Mapping[Message, Sequence[int]],
        facts: Sequence[tuple[FactClass, str, int]],
        by_term: Sequence[Sequence[int]],
    ) -> None:
        self._facts, self._by_term = facts, by_term
        self._messages = list(log)
        self._places = {message: place for place, message in enumerate(self._messages)}
        self._rows = list(log.values())
        self._words: dict[tuple[int, int], frozenset[str]] = {}

    def place_of(self, message: Message) -> int:
        """Return the position of a message in the log; the end of the log for any other message."""
        return self._places.get(message, len(self._messages))

    @cached_property
    def _sources(self) -> dict[int, int | list[int]]:
        """Positions of the messages that state each fact, ascending; of summaries only if no other message does.

        Most facts are stated once: they have a number, which takes up much less memory than a list.
        """
        sources: dict[bool, dict[int, int | list[int]]] = {True: {}, False: {}}
        for place, (message, row) in enumerate(zip(self._messages, self._rows, strict=True)):
            stated = sources[message.kind == "summary"]
            for fact in row:
                places = stated.setdefault(fact, place)
                if isinstance(places, list):
                    places.append(place)
                elif places != place:
                    stated[fact] = [places, place]
        return {**sources[True], **sources[False]}

    @cached_property
    def _sentences(self) -> dict[int, Sentence]:
        """Sentences that are long enough to be restated, by term."""
        sentences = {term: sentence_of(text) for cls, text, term in self._facts if cls in SENTENCES}
        return {term: one for term, one in sentences.items() if len(one.clause) >= one.least}

    @cached_property
    def _least_words(self) -> dict[int, int]:
        """Number of words of each of these sentences without which a text does not restate it."""
        return {term: sentence.least_words(RETOLD) for term, sentence in self._sentences.items()}

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """Terms of these sentences by each of their words."""
        by_word: dict[str, list[int]] = defaultdict(list)
        for term, sentence in self._sentences.items():
            for word in sentence.clause:
                by_word[word].append(term)
        return by_word

    def restated(self, text: RelatedText, among: Collection[int] | None = None) -> set[int]:
        """Return the terms of the sentences that a text restates.

        Args:
            text: The text.
            among: Terms to look for; None for all.
        """
        if among is not None:
            wanted = {term: value for cls, value, term in self._facts if cls in SENTENCES and term in among}
            return {term for term, value in wanted.items() if text.restates(sentence_of(value))}
        by_word, sentences, least = self._by_word, self._sentences, self._least_words
        counts = Counter(chain.from_iterable(map(by_word.__getitem__, text.by_stem.keys() & by_word.keys())))
        return {term for term, count in counts.items() if count >= least[term] and text.restates(sentences[term])}

    def related(self, text: RelatedText, terms: Iterable[int], end: int) -> set[int]:
        """Return those terms that a text states: sentences as such, and values with the words that they belong to.

        Args:
            text: The text.
            terms: Terms that the text states in any way.
            end: Position in the log after the messages that the values come from.
        """
        return {term for term in terms if any(self._is_stated(text, fact, end) for fact in self._by_term[term])}

    def _is_stated(self, text: RelatedText, fact: int, end: int) -> bool:
        cls, value, _ = self._facts[fact]
        return text.states(value) if cls in SENTENCES else text.relates(value, self._contexts(fact, end))

    def _contexts(self, fact: int, end: int) -> Iterator[frozenset[str]]:
        stated = self._sources.get(fact, [])
        places = stated if isinstance(stated, list) else [stated]
        cut = bisect_left(places, end) or 1
        newest = places[max(0, cut - 8 * MAX_SOURCES) : cut][::-1]
        for message in statements_among(map(self._messages.__getitem__, newest)):
            place = self._places[message]
            words = self._words.get((fact, place))
            if words is None:
                words = self._words[fact, place] = source_words(told_text(message), self._facts[fact][1])
            yield words


@dataclass(frozen=True)
class RetoldTerms:
    """The terms in a summary. Whether it states one with what it belongs to is decided when it is asked for."""

    restated: set[int]
    """Terms of sentences that it restates."""
    mentioned: set[int]
    """Terms that it states or names."""
    text: RelatedText
    end: int
    """Position in the log after the messages that it replaced."""
    statements: Statements
    _verdicts: dict[int, bool] = field(default_factory=dict)

    def states(self, term: int) -> bool:
        """Return True if the summary states a term with what it belongs to.

        Raises:
            OSError: A message body cannot be read any more.
        """
        if term in self.restated:
            return True
        if term not in self.mentioned:
            return False
        if term not in self._verdicts:
            self._verdicts[term] = bool(self.statements.related(self.text, [term], self.end))
        return self._verdicts[term]
