"""Find values with the words that they belong to, and sentences by their words and their polarity, in any layout.

Everything that asks whether a rewritten text, such as a summary, still states something asks `RelatedText`. Line breaks
have no meaning for it, and neither have words that are far apart. A sentence counts only as one: its words in another
order, or in an enumeration of many others, are not a statement.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from math import ceil, exp, factorial
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts.word_stems import stem, tokens_of_line

_WORD = lazy_pattern(r"[\w][\w./+#-]*\w|\w", re.UNICODE)
_STOP = word_set(
    "a an the this that these those it its i you we they he she me us my your our their is are was were be been "
    "being am "
    "to of in on at by for from with and or but if then than as so do does did done has have had will would can could "
    "should shall may might must just only also now please all any some each every there here what which who "
    "when where "
    "how let make get got into about up out over under again yet still too very such own same other more most s "
    "t d ll ve "
    "re not no never don doesn didn won without user asked wants wanted said says"
)
_NEGATION = lazy_pattern(
    r"(?i)\b(?:not|no|never|don[’']?t|doesn[’']?t|didn[’']?t|won[’']?t|cannot|can[’']?t|without|nothing|none"
    r"|avoid|skip|stop"
    r"|leave|forbid\w*|prohibit\w*|refus\w*|reject\w*|shelv\w*|drop(?:ped)? the|dropped|cancel\w*|withdr\w*"
    r"|instead of|must not"
    r"|off[- ]limits|untouched|nicht|kein\w*|niemals|nie|pas|jamais|nunca|sin)\b"
)


@lru_cache(maxsize=4_096)
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry its meaning."""
    return frozenset(filter(None, map(_content_stem, set(_WORD.findall(text)))))


def least_shared(words: frozenset[str]) -> int:
    """Return how many words of a source sentence are near a value at least if the value belongs to them."""
    return min(_MAX_SHARED, max(MIN_SHARED, ceil(_SHARED * len(words))))


@lru_cache(maxsize=1 << 15)
def _content_stem(word: str) -> str:
    """Return the stem of a word that carries meaning; "" for another word."""
    return stem(word) if len(word) > 1 and word.lower() not in _STOP else ""


@lru_cache(maxsize=4_096)
def is_negated(text: str) -> bool:
    """Return True if a sentence negates something."""
    return bool(_NEGATION.search(text))


_PIECE = lazy_pattern(r"\w+")
_CLAUSE = lazy_pattern(r"[,;:(—–]\s| [-—–] ")
"""Possible end of a sentence's main clause."""
_DENYING = word_set(
    "not no never don don't doesn doesn't didn't won't cannot can't shouldn't mustn't without nothing none avoid nicht "
    "kein keine keinen niemals nie jamais nunca"
)
_REACH = 5
"""Number of words after a negation that it denies, up to the end of the sentence."""
_NEAR = 6
"""Maximum distance in words between a value and a word that it belongs to."""
MIN_SHARED, _SHARED, _MAX_SHARED = 2, 0.25, 4
"""Least number and share of the words of a value's source sentence that are near it, and how many are enough."""
_MAX_CHANCE = 0.1
"""Maximum probability that words which occur in a text would be near a value if their order were random."""
_MIN_LENGTH = 200
"""Minimum length in words of a text for that probability: in shorter ones, everything is near everything."""
RETOLD = 0.6
"""Share of the words of a sentence's main clause that restate it."""
_MIN_CLAUSE_WORDS = 3
"""Minimum number of content words in a clause that can be restated."""
_MIN_DENIED_WORDS = 2
"""The same for a clause with a negation, all of whose words must be found."""
_MIN_ROOM, _ROOM = 30, 3
"""Number of words of the sentences and points that restate a sentence: at most, and as a multiple of its span."""
_SHORT = 3
"""Number of required words up to which all are in the order of the sentence. Of more, one may be in another place."""
_MIN_SPAN, _SPREAD = 8, 1.5
"""Number of words within which a sentence can be restated: at least, and as a multiple of the main clause's words."""


