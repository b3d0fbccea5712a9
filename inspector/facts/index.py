"""The facts of a whole session, numbered, and which message tells which: read once, for any number of replays.

What is the same fact is one term: a value, whatever it is called; a path, however much of it is written out; a hash,
however short. A message holds a term when it tells it in any way. Messages that are not in the log (summaries, results
that were shortened, placeholders) are looked through line by line, and lines are remembered: the summaries of a session
are made of the same lines again and again.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from inspector.conversation import Message, Part, Session, Text, ToolCall, ToolResult
from inspector.facts.aliases import resolved
from inspector.facts.classes import FactClass
from inspector.facts.extraction import Reading, read, read_output, read_text
from inspector.facts.noise import is_noise
from inspector.facts.terms import day_terms, sentence_words
from inspector.facts.word_facts import Key
from inspector.providers import Placeholder
from inspector.text import dumps

_MOST = 50_000
"""Lines that are remembered; beyond, all of them are forgotten and read anew."""
_ENOUGH = 0.75
"""Share of a sentence's words that a line has to have to tell it in other words."""
_FEWEST = 4
"""Words that a sentence must have for that."""
_WORDS = "words "
_FULL_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Known(NamedTuple):
    """A fact of a session."""

    cls: FactClass
    text: str
    """The value, in its normal form."""
    term: int
    """The number of the term by which it is known."""


class _Telling(NamedTuple):
    """What one message tells."""

    held: tuple[int, ...]
    """The terms that it tells in any way."""
    facts: tuple[int, ...] = ()
    """The facts that it tells, of messages of the log."""
    needed: tuple[int, ...] = ()
    """The facts that it could not have told without knowing them, of replies."""


class FactIndex:
    """The facts of one session. It holds the session's messages, and not the session itself."""

    def __init__(self, session: Session) -> None:
        log = [message for message in session.messages if message.kind != "notice"]
        reader = _Reader(log)
        self.numbers = reader.numbers()
        """The number of each term of a fact, by any of its names."""
        self.facts = reader.known(self.numbers)
        self.by_term = _grouped((fact.term, number) for number, fact in enumerate(self.facts))
        """For each term, the facts that are known by it."""
        self.sentences = _by_word(self.numbers)
        self.lines: dict[tuple[str, bool], tuple[int, ...]] = {}
        self.log = dict(zip(log, reader.tellings(self.numbers, self.facts), strict=True))
        for message in log:
            if message.kind == "summary":
                told = self.log[message]
                self.log[message] = told._replace(held=tuple(sorted({*told.held, *self.read_parts(message)})))
        self.always = _tools_tell(session, self.numbers)
        """Terms that the definitions of the tools tell, which are sent with every request."""
        outside = {term for message in log if message.role != "assistant" for term in self.log[message].held}
        self.missed = [
            not is_noise(fact.cls, fact.text, fact.term in outside, first.crowd)
            for fact, first in zip(self.facts, reader.first.values(), strict=True)
        ]
        """For each fact, whether its loss can be regretted."""
        self.days = dict(_days_of(self.facts, self.numbers))
        """For the term of a full date, that of its day and month: whoever has those lacks no date."""

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self.by_term)

    def telling(self, message: Message) -> _Telling:
        """What a message tells. One that is not of the log is looked through each time, though quickly."""
        return self.log.get(message) or _Telling(tuple(sorted(self.read_parts(message))))

    def read_parts(self, message: Message) -> set[int]:
        """What a message tells that is not in the log, or that stands for others."""
        if isinstance(message.body, Placeholder):
            return self.read_lines(message.body.text, said=False)
        return {
            number for part in message.parts for text, said in _lines_in(part) for number in self.read_lines(text, said)
        }

    def read_lines(self, text: str, said: bool) -> set[int]:
        if len(self.lines) >= _MOST:
            self.lines.clear()
        held: set[int] = set()
        for line in text.split("\n"):
            known = self.lines.get((line, said))
            if known is None:
                known = self.lines[line, said] = tuple(self.read_line(line, said))
            held.update(known)
        return held

    def read_line(self, line: str, said: bool) -> set[int]:
        told = read_text(line) if said else Reading()
        if not said:
            read_output(told, line, is_error=False)
        return {self.numbers[term] for term in told.terms if term in self.numbers} | self.in_other_words(line)

    def in_other_words(self, line: str) -> set[int]:
        """The sentences that a line tells a little differently: most of their words, and all of their numbers."""
        words = frozenset(sentence_words(line))
        if len(words) < _FEWEST:
            return set()
        near = {number: sentence for word in words for number, sentence in self.sentences.get(word, ())}
        return {number for number, sentence in near.items() if _tells(words, sentence)}


INDEXES: WeakKeyDictionary[Session, FactIndex] = WeakKeyDictionary()


def fact_index(session: Session) -> FactIndex:
    """The facts of a session; read once, and kept for as long as the session is open. Raises OSError."""
    if session not in INDEXES:
        INDEXES[session] = FactIndex(session)
    return INDEXES[session]


def _tells(words: frozenset[str], sentence: frozenset[str]) -> bool:
    missing = sentence - words
    return len(missing) <= (1 - _ENOUGH) * len(sentence) and not any(any(map(str.isdecimal, word)) for word in missing)


