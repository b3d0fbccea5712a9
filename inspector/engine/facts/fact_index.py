"""The facts of a session and the messages that state them. Built once, and extended when the log grows.

A term identifies a fact in all its spellings: a value under any name, a path in full or in part, a hash in full or
abbreviated. A message contains a term if it states it in any way. Messages outside the log (summaries, shortened
results, placeholders) are read line by line with a cache, because the summaries of a session repeat the same lines.

An index never changes: `FactIndex.extended` returns a new one that reads only the new messages. Values that depend on
all facts, such as the terms of old messages and which facts are noise, are computed on demand.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain
from sys import intern
from threading import Lock
from typing import NamedTuple

from inspector.core.conversation import Message, Raw, Session
from inspector.core.text import dumps, lazy_pattern
from inspector.engine.facts.classes import FactClass
from inspector.engine.facts.extraction import ExtractedFacts, read_output, read_text
from inspector.engine.facts.fact_extracts import FACTS_EXTRACTOR
from inspector.engine.facts.noise import is_noise
from inspector.engine.facts.relation import related_text
from inspector.engine.facts.repaired_errors import RepairedErrors
from inspector.engine.facts.summary_facts import RetoldTerms, Statements, units_of
from inspector.engine.facts.terms import day_terms, find_aliases, may_have_aliases, rename_groups
from inspector.engine.facts.text_match import Literals, texts_of
from inspector.engine.facts.word_facts import Key

_MAX_LINES = 32_768
"""Maximum number of cached lines. Above it, the cache is cleared."""
_FULL_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d")
_Line = tuple[str, bool]
"""A line of text, and True if a participant wrote it rather than a tool."""


class FactRecord(NamedTuple):
    """A fact of a session."""

    cls: FactClass
    text: str
    """The normalised value."""
    term: int
    """Number of the term that identifies it."""


class MessageFacts(NamedTuple):
    """The facts of one message."""

    terms: tuple[int, ...]
    """Terms that the message states in any way."""
    facts: tuple[int, ...] = ()
    """Facts that the message states. Empty for messages outside the log."""
    needs: tuple[int, ...] = ()
    """Facts that a reply could only state if it knew them. Empty for other messages."""
    names: tuple[int, ...] = ()
    """Terms that a summary states without what they belong to."""


class _Row(NamedTuple):
    """The facts of a message of the log in compact form. Names are replaced by their numbers in `_Names`."""

    terms: array[int]
    facts: tuple[int, ...]
    needs: array[int]


class _First(NamedTuple):
    """The first statement of a fact."""

    key: Key
    term: str
    need: str
    crowd: int
    """Number of facts of the same class in that message. It is high for tables and logs."""
    message: str
    """Id of that message."""


class _Names:
    """Numbers for the names of terms and needs. Only grows, so that all indexes of one log can share it."""

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
        """Return the state without the lock, which cannot be pickled."""
        return (self._numbers,)

    def __setstate__(self, state: tuple[dict[str, int]]) -> None:
        (self._numbers,) = state
        self._lock = Lock()


class _Lines:
    """Cache of the terms of lines, including terms that are not facts. Cleared when it is full."""

    def __init__(self, names: _Names) -> None:
        self._names = names
        self._terms: dict[_Line, array[int]] = {}

    def terms(self, line: str, said: bool) -> array[int]:
        """Return the numbers of the terms in a line."""
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
    """The facts of a session's log. Keeps references to the messages, but not to the session.

    Methods that search texts raise OSError if a message body cannot be read any more.
    """

    def __init__(self, session: Session) -> None:
        """Read all messages of a session.

        Raises:
            OSError: A message body cannot be read any more.
        """
        self.log: dict[Message, _Row] = {}
        self.facts: list[FactRecord] = []
        self.by_term: list[tuple[int, ...]] = []
        """Facts identified by each term."""
        self.numbers: dict[str, int] = {}
        """Number of each term, by any of its names."""
        self._names = _Names()
        self._lines = _Lines(self._names)
        self._tools = _terms_of(session.tools)
        self._records_tools = bool(session.tools)
        self._called: set[str] = set()
        self._first: list[_First] = []
        """First statement of each fact."""
        self._by_key: dict[Key, int] = {}
        self._groups: dict[str, int] = {}
        """Number of each group of equal terms, by the fullest name in it."""
        self._aliases: dict[str, str] = {}
        self._terms: dict[int, int] = {}
        """Number of each term, by the number of its name."""
        self._alike: list[tuple[int, ...]] = []
        """Facts of each term for which stating any name of the term proves knowledge of the fact."""
        self._needs: dict[int, tuple[int, ...]] = {}
        """Facts whose proof of knowledge is a name that is not one of their term, by the number of that name."""
        self._literals, self._literals_count = Literals(), 0
        self._add_messages(session.messages)

    def extended(self, messages: Iterable[Message]) -> FactIndex:
        """Return the index of a log that has grown by these messages. Only they are read.

        Raises:
            OSError: A message body cannot be read any more.
        """
        index = copy(self)
        for name in _OWN:
            setattr(index, name, getattr(self, name).copy())
        for name in _DERIVED:
            index.__dict__.pop(name, None)
        index._add_messages(messages)
        return index

    def __getstate__(self) -> dict[str, object]:
        """Return the state without the progress of the full-text search, which starts over in another process."""
        return self.__dict__ | {"_literals_count": 0}

    def __len__(self) -> int:
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
        """Cached terms of lines: False for tool output, True for text of participants."""

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
        """Number the terms of the facts from `start` on, or of all facts if a new path splits or merges groups."""
        first = self._first
        new = [term for term in dict.fromkeys([entry.term for entry in first[start:]]) if term not in self.numbers]
        if any(map(may_have_aliases, new)):
            aliases = find_aliases(chain(self.numbers, new))
            groups = rename_groups(self._groups, self.numbers, self._aliases, aliases)
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
                alike = (*self._alike[number], fact)
                self._alike[number] = self.by_term[number] if len(alike) == len(self.by_term[number]) else alike
            else:
                name = self._names.number(need)
                self._needs[name] = (*self._needs.get(name, ()), fact)

    def facts_of(self, message: Message, end: int | None = None) -> MessageFacts:
        """Return the facts of a message. Messages outside the log are read on each call, with cached lines.

        Args:
            message: A message of the log, or a rewritten one.
            end: Position in the log after the messages that a summary outside the log replaced; the whole log if None.
        """
        row = self.log.get(message)
        if row is None:
            terms, names = self._read(message, end)
            return MessageFacts(tuple(sorted(terms)), names=tuple(sorted(names)))
        if (facts := self._message_facts.get(message)) is None:
            terms = {self._terms[name] for name in row.terms if name in self._terms}
            terms.update([self.facts[fact].term for fact in row.facts])
            names = set[int]()
            if message.kind == "summary":
                terms, names = self._read(message, self.statements.place_of(message))
            needs = set(chain.from_iterable([self._needs[name] for name in row.needs if name in self._needs]))
            needs.update(*[self._alike[self._terms[name]] for name in row.needs if name in self._terms])
            facts = self._message_facts[message] = MessageFacts(
                tuple(sorted(terms)), row.facts, tuple(sorted(needs)), tuple(sorted(names))
            )
        return facts

    def stated_among(self, message: Message, terms: frozenset[int]) -> frozenset[int]:
        """Return the given terms that a message of the log states. A summary is searched for these terms only."""
        if message.kind != "summary" or message in self._message_facts:
            return terms.intersection(self.facts_of(message).terms)
        return terms.intersection(self._read(message, self.statements.place_of(message), terms)[0])

    def teller(self, fact: int) -> str:
        """Return the id of the first message that states a fact. Facts are numbered by first statement."""
        return self._first[fact].message

    def missed_of(self, reply: Message) -> Mapping[int, int]:
        """Return the facts that a reply needs and whose loss can be a regret, each with its term."""
        missed = self._missed.get(reply)
        if missed is None:
            needs = self.facts_of(reply).needs
            missed = self._missed[reply] = {fact: self.facts[fact].term for fact in needs if self.is_missed(fact)}
        return missed

    def is_missed(self, fact: int) -> bool:
        """Return True if the loss of a fact can be a regret."""
        cls, text, _ = self.facts[fact]
        return not is_noise(cls, text, self._first[fact].crowd)

    @cached_property
    def always(self) -> tuple[int, ...]:
        """Terms sent with every request: those in the tool definitions.

        If the file does not contain the definitions, the names of all tools that were called.
        """
        terms = self._tools if self._records_tools else {f"name {name}" for name in self._called}
        return tuple(sorted({self.numbers[term] for term in terms if term in self.numbers}))

    @cached_property
    def days(self) -> dict[int, int]:
        """Term of each full date, mapped to the term of its day and month, which is enough to know the date."""
        return dict(_days_of(self.facts, self.numbers))

    @cached_property
    def statements(self) -> Statements:
        return Statements({message: row.facts for message, row in self.log.items()}, self.facts, self.by_term)

    @cached_property
    def repaired(self) -> RepairedErrors:
        return RepairedErrors({message: row.facts for message, row in self.log.items()}, self.facts)

    def _read(
        self, message: Message, end: int | None, among: frozenset[int] | None = None
    ) -> tuple[set[int], set[int]]:
        """Return the terms of a summary or of a message outside the log, and the terms that it only names."""
        retold = self.retold_in(message, end, among)
        if message.kind != "summary":
            return retold.restated | retold.mentioned, set()
        terms = self.statements.related(retold.text, retold.mentioned, retold.end)
        return terms | retold.restated, retold.mentioned - terms - retold.restated

    def retold_in(self, message: Message, end: int | None, among: frozenset[int] | None = None) -> RetoldTerms:
        """Return the terms in a message, which of those that a summary only names is still undecided.

        Args:
            message: A summary, or another message outside the log.
            end: Position in the log after the messages that a summary replaced; the whole log if None.
            among: Terms to look for; None for all.
        """
        end = len(self.log) if end is None else end
        terms, spoken = set[int](), list[str]()
        for text, said in texts_of(message):
            terms |= self._read_lines(units_of(text) if message.kind == "summary" else text.split("\n"), said)
            spoken += [text] if said else []
        whole = related_text("\n".join(spoken))
        restated = self.statements.restated(whole, among)
        return RetoldTerms(restated, terms if among is None else terms & among, whole, end, self.statements)

    def holders_of(self, words: str) -> tuple[Message, ...]:
        """Return the messages of the log, except summaries, that contain a `phrase`."""
        return self.literals.holders(words)

    def spellers_of(self, name: str) -> frozenset[Message]:
        """Return the messages of the log, except summaries, with a longer word that contains a name."""
        return self.literals.spellers(name)

    @property
    def literals(self) -> Literals:
        """The words of the messages of the log, except summaries."""
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
        for line in map(intern, new):  # the next summary contains the same lines
            cache[line] = tuple(self._read_line(line, said))
        return set[int]().union(*map(cache.__getitem__, lines))

    def _read_line(self, line: str, said: bool) -> set[int]:
        terms = self._lines.terms(line, said)
        return {self._terms[name] for name in terms if name in self._terms}


_OWN = (
    *("log", "facts", "by_term", "numbers", "_called", "_first", "_by_key"),
    *("_groups", "_terms", "_alike", "_needs"),
)
"""Attributes that are copied for each index. Names and lines are shared with the index it was extended from."""
_DERIVED = ("always", "days", "statements", "repaired")
"""Attributes computed from all facts on first use."""


def _terms_of(tools: Sequence[Raw]) -> frozenset[str]:
    """Return the terms and the names in tool definitions."""
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