class RelatedText:
    """The words of a text by position, to search values and sentences in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._near: dict[int, frozenset[str]] = {}
        """Stems around positions that were asked for, of words that are no values and no function words."""

    @cached_property
    def _tokens(self) -> list[str]:
        """The words, with "" at the end of a sentence and at a bullet."""
        return list(chain.from_iterable(map(tokens_of_line, self._text.replace("’", "'").split("\n"))))

    @cached_property
    def _words(self) -> list[_Word]:
        return list(map(_word_of, filter(None, self._tokens)))

    @cached_property
    def _starts(self) -> list[int]:
        """Positions of the first words of sentences and points, ascending."""
        ends = [place for place, word in enumerate(self._tokens) if not word]
        return [0, *(place - count for count, place in enumerate(ends))]

    @cached_property
    def _by_piece(self) -> Mapping[str, list[int]]:
        by_piece: dict[str, list[int]] = defaultdict(list)
        for place, (_, _, pieces, _) in enumerate(self._words):
            for piece in pieces:
                by_piece[piece].append(place)
        return by_piece

    @cached_property
    def by_stem(self) -> Mapping[str, list[int]]:
        """Positions of the content words and values, by stem."""
        by_stem: dict[str, list[int]] = defaultdict(list)
        for place, (_, key, _, _) in enumerate(self._words):
            if key:
                by_stem[key].append(place)
        return by_stem

    @cached_property
    def _denials(self) -> tuple[set[int], set[int]]:
        """Positions of words after a negation, and of the first content word after each."""
        denied, heads = set[int](), set[int]()
        reach, is_open, place = -1, False, 0
        for token in self._tokens:
            if not token:
                reach = -1
                continue
            _, key, _, is_denying = self._words[place]
            if place <= reach:
                denied.add(place)
            if is_denying:
                reach, is_open = place + _REACH, True
            elif key and is_open and place <= reach:
                heads.add(place)
                is_open = False
            place += 1
        return denied, heads

    def __len__(self) -> int:
        return len(self._words)

    def words_near(self, value: str) -> Iterator[frozenset[str]]:
        """Yield the content words near each occurrence of a value."""
        for place in self._places_of(value):
            near = self._near.get(place)
            if near is None:
                near = self._near[place] = frozenset(
                    [word.plain for word in self._words[max(0, place - _NEAR) : place + _NEAR + 1]]
                )
            yield near

    def _places_of(self, value: str) -> Sequence[int]:
        """Return the positions of a value's rarest part, next to all its other parts that the text contains."""
        pieces = dict.fromkeys(_PIECE.findall(value.lower()))
        parts = [self._by_piece[piece] for piece in pieces if piece in self._by_piece]
        rarest = min(parts, key=len, default=[])
        return [at for at in rarest if all(_has_near(places, at, len(parts)) for places in parts)] or rarest

    def relates(self, value: str, sources: Iterable[frozenset[str]], *, by_chance: bool = False) -> bool:
        """Return True if the text contains a value near the words that it belongs to.

        Args:
            value: The value.
            sources: Content words of the sentences that stated the value (`source_words`).
            by_chance: Also count words that would be near the value in any order.
        """
        nears = list(self.words_near(value))
        if not nears:
            return False
        for words in sources:
            counts, least = [len(near & words) for near in nears], least_shared(words)
            if max(counts) >= least and (by_chance or not self._is_chance(counts, least, words)):
                return True
        return False

    def _is_chance(self, counts: Sequence[int], least: int, words: frozenset[str]) -> bool:
        """Return True if so many of these words would be near so many places if their order were random.

        Args:
            counts: Number of these words near each place.
            least: Number with which a place counts. Places with the largest number are also counted alone.
            words: The words.
        """
        here = sum(len(self.by_stem.get(word, ())) for word in words)
        expected = here * (2 * _NEAR + 1) / max(len(self), _MIN_LENGTH)
        for least_here in (least, max(counts)):
            fewer = exp(-expected) * sum(expected**number / factorial(number) for number in range(least_here))
            near = sum(count >= least_here for count in counts)
            if _chance_of(near, len(counts), 1 - fewer) <= _MAX_CHANCE:
                return False
        return True

    def states(self, text: str) -> bool:
        """Return True if the text, which contains the words of a sentence, says it. Short ones need no restatement."""
        sentence = sentence_of(text)
        return len(sentence.clause) < sentence.least or self.restates(sentence)

    def restates(self, sentence: Sentence) -> bool:
        """Return True if the text says a sentence.

        It has most words of the main clause in their order, the numbers and the polarity, in sentences or points that
        are not much longer.
        """
        if len(sentence.clause) < sentence.least:
            return False
        if not sentence.exact <= self.by_stem.keys():
            return False
        for here in self._tellings(sentence, RETOLD, _SHORT):
            present = {word for _, word in here}
            if sentence.exact <= present and self._agrees(sentence, sentence.clause & present, here):
                return True
        return False

    def is_about(self, sentence: Sentence, share: float) -> bool:
        """Return True if the text says a sentence or its opposite, with other numbers or in a part of its words.

        Args:
            sentence: The sentence.
            share: Share of the words of its main clause that are close to each other, most of them in their order.
        """
        return next(self._tellings(sentence, share, 1), None) is not None

    def ordered(self, sentence: Sentence) -> int:
        """Return the maximum number of words of a sentence that are in its order, however far apart."""
        hits = sorted((place, word) for word in sentence.clause for place in self.by_stem.get(word, ()))
        return sentence.ordered(word for _, word in hits)

    def _tellings(self, sentence: Sentence, share: float, short: int) -> Iterator[list[tuple[int, str]]]:
        """Yield the passages with enough words of the main clause in their order, in sentences that are not long."""
        need = sentence.least_words(share)
        if len(sentence.clause & self.by_stem.keys()) < need:
            return
        least = need if need <= short else need - 1
        for here in self._passages(sentence, need):
            if sentence.ordered(word for _, word in here) >= least and self._is_apart(sentence, here):
                yield here

    def _is_apart(self, sentence: Sentence, here: Sequence[tuple[int, str]]) -> bool:
        """Return True if the sentences and points with these words are not much longer than a sentence."""
        starts = self._starts
        after = bisect_right(starts, here[-1][0])
        end = starts[after] if after < len(starts) else len(self)
        return end - starts[bisect_right(starts, here[0][0]) - 1] <= max(_MIN_ROOM, _ROOM * sentence.span)

    def _passages(self, sentence: Sentence, least: int) -> Iterator[list[tuple[int, str]]]:
        """Yield words of a sentence that are close to each other, with their positions.

        Args:
            sentence: The sentence.
            least: Minimum number of different words of its main clause.
        """
        clause, span = sentence.clause, sentence.span
        hits = sorted((place, word) for word in clause | sentence.exact for place in self.by_stem.get(word, ()))
        counts = dict.fromkeys(clause, 0)
        start = different = 0
        for end, (place, word) in enumerate(hits, 1):
            if word in counts:
                counts[word] += 1
                different += counts[word] == 1
            while place - hits[start][0] > span:
                left = hits[start][1]
                if left in counts:
                    counts[left] -= 1
                    different -= counts[left] == 0
                start += 1
            if different >= least:
                yield hits[start:end]

    def _agrees(self, sentence: Sentence, words: frozenset[str], here: Sequence[tuple[int, str]]) -> bool:
        """Return True if what a sentence denies is denied here, and the other way round, as far as both have it."""
        denied, heads = ({word for place, word in here if place in places} for places in self._denials)
        return sentence.heads & words <= denied and heads & words <= sentence.denied

    def denials(self) -> Iterator[frozenset[str]]:
        """Yield the stems after a negation, and the first ones after each."""
        for places in self._denials:
            yield frozenset(word for word, at in self.by_stem.items() if not places.isdisjoint(at))


