"""The facts of a session, numbered, and which message tells which: read once, and extended when the log grows.

What is the same fact is one term: a value, whatever it is called; a path, however much of it is written out; a hash,
however short. A message holds a term when it tells it in any way. Messages that are not in the log (summaries, results
that were shortened, placeholders) are read line by line, and lines are remembered: the summaries of a session are made
of the same lines again and again.

An index never changes. `FactIndex.extended` makes the one of a log that has grown: it reads the new messages only, and
takes over the rest. What depends on all facts (which terms an old message holds, what counts as noise) is worked out
for a message or a fact when it is asked for.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, filterfalse
from sys import intern
from threading import Lock
from typing import NamedTuple

from inspector.core.conversation import Message, Raw, Session
from inspector.core.text import dumps
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.extraction import ExtractedFacts, read_output, read_text
from inspector.engine.facts.fact_extracts import FACTS_EXTRACTOR
from inspector.engine.facts.noise import is_noise
from inspector.engine.facts.terms import day_terms, find_aliases, may_have_aliases, sentence_words
from inspector.engine.facts.text_match import (
    MIN_SENTENCE_WORDS,
    Literals,
    is_bare,
    restates,
    sentences_by_word,
    texts_of,
)
from inspector.engine.facts.word_facts import Key

_MAX_LINES = 32_768
"""Lines that are remembered; beyond, all of them are forgotten and read anew."""
_FULL_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_Line = tuple[str, bool]
"""A line of a text, and whether somebody says it."""


class FactRecord(NamedTuple):
    """A fact of a session."""

    cls: FactClass
    text: str
    """The value, in its normal form."""
    term: int
    """The number of the term by which it is known."""


class MessageFacts(NamedTuple):
    """What one message tells."""

    terms: tuple[int, ...]
    """The terms that it tells in any way."""
    facts: tuple[int, ...] = ()
    """The facts that it tells, of messages of the log."""
    needs: tuple[int, ...] = ()
    """The facts that it could not have told without knowing them, of replies."""
    names: tuple[int, ...] = ()
    """The terms that it only lists, without a word about what they are; of summaries."""


class _Row(NamedTuple):
    """What a message of the log tells, as small as it can be held; names are numbers of `_Names`."""

    terms: array[int]
    facts: tuple[int, ...]
    needs: array[int]
    """Of a reply."""


class _First(NamedTuple):
    """How a fact was told first."""

    key: Key
    term: str
    need: str
    crowd: int
    """How many facts of its class that message tells: the rows of a table are many."""
    message: str
    """The id of that message."""


class _Names:
    """A number for every term and every need. Grows only, so that all indexes of one log may share it."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lock = Lock()

    def pack(self, names: Iterable[str]) -> array[int]:
        numbers = self._numbers
        with self._lock:
            return array("I", [numbers.setdefault(name, len(numbers)) for name in names])

    def number(self, name: str) -> int:
        with self._lock:
            return self._numbers.setdefault(name, len(self._numbers))

    def __getstate__(self) -> tuple[dict[str, int]]:
        """Without the lock, which does not go into another process."""
        return (self._numbers,)

    def __setstate__(self, state: tuple[dict[str, int]]) -> None:
        (self._numbers,) = state
        self._lock = Lock()


class _Lines:
    """The terms of lines that were read, whatever of them is a fact; all are forgotten when they are too many."""

    def __init__(self, names: _Names) -> None:
        self._names = names
        self._terms: dict[_Line, array[int]] = {}

    def terms(self, line: str, said: bool) -> array[int]:
        """The terms that a line tells, by the numbers of their names."""
        terms = self._terms.get((line, said))
        if terms is None:
            if len(self._terms) >= _MAX_LINES:
                self._terms.clear()
            terms = self._terms[line, said] = self._names.pack(_line_facts(line, said).terms)
        return terms


def _line_facts(line: str, said: bool) -> ExtractedFacts:
    if said:
        return read_text(line)
    facts = ExtractedFacts()
    read_output(facts, line, is_error=False)
    return facts


