"""What of everything that was told is still in the window, what could be had back, and what is lost.

A ledger follows one replay: it is told what enters the log, and what the window is after a compression. The one costs
what enters, the other the window, however long the conversation is.

What a reply then misses is asked of the ledger in `misses.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import filterfalse
from math import sqrt
from typing import Annotated, Literal

from inspector.core.conversation import Message
from inspector.core.json_objects import json_object
from inspector.engine.facts.classes import CLASSES, NAMES, FactClass, Weights
from inspector.engine.facts.fact_index import FactIndex, FactRecord
from inspector.engine.facts.text_match import Passage, is_long, listed_words, phrase, spoken_words

State = Literal["retained", "named", "recoverable", "lost"]
"""Where a fact is; the first that holds.

retained     the window tells it, in any spelling, or holds it word for word
named        a summary only lists it: the bare value, without a word about what it is
recoverable  it is in an archive from which the policy brings back
lost         none of these: a placeholder that nobody can open does not count
"""
STATES: tuple[State, ...] = ("retained", "named", "recoverable", "lost")

_SENTENCES: frozenset[FactClass] = frozenset(("constraint", "decision", "task", "error"))
"""The classes whose facts are sentences; those of the others are values."""


@json_object("Kept", "retained named recoverable lost")
@dataclass(frozen=True, slots=True)
class RetainedFact:
    """How many facts are where."""

    retained: Annotated[int, "in the window"] = 0
    recoverable: Annotated[int, "out of it, in an archive from which the policy brings back"] = 0
    lost: int = 0
    named: Annotated[int, "in it only as bare values in the list of a summary"] = 0

    @property
    def total(self) -> int:
        return self.retained + self.named + self.recoverable + self.lost


@dataclass(frozen=True)
class Retention:
    """The counts of the facts so far by class, without the classes that have none."""

    classes: Mapping[FactClass, RetainedFact]
    weights: Weights = field(default_factory=Weights)

    @property
    def share(self) -> float:
        """From 0 to 1: the mean of two halves, of the sentences that are retained and of the values that are.

        In a half, a class counts by its weight and by the square root of how many facts it has: a lone fact does not
        count as hundreds do, nor do thousands of numbers in the outputs of tools drown the rest. Halves, because the
        classes of sentences are known by marks that strategies look for too: who keeps marked sentences and nothing
        else has kept one half. A half counts for more where its classes were given larger weights than the usual
        ones, and not at all where nothing of it was told. 1 where nothing was told.
        """
        return self.mean(lambda row: row.retained)

    @property
    def reach(self) -> float:
        """Like `share`, with what is recoverable beside what is retained."""
        return self.mean(lambda row: row.retained + row.recoverable)

    def mean(self, count: Callable[[RetainedFact], int]) -> float:
        whole = total = 0.0
        for is_sentence in (True, False):
            names = [name for name in self.classes if (name in _SENTENCES) is is_sentence]
            parts = {name: self.weights[name] * sqrt(self.classes[name].total) for name in names}
            if size := sum(parts.values()):
                half = sum(part * count(row := self.classes[name]) / row.total for name, part in parts.items()) / size
                weight = sum(self.weights[name] for name in names) / sum(CLASSES[name].weight for name in names)
                whole, total = whole + weight, total + weight * half
        return min(1.0, total / whole) if whole else 1.0


@dataclass(eq=False)
class _SentWindow:
    """A window as it was sent."""

    turn: int
    messages: tuple[Message, ...]
    others: tuple[Message, ...]
    """Of these, the ones that are not as in the log."""
    _numbers: frozenset[int] | None = None

    def holds(self, words: str, index: FactIndex) -> bool:
        """Whether a `phrase` stands in it. Raises OSError."""
        if not words.strip():
            return False
        if self._numbers is None:
            self._numbers = index.numbers_of(self.messages)
        return words in self._other_words or index.is_held(words, self._numbers)

    @cached_property
    def _other_words(self) -> Passage:
        return Passage("".join(map(spoken_words, self.others)))


class FactTracker:
    """Where each fact of a session is while it is replayed. Not to be shared between replays.

    Raises nothing: messages may come in any order, be named twice, or be of no session at all.
    """

    def __init__(
        self, index: FactIndex, weights: Weights | None = None, retelling: Collection[Message] = frozenset()
    ) -> None:
        """`retelling` are messages of the log that only say again what others told: summaries of the recording's own.

        They hold facts as any other, and are the source of none.
        """
        self.index = index
        self.retelling = retelling
        self.weights = weights or Weights()
        self.window: dict[Message, tuple[int, ...]] = {}
        """The messages of the window, each with the terms that it tells."""
        self.retained = set(index.always)
        """The terms that the window tells."""
        self.named = set[int]()
        """Of the other terms, those that the window only lists."""
        self.reaching = set[int]()
        """The terms of the messages in the archive."""
        self._windows: list[_SentWindow] = []
        """What was shown, in order."""
        self._left_with: dict[int, int] = {}
        """For each term that left, the number of the window that was the first without it; others may be there too."""
        self.log: dict[str, Message] = {}
        self.archive: set[str] = set()
        """Ids of the messages that were put into an archive from which the policy brings back."""
        self._others: list[Message] = []
        """The messages of the window that are not as in the log, or are summaries."""
        self._texts: dict[Message, str] = {}
        """What those say, as phrases are looked for in it."""
        self._other_words: Passage | None = None
        """All of it; None where it is still to be put together."""
        self._numbers: frozenset[int] | None = None
        """What the index knows the messages of the window by; None where it is still to be asked."""
        self._listed_words: Passage | None = None
        """What summaries among them only list."""
        self.heard = set[int]()
        """The terms that somebody other than the assistant told."""
        self.elsewhere = set[int]()
        """The terms that only messages of a way tell that the conversation has left: their facts do not count."""
        self._source: dict[int, str] = {}
        self._tellers: list[tuple[str, tuple[int, ...]]] = []
        """The messages that are not in `_source` yet, by their ids, with their facts."""
        self._ahead = iter(index.log)
        self._is_in_step = True
        """Whether the messages so far are the first ones of the log that was indexed: then it knows their facts."""
        self._count = 0
        """How many facts were told, where it is in step."""

    @property
    def source(self) -> Mapping[int, str]:
        """For each fact that was told so far, the id of the message that told it first, in that order."""
        if self._is_in_step:
            return {fact: self.index.teller(fact) for fact in range(self._count)}
        source = self._source
        for name, facts in self._tellers:
            source.update(dict.fromkeys(filterfalse(source.__contains__, facts), name))
        self._tellers.clear()
        return source

    def source_of(self, fact: int) -> str | None:
        """The id of the message that told a fact first; None where none has."""
        if self._is_in_step:
            return self.index.teller(fact) if fact < self._count else None
        return self.source.get(fact)

    def add(self, messages: Iterable[Message]) -> None:
        """Messages have entered the log, and with it the window."""
        for message in messages:
            terms, facts, _, names = self.index.facts_of(message)
            if message not in self.window:
                self.window[message] = terms
                self._numbers = None
                self.retained.update(terms)
                self.named.update(names)
                if message.kind == "summary" or message not in self.index.log:
                    self._others.append(message)
                    self._other_words = self._listed_words = None
            self._tell(message, terms, facts)

    def _tell(self, message: Message, terms: tuple[int, ...], facts: tuple[int, ...]) -> None:
        """What a message of the log tells is known from now on."""
        self.elsewhere.difference_update(terms)
        if self.log.get(message.id) is message:
            return
        if message.role != "assistant":
            self.heard.update(terms)
        self.log[message.id] = message
        self._tellers.append((message.id, facts))
        self._is_in_step = self._is_in_step and next(self._ahead, None) is message
        self._count = max(self._count, 1 + max(facts, default=-1))

    def follow_path(self, path: Iterable[Message]) -> None:
        """The conversation goes on behind these messages of the log, from whichever way.

        What none of them tells does not count until it is told again: no policy could have kept it.
        """
        facts, here = self.index.facts, set[int]().union(*[self.index.facts_of(message).terms for message in path])
        self.elsewhere = {facts[fact].term for fact in self.source}.difference(here)

    def show(self, turn: int, window: Sequence[Message], archived: Iterable[str] = ()) -> None:
        """The request of `turn` goes out with these messages; those with the ids `archived` can be brought back since.

        Messages of the log that were not added before are counted as told with this request.
        """
        here, facts_of, before = self.window, self.index.facts_of, self.retained | self.named
        self.window = {message: here[message] if message in here else facts_of(message).terms for message in window}
        self._keep(archived)
        self.retained = set(self.index.always).union(*self.window.values())
        self.named = set[int]().union(*[facts_of(teller).names for teller in self.window if teller.kind == "summary"])
        self._others = [teller for teller in self.window if teller.kind == "summary" or teller not in self.index.log]
        self._other_words = self._listed_words = self._numbers = None
        self._left_with.update(dict.fromkeys(before - self.retained - self.named - self.reaching, len(self._windows)))
        self._windows.append(_SentWindow(turn, tuple(self.window), tuple(self._others)))
        for message in self.window:
            if message not in here and message in self.index.log and message not in self.retelling:
                self._tell(message, self.window[message], facts_of(message).facts)

    def _keep(self, archived: Iterable[str]) -> None:
        """Messages are in the archive from now on."""
        for name in set(archived) - self.archive:
            self.archive.add(name)
            if name in self.log:
                self.reaching.update(self.index.facts_of(self.log[name]).terms)

    def state_of(self, term: int) -> State:
        """Where the facts of a term are that was told."""
        if term in self.retained:
            return "retained"
        if self.is_literal(term):
            return "retained"
        return "named" if term in self.named else "recoverable" if term in self.reaching else "lost"

    def lost_at(self, term: int) -> int:
        """The first turn since a lost term left whose request told it in no way. Raises OSError."""
        phrases = [phrase(self.index.facts[fact].text) for fact in self.index.by_term[term]]
        windows = self._windows[self._left_with.get(term, len(self._windows)) :]
        without = (window for window in windows if not any(window.holds(words, self.index) for words in phrases))
        return next((window.turn for window in without), self._windows[-1].turn if self._windows else 0)

    def is_literal(self, term: int) -> bool:
        """Whether a fact of this term stands in the window word for word. Raises OSError."""
        return any(self.holds(phrase(self.index.facts[fact].text)) for fact in self.index.by_term[term])

    def holds(self, words: str) -> bool:
        """Whether a `phrase` stands in the window. Raises OSError."""
        if not words.strip():
            return False
        if words in self.other_words():
            return True
        if self._numbers is None:
            self._numbers = self.index.numbers_of(self.window)
        return self.index.is_held(words, self._numbers)

    def may_be_spelled(self, name: str) -> bool:
        """Whether a name stands in the window as a part of a longer one, or without what it belongs to.

        Raises OSError.
        """
        _, dot, member = name.removesuffix("()").rpartition(".")
        if dot and is_long(member) and self.holds(phrase(member)):
            return True
        return any(map(self.window.__contains__, self.index.spellers_of(name)))

    def lists(self, words: str) -> bool:
        """Whether a `phrase` stands in a line of a summary that only lists values."""
        if self._listed_words is None:
            self._listed_words = Passage("".join(map(listed_words, self._others)))
        return bool(words.strip()) and words in self._listed_words

    def other_words(self) -> Passage:
        """What the messages of the window say that are not as in the log: summaries, and results in part."""
        if self._other_words is None:
            others, texts = self._others, self._texts
            self._texts = {other: texts[other] if other in texts else spoken_words(other) for other in others}
            self._other_words = Passage("".join(self._texts.values()))
        return self._other_words

    def retention(self) -> Retention:
        """How many facts so far are retained, recoverable and lost, by class."""
        facts, retained, elsewhere = self.index.facts, self.retained, self.elsewhere
        classes: dict[State, list[FactClass]] = {state: [] for state in STATES}
        here, states = classes["retained"], dict[int, State]()
        for cls, _, term in facts[: self._count] if self._is_in_step else map(facts.__getitem__, self.source):
            if term in elsewhere:
                continue
            if term in retained:
                here.append(cls)
            else:
                if term not in states:
                    states[term] = self.state_of(term)
                classes[states[term]].append(cls)
        counts = {state: Counter(names) for state, names in classes.items()}
        rows = {name: RetainedFact(**{state: tally[name] for state, tally in counts.items()}) for name in NAMES}
        return Retention({name: row for name, row in rows.items() if row.total}, self.weights)

    def facts(self, state: State) -> Iterator[tuple[FactRecord, str]]:
        """The facts in a state, each with the id of the message that told it first, in that order."""
        for fact, message in self.source.items():
            entry = self.index.facts[fact]
            if entry.term not in self.elsewhere and self.state_of(entry.term) == state:
                yield entry, message


def kept_in(
    index: FactIndex,
    log: Iterable[Message],
    window: Sequence[Message],
    archived: Iterable[str] = (),
    weights: Weights | None = None,
) -> Retention:
    """Where the facts of `log` are when `window` is sent, and the messages with the ids `archived` are archived."""
    ledger = FactTracker(index, weights)
    ledger.add(log)
    ledger.show(0, window, archived)
    return ledger.retention()