def _has_near(places: Sequence[int], place: int, reach: int) -> bool:
    """Return True if one of some ascending positions is less than `reach` words from a position."""
    at = bisect_right(places, place - reach)
    return at < len(places) and places[at] < place + reach


def _chance_of(least: int, places: int, probability: float) -> float:
    """Return the probability that at least so many of some places have what each has with a probability."""
    if probability >= 1:
        return 1.0
    rest, fewer = (1 - probability) ** places, 0.0
    for count in range(least):
        fewer += rest
        rest *= (places - count) / (count + 1) * probability / (1 - probability)
    return 1 - fewer


class _Word(NamedTuple):
    """The properties of a word that the index of a text needs."""

    plain: str
    """Stem of a word that carries meaning and is no value, else ""."""
    key: str
    """Stem of a word that carries meaning, else ""."""
    pieces: tuple[str, ...]
    """Parts by which a value is found."""
    is_denying: bool


def plain_stems(*texts: str) -> frozenset[str]:
    """Return the stems of the words of some texts that carry meaning and are no values."""
    return frozenset(filter(None, (_word_of(word).plain for text in texts for word in _WORD.findall(text))))


@lru_cache(maxsize=1 << 15)
def _word_of(word: str) -> _Word:
    low = word.lower()
    key = stem(word) if low not in _STOP and len(low) > 1 else ""
    plain = key if len(low) > 2 and _is_plain(word) else ""
    return _Word(plain, key, tuple(_PIECE.findall(low)), low in _DENYING)