class FactIndex:
    """The facts of a session's log. It holds the log's messages, and not the session itself."""

    def __init__(self, session: Session) -> None:
        """Reads every message. Raises OSError where a source cannot be read any more."""
        self.log: dict[Message, _Row] = {}
        self.facts: list[FactRecord] = []
        self.by_term: list[tuple[int, ...]] = []
        """For each term, the facts that are known by it."""
        self.numbers: dict[str, int] = {}
        """The number of each term of a fact, by any of its names."""
        self._names = _Names()
        self._lines = _Lines(self._names)
        self._tools = _terms_of(session.tools)
        self._records_tools = bool(session.tools)
        self._called: set[str] = set()
        """The tools that were called."""
        self._first: list[_First] = []
        """How each fact was told first."""
        self._by_key: dict[Key, int] = {}
        self._groups: dict[str, int] = {}
        """The number of each group of terms that are the same, by the fullest of them."""
        self._aliases: dict[str, str] = {}
        self._terms: dict[int, int] = {}
        """The number of each term of a fact, by that of its name."""
        self._alike: list[tuple[int, ...]] = []
        """For each term, the facts that nobody can say by any of its names without knowing them."""
        self._needs: dict[int, tuple[int, ...]] = {}
        """The same by names that are no name of their term."""
        self._literals, self._literals_count = Literals(), 0
        self._add_messages(session.messages)

    def extended(self, messages: Iterable[Message]) -> FactIndex:
        """The index of a log that has grown by these messages. Only they are read. Raises OSError."""
        index = copy(self)
        for name in _OWN:
            setattr(index, name, getattr(self, name).copy())
        for name in _DERIVED:
            index.__dict__.pop(name, None)
        index._add_messages(messages)
        return index

    def __getstate__(self) -> dict[str, object]:
        """All but how much of the log the word-for-word search has read: in another process it begins anew."""
        return self.__dict__ | {"_literals_count": 0}

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self.by_term)

    def _add_messages(self, messages: Iterable[Message]) -> None:
        start = len(self._first)
        messages = list(dict.fromkeys(messages))
        self._called.update([call.name for message in messages for call in message.calls])
        fresh = [message for message in messages if message.kind != "notice" and message not in self.log]
        for message, result in zip(fresh, FACTS_EXTRACTOR.values(fresh), strict=True):
            self.log[message] = self._row(message, result)
        self._number_from(start)
        self._message_facts: dict[Message, MessageFacts] = {}
        self._missed: dict[Message, Mapping[int, int]] = {}
        self._line_terms: Mapping[bool, dict[str, tuple[int, ...]]] = {False: {}, True: {}}
        """The terms that lines tell: those that nobody says, and those that somebody does."""

    def _row(self, message: Message, result: ExtractedFacts) -> _Row:
        crowd = Counter(cls for cls, _ in result.facts)
        for key, (term, need, _) in result.facts.items():
            if key not in self._by_key:
                self._by_key[key] = len(self._first)
                self._first.append(_First(key, term, need, crowd[key[0]], message.id))
        facts = tuple([self._by_key[key] for key in result.facts])
        needs = self._names.pack(result.needs if message.role == "assistant" else ())
        return _Row(self._names.pack(result.terms), facts, needs)

    def _number_from(self, start: int) -> None:
        """Number the terms of the facts from `start` on; all facts, where a new path parts older ones or joins them."""
        first = self._first
        new = [term for term in dict.fromkeys([entry.term for entry in first[start:]]) if term not in self.numbers]
        if any(map(may_have_aliases, new)):
            aliases = find_aliases(chain(self.numbers, new))
            groups = _rename_groups(self._groups, self.numbers, self._aliases, aliases)
            self._aliases = aliases
            if groups is None:
                start, new, groups = 0, list(dict.fromkeys([entry.term for entry in first])), {}
                self.facts, self.by_term, self._alike = [], [], []
                self.numbers, self._terms, self._needs = {}, {}, {}
            self._groups = groups
        for term in new:
            number = self._groups.setdefault(self._aliases.get(term, term), len(self._groups))
            self.numbers[term] = self._terms[self._names.number(term)] = number
        missing = len(self._groups) - len(self.by_term)
        self.by_term += [()] * missing
        self._alike += [()] * missing
        for fact, ((cls, text), term, need, _, _) in enumerate(first[start:], start):
            number = self.numbers[term]
            self.facts.append(FactRecord(cls, text, number))
            self.by_term[number] += (fact,)
            if need == term:
                self._alike[number] += (fact,)
            else:
                name = self._names.number(need)
                self._needs[name] = (*self._needs.get(name, ()), fact)

    def facts_of(self, message: Message) -> MessageFacts:
        """The terms, facts and needs of a message. One that is not of the log is read anew, by cached lines."""
        row = self.log.get(message)
        if row is None:
            terms, names = self.read_parts(message)
            return MessageFacts(tuple(sorted(terms)), names=tuple(sorted(names)))
        if (facts := self._message_facts.get(message)) is None:
            terms = {self._terms[name] for name in row.terms if name in self._terms}
            terms.update([self.facts[fact].term for fact in row.facts])
            names = set[int]()
            if message.kind == "summary":
                context, names = self.read_parts(message)
                terms = (terms | context) - names
            needs = set(chain.from_iterable([self._needs[name] for name in row.needs if name in self._needs]))
            needs.update(*[self._alike[self._terms[name]] for name in row.needs if name in self._terms])
            facts = self._message_facts[message] = MessageFacts(
                tuple(sorted(terms)), row.facts, tuple(sorted(needs)), tuple(sorted(names))
            )
        return facts

    def teller(self, fact: int) -> str:
        """The id of the first message of the log that tells a fact. Facts are numbered in the order of telling."""
        return self._first[fact].message

    def missed_of(self, reply: Message) -> Mapping[int, int]:
        """The facts that a reply needs and whose loss can be regretted, each with its term."""
        missed = self._missed.get(reply)
        if missed is None:
            needs = self.facts_of(reply).needs
            missed = self._missed[reply] = {fact: self.facts[fact].term for fact in needs if self.is_missed(fact)}
        return missed

    def is_missed(self, fact: int) -> bool:
        """Whether the loss of a fact can be regretted."""
        cls, text, _ = self.facts[fact]
        return not is_noise(cls, text, self._first[fact].crowd)

    @cached_property
    def always(self) -> tuple[int, ...]:
        """Terms that are sent with every request: what the definitions of the tools tell.

        Where a file leaves them out, the name of every tool that was called.
        """
        terms = self._tools if self._records_tools else {f"name {name}" for name in self._called}
        return tuple(sorted({self.numbers[term] for term in terms if term in self.numbers}))

    @cached_property
    def days(self) -> dict[int, int]:
        """For the term of a full date, that of its day and month: whoever has those lacks no date."""
        return dict(_days_of(self.facts, self.numbers))

    @cached_property
    def _sentences(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        return sentences_by_word(self.numbers)

    def read_parts(self, message: Message) -> tuple[set[int], set[int]]:
        """The terms that a message tells that is not in the log, or that stands for others; and those it only lists."""
        terms, names = set[int](), set[int]()
        for text, said in texts_of(message):
            lines = text.split("\n")
            if message.kind == "summary":
                names |= self._read_lines(list(filter(is_bare, lines)), said)
                lines = list(filterfalse(is_bare, lines))
            terms |= self._read_lines(lines, said)
        return terms, names - terms

    def holders_of(self, words: str) -> tuple[Message, ...]:
        """The messages of the log, without its summaries, in which a `phrase` stands. Raises OSError."""
        return self._all_literals().holders(words)

    def numbers_of(self, messages: Iterable[Message]) -> frozenset[int]:
        """What `is_held` knows messages of the log by. Raises OSError."""
        return self._all_literals().numbers_of(messages)

    def is_held(self, words: str, numbers: frozenset[int]) -> bool:
        """Whether a `phrase` stands in one of the messages with these numbers. Raises OSError."""
        return self._all_literals().is_held(words, numbers)

    def spellers_of(self, name: str) -> frozenset[Message]:
        """Those of them that tell a name as a part of a longer one. Raises OSError."""
        return self._all_literals().spellers(name)

    def _all_literals(self) -> Literals:
        if self._literals_count < len(self.log):
            self._literals.read(message for message in self.log if message.kind != "summary")
            self._literals_count = len(self.log)
        return self._literals

    def _read_lines(self, lines: Sequence[str], said: bool) -> set[int]:
        cache = self._line_terms[said]
        new = set(lines).difference(cache)
        if new and len(cache) + len(new) > _MAX_LINES:
            cache.clear()
            new = set(lines)
        for line in map(intern, new):  # the next summary reads the same lines for its own ends
            cache[line] = tuple(self._read_line(line, said))
        return set[int]().union(*map(cache.__getitem__, lines))

    def _read_line(self, line: str, said: bool) -> set[int]:
        terms = self._lines.terms(line, said)
        return {self._terms[name] for name in terms if name in self._terms} | self._in_other_words(line)

    def _in_other_words(self, line: str) -> set[int]:
        """The sentences that a line tells a little differently: most of their words, and all of their numbers."""
        words = frozenset(sentence_words(line))
        if len(words) < MIN_SENTENCE_WORDS:
            return set()
        near = {number: sentence for word in words for number, sentence in self._sentences.get(word, ())}
        return {number for number, sentence in near.items() if restates(words, sentence)}


_OWN = (
    *("log", "facts", "by_term", "numbers", "_called", "_first", "_by_key"),
    *("_groups", "_terms", "_alike", "_needs"),
)
"""What an index has for itself; names and lines are shared with those that it was extended from."""
_DERIVED = ("always", "days", "_sentences")
"""What is worked out of all of it when it is first asked for."""


def _rename_groups(
    groups: Mapping[str, int], terms: Iterable[str], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, int] | None:
    """Groups of terms by the fullest of each, when aliases are others now; None where the groups are others, too."""
    names: dict[str, str] = {}
    for term in terms:
        old, new = before.get(term, term), after.get(term, term)
        if names.setdefault(old, new) != new:
            return None
    renamed = {names[name]: number for name, number in groups.items()}
    return renamed if len(renamed) == len(groups) else None


def _terms_of(tools: Sequence[Raw]) -> frozenset[str]:
    """What the definitions of tools tell, and their names."""
    result = ExtractedFacts()
    read_output(result, dumps(tools), is_error=False)
    functions = [tool.get("function") for tool in tools]
    definitions = [*tools, *(function for function in functions if isinstance(function, Mapping))]
    return frozenset(result.terms) | {f"name {tool.get('name')}" for tool in definitions}


def _days_of(facts: Iterable[FactRecord], numbers: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    for fact in facts:
        if fact.cls == "date" and _FULL_DAY.fullmatch(fact.text):
            day = numbers.get(day_terms(fact.text)[-1], fact.term)
            if day != fact.term:
                yield fact.term, day