def _lines_in(part: Part) -> Iterator[tuple[str, bool]]:
    """The texts of a part, each with whether somebody says it."""
    match part:
        case Text(text):
            yield text, True
        case ToolCall(_, name, arguments):
            yield f"{name} {arguments}", False
        case ToolResult():
            yield part.text, False


def _by_word(numbers: Mapping[str, int]) -> dict[str, list[tuple[int, frozenset[str]]]]:
    """Sentences by their rarest words: as many of them that no line tells a sentence that has none of these."""
    sentences = {
        number: frozenset(term[len(_WORDS) :].split()) for term, number in numbers.items() if term.startswith(_WORDS)
    }
    spread: dict[str, int] = defaultdict(int)
    for words in sentences.values():
        for word in words:
            spread[word] += 1
    found: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for number, words in sentences.items():
        if len(words) >= _FEWEST:
            rarest = sorted(words, key=lambda word: (spread[word], word))
            for word in rarest[: int((1 - _ENOUGH) * len(words)) + 1]:
                found[word].append((number, words))
    return dict(found)


def _days_of(facts: Iterable[Known], numbers: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    for fact in facts:
        if fact.cls == "date" and _FULL_DAY.fullmatch(fact.text):
            day = numbers.get(day_terms(fact.text)[-1], fact.term)
            if day != fact.term:
                yield fact.term, day


def _tools_tell(session: Session, numbers: Mapping[str, int]) -> tuple[int, ...]:
    """What the tool definitions tell; where a file leaves them out, the name of every tool that was called."""
    told = Reading()
    read_output(told, dumps(session.tools), is_error=False)
    terms = set(told.terms)
    functions = [tool.get("function") for tool in session.tools]
    named = [*session.tools, *(each for each in functions if isinstance(each, Mapping))]
    names = {str(tool.get("name")) for tool in named}
    if not session.tools:
        names = {call.name for message in session.messages for call in message.calls}
    terms |= {f"name {name}" for name in names}
    return tuple(sorted({numbers[term] for term in terms if term in numbers}))


def _grouped(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """What belongs to each number from 0 up."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, each in pairs:
        groups[number].append(each)
    return [tuple(groups[number]) for number in range(len(groups))]


class _First(NamedTuple):
    """How a fact was told first."""

    term: str
    need: str
    crowd: int
    """How many facts of its class that message tells: the rows of a table are many."""


class _Reader:
    """Everything that the messages of a log tell, as small as it can be held until it is known what of it are facts."""

    def __init__(self, log: Sequence[Message]) -> None:
        self.names: dict[str, int] = {}
        """Every term and every need, with a number for the time of reading."""
        self.first: dict[Key, _First] = {}
        self.rows: list[tuple[array[int], tuple[Key, ...], array[int]]] = []
        """For each message its terms, its facts and, of a reply, its needs."""
        for message in log:
            reading = read(message)
            crowd = Counter(cls for cls, _ in reading.facts)
            for key, (term, need, _) in reading.facts.items():
                if key not in self.first:
                    self.first[key] = _First(term, need, crowd[key[0]])
            needs = reading.needs if message.role == "assistant" else ()
            self.rows.append((self.packed(reading.terms), tuple(reading.facts), self.packed(needs)))

    def packed(self, terms: Iterable[str]) -> array[int]:
        names = self.names
        return array("I", [names.setdefault(term, len(names)) for term in terms])

    def numbers(self) -> dict[str, int]:
        """A number for each term that is a fact's; terms of one path or one hash share theirs."""
        terms = dict.fromkeys(first.term for first in self.first.values())
        same = resolved(terms)
        order: dict[str, int] = {}
        for term in terms:
            order.setdefault(same.get(term, term), len(order))
        return {term: order[same.get(term, term)] for term in terms}

    def known(self, numbers: Mapping[str, int]) -> tuple[Known, ...]:
        return tuple(Known(cls, text, numbers[first.term]) for (cls, text), first in self.first.items())

    def tellings(self, numbers: Mapping[str, int], facts: Sequence[Known]) -> Iterator[_Telling]:
        """What each message tells, in order; what is no fact anywhere is left out."""
        of = {self.names[term]: number for term, number in numbers.items()}
        by_key = {key: number for number, key in enumerate(self.first)}
        needs = self.needs(of, facts)
        for told, keys, needed in self.rows:
            own = tuple(by_key[key] for key in keys)
            yield _Telling(
                tuple(sorted({of[name] for name in told if name in of}.union(facts[fact].term for fact in own))),
                own,
                tuple(sorted({fact for name in needed for fact in needs.get(name, ())})),
            )

    def needs(self, of: Mapping[int, int], facts: Sequence[Known]) -> dict[int, list[int]]:
        """The facts that somebody must know who says a thing: by its name, all that go by the same term."""
        alike: defaultdict[int, list[int]] = defaultdict(list)
        needs: defaultdict[int, list[int]] = defaultdict(list)
        for number, (fact, first) in enumerate(zip(facts, self.first.values(), strict=True)):
            if first.need == first.term:
                alike[fact.term].append(number)
            elif first.need in self.names:
                needs[self.names[first.need]].append(number)
        for name, term in of.items():
            needs[name] += alike.get(term, ())
        return needs