@lru_cache(maxsize=8)
def related_text(text: str) -> RelatedText:
    """Return the words of a text, from a cache: each window with the same summary asks for it again."""
    return RelatedText(text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words that a text must contain to restate a sentence."""

    clause: frozenset[str]
    """Stems of the content words of the main clause."""
    ranks: Mapping[str, int]
    """Positions of these words in the clause."""
    exact: frozenset[str]
    """Words with digits in the whole sentence."""
    denied: frozenset[str]
    """Words of the main clause after a negation."""
    heads: frozenset[str]
    """The first word after each negation."""
    span: int
    """Maximum number of words between the first and the last of these words."""
    least: int
    """Minimum number of words of the main clause, without which a sentence cannot be restated."""

    def least_words(self, share: float) -> int:
        """Return how many words of the main clause a passage has at least if it has a share of them."""
        size = len(self.clause)
        return max(min(_MIN_CLAUSE_WORDS, size), ceil(share * size))

    def ordered(self, words: Iterable[str]) -> int:
        """Return the maximum number of words that are in the order of the main clause."""
        ends: list[int] = []
        for rank in (self.ranks[word] for word in words if word in self.ranks):
            place = bisect_left(ends, rank)
            ends[place : place + 1] = [rank]
        return len(ends)


@lru_cache(maxsize=1 << 14)
def sentence_of(text: str) -> Sentence:
    """Return the words of a sentence by which a text restates it."""
    ends = (match.start() for match in _CLAUSE.finditer(text))
    whole = RelatedText(text)
    beginnings = (text[:end] for end in ends)
    main = next((head for head in beginnings if len(content_words(head)) >= _MIN_CLAUSE_WORDS), text)
    clause = RelatedText(main)
    denied, heads = clause.denials()
    exact = frozenset(word for word in whole.by_stem if any(map(str.isdecimal, word)))
    words = list(clause.by_stem)
    ranks = dict(zip(words, range(len(words)), strict=True))
    span = max(_MIN_SPAN, ceil(_SPREAD * len(clause)))
    return Sentence(
        frozenset(words), ranks, exact, denied, heads, span, _MIN_DENIED_WORDS if heads else _MIN_CLAUSE_WORDS
    )


def _is_plain(word: str) -> bool:
    """Return True if a word is no value: it has letters alone, and no capital after a small one."""
    return word.replace("-", "").isalpha() and (word[1:].islower() or word.isupper() or word[1:] == "")
